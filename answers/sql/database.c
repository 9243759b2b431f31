/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opens, fills and completes a database. */
#include "answers/sql/database.h"

#include "answers/sql/writing.h"
#include "lib/base/ticks.h"
#include "lib/inside.h"

/*
 * Memory for pages of the database, KiB; the rest goes into files. Rows are appended, for which a cache that
 * fits into the CPU's is the fastest.
 */
#define CACHE_FILLING "4096"
#define CACHE         "65536"

/* ---- SQLite ---- */

/* Sets the error message from SQLite's. Returns -errno. */
static int fail(struct database *db, const char *what)
{
	int code = sqlite3_errcode(db->sqlite), err = code == SQLITE_INTERRUPT ? -EINTR : -EIO;
	const char *words = sqlite3_errmsg(db->sqlite);

	if (code == SQLITE_NOMEM)
		return dkt__no_memory(db->ctx);
	if (db->file.err)
		return dkt_fail(db->ctx, db->file.err, "write %s: %s", db->opts.path,
				strerror(-db->file.err));
	/* The file of the database is not meant: its errors are above. */
	if (code == SQLITE_FULL)
		words = "the file system of its temporary files is full; set TMPDIR to a directory"
			" with more space";
	return dkt_fail(db->ctx, err, "%s%s%s: %s", db->opts.path ? db->opts.path : "",
			db->opts.path ? ": " : "", what, words);
}

/* Returns the text in db->sql, terminated; NULL: memory is out. */
static const char *sql_text(struct database *db)
{
	size_t len;

	dkt__buf_add(db->sql, "", 1);
	return dkt_buf_error(db->sql) ? NULL : dkt_buf_data(db->sql, &len);
}

int database_run(struct database *db)
{
	const char *text = sql_text(db);
	int rc = text ? sqlite3_exec(db->sqlite, text, NULL, NULL, NULL) : SQLITE_NOMEM;

	dkt_buf_reset(db->sql);
	if (!text)
		return dkt__no_memory(db->ctx);
	return rc ? fail(db, "create") : 0;
}

int database_prepare(struct database *db, struct batch *batch, size_t columns)
{
	sqlite3_stmt *insert = NULL;
	const char *text;
	int rc;

	batch_put_select(db->sql, columns);
	text = sql_text(db);
	rc = text ? sqlite3_prepare_v3(db->sqlite, text, -1, SQLITE_PREPARE_PERSISTENT, &insert,
				       NULL) :
		    SQLITE_NOMEM;
	dkt_buf_reset(db->sql);
	if (!text)
		return dkt__no_memory(db->ctx);
	if (rc)
		return fail(db, "insert");
	return dkt__with_words(db->ctx, batch_begin(batch, insert, columns));
}

int database_pass(struct database *db, struct batch *batch)
{
	int rc = batch_pass(batch, &db->batches);

	if (!rc)
		return 0;
	/* SQLite does not know of memory that a batch did not get. */
	return rc == SQLITE_NOMEM ? dkt__no_memory(db->ctx) : fail(db, "insert");
}

void database_quote(struct dkt_buf *buf, const char *name)
{
	dkt__buf_add(buf, "\"", 1);
	for (; *name; name++)
		dkt__buf_add(buf, *name == '"' ? "\"\"" : name, *name == '"' ? 2 : 1);
	dkt__buf_add(buf, "\"", 1);
}

/* The names of the other tables and views do not depend on the files. */
static bool is_reserved(const struct schema *schema, const char *name)
{
	const struct database *db = schema->data;

	return answers_have(&db->answers, name);
}

/* ---- the tables and columns that statements read: the others are not filled ---- */

bool database_is_wanted(const struct database *db, const char *name)
{
	return !db->opts.wants || db->opts.wants(db->opts.data, name);
}

void database_want(struct database *db, const char *name, const char *column)
{
	const struct schema_table *of_event = schema_find(&db->schema, name, strlen(name));
	struct written *table = of_event ? of_event->writer : NULL;

	db->chosen = true;
	for (size_t i = 0; !of_event && i < db->answers.n; i++)
		if (!strcasecmp(db->answers.list[i].name, name))
			table = db->answers.list[i].writer;
	for (size_t i = 0; table && i < table->n; i++)
		table->columns[i].wanted |= !strcasecmp(table->columns[i].name, column);
}

bool database_wants(void *data, struct dkt_event *event)
{
	struct database *db = data;
	const struct schema_table *table =
		schema_table(&db->schema, dkt_event_system(event), dkt_event_name(event));

	return !table || db->counting || database_is_wanted(db, table->name) ||
	       answers_want(&db->answers, event);
}

/* ---- beginning ---- */

static int open_sqlite(struct database *db)
{
	const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
	int rc = db->opts.path ? open_file_connect(&db->file, db->opts.fd, &db->sqlite) :
				 sqlite3_open_v2("", &db->sqlite, flags, NULL);

	if (rc)
		return fail(db, "open");
	dkt_buf_str(db->sql, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
			     " PRAGMA page_size=16384; PRAGMA locking_mode=EXCLUSIVE;"
			     " PRAGMA cache_size=-" CACHE_FILLING ";"
			     " BEGIN;");
	rc = batches_begin(&db->batches, db->sqlite);
	return rc ? fail(db, "open") : own_create(db);
}

static int want_view(void *data, const struct analysis *view, const char *name)
{
	const struct database *db = data;

	(void)view;
	return database_is_wanted(db, name);
}

static int start_answers(struct database *db)
{
	struct dkt_ctx **ctxs __cleanup(free) = calloc(db->p->n + 1, sizeof(struct dkt_ctx *));

	if (!ctxs)
		return dkt__no_memory(db->ctx);
	for (size_t i = db->p->n; i-- > 0;)
		ctxs[db->hosts[i]] = db->p->parts[i].ctx;
	for (size_t i = 0; i < db->answers.n; i++) {
		struct answer *answer = &db->answers.list[i];

		answer->wanted = database_is_wanted(db, answer->name) ||
				 answers_each_view(&db->answers, answer, want_view, db);
	}
	return answers_begin(&db->answers, ctxs, db->n_hosts);
}

/* Creates the table of an answer, and the views on it. */
static int create_answer(struct database *db, struct answer *answer)
{
	int err = results_create(db, answer);

	return err || !answer->log ? err : views_create(db, answer);
}

/* Creates the tables that are wanted by name, though there may be no record for them. */
static int create_wanted(struct database *db)
{
	struct schema_event *bound;
	int err = 0;

	for (uint32_t i = 0; !err && i < db->schema.n; i++) {
		struct schema_table *table = db->schema.tables[i];

		if (!database_is_wanted(db, table->name))
			continue;
		for (size_t j = 0; !err && j < db->p->n; j++) {
			struct dkt_ctx *ctx = db->p->parts[j].ctx;
			struct dkt_event *event = dkt_event_find(ctx, table->system, table->event);

			if (event)
				err = schema_bind(&db->schema, event, &bound);
			else
				free(dkt__error_take(ctx));
		}
		if (!err)
			err = events_create(db, table);
	}
	for (size_t i = 0; !err && i < db->answers.n; i++)
		if (db->answers.list[i].wanted)
			err = create_answer(db, &db->answers.list[i]);
	return err;
}

/* True if a table that is wanted tells something of all records. */
static bool needs_all(const struct database *db)
{
	return database_is_wanted(db, "events") ||
	       (db->p->several_clocks &&
		(database_is_wanted(db, "hosts") || database_is_wanted(db, "files")));
}

/* Files of one boot of a machine share a host. */
static int find_hosts(struct database *db)
{
	const struct pipeline *p = db->p;

	for (size_t i = 0; i < p->n; i++) {
		const char *clock = dkt_source_info(p->parts[i].source)->clock;
		size_t same = 0;

		if (dkt__clock_ticks(clock))
			return dkt_fail(db->ctx, -EINVAL,
					"%s: its clock %s does not count nanoseconds, as the times"
					" of a database do",
					p->parts[i].name, clock);
		while (same < i &&
		       !dkl_pipeline_same_boot(p->parts[i].source, p->parts[same].source))
			same++;
		db->hosts[i] = same < i ? db->hosts[same] : db->n_hosts++;
	}
	return 0;
}

static int begin(struct database *db)
{
	int err = find_hosts(db);

	if (!err)
		err = dkt_buf_new(&db->sql);
	if (!err)
		err = open_sqlite(db);
	if (!err)
		err = answers_new(&db->answers);
	for (size_t i = 0; !err && i < db->p->n; i++)
		err = schema_add(&db->schema, db->p->parts[i].ctx);
	db->counting = db->opts.wants && needs_all(db);
	if (!err)
		err = start_answers(db);
	return err || !db->opts.wants ? err : create_wanted(db);
}

int database_new(const struct pipeline *p, const struct database_opts *opts, struct database **to)
{
	const struct dkt_source_info *info = dkt_source_info(p->source);
	struct database *db = *to = calloc(1, sizeof(*db));
	int err;

	if (!db)
		return dkt__no_memory(p->ctx);
	*db = (struct database){
		.ctx = p->ctx,
		.p = p,
		.opts = *opts,
		.wall = info->wall,
		.has_wall = info->has_wall,
		.schema = { .ctx = p->ctx, .reserved = is_reserved, .data = db },
		.answers = { .ctx = p->ctx, .row = results_row, .data = db },
		.hosts = calloc(p->n + 1, sizeof(*db->hosts)),
		.losses = calloc(p->n + 1, sizeof(*db->losses)),
	};
	if (!db->hosts || !db->losses)
		return dkt__no_memory(p->ctx);
	err = dkt__with_words(p->ctx, begin(db));
	return err ? dkl_pipeline_fail(p, err) : 0;
}

struct sqlite3 *database_handle(const struct database *db)
{
	return db->sqlite;
}

/* ---- records ---- */

int database_add(struct database *db, const struct dkt_record *record)
{
	const size_t file = (size_t)(pipeline_part(db->p, record) - db->p->parts);
	int err;

	db->seq++;
	if (!record->event)
		losses_add_gap(&db->losses[file], record);
	err = record->event ? events_add(db, file, record) : own_add_loss(db, file, record);
	return err ? err : answers_record(&db->answers, db->hosts[file], db->p->source, record);
}

/* ---- the end ---- */

/* A log whose analysis found its events is there even if it has no row. */
static int finish_answers(struct database *db)
{
	int err = answers_end(&db->answers);

	for (size_t i = 0; !err && !db->opts.wants && i < db->answers.n; i++) {
		struct answer *answer = &db->answers.list[i];

		if (answer->writer || answer_suffices(&db->answers, answer))
			err = create_answer(db, answer);
	}
	return err;
}

/* Returns the i-th table of an event or an answer; NULL: it is not written. */
static struct written *table_at(const struct database *db, size_t i)
{
	return i < db->schema.n ? db->schema.tables[i]->writer :
				  db->answers.list[i - db->schema.n].writer;
}

static int pass_all(struct database *db)
{
	int err = 0;

	for (size_t i = 0; !err && i < db->schema.n + db->answers.n; i++)
		if (table_at(db, i))
			err = database_pass(db, &table_at(db, i)->batch);
	return err;
}

static void end_batches(struct database *db)
{
	for (size_t i = 0; i < db->schema.n + db->answers.n; i++)
		if (table_at(db, i))
			batch_end(&table_at(db, i)->batch);
	for (size_t i = 0; i < OWN_TABLES; i++)
		batch_end(&db->own[i]);
	if (db->sqlite)
		batches_end(db->sqlite);
}

int database_finish(struct database *db)
{
	int err = finish_answers(db);

	if (!err)
		err = pass_all(db);
	if (!err)
		err = own_finish(db);
	if (err)
		return err;
	end_batches(db);
	dkt_buf_str(db->sql, "COMMIT; PRAGMA cache_size=-" CACHE ";");
	return database_run(db);
}

void database_lacks(const struct database *db,
		    void (*fn)(void *data, const char *table, const char *event), void *data)
{
	for (size_t i = 0; i < db->answers.n; i++) {
		const struct answer *answer = &db->answers.list[i];

		if (answer->wanted && !answer_suffices(&db->answers, answer))
			fn(data, answer->name, answer_event(&db->answers, answer));
	}
}

void database_free(struct database *db)
{
	if (!db)
		return;
	end_batches(db);
	for (size_t i = 0; db->losses && i < db->p->n; i++)
		dkl_losses_clear(&db->losses[i]);
	sqlite3_close(db->sqlite);
	answers_clear(&db->answers);
	schema_clear(&db->schema);
	dkt__arena_free(&db->arena);
	dkt_buf_free(db->sql);
	free(db->losses);
	free(db->hosts);
	free(db);
}

/* ---- the kind of sink ---- */

static int open_sink(struct pipeline *p, const struct outfile *file, void **state)
{
	const struct database_opts opts = { .path = file->path, .fd = file->fd };
	struct database *db;
	int err = database_new(p, &opts, &db);

	*state = db;
	return err;
}

static int add_to_sink(void *state, const struct pipeline *p, const struct dkt_record *record)
{
	(void)p;
	return database_add(state, record);
}

static int finish_sink(void *state)
{
	return database_finish(state);
}

static void close_sink(void *state)
{
	database_free(state);
}

const struct sink_writer database_writer = { "sqlite", open_sink, add_to_sink, finish_sink,
					     close_sink };
