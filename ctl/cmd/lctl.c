/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lctl's commands under dktrace's name: set_param, get_param, clear, mark. */
#include "compat/lctl/lctl.h"
#include "ctl/app/commands.h"

int cmd_lctl(struct app *app, int argc, char **argv)
{
	struct lctl lctl = {
		.ctx = app->ctx,
		.instance = app->instance,
		.self = "dktrace",
		.hints = true,
		.tree.tried_debugfs = app->root,
	};
	int rc = dkl_lctl_run(&lctl, argc, argv);

	return lctl.closed ? EXIT_PIPE : rc;
}
