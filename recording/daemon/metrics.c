/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The file of a daemon's metrics: where it is, and when it is replaced. */
#include "recording/daemon/metrics.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compat/lustre/class.h"
#include "lib/base/buf.h"
#include "lib/base/io.h"
#include "lib/base/memory.h"
#include "lib/base/when.h"
#include "lib/inside.h"

/* Prometheus asks every 15 s or more rarely. */
#define EACH (10 * DKT__NSEC_PER_SEC)

/* node_exporter runs as another user. */
#define MODE 0644

int archive_metrics_check(struct dkt_ctx *ctx, struct archive_config *config)
{
	const char *dir = config->value[ARCHIVE_METRICS];
	char path[PATH_MAX];
	struct stat st;

	/* No directory, or an empty name: no metrics are written. */
	if (!dir || !*dir)
		return archive_config_set(config, ARCHIVE_METRICS, NULL);
	if (!realpath(dir, path) || stat(path, &st))
		return dkt_fail(ctx, -errno, "write metrics to %s: %s", dir, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return dkt_fail(ctx, -ENOTDIR, "write metrics to %s: it is not a directory", dir);
	return dkt__with_words(ctx, archive_config_set(config, ARCHIVE_METRICS, path));
}

int archive_metrics_set(struct archive_metrics *metrics, struct dkt_ctx *ctx, const char *dir,
			const char *log, struct dkt_recorder *recorder)
{
	char *path = dir ? dkt__format("%s/dktrace-%s.prom", dir, log) : NULL;
	const struct dkt_interval *list;
	size_t n;
	int err = dir && !path ? dkt__no_memory(ctx) : 0;

	if (!err && path)
		err = dkt_interval_list(ctx, &list, &n);
	if (!err && path)
		err = dkt__recorder_count_events(recorder);
	if (err) {
		free(path);
		return err;
	}
	if (metrics->path && (!path || strcmp(path, metrics->path) != 0))
		unlink(metrics->path);
	free(metrics->path);
	metrics->path = path;
	metrics->due = 0;
	metrics->failed = false;
	if (!path)
		archive_latencies_set(&metrics->latencies, ctx, NULL);
	return 0;
}

/* An event may get the ID of a probe that was removed. */
static int add_event(struct archive_metrics *metrics, const struct metrics_event *event)
{
	for (size_t i = 0; i < metrics->n_events; i++)
		if (metrics->events[i].id == event->id) {
			metrics->events[i] = *event;
			return 0;
		}
	return dkt__append(metrics->events, metrics->n_events, *event);
}

int archive_metrics_events(struct archive_metrics *metrics, const struct wanted *wanted)
{
	struct class_map *map;
	int err = dkl_class_map_open(wanted->ctx, NULL, &map);

	for (size_t i = 0; !err && i < wanted->n; i++) {
		const struct class_bits *bits = dkl_class_map_event(map, wanted->list[i].event);
		const struct metrics_event event = { .id = dkt_event_id(wanted->list[i].event),
						     .classes = bits->fields ? 0 : bits->classes,
						     .messages = bits->fields };

		/* One that has just been removed has no ID. */
		if (event.id >= 0)
			err = dkt__with_words(wanted->ctx, add_event(metrics, &event));
	}
	dkl_class_map_free(map);
	archive_latencies_set(&metrics->latencies, wanted->ctx, wanted);
	return err;
}

static int replace(const struct archive_metrics *metrics, const struct metrics_from *from)
{
	char *text __cleanup(free) = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	int err = dkt__text_end(f, f ? metrics_text(f, metrics, from) : 0, &text);

	if (!err)
		err = dkt__replace_file_mode(metrics->path, text, len, MODE);
	return err;
}

int archive_metrics_look(struct archive_metrics *metrics, const struct metrics_from *from,
			 uint64_t now)
{
	bool failed = metrics->failed;
	int err;

	if (!metrics->path)
		return 0;
	err = archive_latencies_look(&metrics->latencies, from->writer);
	if (err || now < metrics->due)
		return err;
	metrics->due = now + EACH;
	err = replace(metrics, from);
	metrics->failed = err;
	if (!err || failed)
		return 0;
	return dkt_fail(from->writer->ctx, err, "write metrics to %s: %s", metrics->path,
			strerror(-err));
}

void archive_metrics_free(struct archive_metrics *metrics)
{
	if (metrics->path)
		unlink(metrics->path);
	free(metrics->path);
	free(metrics->events);
	archive_latencies_free(&metrics->latencies);
	*metrics = (struct archive_metrics)ARCHIVE_METRICS_INIT;
}
