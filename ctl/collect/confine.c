/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* collect is two processes: one starts ssh, the other one reads what the hosts send, and can do nothing else. */
#include "compat/io/output.h"
#include "ctl/app/cage.h"
#include "ctl/collect/collect.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/inside.h"

int collect_dial(struct collect *collect)
{
	const struct dialer_opts opts = { .ssh = collect->ssh_argv,
					  .far_program = OPT(collect->app, collect)->far_program ?:
								 "dktrace remote",
					  .names = collect->hosts.list,
					  .n = collect->hosts.n,
					  .name = collect_node_set,
					  .data = &collect->hosts };
	int err = collect->confined ? 0 : dialer_begin(collect->app->ctx, &opts, &collect->dialer);

	collect->fleet.opts.dialer = &collect->dialer;
	for (size_t i = 0; collect->places && i < collect->fleet.n; i++)
		collect->fleet.hosts[i].number = collect->places[i];
	return err;
}

int collect_confine(struct collect *collect)
{
	struct app *app = collect->app;
	char *dir __cleanup(free) = app->output ? dkt__format("%s/", app->output) : NULL;
	unsigned int keep = 0;
	int err = dir || !app->output ? 0 : dkt__no_memory(app->ctx);

	if (err || collect->confined)
		return err;
	err = dkl_output_keep(app->ctx, dir, &keep);
	if (!err)
		err = dkt__caps_limit(app->ctx, keep);
	return err ? err : cage_enter(app, NULL, 0, dir, CAGE_NAMES);
}
