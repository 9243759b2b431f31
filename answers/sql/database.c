/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opens, fills and completes a database. */
#include "answers/sql/database.h"

#include "answers/sql/writing.h"
#include "compat/lustre/mask.h"
#include "compat/pipeline/pipeline.h"

/*
 * Memory for pages of the database, KiB; the rest goes into files. Rows are appended, for which a cache that
 * fits into the CPU's is the fastest.
 */
#define CACHE_FILLING "4096"
#define CACHE         "65536"

/* ---- SQLite ---- */

int database_fail(struct database *db, const char *what)
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

	dkt_buf_add(db->sql, "", 1);
	return dkt_buf_error(db->sql) ? NULL : dkt_buf_data(db->sql, &len);
}

int database_run(struct database *db)
{
	const char *text = sql_text(db);
	int rc = text ? sqlite3_exec(db->sqlite, text, NULL, NULL, NULL) : SQLITE_NOMEM;

	dkt_buf_reset(db->sql);
	if (!text)
		return dkt__no_memory(db->ctx);
	return rc ? database_fail(db, "create") : 0;
}

int database_prepare(struct database *db, sqlite3_stmt **statement)
{
	const char *text = sql_text(db);
	int rc = text ? sqlite3_prepare_v3(db->sqlite, text, -1, SQLITE_PREPARE_PERSISTENT,
					   statement, NULL) :
			SQLITE_NOMEM;

	dkt_buf_reset(db->sql);
	if (!text)
		return dkt__no_memory(db->ctx);
	return rc ? database_fail(db, "insert") : 0;
}

int database_prepare_batch(struct database *db, struct batch *batch, size_t columns)
{
	sqlite3_stmt *insert = NULL;
	int err;

	batch_put_select(db->sql, columns);
	err = database_prepare(db, &insert);
	return err ? err : dkt__with_words(db->ctx, batch_begin(batch, insert, columns));
}

int database_pass(struct database *db, struct batch *batch)
{
	int rc = batch_pass(batch, &db->batches);

	if (!rc)
		return 0;
	/* SQLite does not know of memory that a batch did not get. */
	return rc == SQLITE_NOMEM ? dkt__no_memory(db->ctx) : database_fail(db, "insert");
}

void database_quote(struct dkt_buf *buf, const char *name)
{
	dkt_buf_add(buf, "\"", 1);
	for (; *name; name++)
		dkt_buf_add(buf, *name == '"' ? "\"\"" : name, *name == '"' ? 2 : 1);
	dkt_buf_add(buf, "\"", 1);
}

struct written *database_written(struct database *db, void **writer)
{
	if (!*writer)
		*writer = dkt__arena_alloc(&db->arena, sizeof(struct written));
	return *writer;
}

/* ---- tables of every database ---- */

/* The tables that describe the others. */
static const char own_tables[] =
	"CREATE TABLE hosts(host INTEGER PRIMARY KEY, name TEXT, kernel TEXT, clock TEXT, cpus INTEGER,"
	" wall INTEGER, clock_error INTEGER);"
	"CREATE TABLE files(file INTEGER PRIMARY KEY, host INTEGER, path TEXT, kind TEXT,"
	" offset INTEGER, accuracy TEXT, clock_error INTEGER, records INTEGER, lost INTEGER,"
	" lost_is_least INTEGER, bad INTEGER, damage TEXT);"
	"CREATE TABLE disks(host INTEGER, dev INTEGER, name TEXT, PRIMARY KEY(host, dev)) WITHOUT ROWID;"
	"CREATE TABLE losses(seq INTEGER, ts INTEGER, host INTEGER, file INTEGER, cpu INTEGER,"
	" lost INTEGER, paused INTEGER);"
	"CREATE TABLE events(name TEXT PRIMARY KEY, system TEXT, event TEXT, records INTEGER);"
	"CREATE TABLE classes(mask INTEGER PRIMARY KEY, class TEXT);";

static const char *const own_names[] = { "hosts",  "files",   "disks",    "losses",
					 "events", "classes", BATCH_TABLE };

/* The names of the other tables and views do not depend on the files. */
static bool is_reserved(const struct schema *schema, const char *name)
{
	const struct database *db = schema->data;

	for (size_t i = 0; i < ARRAY_SIZE(own_names); i++)
		if (!strcasecmp(own_names[i], name))
			return true;
	return answers_have(&db->answers, name);
}

static void bind_text(sqlite3_stmt *statement, int at, const char *text)
{
	if (!text)
		return;
	if (batch_is_utf8(text, strlen(text)))
		sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC);
	else
		sqlite3_bind_blob64(statement, at, text, strlen(text), SQLITE_STATIC);
}

static void bind_error(const struct database *db, sqlite3_stmt *statement, int at, size_t file)
{
	const uint64_t error = db->opts.clock_error ? db->opts.clock_error(db->opts.clocks, file) :
						      0;

	if (error != BOUNDS_UNKNOWN)
		sqlite3_bind_int64(statement, at, (int64_t)error);
}

static int add_host(struct database *db, size_t nr, sqlite3_stmt *insert)
{
	const struct database_file *file = &db->files[nr];
	const struct dkt_source_info *info = dkt_source_info(file->source);

	/* Columns of a file that are unknown must not have the value of another one. */
	sqlite3_clear_bindings(insert);
	sqlite3_bind_int64(insert, 1, (int64_t)file->host + 1);
	bind_text(insert, 2, info->host);
	bind_text(insert, 3, info->kernel);
	bind_text(insert, 4, info->clock);
	sqlite3_bind_int64(insert, 5, info->cpus);
	if (db->opts.has_wall)
		sqlite3_bind_int64(insert, 6, db->opts.wall);
	bind_error(db, insert, 7, nr);
	return database_step(db, insert);
}

/* The numbers of hosts that have sent nothing follow those of the others. */
static int64_t absent_host(const struct database *db, size_t i)
{
	return (int64_t)(db->n_hosts + i) + 1;
}

static int add_hosts(struct database *db)
{
	sqlite3_stmt *insert = NULL;
	int err;

	dkt_buf_str(db->sql, "INSERT OR IGNORE INTO hosts VALUES(?, ?, ?, ?, ?, ?, ?)");
	err = database_prepare(db, &insert);
	for (size_t i = 0; !err && i < db->opts.n_files; i++)
		err = add_host(db, i, insert);
	for (size_t i = 0; !err && i < db->opts.n_absent; i++) {
		sqlite3_clear_bindings(insert);
		sqlite3_bind_int64(insert, 1, absent_host(db, i));
		bind_text(insert, 2, db->opts.absent[i].host);
		err = database_step(db, insert);
	}
	sqlite3_finalize(insert);
	return err;
}

static int add_classes(struct database *db)
{
	const char *name;

	for (int bit = 0; bit < 32; bit++) {
		name = dkl_mask_name(MASK_DEBUG, bit);
		if (name)
			dkt_buf_printf(db->sql, "INSERT INTO classes VALUES(%llu, '%s');",
				       1ull << bit, name);
	}
	return database_run(db);
}

static int add_file(struct database *db, size_t nr, sqlite3_stmt *insert)
{
	const struct database_file *file = &db->files[nr];
	const struct dkt_source_info *info = dkt_source_info(file->source);
	struct losses *all = &db->losses[nr];
	char *damage __cleanup(free) = NULL;

	/* A CPU whose counts are unknown counts 0. */
	if (dkl_losses_count(all, file->source))
		free(dkt_error_take(file->ctx));
	if (dkl_losses_damage(file->lacks, info, &damage))
		return dkt__no_memory(db->ctx);
	sqlite3_clear_bindings(insert);
	sqlite3_bind_int64(insert, 1, (int64_t)nr + 1);
	sqlite3_bind_int64(insert, 2, (int64_t)file->host + 1);
	bind_text(insert, 3, file->name);
	bind_text(insert, 4, info->kind);
	sqlite3_bind_int64(insert, 5, file->offset);
	bind_text(insert, 6, file->accuracy);
	bind_error(db, insert, 7, nr);
	sqlite3_bind_int64(insert, 8, (int64_t)all->seen);
	sqlite3_bind_int64(insert, 9, (int64_t)all->lost);
	sqlite3_bind_int(insert, 10, losses_is_least(all));
	sqlite3_bind_int64(insert, 11, (int64_t)all->bad);
	bind_text(insert, 12, damage);
	return database_step(db, insert);
}

static int add_files(struct database *db)
{
	sqlite3_stmt *insert = NULL;
	int err;

	dkt_buf_str(db->sql, "INSERT INTO files VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
	err = database_prepare(db, &insert);
	for (size_t i = 0; !err && i < db->opts.n_files; i++)
		err = add_file(db, i, insert);
	for (size_t i = 0; !err && i < db->opts.n_absent; i++) {
		sqlite3_clear_bindings(insert);
		sqlite3_bind_int64(insert, 1, (int64_t)(db->opts.n_files + i) + 1);
		sqlite3_bind_int64(insert, 2, absent_host(db, i));
		bind_text(insert, 3, db->opts.absent[i].path);
		sqlite3_bind_int64(insert, 8, 0);
		bind_text(insert, 12, db->opts.absent[i].lacks);
		err = database_step(db, insert);
	}
	sqlite3_finalize(insert);
	return err;
}

/* A number for which the hosts of a merged file have several names gets none. */
static int add_file_disks(struct database *db, const struct database_file *file, uint32_t stream,
			  sqlite3_stmt *insert)
{
	struct dkt_source_disk disk;
	int err = 0;

	for (size_t i = 0; !err && !dkt_source_disks(file->source, stream, i, &disk, sizeof(disk));
	     i++) {
		if (!dkt_source_disk(file->source, DKT_STREAM_ALL, disk.dev))
			continue;
		sqlite3_bind_int64(insert, 1, (int64_t)file->host + 1);
		sqlite3_bind_int64(insert, 2, (int64_t)disk.dev);
		bind_text(insert, 3, disk.name);
		err = database_step(db, insert);
	}
	return err;
}

/* A later file of a host has the newer names. */
static int add_disks(struct database *db)
{
	sqlite3_stmt *insert = NULL;
	int err;

	dkt_buf_str(db->sql, "INSERT OR REPLACE INTO disks VALUES(?, ?, ?)");
	err = database_prepare(db, &insert);
	for (size_t i = 0; !err && i < db->opts.n_files; i++)
		for (uint32_t nr = 0; !err && dkt_source_stream(db->files[i].source, nr); nr++)
			err = add_file_disks(db, &db->files[i], nr, insert);
	sqlite3_finalize(insert);
	return err;
}

static int add_events(struct database *db)
{
	sqlite3_stmt *insert = NULL;
	int err;

	dkt_buf_str(db->sql, "INSERT INTO events VALUES(?, ?, ?, ?)");
	err = database_prepare(db, &insert);
	for (uint32_t i = 0; !err && i < db->schema.n; i++) {
		const struct schema_table *table = db->schema.tables[i];
		const struct written *written = table->writer;

		if (!written || !written->rows)
			continue;
		bind_text(insert, 1, table->name);
		bind_text(insert, 2, table->system);
		bind_text(insert, 3, table->event);
		sqlite3_bind_int64(insert, 4, (int64_t)written->rows);
		err = database_step(db, insert);
	}
	sqlite3_finalize(insert);
	return err;
}

/* ---- beginning ---- */

static int open_sqlite(struct database *db)
{
	const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
	int rc = db->opts.path ? open_file_connect(&db->file, db->opts.fd, &db->sqlite) :
				 sqlite3_open_v2("", &db->sqlite, flags, NULL);

	if (rc)
		return database_fail(db, "open");
	dkt_buf_str(db->sql, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
			     " PRAGMA page_size=16384; PRAGMA locking_mode=EXCLUSIVE;"
			     " PRAGMA cache_size=-" CACHE_FILLING ";"
			     " BEGIN;");
	dkt_buf_str(db->sql, own_tables);
	rc = batches_begin(&db->batches, db->sqlite);
	return rc ? database_fail(db, "open") : database_run(db);
}

static int want_view(void *data, const struct analysis *it, const char *name)
{
	const struct database *db = data;

	(void)it;
	return database_is_wanted(db, name);
}

static int start_answers(struct database *db)
{
	struct dkt_ctx **ctxs __cleanup(free) =
		calloc(db->opts.n_files + 1, sizeof(struct dkt_ctx *));

	if (!ctxs)
		return dkt__no_memory(db->ctx);
	for (size_t i = db->opts.n_files; i-- > 0;) {
		ctxs[db->files[i].host] = db->files[i].ctx;
		db->n_hosts = DKT__MAX(db->n_hosts, db->files[i].host + 1);
	}
	for (size_t i = 0; i < db->answers.n; i++) {
		struct answer *it = &db->answers.list[i];

		it->wanted = database_is_wanted(db, it->name) ||
			     answers_each_view(&db->answers, it, want_view, db);
	}
	return answers_begin(&db->answers, ctxs, db->n_hosts);
}

/* Creates the table of an answer, and the views on it. */
static int create_answer(struct database *db, struct answer *answer)
{
	int err = results_create(db, answer);

	return err || !answer->set ? err : views_create(db, answer);
}

/* Creates the tables that are wanted by name, though there may be no record for them. */
static int create_wanted(struct database *db)
{
	struct schema_event *event;
	struct dkt_event *it;
	int err = 0;

	for (uint32_t i = 0; !err && i < db->schema.n; i++) {
		struct schema_table *table = db->schema.tables[i];

		if (!database_is_wanted(db, table->name))
			continue;
		for (size_t j = 0; !err && j < db->opts.n_files; j++) {
			it = dkt_event_find(db->files[j].ctx, table->system, table->event);
			if (it)
				err = schema_bind(&db->schema, it, &event);
			else
				free(dkt_error_take(db->files[j].ctx));
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
	       (db->opts.several_clocks &&
		(database_is_wanted(db, "hosts") || database_is_wanted(db, "files")));
}

static int begin(struct database *db)
{
	int err = dkt_buf_new(&db->sql);

	if (!err)
		err = open_sqlite(db);
	if (!err)
		err = answers_new(&db->answers);
	for (size_t i = 0; !err && i < db->opts.n_files; i++)
		err = schema_add(&db->schema, db->files[i].ctx);
	db->counting = db->opts.wants && needs_all(db);
	if (!err)
		err = start_answers(db);
	if (!err)
		err = add_classes(db);
	return err || !db->opts.wants ? err : create_wanted(db);
}

int database_new(struct dkt_ctx *ctx, const struct database_opts *opts, struct database **to)
{
	struct database *db = *to = calloc(1, sizeof(*db));

	if (!db)
		return dkt__no_memory(ctx);
	*db = (struct database){
		.ctx = ctx,
		.opts = *opts,
		.schema = { .ctx = ctx, .reserved = is_reserved, .data = db },
		.answers = { .ctx = ctx, .row = results_row, .data = db },
		.files = calloc(opts->n_files + 1, sizeof(*db->files)),
		.losses = calloc(opts->n_files + 1, sizeof(*db->losses)),
	};
	if (!db->files || !db->losses)
		return dkt__no_memory(ctx);
	memcpy(db->files, opts->files, opts->n_files * sizeof(*db->files));
	return dkt__with_words(ctx, begin(db));
}

struct sqlite3 *database_handle(const struct database *db)
{
	return db->sqlite;
}

/* ---- records ---- */

static int add_loss(struct database *db, size_t file, const struct dkt_record *gap)
{
	int err = 0;

	if (!db->loss) {
		dkt_buf_str(db->sql, "INSERT INTO losses VALUES(?, ?, ?, ?, ?, ?, ?)");
		err = database_prepare(db, &db->loss);
	}
	if (err)
		return err;
	sqlite3_bind_int64(db->loss, 1, db->seq);
	sqlite3_bind_int64(db->loss, 2, (int64_t)gap->ts);
	sqlite3_bind_int64(db->loss, 3, (int64_t)db->files[file].host + 1);
	sqlite3_bind_int64(db->loss, 4, (int64_t)file + 1);
	sqlite3_bind_int64(db->loss, 5, gap->cpu);
	if (gap->lost == DKT_LOST_UNKNOWN)
		sqlite3_bind_null(db->loss, 6);
	else
		sqlite3_bind_int64(db->loss, 6, (int64_t)gap->lost);
	sqlite3_bind_int64(db->loss, 7, gap->paused);
	return database_step(db, db->loss);
}

int database_add(struct database *db, size_t file, struct dkt_source *source,
		 const struct dkt_record *record)
{
	int err;

	db->seq++;
	if (!record->event)
		losses_add_gap(&db->losses[file], record);
	err = record->event ? events_add(db, file, source, record) : add_loss(db, file, record);
	return err ? err : answers_record(&db->answers, db->files[file].host, source, record);
}

/* ---- the end ---- */

/* A log whose analysis found its events is there even if it has no row. */
static int finish_answers(struct database *db)
{
	int err = answers_end(&db->answers);

	for (size_t i = 0; !err && !db->opts.wants && i < db->answers.n; i++) {
		struct answer *it = &db->answers.list[i];

		if (it->writer || answer_suffices(&db->answers, it))
			err = create_answer(db, it);
	}
	return err;
}

static int end_batch(struct database *db, struct written *it)
{
	int err = it ? database_pass(db, &it->batch) : 0;

	if (it)
		batch_end(&it->batch);
	return err;
}

static int end_batches(struct database *db)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < db->schema.n; i++)
		err = end_batch(db, db->schema.tables[i]->writer);
	for (size_t i = 0; !err && i < db->answers.n; i++)
		err = end_batch(db, db->answers.list[i].writer);
	if (!err)
		batches_end(db->sqlite);
	return err;
}

int database_finish(struct database *db)
{
	int err = finish_answers(db);

	if (!err)
		err = end_batches(db);
	if (!err)
		err = add_hosts(db);
	if (!err)
		err = add_files(db);
	if (!err)
		err = add_disks(db);
	if (!err)
		err = add_events(db);
	if (err)
		return err;
	dkt_buf_str(db->sql, "COMMIT; PRAGMA cache_size=-" CACHE ";");
	return database_run(db);
}

void database_lacks(const struct database *db,
		    void (*fn)(void *data, const char *table, const char *event), void *data)
{
	for (size_t i = 0; i < db->answers.n; i++) {
		const struct answer *it = &db->answers.list[i];
		const struct analysis_kind *kind = db->answers.jobs[it->job].analysis.kind;

		if (it->wanted && !answer_suffices(&db->answers, it))
			fn(data, it->name, kind->events[0].name);
	}
}

static void clear_written(struct written *it)
{
	if (!it)
		return;
	batch_end(&it->batch);
	free(it->wanted);
}

void database_free(struct database *db)
{
	if (!db)
		return;
	for (uint32_t i = 0; i < db->schema.n; i++)
		clear_written(db->schema.tables[i]->writer);
	for (size_t i = 0; i < db->answers.n; i++)
		clear_written(db->answers.list[i].writer);
	for (size_t i = 0; db->losses && i < db->opts.n_files; i++)
		dkl_losses_clear(&db->losses[i]);
	sqlite3_finalize(db->loss);
	sqlite3_close(db->sqlite);
	answers_clear(&db->answers);
	schema_clear(&db->schema);
	dkt__arena_free(&db->arena);
	dkt_buf_free(db->sql);
	free(db->losses);
	free(db->files);
	free(db);
}
