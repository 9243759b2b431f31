/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists the tables and views of a database. */
#include "ctl/app/print.h"
#include "ctl/sql/sql.h"
#include "lib/base/buf.h"

static const char statement[] =
	"SELECT m.name, m.type, (SELECT group_concat(name, ', ') FROM pragma_table_info(m.name))"
	" FROM sqlite_schema AS m WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite\\_%'"
	" ESCAPE '\\' ORDER BY m.type, m.name";

static const char *text_at(sqlite3_stmt *list, int i)
{
	return (const char *)sqlite3_column_text(list, i);
}

int query_list(struct query *query)
{
	static const struct column columns[] = {
		{ .key = "name" },
		{ .key = "type" },
		{ .key = "columns", .flags = COL_FOLD },
	};
	struct rows *rows = rows_new("tables", columns, ARRAY_SIZE(columns));
	sqlite3_stmt *list = NULL;
	int rc;

	/* The statement is ours, and the only one that asks for columns. */
	sqlite3_set_authorizer(query->sqlite, NULL, NULL);
	rc = sqlite3_prepare_v2(query->sqlite, statement, -1, &list, NULL);
	while (!rc && (rc = sqlite3_step(list)) == SQLITE_ROW) {
		rows_add(rows, val_text(text_at(list, 0)), val_text(text_at(list, 1)),
			 val_text(text_at(list, 2)));
		rc = 0;
	}
	if (rc != SQLITE_DONE) {
		sqlite3_finalize(list);
		rows_free(rows);
		return query_fail(query);
	}
	sqlite3_finalize(list);
	return print_rows(query->app, 0, rows, "there are no tables");
}
