/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables that describe the others: hosts, files, disks, losses, events, classes. */
#include "answers/sql/writing.h"
#include "compat/lustre/mask.h"
#include "lib/inside.h"

static const struct own {
	const char *name, *columns;
	const char *insert;
	size_t n; /* columns */
} tables[OWN_TABLES] = {
	[OWN_HOSTS] = { "hosts",
			"(host INTEGER PRIMARY KEY, name TEXT, kernel TEXT, clock TEXT, cpus INTEGER,"
			" wall INTEGER, clock_error INTEGER)",
			"INSERT OR IGNORE", 7 },
	[OWN_FILES] = { "files",
			"(file INTEGER PRIMARY KEY, host INTEGER, path TEXT, kind TEXT,"
			" offset INTEGER, accuracy TEXT, clock_error INTEGER, records INTEGER,"
			" lost INTEGER, lost_is_least INTEGER, bad INTEGER, damage TEXT)",
			"INSERT", 12 },
	/* A later file of a host has the newer names. */
	[OWN_DISKS] = { "disks",
			"(host INTEGER, dev INTEGER, name TEXT, PRIMARY KEY(host, dev)) WITHOUT ROWID",
			"INSERT OR REPLACE", 3 },
	[OWN_LOSSES] = { "losses",
			 "(seq INTEGER, ts INTEGER, host INTEGER, file INTEGER, cpu INTEGER,"
			 " lost INTEGER, paused INTEGER)",
			 "INSERT", 7 },
	[OWN_EVENTS] = { "events",
			 "(name TEXT PRIMARY KEY, system TEXT, event TEXT, records INTEGER)",
			 "INSERT", 4 },
	[OWN_CLASSES] = { "classes", "(mask INTEGER PRIMARY KEY, class TEXT)", "INSERT", 2 },
};

int own_create(struct database *db)
{
	for (size_t i = 0; i < OWN_TABLES; i++)
		dkt_buf_printf(db->sql, "CREATE TABLE %s%s;", tables[i].name, tables[i].columns);
	return database_run(db);
}

/* Begins a row, whose values the caller puts into the batch. */
static int begin(struct database *db, enum own_table table, struct batch **row)
{
	*row = &db->own[table];
	if ((*row)->insert)
		return 0;
	dkt_buf_printf(db->sql, "%s INTO %s ", tables[table].insert, tables[table].name);
	return database_prepare(db, *row, tables[table].n);
}

static void put_known(struct batch *row, bool known, uint64_t number)
{
	if (known)
		batch_integer(row, (int64_t)number);
	else
		batch_null(row);
}

static void put_nulls(struct batch *row, size_t n)
{
	while (n--)
		batch_null(row);
}

static void put_error(const struct database *db, struct batch *row, size_t file)
{
	const uint64_t error = dkl_pipeline_worst_error(db->p, file);

	put_known(row, error != BOUNDS_UNKNOWN, error);
}

static void put_host(const struct database *db, struct batch *row, size_t file)
{
	batch_integer(row, (int64_t)db->hosts[file] + 1);
}

/* The numbers of hosts that have sent nothing follow those of the others. */
static void put_absent_host(const struct database *db, struct batch *row, size_t i)
{
	batch_integer(row, (int64_t)(db->n_hosts + i) + 1);
}

/* ---- rows ---- */

int own_add_loss(struct database *db, size_t file, const struct dkt_record *gap)
{
	struct batch *row;
	int err = begin(db, OWN_LOSSES, &row);

	if (err)
		return err;
	batch_integer(row, db->seq);
	batch_integer(row, (int64_t)gap->ts);
	put_host(db, row, file);
	batch_integer(row, (int64_t)file + 1);
	batch_integer(row, gap->cpu);
	put_known(row, gap->lost != DKT_LOST_UNKNOWN, gap->lost);
	batch_integer(row, gap->paused);
	return database_end_row(db, row);
}

static int add_host(struct database *db, size_t file)
{
	const struct dkt_source_info *info = dkt_source_info(db->p->parts[file].source);
	struct batch *row;
	int err = begin(db, OWN_HOSTS, &row);

	if (err)
		return err;
	put_host(db, row, file);
	batch_text_or_null(row, info->host);
	batch_text_or_null(row, info->kernel);
	batch_text_or_null(row, info->clock);
	batch_integer(row, info->cpus);
	put_known(row, db->has_wall, (uint64_t)db->wall);
	put_error(db, row, file);
	return database_end_row(db, row);
}

static int add_absent_host(struct database *db, size_t i)
{
	struct batch *row;
	int err = begin(db, OWN_HOSTS, &row);

	if (err)
		return err;
	put_absent_host(db, row, i);
	batch_text_or_null(row, db->p->absent[i].host);
	put_nulls(row, 5);
	return database_end_row(db, row);
}

static int add_file(struct database *db, size_t file)
{
	const struct pipeline_part *part = &db->p->parts[file];
	const struct dkt_source_info *info = dkt_source_info(part->source);
	struct losses *all = &db->losses[file];
	char *damage __cleanup(free) = NULL;
	struct batch *row;
	int one, err = begin(db, OWN_FILES, &row);

	/* A CPU whose counts are unknown counts 0. */
	one = dkl_losses_count(all, part->source);
	if (one)
		free(dkt__error_take(part->ctx));
	if (!err && one == -ENOMEM)
		err = dkt__no_memory(db->ctx);
	if (!err && dkl_losses_damage(part->lacks, info, &damage))
		err = dkt__no_memory(db->ctx);
	if (err)
		return err;
	batch_integer(row, (int64_t)file + 1);
	put_host(db, row, file);
	batch_text_or_null(row, part->name);
	batch_text_or_null(row, info->kind);
	batch_integer(row, part->offset);
	batch_text_or_null(row, part->accuracy);
	put_error(db, row, file);
	batch_integer(row, (int64_t)all->seen);
	batch_integer(row, (int64_t)all->lost);
	batch_integer(row, losses_is_least(all));
	batch_integer(row, (int64_t)all->bad);
	batch_text_or_null(row, damage);
	return database_end_row(db, row);
}

static int add_absent_file(struct database *db, size_t i)
{
	struct batch *row;
	int err = begin(db, OWN_FILES, &row);

	if (err)
		return err;
	batch_integer(row, (int64_t)(db->p->n + i) + 1);
	put_absent_host(db, row, i);
	batch_text_or_null(row, db->p->absent[i].path);
	put_nulls(row, 4);
	batch_integer(row, 0);
	put_nulls(row, 3);
	batch_text_or_null(row, db->p->absent[i].lacks);
	return database_end_row(db, row);
}

/* A number for which the hosts of a merged file have several names gets none. */
static int add_disks(struct database *db, size_t file, uint32_t stream)
{
	const struct dkt_source *source = db->p->parts[file].source;
	struct dkt__source_disk disk;
	struct batch *row;
	int err = 0;

	for (size_t i = 0; !err && !dkt__source_disk_at(source, stream, i, &disk, sizeof(disk));
	     i++) {
		if (!dkt__source_disk(source, DKT__STREAM_ALL, disk.dev))
			continue;
		err = begin(db, OWN_DISKS, &row);
		if (err)
			return err;
		put_host(db, row, file);
		batch_integer(row, (int64_t)disk.dev);
		batch_text_or_null(row, disk.name);
		err = database_end_row(db, row);
	}
	return err;
}

static int add_event(struct database *db, const struct schema_table *table)
{
	const struct written *written = table->writer;
	struct batch *row;
	int err = begin(db, OWN_EVENTS, &row);

	if (err)
		return err;
	batch_text_or_null(row, table->name);
	batch_text_or_null(row, table->system);
	batch_text_or_null(row, table->event);
	batch_integer(row, (int64_t)written->rows);
	return database_end_row(db, row);
}

static int add_classes(struct database *db)
{
	struct batch *row;
	int err = begin(db, OWN_CLASSES, &row);

	for (int bit = 0; !err && bit < 32; bit++) {
		const char *name = dkl_mask_name(MASK_DEBUG, bit);

		if (!name)
			continue;
		batch_integer(row, INT64_C(1) << bit);
		batch_text_or_null(row, name);
		err = database_end_row(db, row);
	}
	return err;
}

int own_finish(struct database *db)
{
	int err = add_classes(db);

	for (size_t i = 0; !err && i < db->p->n; i++) {
		err = add_host(db, i);
		if (!err)
			err = add_file(db, i);
		for (uint32_t nr = 0; !err && dkt_source_stream(db->p->parts[i].source, nr); nr++)
			err = add_disks(db, i, nr);
	}
	for (size_t i = 0; !err && i < db->p->n_absent; i++) {
		err = add_absent_host(db, i);
		if (!err)
			err = add_absent_file(db, i);
	}
	for (uint32_t i = 0; !err && i < db->schema.n; i++) {
		const struct written *written = db->schema.tables[i]->writer;

		if (written && written->rows)
			err = add_event(db, db->schema.tables[i]);
	}
	for (size_t i = 0; !err && i < OWN_TABLES; i++)
		err = database_pass(db, &db->own[i]);
	return err;
}
