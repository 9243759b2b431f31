/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables and columns that statements read: the others are not filled. */
#include "answers/sql/writing.h"

bool database_is_wanted(const struct database *db, const char *name)
{
	return !db->opts.wants || db->opts.wants(db->opts.data, name);
}

static int want_column(struct database *db, struct written *it, size_t column)
{
	bool *wanted = dkt__reach(it->wanted, it->n_wanted, column);

	if (!wanted)
		return dkt__no_memory(db->ctx);
	*wanted = true;
	return 0;
}

static int want_of_event(struct database *db, struct schema_table *table, const char *column)
{
	struct written *it = database_written(db, &table->writer);
	int err = it ? 0 : dkt__no_memory(db->ctx);

	for (size_t i = 0; !err && i < SCHEMA_N_FIXED + table->n; i++)
		if (!strcasecmp(i < SCHEMA_N_FIXED ? schema_fixed(i)->name :
						     table->columns[i - SCHEMA_N_FIXED].name,
				column))
			err = want_column(db, it, i);
	return err;
}

static int want_of_answer(struct database *db, struct answer *answer, const char *column)
{
	struct written *it = database_written(db, &answer->writer);
	size_t nr;

	if (!it)
		return dkt__no_memory(db->ctx);
	nr = results_column(db, answer, column);
	return nr < it->columns ? want_column(db, it, nr) : 0;
}

int database_want(struct database *db, const char *name, const char *column)
{
	struct schema_table *table = schema_find(&db->schema, name, strlen(name));

	db->chosen = true;
	if (table)
		return want_of_event(db, table, column);
	for (size_t i = 0; i < db->answers.n; i++)
		if (!strcasecmp(db->answers.list[i].name, name))
			return want_of_answer(db, &db->answers.list[i], column);
	return 0;
}

bool database_wants(void *data, struct dkt_event *event)
{
	struct database *db = data;
	const struct schema_table *table =
		schema_table(&db->schema, dkt_event_system(event), dkt_event_name(event));

	return !table || db->counting || database_is_wanted(db, table->name) ||
	       answers_want(&db->answers, event);
}
