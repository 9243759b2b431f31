/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The debug log: a private instance, whether it records, its settings, and the class map. */
#include "compat/log/debuglog.h"

#include "compat/log/directory.h"
#include "compat/log/probe_list.h"
#include "compat/log/wall.h"
#include "compat/lustre/message/cdebug.h"
#include "lib/base/buf.h"
#include "lib/base/util.h"
#include "lib/inside.h"

static struct debuglog *new_log(struct dkt_ctx *ctx)
{
	struct debuglog *log = calloc(1, sizeof(*log));

	if (log) {
		*log = (struct debuglog){ .ctx = ctx, .dirfd = -1, .lock = -1 };
		dkl_settings_init(&log->set);
	}
	return log;
}

int dkl_debuglog_new(struct dkt_ctx *ctx, const char *name, struct debuglog **out)
{
	struct debuglog *log = *out = new_log(ctx);
	int err = log ? dkt__instance_check_name(ctx, name) : -ENOMEM;

	if (err)
		return err;
	log->name = strdup(name);
	log->dir = dkt__format(RUN_DIR "/%s", name);
	return log->name && log->dir ? 0 : -ENOMEM;
}

int dkl_debuglog_saved(struct dkt_ctx *ctx, struct debuglog **out)
{
	struct debuglog *log = *out = new_log(ctx);
	int err = log ? dkt_instance_open(ctx, NULL, NULL, &log->in) : -ENOMEM;

	return err ? err : dkl_class_map_open(ctx, NULL, &log->map);
}

/* Removes the probes if they were created for a change that failed, or are no longer wanted. */
static void remove_unused_probes(struct debuglog *log)
{
	if (log->applied ? !(log->set.sources & MASK_FROM_LUSTRE) : log->messages_new)
		dkl_cdebug_remove(log->ctx);
}

void dkl_debuglog_close(struct debuglog *log)
{
	struct log_wall wall;

	if (!log)
		return;
	if (log->lock >= 0)
		dkl_log_wall_look(log, &wall);
	remove_unused_probes(log);
	dkl_settings_clear(&log->set);
	free(log->note);
	dkl_class_map_free(log->map);
	dkl_log_dir_leave(log);
	dkt_instance_close(log->in);
	dkl_probes_free(log->probes);
	free(log->no_probe);
	free(log->on);
	free(log->name);
	free(log->dir);
	free(log);
}

int dkl_debuglog_map(struct debuglog *log)
{
	int err;

	if (log->map)
		return 0;
	err = dkl_class_map_open(log->ctx, NULL, &log->map);
	if (!err)
		dkl_probes_mark(log);
	return err;
}

int dkl_debuglog_on(struct debuglog *log, struct dkt_event *const **on, size_t *n)
{
	int err = 0;

	if (!log->on && log->in)
		err = dkt_instance_get_events(log->in, &log->on, &log->n_on);
	*on = log->on;
	*n = log->n_on;
	return err;
}

struct dkt_event *dkl_debuglog_event(struct dkt_ctx *ctx, const char *name)
{
	const char *colon = strchr(name, ':');
	char *system __cleanup(free) = colon ? strndup(name, (size_t)(colon - name)) : NULL;

	return system ? dkt_event_find(ctx, system, colon + 1) : NULL;
}

static char *spool_path(const struct debuglog *log)
{
	return dkt__format("%s/spool", log->dir);
}

int dkl_debuglog_open_instance(struct debuglog *log, unsigned int flags)
{
	char *spool __cleanup(free) = spool_path(log);
	DKT_OPTS(dkt_instance_opts, opts, .flags = flags, .spool = spool);

	return spool ? dkt_instance_open(log->ctx, log->name, &opts, &log->in) : -ENOMEM;
}

int dkl_debuglog_size(struct debuglog *log, uint64_t *bytes)
{
	*bytes = 0;
	return log->in ? dkt__instance_get_size(log->in, bytes) : 0;
}

int dkl_debuglog_return_top(struct debuglog *log)
{
	char *spool __cleanup(free) = spool_path(log);

	return spool ? dkt__spool_return(log->ctx, spool) : -ENOMEM;
}

/* Opens the top instance if it is borrowed; otherwise top is NULL. The caller closes it. */
static int open_top(struct debuglog *log, struct dkt_instance **top)
{
	*top = NULL;
	return dkt__instance_borrows_top(log->in) ? dkt_instance_open(log->ctx, NULL, NULL, top) :
						    0;
}

int dkl_recording_get(struct debuglog *log, struct recording *recording)
{
	struct dkt_instance *top;
	int err = open_top(log, &top);

	*recording = (struct recording){ .borrowed = top };
	if (!err)
		err = dkt__instance_get_on(log->in, &recording->on);
	if (!err && top)
		err = dkt__instance_get_on(top, &recording->top_on);
	dkt_instance_close(top);
	return err;
}

int dkl_recording_set(struct debuglog *log, bool on)
{
	struct dkt_instance *top;
	int err = open_top(log, &top);

	if (!err)
		err = dkt_instance_set_on(log->in, on);
	if (!err && top)
		err = dkt_instance_set_on(top, on);
	dkt_instance_close(top);
	return err;
}
