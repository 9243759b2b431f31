/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sql: answers a statement from recordings, or from a database that convert has written. */
#include <fcntl.h>

#include "ctl/app/commands.h"
#include "ctl/input/inputs.h"
#include "ctl/sql/sql.h"
#include "lib/base/memory.h"
#include "lib/base/stop.h"
#include "lib/inside.h"

/* ---- a database ---- */

static bool is_database(const char *path)
{
	static const char magic[16] = "SQLite format 3";
	char head[sizeof(magic)];
	int fd __cleanup(close) = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	/* A pipe has no offsets, and keeps its first bytes. */
	return fd >= 0 && pread(fd, head, sizeof(head), 0) == sizeof(head) &&
	       !memcmp(head, magic, sizeof(magic));
}

static int open_database(struct query *query, const char *path)
{
	if (sqlite3_open_v2(path, &query->sqlite, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL))
		return dkt_fail(query->app->ctx, -EIO, "%s: %s", path,
				sqlite3_errmsg(query->sqlite));
	/* Damaged pages are an error, not a surprise. */
	sqlite3_exec(query->sqlite, "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0", NULL, NULL,
		     NULL);
	return query_guard(query);
}

static int answer_from(struct query *query, const char *path)
{
	int err = open_database(query, path);

	if (!err && !query->text)
		err = query_list(query);
	else if (!err)
		err = query_prepare(query);
	return err || !query->text ? err : query_print(query);
}

/* ---- recordings ---- */

static bool wants(void *data, const char *name)
{
	return query_names(data, name);
}

/* The events of some files come with their records: then every table is filled. */
static bool knows_events(const struct inputs *in)
{
	struct dkt_event *const *all;
	size_t n;

	for (size_t i = 0; i < in->n; i++) {
		if (!dkt_events(in->files[i].in.ctx, &all, &n) && n)
			continue;
		free(dkt__error_take(in->files[i].in.ctx));
		return false;
	}
	return true;
}

/* SQLite's own tables list all others: then every table is there and filled. */
static bool names_schema(const struct query *query)
{
	return query_names(query, "sqlite_schema") || query_names(query, "sqlite_master");
}

static int take(void *data, struct dkt_source *source, const struct dkt_record *record)
{
	struct query *query = data;

	(void)source;
	return database_add(query->database, record);
}

static int prepare(struct query *query)
{
	int err = query_guard(query);

	return err ? err : query_prepare(query);
}

static void say_lack(void *data, const char *table, const char *event)
{
	(void)data;
	app_say("%s: no record of the events that it needs, such as %s", table, event);
}

static int fill(struct query *query, struct inputs *in, bool chosen)
{
	struct dkt_source *source = in->pipeline.source;
	int err = 0;

	/* A source that cannot leave out records returns all. */
	if (chosen && dkt_source_select(source, database_wants, query->database) == -ENOMEM)
		return dkt__no_memory(query->app->ctx);
	sqlite3_set_authorizer(query->sqlite, NULL, NULL);
	err = inputs_each(in, take, query);
	if (!err && dkt__stopped())
		return dkt_fail(query->app->ctx, -EINTR, QUERY_INTERRUPTED);
	return err ? err : database_finish(query->database);
}

static int answer_of(struct query *query, struct inputs *in)
{
	bool chosen = query->text && !names_schema(query) && knows_events(in);
	struct database_opts opts = { .wants = chosen ? wants : NULL, .data = query };
	int err;

	err = database_new(&in->pipeline, &opts, &query->database);
	if (err)
		return err;
	query->sqlite = database_handle(query->database);
	query->marking = chosen;
	if (chosen)
		err = prepare(query);
	query->marking = false;
	if (!err)
		err = fill(query, in, chosen);
	if (!err)
		err = chosen ? query_guard(query) : query->text ? prepare(query) : 0;
	if (err)
		return err;
	if (chosen)
		database_lacks(query->database, say_lack, NULL);
	return query->text ? query_print(query) : query_list(query);
}

static int answer(struct query *query, char **files, size_t n)
{
	struct record_args args;
	struct inputs in = { 0 };
	int rc = record_args_read(query->app, &args);

	args.once = n == 1;
	if (!rc)
		rc = inputs_new(query->app, files, n, &in);
	if (!rc && (inputs_open_quietly(&in, &args) || answer_of(query, &in)))
		rc = app_fail(query->app);
	if (!rc)
		rc = inputs_report_losses(&in);
	query_clear(query);
	inputs_clear(&in);
	record_args_clear(&args);
	return rc;
}

/* ---- arguments ---- */

/* The last argument is the statement, unless it is a file or the only one. One word is not a statement. */
static bool has_statement(int argc, char **argv)
{
	return argc > 2 && strpbrk(argv[argc - 1], " \t\n(*;") && access(argv[argc - 1], F_OK);
}

int cmd_sql(struct app *app, int argc, char **argv)
{
	struct query query = { .app = app };
	size_t n = (size_t)argc - 1;
	int err;

	if (has_statement(argc, argv)) {
		query.text = argv[argc - 1];
		n--;
	}
	dkt__stop_on_end();
	err = query_words(&query);
	if (!err && n == 1 && is_database(argv[1])) {
		err = answer_from(&query, argv[1]);
		query_clear(&query);
		return err ? app_fail(app) : 0;
	}
	return err ? app_fail(app) : answer(&query, argv + 1, n);
}
