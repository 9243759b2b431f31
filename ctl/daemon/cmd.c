/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* daemon: records all the time into a directory of segments. */
#include "ctl/app/opt.h"
#include "ctl/daemon/actions.h"
#include "recording/daemon/archive.h"

static int stop(struct app *app)
{
	int err = dkt_caps_check(app->ctx, DKT_NEED_CONTROL);

	if (!err)
		err = archive_stop(app->ctx, app->instance, app->go_on);
	return err ? app_fail(app) : 0;
}

static const struct {
	const char *name;
	int (*run)(struct app *app);
} actions[] = {
	{ "start", daemon_action_start },
	{ "status", daemon_action_status },
	{ "reload", daemon_action_reload },
	{ "stop", stop },
};

int cmd_daemon(struct app *app, int argc, char **argv)
{
	int i = app_find_row(app, argv[1], actions, ARRAY_SIZE(actions), sizeof(*actions));

	(void)argc;
	if (i < 0)
		return EXIT_USAGE;
	if (dkt_instance_check_name(app->ctx, app->instance))
		return app_fail(app);
	return actions[i].run(app);
}
