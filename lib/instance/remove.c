/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Removes an instance, and first the histograms that keep it busy. */
#include "lib/instance/trigger.h"
#include "lib/tracefs.h"

/* Removes the histograms of an event. Returns their number. */
static size_t remove_event_hists(struct dkt_instance *in, struct dkt_event *event)
{
	struct dkt_trigger **triggers __cleanup(free) = NULL;
	size_t n, done = 0;

	if (dkt_instance_get_triggers(in, event, &triggers, &n))
		return 0;
	for (size_t i = 0; i < n; i++)
		if (!strcmp(triggers[i]->action, "hist"))
			done += !dkt__trigger_remove(in, event, triggers[i]);
	return done;
}

/*
 * The kernel does not remove an instance that has a histogram with variables, nor a histogram whose
 * variables another one reads. So repeat until a round removes none.
 */
static size_t remove_hists(struct dkt_ctx *ctx, const char *name)
{
	struct dkt_event *const *events;
	struct dkt_instance *in;
	size_t n, done = 0, round;

	if (dkt_instance_open(ctx, name, NULL, &in))
		return 0;
	if (dkt_events(ctx, &events, &n))
		n = 0;
	do {
		round = 0;
		for (size_t i = 0; i < n; i++)
			round += remove_event_hists(in, events[i]);
		done += round;
	} while (round);
	dkt_instance_close(in);
	return done;
}

static int no_instance(struct dkt_ctx *ctx, const char *name)
{
	return dkt_fail(ctx, -ENOENT, "there is no instance '%s' in %s", name, ctx->dir);
}

static bool is_there(struct dkt_ctx *ctx, const char *name)
{
	return dkt__tfs_exists(ctx, "instances/%s/trace", name);
}

int dkt_instance_remove(struct dkt_ctx *ctx, const char *name)
{
	dkt__needs(ctx, ctx && name);

	int err = name ? dkt__instance_check_name(ctx, name) : -EINVAL;
	size_t removed;
	char *reason;

	if (!err)
		err = dkt_tracefs_open(ctx, 0);
	if (err)
		return err;
	if (!is_there(ctx, name))
		return no_instance(ctx, name);
	err = dkt__tfs_rmdir(ctx, "instances/%s", name);
	/* Another process may have removed it at the same time. */
	if (err && !is_there(ctx, name))
		return no_instance(ctx, name);
	if (err != -EBUSY)
		return err;
	reason = dkt__error_take(ctx);
	removed = remove_hists(ctx, name);
	dkt__error_give(ctx, err, reason);
	return removed ? dkt__tfs_rmdir(ctx, "instances/%s", name) : err;
}
