/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of the debug log: its instance, its class map, its enabled events. */
#include "log/debuglog.h"

#include "base/util.h"
#include "log/directory.h"
#include "log/probe_list.h"
#include "lustre/message/cdebug.h"

int debuglog_new(struct dkt_ctx *ctx, const char *name, struct debuglog **out)
{
	struct debuglog *log = calloc(1, sizeof(*log));
	int err;

	*out = log;
	if (!log)
		return -ENOMEM;
	*log = (struct debuglog){ .ctx = ctx, .dirfd = -1, .lock = -1 };
	settings_init(&log->set);
	err = dkt_instance_check_name(ctx, name);
	if (err)
		return err;
	log->name = strdup(name);
	if (asprintf(&log->dir, RUN_DIR "/%s", name) < 0)
		log->dir = NULL;
	return log->name && log->dir ? 0 : -ENOMEM;
}

int debuglog_saved(struct dkt_ctx *ctx, struct debuglog **out)
{
	struct debuglog *log = calloc(1, sizeof(*log));
	int err;

	*out = log;
	if (!log)
		return -ENOMEM;
	*log = (struct debuglog){ .ctx = ctx, .dirfd = -1, .lock = -1 };
	settings_init(&log->set);
	err = dkt_instance_open(ctx, NULL, NULL, &log->in);
	return err ? err : class_map_open(ctx, NULL, &log->map);
}

/* Made for a change that was not, or not wanted any more. */
static void drop_probe(struct debuglog *log)
{
	if (log->applied ? !(log->set.sources & MASK_FROM_LUSTRE) : log->probe_made)
		cdebug_remove(log->ctx);
}

void debuglog_close(struct debuglog *log)
{
	if (!log)
		return;
	drop_probe(log);
	settings_clear(&log->set);
	free(log->note);
	class_map_free(log->map);
	log_dir_leave(log);
	dkt_instance_close(log->in);
	probes_free(log->probes);
	free(log->no_probe);
	free(log->on);
	free(log->name);
	free(log->dir);
	free(log);
}

int debuglog_map(struct debuglog *log)
{
	int err;

	if (log->map)
		return 0;
	err = class_map_open(log->ctx, NULL, &log->map);
	if (!err)
		probes_mark(log);
	return err;
}

int debuglog_on(struct debuglog *log, struct dkt_event *const **on, size_t *n)
{
	int err = 0;

	if (!log->on && log->in)
		err = dkt_instance_get_events(log->in, &log->on, &log->n_on);
	*on = log->on;
	*n = log->n_on;
	return err;
}

struct dkt_event *debuglog_event(struct dkt_ctx *ctx, const char *name)
{
	const char *colon = strchr(name, ':');
	char *system __cleanup(free) = colon ? strndup(name, (size_t)(colon - name)) : NULL;

	return system ? dkt_event_find(ctx, system, colon + 1) : NULL;
}

static char *spool_path(const struct debuglog *log)
{
	char *path;

	return asprintf(&path, "%s/spool", log->dir) < 0 ? NULL : path;
}

int debuglog_open_instance(struct debuglog *log, unsigned int flags)
{
	char *spool __cleanup(free) = spool_path(log);
	DKT_OPTS(dkt_instance_opts, opts, .flags = flags, .spool = spool);

	return spool ? dkt_instance_open(log->ctx, log->name, &opts, &log->in) : -ENOMEM;
}

int debuglog_size(struct debuglog *log, uint64_t *bytes)
{
	*bytes = 0;
	return log->in ? dkt_instance_get_size(log->in, bytes) : 0;
}

int debuglog_return_top(struct debuglog *log)
{
	char *spool __cleanup(free) = spool_path(log);

	return spool ? dkt_spool_return(log->ctx, spool) : -ENOMEM;
}
