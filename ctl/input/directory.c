/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A directory of segments as an input: those that may have records of the window. */
#include "ctl/input/directory.h"

#include "lib/base/buf.h"
#include "lib/base/when.h"
#include "lib/inside.h"

bool directory_is(const char *path)
{
	return segments_are_in(path) == 1;
}

/* ---- the window ---- */

/* A bound on the trace's clock tells nothing of the time of day. */
static void find_window(const struct selection *selection, struct directory *dir)
{
	const struct selection_time *since = &selection->since, *until = &selection->until;

	dir->since = since->given && since->wall ? since->ns : INT64_MIN;
	dir->by_clock = (since->given && !since->wall) || (until->given && !until->wall);
	/* Records at the time until are in the window. */
	dir->until = until->given && until->wall && until->ns < INT64_MAX ? until->ns + 1 :
									    INT64_MAX;
}

/* True if the segment's records may be in the window; segment_is_within() has some slack. */
static bool is_needed(const struct directory *dir, const struct segment *segment)
{
	/* If the index does not know the segment, from and to are 0 or bounds from find_bounds(). */
	return segment->from < dir->until &&
	       ((!segment->known && !segment->to) || segment->to >= dir->since);
}

static int keep_needed(struct app *app, struct directory *dir)
{
	struct segments *all = &dir->segments;
	size_t n = 0;

	dir->edges = calloc(all->n + 1, sizeof(*dir->edges));
	if (!dir->edges || gaps_find(all, dir->edges, &dir->gaps))
		return dkt_fail(app->ctx, -ENOMEM, "out of memory");
	for (size_t i = 0; i < all->n; i++) {
		/* The kernel is known from one segment, even if no segment is needed. */
		if (!segment_is_within(&all->list[i], dir->since, dir->until) &&
		    (n || i + 1 < all->n))
			continue;
		dir->edges[n] = dir->edges[i];
		all->list[n++] = all->list[i];
	}
	all->n = n;
	return 0;
}

/* Reads from a segment that the index does not know when it begins, and of which recording it is. */
static void look(struct app *app, const char *path, struct segment *segment)
{
	char *name __cleanup(free) = dkt__format("%s/%s", path, segment->name);
	DKT_OPTS(dkt_source_opts, opts, .flags = DKT_SOURCE_ALL);
	const struct dkt_source_info *info;
	struct dkt_source *source;
	struct dkt_record record;
	struct dkt_ctx *ctx;

	if (!name || app_new_ctx(app, NULL, &ctx))
		return;
	/* A segment that cannot be read is reported later. */
	if (!dkt_source_open(ctx, name, &opts, &source)) {
		info = dkt_source_info(source);
		segment->run = info->id;
		segment->growing = info->growing;
		if (info->has_wall && !dkt_source_next(source, &record))
			segment->from = dkt__wall_time(record.ts, info->wall);
		dkt_source_close(source);
	}
	dkt_ctx_free(ctx);
}

/* Finds the facts that the index lacks. A recording has ended when the next one begins. */
static void find_bounds(struct app *app, const char *path, struct segments *segments)
{
	const struct segment *next = NULL; /* the first one of the next recording */

	for (size_t i = 0; i < segments->n; i++)
		if (!segments->list[i].known && segments->list[i].bytes)
			look(app, path, &segments->list[i]);
	for (size_t i = segments->n; i-- > 0;) {
		struct segment *segment = &segments->list[i];

		if (i + 1 < segments->n && segments->list[i + 1].run != segment->run)
			next = &segments->list[i + 1];
		if (!segment->known && next && next->run && segment->run && next->from > 0)
			segment->to = next->from;
	}
}

int directory_read(struct app *app, const char *path, const struct selection *selection,
		   struct directory *dir)
{
	int err;

	*dir = (struct directory){ 0 };
	find_window(selection, dir);
	err = segments_read(app->ctx, path, &dir->segments);
	if (!err && !dir->segments.n)
		err = dkt_fail(app->ctx, -ENOENT, "open %s: its segments are gone", path);
	if (!err)
		find_bounds(app, path, &dir->segments);
	return err ? err : keep_needed(app, dir);
}

/* ---- segments ---- */

static bool any_needed(const struct directory *dir, size_t from, size_t n)
{
	for (size_t i = from; i < from + n; i++)
		if (is_needed(dir, &dir->segments.list[i]))
			return true;
	return false;
}

bool directory_is_needed(const struct directory *dir)
{
	return any_needed(dir, dir->opened, dir->next - dir->opened);
}

bool directory_has_more(const struct directory *dir)
{
	return any_needed(dir, dir->next, dir->segments.n - dir->next);
}

static bool is_same_run(const struct directory *dir, size_t nr)
{
	const struct segment *segment = &dir->segments.list[nr];

	return segment->run && segment->run == segment[-1].run;
}

static int open_rest(struct dkt_ctx *ctx, char **paths, const struct dkt_source_opts *opts,
		     struct directory *dir, struct dkt_source **source)
{
	const size_t n = dir->segments.n - dir->next;
	struct dkt__series_item *files __cleanup(free) = calloc(n, sizeof(*files));
	size_t taken;
	int err;

	if (!files)
		return dkt_fail(ctx, -ENOMEM, "out of memory");
	/* The segment before is of another boot, unless somebody has set the clock. */
	if (dir->next && !is_same_run(dir, dir->next))
		dir->edges[dir->next].pause = true;
	for (size_t i = 0; i < n; i++)
		files[i] =
			(struct dkt__series_item){ .sz = sizeof(*files),
						   .path = paths[i],
						   .after_gap = dir->edges[dir->next + i].gap,
						   .after_pause = dir->edges[dir->next + i].pause };

	err = dkt__source_series(ctx, files, n, opts, &taken, source);
	if (!err) {
		dir->opened = dir->next;
		dir->next += taken;
	}
	return err;
}

static void free_paths(char **paths, size_t n)
{
	for (size_t i = 0; paths && i < n; i++)
		free(paths[i]);
	free(paths);
}

int directory_copy(const struct directory *from, struct directory *dir)
{
	const size_t n = from->next - from->opened;

	*dir = (struct directory){ .since = from->since, .until = from->until };
	dir->segments.list = calloc(n + 1, sizeof(*dir->segments.list));
	dir->edges = calloc(n + 1, sizeof(*dir->edges));
	if (!dir->segments.list || !dir->edges)
		return -ENOMEM;
	memcpy(dir->segments.list, from->segments.list + from->opened,
	       n * sizeof(*dir->segments.list));
	memcpy(dir->edges, from->edges + from->opened, n * sizeof(*dir->edges));
	dir->segments.n = dir->next = n;
	return 0;
}

int64_t directory_time(const struct directory *dir)
{
	return gaps_began(&dir->segments.list[dir->opened]) / DKT__NSEC_PER_SEC;
}

int directory_open(struct dkt_ctx *ctx, const char *path, const struct dkt_source_opts *opts,
		   struct directory *dir, struct dkt_source **source)
{
	const size_t n = dir->segments.n - dir->next;
	char **paths = calloc(n + 1, sizeof(*paths));
	int err = paths ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < n; i++) {
		paths[i] = dkt__format("%s/%s", path, dir->segments.list[dir->next + i].name);
		err = paths[i] ? 0 : -ENOMEM;
	}
	err = err ? dkt_fail(ctx, err, "out of memory") : open_rest(ctx, paths, opts, dir, source);
	free_paths(paths, n);
	return err;
}

int directory_refuse_more(struct dkt_ctx *ctx, const char *path, const struct directory *dir)
{
	const char *name = dir->segments.list[dir->next].name;
	uint64_t number;
	int64_t time;
	char when[DKT__WHEN_SIZE];
	bool known;

	segment_read_name(name, &number, &time);
	known = dkt__format_when(time, when);
	return dkt_fail(ctx, -EINVAL,
			"%s: from %s on, the segments are of another boot or kernel, or the clock"
			" was set; give --until or --since '%s', or name segments",
			path, name, known ? when : "TIME");
}

bool directory_report_gaps(const struct directory *dir, const char *path)
{
	return !dir->by_clock && gaps_report(&dir->gaps, path, dir->since, dir->until);
}

int directory_check_output(const struct outfile *file, const char *path)
{
	struct segments segments;
	int err = segments_read(file->ctx, path, &segments);

	for (size_t i = 0; !err && i < segments.n; i++) {
		char *name __cleanup(free) = dkt__format("%s/%s", path, segments.list[i].name);

		err = name ? dkl_outfile_check_input(file, name) : -ENOMEM;
	}
	segments_free(&segments);
	return err;
}

void directory_clear(struct directory *dir)
{
	segments_free(&dir->segments);
	free(dir->edges);
	gaps_free(&dir->gaps);
	*dir = (struct directory){ 0 };
}
