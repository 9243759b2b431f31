/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Collections as inputs: the files of their hosts, on one clock by the measurements of all. */
#include "input/collected.h"

#include "base/buf.h"
#include "base/memory.h"
#include "out/bar.h"

/* The clock whose times the measurements are of. */
#define MEASURED "mono"

/* ---- files ---- */

static int add_file(struct inputs *inputs, const char *dir, const struct collection_host *host,
		    size_t nr)
{
	struct inputs_file *files;
	char *path = dkt__format("%s/%s", dir, host->file);

	if (names_take(&inputs->collected->paths, path))
		return -ENOMEM;
	files = reallocarray(inputs->files, inputs->n + 2, sizeof(*files));
	if (!files)
		return -ENOMEM;
	inputs->files = files;
	files[inputs->n++] = (struct inputs_file){ .path = path, .about = host, .collection = nr };
	return 0;
}

/* A host that sent nothing has nothing to read. */
static int add_files(struct inputs *inputs, const char *dir, size_t nr)
{
	const struct collection *about = &inputs->collected->list[nr];
	size_t n = 0;
	int err = 0;

	for (size_t i = 0; !err && i < about->n; i++) {
		const struct collection_host *host = &about->hosts[i];

		if (strcmp(host->state, "complete") != 0) {
			inputs->collected->incomplete = true;
			app_say("%s: %s: %s%s%s", dir, host->name, host->state,
				host->message ? ": " : "", host->message ?: "");
		}
		if (!host->bytes)
			continue;
		err = add_file(inputs, dir, host, nr);
		n++;
	}
	if (err)
		return dkt__no_memory(inputs->app->ctx);
	return n ? 0 : dkt_fail(inputs->app->ctx, -ENODATA, "%s: no host has sent anything", dir);
}

static int add(struct inputs *inputs, char *description)
{
	struct dkt_ctx *ctx = inputs->app->ctx;
	struct collected *collected = inputs->collected;
	struct collection about;
	char *slash = strrchr(description, '/');
	int err;

	if (!collected)
		collected = inputs->collected = calloc(1, sizeof(*collected));
	if (!collected)
		return dkt__no_memory(ctx);
	err = collection_read(ctx, description, &about);
	if (!err && dkt__append(collected->list, collected->n, about))
		err = dkt__no_memory(ctx);
	if (err) {
		collection_clear(&about);
		return err;
	}
	if (slash)
		*slash = '\0';
	return add_files(inputs, slash ? description : ".", collected->n - 1);
}

bool collected_is(const char *path)
{
	char *description __cleanup(free) = collection_find(path);

	return description;
}

int collected_add(struct inputs *inputs, const char *path, bool *is)
{
	char *description __cleanup(free) = collection_find(path);

	*is = description;
	return description && add(inputs, description) ? app_fail(inputs->app) : 0;
}

void collected_free(struct collected *collected)
{
	for (size_t i = 0; collected && i < collected->n; i++)
		collection_clear(&collected->list[i]);
	if (collected) {
		free(collected->list);
		names_clear(&collected->paths);
	}
	free(collected);
}

/* ---- clocks ---- */

bool collected_differ(const struct inputs *inputs, size_t i, size_t j)
{
	const struct collection_host *a = inputs->files[i].about, *b = inputs->files[j].about;

	return a && b && a->boot && b->boot && strcmp(a->boot, b->boot) != 0;
}

/* The words for the report of offsets. */
static int put_accuracy(struct inputs_file *file, uint64_t error, const char *more)
{
	char text[UNIT_SIZE];

	duration_text(error, text);
	file->known = INPUTS_BY_ROUND_TRIPS;
	file->accuracy = dkt__format("accurate to %s by round trips%s", text, more);
	return file->accuracy ? 0 : -ENOMEM;
}

/* A file may add something to the times of the clock that was measured, such as the time of day. */
static int relate_lines(struct inputs_file *file, const struct inputs_file *first)
{
	const struct collection_host *base = first->about;
	const int64_t added = dkt_source_info(file->in.source)->added;
	const int64_t base_added = dkt_source_info(first->in.source)->added;
	uint64_t worst = 0;
	int err = clock_between(file->about->points, file->about->n_points, base->points,
				base->n_points, &file->points, &file->n_points);

	for (size_t i = 0; i < file->n_points; i++) {
		worst = DKT__MAX(worst, file->points[i].error);
		file->points[i].time += (uint64_t)added;
		file->points[i].offset = (int64_t)((uint64_t)file->points[i].offset +
						   (uint64_t)base_added - (uint64_t)added);
	}
	if (!err)
		file->offset = file->points[1].offset;
	return err ? err : put_accuracy(file, worst, "");
}

/* The ns to add to the wall clock of a host to get that of the host which collected. */
static int64_t wall_offset(const struct collection_host *host, uint64_t *error)
{
	const struct clock_trip *last = &host->clock.trips[host->clock.n - 1];
	struct clock_point at = { 0 };

	clock_at(host->points, host->n_points, last->far_sent, &at);
	*error += at.error;
	return at.offset - last->far_wall;
}

/* Records that have only wall-clock times: those are right if nobody has set a clock since. */
static int relate_walls(const struct inputs *inputs, struct inputs_file *file, size_t i,
			size_t first)
{
	const struct dkt_source_info *info = dkt_source_info(inputs->files[i].in.source);
	const struct dkt_source_info *base = dkt_source_info(inputs->files[first].in.source);
	uint64_t error = 0;

	file->offset = info->wall - base->wall + wall_offset(file->about, &error) -
		       wall_offset(inputs->files[first].about, &error);
	return put_accuracy(file, error, " at the end of the collection");
}

static bool is_measured(const struct inputs *inputs, size_t i)
{
	const char *clock = dkt_source_info(inputs->files[i].in.source)->clock;

	return clock && !strcmp(clock, MEASURED);
}

int collected_relate(struct inputs *inputs, size_t i, size_t first)
{
	struct inputs_file *file = &inputs->files[i];
	const struct collection_host *base = inputs->files[first].about;
	int err;

	if (!file->about || !base || file->collection != inputs->files[first].collection ||
	    !file->about->n_points || !base->n_points)
		return 1;
	if (is_measured(inputs, i) && is_measured(inputs, first))
		err = relate_lines(file, &inputs->files[first]);
	else if (dkt_source_info(file->in.source)->has_wall &&
		 dkt_source_info(inputs->files[first].in.source)->has_wall)
		err = relate_walls(inputs, file, i, first);
	else
		return 1;
	return err ? dkt__no_memory(inputs->app->ctx) : 0;
}
