/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Databases of the files of a pipeline. */
#include "answers/sql/of_pipeline.h"

#include "lib/base/memory.h"
#include "lib/base/ticks.h"

/* Sets the host of file i: that of an earlier file of the same boot, or a new one. */
static void find_host(const struct pipeline *p, struct database_file *files, size_t i, size_t *n)
{
	for (size_t j = 0; j < i; j++)
		if (dkl_pipeline_same_boot(p->parts[i].source, p->parts[j].source)) {
			files[i].host = files[j].host;
			return;
		}
	files[i].host = (*n)++;
}

static uint64_t worst_error(const void *clocks, size_t file)
{
	return dkl_pipeline_worst_error(clocks, file);
}

int database_of(struct pipeline *p, const struct database_opts *opts, struct database **db)
{
	const struct dkt_source_info *info = dkt_source_info(p->source);
	struct database_file *files __cleanup(free) = calloc(p->n + 1, sizeof(*files));
	struct database_opts with = *opts;
	size_t n_hosts = 0;
	int err;

	*db = NULL;
	if (!files)
		return dkt__no_memory(p->ctx);
	for (size_t i = 0; i < p->n; i++) {
		const struct pipeline_part *part = &p->parts[i];
		const char *clock = dkt_source_info(part->source)->clock;

		if (dkt__clock_ticks(clock))
			return dkt_fail(p->ctx, -EINVAL,
					"%s: its clock %s does not count nanoseconds, as the times"
					" of a database do",
					part->name, clock);
		files[i] = (struct database_file){ .name = part->name,
						   .ctx = part->ctx,
						   .source = part->source,
						   .offset = part->offset,
						   .accuracy = part->accuracy,
						   .lacks = part->lacks };
		find_host(p, files, i, &n_hosts);
	}
	with.files = files;
	with.n_files = p->n;
	with.absent = p->absent;
	with.n_absent = p->n_absent;
	with.clock_error = worst_error;
	with.clocks = p;
	with.several_clocks = p->several_clocks;
	with.has_wall = info->has_wall;
	with.wall = info->wall;
	err = database_new(p->ctx, &with, db);
	return err ? dkl_pipeline_fail(p, err) : 0;
}

/* ---- the kind of sink ---- */

static int open_sink(struct pipeline *p, const struct outfile *file, void **state)
{
	const struct database_opts opts = { .path = file->path, .fd = file->fd };
	struct database *db;
	int err = database_of(p, &opts, &db);

	*state = db;
	return err;
}

static int add(void *state, const struct pipeline *p, const struct dkt_record *record)
{
	return database_add_to(p, state, record);
}

static int finish(void *state)
{
	return database_finish(state);
}

static void close_sink(void *state)
{
	database_free(state);
}

const struct sink_writer database_writer = { "sqlite", open_sink, add, finish, close_sink };
