/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Begins and ends a load. */
#include "answers/load/load.h"

#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "answers/load/loading.h"
#include "lib/inside.h"

int load_fail(const struct load *load, int err, const char *words)
{
	return err == -ENOMEM ? dkt__no_memory(load->ctx) :
				dkt_fail(load->ctx, err, "%s: %s", load->server.url, words);
}

/* ---- the files ---- */

/*
 * Two loaders of one file would both find that its rows are missing. The kernel removes the name when
 * the process ends, in whatever way.
 */
static int lock_file(struct load *load, struct load_file *file, const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int n = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "dktrace-load-%016llx",
			 (unsigned long long)file->id);

	file->lock = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (file->lock < 0)
		return dkt_fail(load->ctx, -errno, "%s: socket: %s", name, strerror(errno));
	if (bind(file->lock, (const struct sockaddr *)&address,
		 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n)) == 0)
		return 0;
	return errno == EADDRINUSE ?
		       dkt_fail(load->ctx, -EBUSY, "%s: another dktrace loads this file", name) :
		       dkt_fail(load->ctx, -errno, "%s: bind: %s", name, strerror(errno));
}

static int identify(struct load *load, size_t nr)
{
	struct load_file *file = &load->files[nr];

	file->id = load->opts.sources[nr].id;
	for (size_t i = 0; i < nr; i++)
		if (load->files[i].id == file->id)
			return dkt_fail(load->ctx, -EINVAL, "%s and %s have the same contents",
					load->p->parts[i].name, load->p->parts[nr].name);
	return load->opts.say ? 0 : lock_file(load, file, load->p->parts[nr].name);
}

/* Only their rows in the table of files come, so that these have numbers which no file with records has. */
static void identify_absent(struct load *load)
{
	for (size_t i = 0; i < load->p->n_absent; i++) {
		const struct pipeline_absent *absent = &load->p->absent[i];

		load->files[load->n + i].id = dkt__mix(absent->id, 2);
		load->files[load->n + i].host = absent->host;
	}
}

static int begin_file(struct load *load, size_t nr)
{
	struct load_file *file = &load->files[nr];

	file->load = load;
	file->answers = (struct answers){ .ctx = load->ctx, .row = load_answer_row, .data = file };
	return answers_new(&file->answers);
}

int load_join(struct load *load, size_t nr)
{
	const struct pipeline_part *part = &load->p->parts[nr];
	const struct dkt_source_info *info = dkt_source_info(part->source);
	const struct dkt_source_info *all = dkt_source_info(load->p->source);
	struct load_file *file = &load->files[nr];
	int err;

	load->wall = all->has_wall ? all->wall : 0;
	file->host = info->host ? info->host : "";
	err = answers_begin(&file->answers, &part->ctx, 1);
	if (!err)
		err = schema_add(&load->schema, part->ctx);
	return dkt__with_words(load->ctx, err);
}

/* ---- tables of every load ---- */

static bool is_reserved(const struct schema *schema, const char *name)
{
	const struct load *load = schema->data;

	return answers_have(&load->files[0].answers, name);
}

struct own_column {
	const char *name, *type;
};

static int own_table(struct load *load, const char *name, const struct own_column *columns,
		     size_t n, struct target **target)
{
	int err;

	*target = target_new(load, name);
	err = *target ? 0 : -ENOMEM;
	for (size_t i = 0; !err && i < n; i++)
		err = target_column(load, *target, columns[i].name, columns[i].type);
	return dkt__with_words(load->ctx, err ? err : target_create(load, *target, LAYOUT_TABLE));
}

static int create_hosts(struct load *load)
{
	struct dkt_buf *sql;
	int err = dkt_buf_new(&sql);

	if (err)
		return err;
	dkt_buf_str(sql, "SELECT host, kernel, clock, max(cpus) AS cpus, max(clock_error) AS"
			 " clock_error, count() AS files FROM ");
	targets_put_name(load, "files", sql);
	dkt_buf_str(sql, " GROUP BY host, kernel, clock");
	err = targets_create_view(load, "files", "hosts", sql);
	dkt_buf_free(sql);
	return err;
}

static int create_own(struct load *load)
{
	static const struct own_column sources[] = {
		{ "path", "String" },
		{ "kind", "String" },
		{ "kernel", "String" },
		{ "clock", "String" },
		{ "cpus", "Int32" },
		{ "wall", "Nullable(Int64)" },
		{ "offset", "Int64" },
		{ "accuracy", "Nullable(String)" },
		{ "clock_error", "Nullable(UInt64)" },
		{ "records", "UInt64" },
		{ "lost", "UInt64" },
		{ "lost_is_least", "UInt8" },
		{ "bad", "UInt64" },
		{ "damage", "Nullable(String)" },
	};
	static const struct own_column disks[] = {
		{ "dev", "UInt32" },
		{ "name", "String" },
	};
	static const struct own_column losses[] = {
		{ "ts", "Int64" },
		{ "cpu", "Int32" },
		{ "lost", "Nullable(UInt64)" },
		{ "paused", "UInt8" },
	};
	static const struct own_column events[] = {
		{ "name", "String" },
		{ "system", "String" },
		{ "event", "String" },
		{ "records", "UInt64" },
	};
	int err = own_table(load, "files", sources, ARRAY_SIZE(sources), &load->sources);

	if (!err)
		err = own_table(load, "disks", disks, ARRAY_SIZE(disks), &load->disks);
	if (!err)
		err = own_table(load, "losses", losses, ARRAY_SIZE(losses), &load->losses);
	if (!err)
		err = own_table(load, "events", events, ARRAY_SIZE(events), &load->events);
	return err ? err : create_hosts(load);
}

/* ---- beginning ---- */

/* Statements of this run have names that no other run's have. */
static int name_run(struct load *load)
{
	uint64_t number;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return dkt_fail(load->ctx, -errno, "getrandom: %s", strerror(errno));
	for (size_t i = 0; i < SENDERS; i++)
		snprintf(load->runs[i], sizeof(load->runs[i]), "dktrace-%016llx-%zu",
			 (unsigned long long)number, i);
	return 0;
}

static int connect_to(struct load *load)
{
	int err = server_parse(load->ctx, load->opts.url, load->opts.ca, &load->server);
	bool squeezes;

	if (!err)
		err = name_run(load);
	if (err)
		return err;
	load->server.limit = load->opts.limit;
	squeezes = load->opts.compress || (!load->opts.plain && !server_is_here(&load->server));
	err = link_new(&load->server, &load->link);
	if (err)
		return dkt__with_words(load->ctx, err);
	err = sender_settle(load->link, load->opts.patience);
	if (err)
		return load_fail(load, err,
				 err == -EBUSY ? "statements of an earlier load still run there" :
						 link_words(load->link));
	err = targets_ask_settings(load);
	for (size_t i = 0; !err && i < SENDERS; i++)
		err = sender_new(&load->server, load->runs[i], load->insert_settings,
				 load->opts.patience, squeezes, &load->senders[i]);
	return dkt__with_words(load->ctx, err);
}

/* No server is asked for its name. */
static int name_database(struct load *load)
{
	int err = 0;

	if (load->opts.url)
		err = server_parse(load->ctx, load->opts.url, load->opts.ca, &load->server);
	load->database = load->server.database ? load->server.database : "default";
	return err;
}

static int begin(struct load *load)
{
	const struct layout_values none = { 0 };
	int err = dkt_buf_new(&load->sql);

	if (!err)
		err = chunks_new(&load->chunks);
	if (!err)
		err = layout_read(load->ctx, load->opts.layout, &load->layout);
	for (size_t i = 0; !err && i < load->n; i++)
		err = identify(load, i);
	identify_absent(load);
	if (!err)
		err = load->opts.say ? name_database(load) : connect_to(load);
	for (size_t i = 0; !err && i < load->n; i++)
		err = begin_file(load, i);
	if (!err && load->n)
		load->results = calloc(load->files[0].answers.n + 1, sizeof(struct target *));
	if (!err && !load->results)
		return dkt__no_memory(load->ctx);
	/* Names that tables have on the server come before those that the files would give. */
	if (!err && !load->opts.say)
		err = targets_ask(load);
	for (size_t i = 0; !err && !load->opts.joins && i < load->n; i++)
		err = load_join(load, i);
	if (!err)
		err = targets_run_section(load, LAYOUT_ONCE, &none);
	if (!err)
		err = create_own(load);
	for (size_t i = 0; !err && i < load->n; i++)
		load->files[i].whole = load->sources->parts[i].there;
	return err;
}

int load_new(struct pipeline *p, const struct load_opts *opts, struct load **to)
{
	struct load *load = *to = calloc(1, sizeof(*load));

	if (!load)
		return dkt__no_memory(p->ctx);
	*load = (struct load){
		.p = p,
		.ctx = p->ctx,
		.opts = *opts,
		.insert_settings = INSERT_SETTINGS,
		.n = p->n,
		.n_all = p->n + p->n_absent,
		.files = calloc(p->n + p->n_absent + 1, sizeof(*load->files)),
		.schema = { .ctx = p->ctx, .reserved = is_reserved, .data = load },
	};
	if (!load->files)
		return dkt__no_memory(p->ctx);
	for (size_t i = 0; i < load->n; i++)
		load->files[i].lock = -1;
	return dkt__with_words(load->ctx, begin(load));
}

bool load_is_done(const struct load *load)
{
	for (size_t i = 0; i < load->n; i++)
		if (!load->files[i].whole)
			return false;
	return true;
}

/* ---- records ---- */

int load_add(struct load *load, size_t nr, struct dkt_source *source,
	     const struct dkt_record *record)
{
	struct load_file *file = &load->files[nr];
	int err;

	if (file->whole)
		return 0;
	file->seq++;
	file->ts = record->ts;
	if (!record->event)
		losses_add_gap(&file->losses, record);
	err = rows_add(load, nr, source, record);
	if (!err)
		err = answers_record(&file->answers, 0, source, record);
	return dkt__with_words(load->ctx, err);
}

int load_flush(struct load *load)
{
	return dkt__with_words(load->ctx, blocks_send_all(load));
}

void load_end(struct load *load, size_t nr, uint64_t error)
{
	load->files[nr].ended = true;
	load->files[nr].error = error;
}

/* ---- the end ---- */

static void put_string(struct columns *row, const char *text)
{
	row_text(row, text ? text : "", text ? strlen(text) : 0);
}

/* How many records of each event the file has. */
static int add_events(struct load *load, size_t nr)
{
	const struct load_file *file = &load->files[nr];
	uint64_t seq = 0;
	int err = 0;

	for (uint32_t i = 0; !err && i < load->schema.n; i++) {
		const struct schema_table *table = load->schema.tables[i];
		const struct target *target = table->writer;
		struct columns *row;

		if (!target || !target->parts[nr].seen)
			continue;
		err = block_row(load, load->events, nr, ++seq, file->ts, &row);
		if (err || !row)
			continue;
		put_string(row, table->name);
		put_string(row, table->system);
		put_string(row, table->event);
		row_u64(row, target->parts[nr].seen);
		err = block_end(load, load->events);
	}
	return err;
}

static int add_source(struct load *load, size_t nr)
{
	const struct pipeline_part *part = &load->p->parts[nr];
	const struct dkt_source_info *info = dkt_source_info(part->source);
	const struct dkt_source_info *all = dkt_source_info(load->p->source);
	const uint64_t error = load->files[nr].error;
	struct losses *sum = &load->files[nr].losses;
	char *damage __cleanup(free) = NULL;
	struct columns *row;
	int one, err = block_row(load, load->sources, nr, 1, load->files[nr].ts, &row);

	/* As in a database of SQLite, a CPU whose counts are unknown counts 0. */
	one = dkl_losses_count(sum, part->source);
	if (one)
		free(dkt__error_take(part->ctx));
	if (!err && one == -ENOMEM)
		err = dkt__no_memory(load->ctx);
	if (!err && dkl_losses_damage(part->lacks, info, &damage))
		err = dkt__no_memory(load->ctx);
	if (err || !row)
		return err;
	put_string(row, load->opts.sources[nr].path);
	put_string(row, info->kind);
	put_string(row, info->kernel);
	put_string(row, info->clock);
	row_u32(row, (uint32_t)info->cpus);
	row_known_u64(row, all->has_wall, (uint64_t)all->wall);
	row_u64(row, (uint64_t)part->offset);
	row_known_text(row, part->accuracy);
	row_known_u64(row, error != BOUNDS_UNKNOWN, error);
	row_u64(row, sum->seen);
	row_u64(row, sum->lost);
	row_u8(row, losses_is_least(sum));
	row_u64(row, sum->bad);
	row_known_text(row, damage);
	return block_end(load, load->sources);
}

static int add_absent(struct load *load, size_t i)
{
	const struct pipeline_absent *absent = &load->p->absent[i];
	struct columns *row = NULL;
	int err = 0;

	if (absent->id)
		err = block_row(load, load->sources, load->n + i, 1, load->files[0].ts, &row);
	if (err || !row)
		return err;
	put_string(row, absent->path);
	put_string(row, NULL);
	put_string(row, NULL);
	put_string(row, NULL);
	row_u32(row, 0);
	row_known_u64(row, false, 0);
	row_u64(row, 0);
	row_known_text(row, NULL);
	row_known_u64(row, false, 0);
	row_u64(row, 0);
	row_u64(row, 0);
	row_u8(row, 0);
	row_u64(row, 0);
	row_known_text(row, absent->lacks);
	return block_end(load, load->sources);
}

/* A number for which the hosts of a merged file have several names gets none. */
static int add_disks(struct load *load, size_t nr, uint32_t stream, uint64_t *seq)
{
	const struct dkt_source *source = load->p->parts[nr].source;
	struct dkt__source_disk disk;
	struct columns *row;
	int err = 0;

	for (size_t i = 0; !err && !dkt__source_disk_at(source, stream, i, &disk, sizeof(disk));
	     i++) {
		if (!dkt__source_disk(source, DKT__STREAM_ALL, disk.dev))
			continue;
		err = block_row(load, load->disks, nr, ++*seq, load->files[nr].ts, &row);
		if (err || !row)
			continue;
		row_u32(row, (uint32_t)disk.dev);
		put_string(row, disk.name);
		err = block_end(load, load->disks);
	}
	return err;
}

static int finish_file(struct load *load, size_t nr)
{
	struct load_file *file = &load->files[nr];
	int err = answers_end(&file->answers);
	uint64_t seq = 0;

	if (!err)
		err = load_answers_create(load, file);
	for (uint32_t i = 0; !err && dkt_source_stream(load->p->parts[nr].source, i); i++)
		err = add_disks(load, nr, i, &seq);
	return err ? err : add_events(load, nr);
}

/* A file is complete when its row in the table of files is there, so that comes last. */
int load_finish(struct load *load, struct load_sum *sum)
{
	int err = 0;

	*sum = (struct load_sum){ .files = load->n };
	for (size_t i = 0; !load->opts.joins && i < load->n; i++)
		load_end(load, i, dkl_pipeline_worst_error(load->p, i));
	for (size_t i = 0; !err && i < load->n; i++)
		if (load->files[i].whole)
			sum->whole++;
		else if (load->files[i].ended)
			err = finish_file(load, i);
	if (!err)
		err = blocks_send_all(load);
	for (size_t i = 0; !err && i < load->n; i++)
		if (!load->files[i].whole && load->files[i].ended)
			err = add_source(load, i);
	for (size_t i = 0; !err && i < load->p->n_absent; i++)
		err = add_absent(load, i);
	if (!err)
		err = blocks_send_all(load);
	sum->rows = load->rows;
	sum->there = load->there;
	return dkt__with_words(load->ctx, err);
}

void load_free(struct load *load)
{
	if (!load)
		return;
	for (size_t i = 0; i < SENDERS; i++)
		sender_free(load->senders[i]);
	for (size_t i = 0; i < load->n_targets; i++) {
		block_free(load->targets[i]->block);
		free(load->targets[i]->insert);
	}
	for (size_t i = 0; load->files && i < load->n; i++) {
		answers_clear(&load->files[i].answers);
		dkl_losses_clear(&load->files[i].losses);
		dkt__closep(&load->files[i].lock);
	}
	chunks_free(load->chunks);
	link_free(load->link);
	server_clear(&load->server);
	layout_clear(&load->layout);
	schema_clear(&load->schema);
	dkt__arena_free(&load->arena);
	dkt_buf_free(load->sql);
	free(load->targets);
	free(load->results);
	free(load->known);
	free(load->files);
	free(load);
}
