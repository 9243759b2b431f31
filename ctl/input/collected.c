/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Collections as inputs: the files of their hosts, on one clock by the measurements of all. */
#include "ctl/input/collected.h"

#include <sys/stat.h>

#include "ctl/out/bar.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"

/* The clock whose times the measurements are of. */
#define MEASURED "mono"

/* ---- files ---- */

static int add_file(struct inputs *inputs, const char *dir, const struct collection_host *host,
		    size_t nr)
{
	struct inputs_file *files;
	char *path = dkt__format("%s/%s", dir, host->file);

	if (dkt__strings_take(&inputs->collected->paths, path))
		return -ENOMEM;
	files = reallocarray(inputs->files, inputs->n + 2, sizeof(*files));
	if (!files)
		return -ENOMEM;
	inputs->files = files;
	files[inputs->n] = (struct inputs_file){ .path = path, .about = host, .collection = nr };
	return collection_lack(&inputs->collected->list[nr], host, &files[inputs->n++].lacks);
}

/* Says what the collection lacks: why a host failed, or once that collect did. */
static int say_incomplete(struct inputs *inputs, const char *dir, const struct collection *about)
{
	bool told = false;

	for (size_t i = 0; i < about->n; i++) {
		const struct collection_host *host = &about->hosts[i];
		char *words __cleanup(free) = NULL;

		if (collection_lack(about, host, &words))
			return -ENOMEM;
		if (!words)
			continue;
		inputs->collected->incomplete = true;
		if (collection_knows_end(about, host)) {
			app_say("%s: %s: %s", dir, host->name, words);
		} else if (!told) {
			app_say("%s: %s; this is what had come", dir, words);
			told = true;
		}
	}
	return 0;
}

/* The files know best what is in them: the description may be older. */
static bool has_content(const char *path)
{
	struct stat st;

	return !stat(path, &st) && st.st_size;
}

/* A host that sent nothing has nothing to read; it is only told of. */
static int add_absent(struct collected *collected, const struct collection *about,
		      const struct collection_host *host, char *path)
{
	struct pipeline_absent absent = { .path = path, .host = host->hostname ?: host->name };
	char *words __cleanup(free) = NULL;

	if (dkt__strings_take(&collected->paths, path) || collection_lack(about, host, &words))
		return -ENOMEM;
	collection_load(host, &absent.id);
	absent.lacks = words;
	if (!words)
		return 0;
	if (dkt__append(collected->absent, collected->n_absent, absent))
		return -ENOMEM;
	words = NULL;
	return 0;
}

static int add_files(struct inputs *inputs, const char *dir, size_t nr)
{
	const struct collection *about = &inputs->collected->list[nr];
	size_t n = 0;
	int err = say_incomplete(inputs, dir, about);

	for (size_t i = 0; !err && i < about->n; i++) {
		const struct collection_host *host = &about->hosts[i];
		char *path __cleanup(free) = dkt__format("%s/%s", dir, host->file);

		if (!path)
			err = -ENOMEM;
		/* A file that should be there and is not is an error, which opening it tells. */
		if (!err && !host->bytes && !has_content(path)) {
			err = add_absent(inputs->collected, about, host, path);
			path = NULL;
		} else if (!err) {
			err = add_file(inputs, dir, host, nr);
			n++;
		}
	}
	if (err)
		return dkt__no_memory(inputs->app->ctx);
	return n ? 0 : dkt_fail(inputs->app->ctx, -ENODATA, "%s: no host has sent anything", dir);
}

/* Reads a description, and adds the collection to those of the inputs. */
static int read_collection(struct inputs *inputs, const char *description)
{
	struct dkt_ctx *ctx = inputs->app->ctx;
	struct collected *collected = inputs->collected;
	struct collection about;
	int err;

	if (!collected)
		collected = inputs->collected = calloc(1, sizeof(*collected));
	if (!collected)
		return dkt__no_memory(ctx);
	err = collection_read(ctx, description, &about);
	if (!err && dkt__append(collected->list, collected->n, about))
		err = dkt__no_memory(ctx);
	if (err)
		collection_clear(&about);
	return err;
}

static int add(struct inputs *inputs, char *description)
{
	char *slash = strrchr(description, '/');
	int err = read_collection(inputs, description);

	if (err)
		return err;
	if (slash)
		*slash = '\0';
	return add_files(inputs, slash ? description : ".", inputs->collected->n - 1);
}

/* ---- a collection that is still recorded ---- */

int collected_begin(struct app *app, const char *path, struct inputs *inputs)
{
	char *description __cleanup(free) = collection_find(path);
	const struct collection *about;
	int err;

	*inputs = (struct inputs){ .app = app };
	err = description ? read_collection(inputs, description) : dkt__no_memory(app->ctx);
	about = err ? NULL : inputs->collected->list;
	for (size_t i = 0; !err && i < about->n; i++)
		err = dkt__with_words(app->ctx, add_file(inputs, path, &about->hosts[i], 0));
	return err;
}

static void forget_relation(struct inputs_file *file)
{
	free(file->points);
	free(file->accuracy);
	file->points = NULL;
	file->n_points = 0;
	file->accuracy = NULL;
	file->offset = 0;
	file->known = INPUTS_BY_WALL_CLOCK;
}

int collected_renew(struct inputs *inputs, const char *path)
{
	char *description __cleanup(free) = collection_find(path);
	struct dkt_ctx *ctx = inputs->app->ctx;
	struct collection about = { 0 };
	int err = description ? collection_read(ctx, description, &about) : dkt__no_memory(ctx);

	if (!err && about.n != inputs->n)
		err = dkt_fail(ctx, -EBADMSG, "%s: its hosts have changed", path);
	if (err) {
		collection_clear(&about);
		return err;
	}
	for (size_t i = 0; i < inputs->n; i++) {
		forget_relation(&inputs->files[i]);
		inputs->files[i].about = &about.hosts[i];
	}
	collection_clear(&inputs->collected->list[0]);
	inputs->collected->list[0] = about;
	return 0;
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

size_t collected_lacks(const struct inputs *inputs,
		       void (*fn)(void *data, const struct collection_host *host,
				  const char *words),
		       void *data)
{
	const struct collected *collected = inputs->collected;
	size_t n = 0;

	for (size_t i = 0; collected && i < collected->n; i++) {
		const struct collection *about = &collected->list[i];

		for (size_t j = 0; j < about->n; j++) {
			char *words __cleanup(free) = NULL;

			if (!collection_lack(about, &about->hosts[j], &words) && words)
				fn(data, &about->hosts[j], words);
		}
		n += about->n;
	}
	return n;
}

void collected_free(struct collected *collected)
{
	for (size_t i = 0; collected && i < collected->n; i++)
		collection_clear(&collected->list[i]);
	for (size_t i = 0; collected && i < collected->n_absent; i++)
		free((char *)collected->absent[i].lacks);
	if (collected) {
		free(collected->list);
		free(collected->absent);
		dkt__strings_clear(&collected->paths);
	}
	free(collected);
}

/* ---- clocks ---- */

bool collected_differ(const struct inputs *inputs, size_t i, size_t j)
{
	const struct collection_host *a = inputs->files[i].about, *b = inputs->files[j].about;

	return a && b && a->boot && b->boot && strcmp(a->boot, b->boot) != 0;
}

static const struct dkt_source_info *info_of(const struct inputs_file *file)
{
	return dkt_source_info(file->in.source);
}

/* True if a file has the times of the measured clock. A file written from such a file has times of day. */
static bool is_measured(const struct inputs_file *file)
{
	const struct dkt_source_info *info = info_of(file);
	const bool is_day = info->has_wall && !info->wall && !info->added;

	return info->clock && !strcmp(info->clock, MEASURED) && !is_day;
}

/*
 * Finds the points that convert the times of a file to the clock of the host that collected. The times are
 * those of the measured clock, plus what the file adds, or they have a time of day. Returns 1 if there are no
 * points.
 */
static int find_points(const struct inputs_file *file, struct dkt_clock_point **points, size_t *n)
{
	const struct collection_host *host = file->about;
	const struct dkt_source_info *info = info_of(file);
	uint64_t more = is_measured(file) ? (uint64_t)info->added : -(uint64_t)info->wall;
	int err = 0;

	*points = NULL;
	*n = 0;
	if (!is_measured(file) && info->has_wall) {
		err = clock_walls(&host->clock, host->points, host->n_points, points, n);
	} else if (is_measured(file) && host->n_points) {
		*points = calloc(host->n_points, sizeof(**points));
		err = *points ? 0 : -ENOMEM;
		*n = host->n_points;
		if (*points)
			memcpy(*points, host->points, *n * sizeof(**points));
	}
	for (size_t i = 0; !err && i < *n; i++) {
		(*points)[i].time += more;
		(*points)[i].offset = (int64_t)((uint64_t)(*points)[i].offset - more);
	}
	return err || *n ? err : 1;
}

/* The words for the report of offsets. */
static int put_accuracy(struct inputs_file *file)
{
	char text[UNIT_SIZE];
	uint64_t worst = 0;

	for (size_t i = 0; i < file->n_points; i++)
		worst = DKT__MAX(worst, file->points[i].error);
	duration_text(worst, text);
	file->known = INPUTS_BY_ROUND_TRIPS;
	file->accuracy = dkt__format("accurate to %s by round trips", text);
	return file->accuracy ? 0 : -ENOMEM;
}

/* Finds the points between two files. The clock of the first one is exact by definition. */
static int relate(struct inputs_file *file, struct inputs_file *first)
{
	struct dkt_clock_point *own __cleanup(free) = NULL, *base __cleanup(free) = NULL;
	size_t n_own, n_base;
	int err = find_points(file, &own, &n_own);

	if (!err)
		err = find_points(first, &base, &n_base);
	if (!err)
		err = clock_between(own, n_own, base, n_base, &file->points, &file->n_points);
	if (err)
		return err;
	file->offset = file->points[1].offset;
	if (first->n_points)
		return put_accuracy(file);
	err = clock_between(base, n_base, base, n_base, &first->points, &first->n_points);
	for (size_t i = 0; i < first->n_points; i++) {
		first->points[i].offset = 0;
		first->points[i].error = 0;
	}
	return err ? err : put_accuracy(file);
}

int collected_relate(struct inputs *inputs, size_t i, size_t first)
{
	struct inputs_file *file = &inputs->files[i], *base = &inputs->files[first];
	int err;

	if (!file->about || !base->about || file->collection != base->collection)
		return 1;
	err = relate(file, base);
	return err < 0 ? dkt__no_memory(inputs->app->ctx) : err;
}

/* The library takes numbers of 62 bits. An error of so much, 146 years, says nothing. */
static void limit(struct dkt_clock_point *point)
{
	const int64_t most = INT64_MAX / 2;

	point->offset = DKT__MAX(DKT__MIN(point->offset, most), -most);
	point->error = DKT__MIN(point->error, (uint64_t)most);
	point->own_error = DKT__MIN(point->own_error, (uint64_t)most);
}

int collected_clock(const struct inputs *inputs, size_t i, struct dkt_source_clock *clock)
{
	const struct inputs_file *file = &inputs->files[i];
	struct dkt_clock_point *points;

	*clock = (struct dkt_source_clock){ .sz = sizeof(*clock),
					    .exact = !i || file->known == INPUTS_ONE_CLOCK };
	while (clock->host < i && !inputs_same_boot(inputs, i, clock->host))
		clock->host++;
	if (file->n_points < 3 || (i && file->known != INPUTS_BY_ROUND_TRIPS))
		return 0;
	/* The points before and after all measurements only continue the offset. */
	clock->n_points = file->n_points - 2;
	clock->points = points = calloc(clock->n_points, sizeof(*points));
	if (!points)
		return dkt__no_memory(inputs->app->ctx);
	for (size_t j = 0; j < clock->n_points; j++) {
		points[j] = file->points[j + 1];
		points[j].time += (uint64_t)points[j].offset;
		/* Merged times stand still while a clock is set back. */
		if (j)
			points[j].time = DKT__MAX(points[j].time, points[j - 1].time);
		limit(&points[j]);
	}
	return 0;
}
