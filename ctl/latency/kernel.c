/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* latency measured by the kernel: a synthetic event for each pair, and a histogram of it. */
#include "ctl/app/groups.h"
#include "ctl/app/print.h"
#include "ctl/hist/view.h"
#include "ctl/latency/latency.h"
#include "lib/inside.h"

static int report(const struct latency *latency, struct dkt_instance *in, const char *name)
{
	const struct latency_set *set = &latency->sets[0];
	struct app *app = latency->app;
	struct hist_view view = { .ns = "lat" };
	struct dkt_table *table;
	int err = dkt_intervals_read(set->pairs, in, name, &table);

	if (err)
		return err;
	view.table = table;
	/* latency_print_bounds() needs this order. */
	err = dkt_table_sort(table, dkt_table_info(table)->n_keys > 1 ? "by,lat" : "lat");
	if (!err)
		err = hist_view_print(app, &view);
	if (!err && !OPT(app, print)->json && !OPT(app, print)->csv)
		err = latency_print_bounds(app, table, set->pair.keys ? set->pair.keys : "");
	dkt_table_free(table);
	return err;
}

static int watch(const struct latency *latency, struct spawn *spawn)
{
	int err = spawn_start(latency->ctx, spawn, latency->command);

	if (!err)
		err = live_begin(latency->app, spawn, "watching", latency->seconds);
	return err ? err : live_wait(spawn, latency->seconds, NULL, NULL);
}

/* Removes the instance, then the event, which the instance's triggers use. Keeps the error message. */
static void clean(struct app *app, struct dkt_instance *in, const char *event)
{
	char *message;
	int err;

	if (live_remove(app, in) || !event)
		return;
	message = dkt__error_take(app->ctx);
	err = dkt_probe_remove(app->ctx, "synthetic", event);
	/* -ENOENT: a failure came before the event was created. */
	if (err && err != -ENOENT)
		app_say("%s; 'dktrace reset' will remove it", dkt_error(app->ctx));
	dkt__error_give(app->ctx, 0, message);
}

int latency_run_kernel(const struct latency *latency, int *rc)
{
	const struct latency_set *set = &latency->sets[0];
	struct app *app = latency->app;
	char *prefix __cleanup(free) = live_name(app, "latency");
	char *event __cleanup(free) = NULL;
	struct spawn spawn = SPAWN_INIT;
	struct dkt_instance *in = NULL;
	int err = prefix ? dkt_caps_check(app->ctx, DKT_NEED_CONTROL) : -ENOMEM;

	if (set->n_pair != 2)
		return dkt_fail(app->ctx, -EOPNOTSUPP,
				"the kernel pairs one event with one other; these are %zu",
				set->n_pair);
	live_catch();
	if (!err)
		err = dkt_instance_own_group(app->ctx, prefix, &event);
	if (!err)
		err = dkt_instance_own(app->ctx, prefix, &in);
	/* The clock counts in ns, as the table's times must. */
	if (!err)
		err = dkt_instance_set_clock(in, "mono");
	if (!err)
		err = dkt_intervals_start(set->pairs, in, set->events[0].event,
					  set->events[1].event, event);
	if (!err)
		err = watch(latency, &spawn);
	if (!err)
		err = report(latency, in, event);
	spawn_finish(&spawn);
	*rc = spawn.status;
	clean(app, in, event);
	return err;
}
