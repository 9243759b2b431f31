/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* reset: removes all settings and records and restores the machine. */
#include "app/app.h"
#include "app/live.h"
#include "apply/apply.h"
#include "archive/archive.h"
#include "base/buf.h"
#include "flight/flight.h"
#include "pipeline/daemon.h"

int cmd_reset(struct app *app, int argc, char **argv)
{
	char *dir __cleanup(free) = dkt__format(RUN_DIR "/%s", app->instance);
	int err = dkt_instance_check_name(app->ctx, app->instance);

	(void)argc, (void)argv;
	if (!err)
		err = dkt_caps_check(app->ctx, DKT_NEED_CONTROL);
	/* The daemon reads the instance, and an instance in use cannot be removed. */
	if (!err && dir)
		err = daemon_stop(app->ctx, dir);
	/* Without tracefs there are no instances. */
	if (!err && !dkt_tracefs_open(app->ctx, 0)) {
		err = flight_stop(app->ctx, app->instance);
		if (!err || err == -ENOENT)
			err = archive_stop(app->ctx, app->instance, false);
		/* The last records cannot be written, and are not wanted any more. */
		if (err == -EIO)
			err = archive_stop(app->ctx, app->instance, false);
		err = err && err != -ENOENT ? err : live_sweep(app);
	}
	if (!err)
		err = debuglog_reset(app->ctx, app->instance);
	return err ? app_fail(app) : 0;
}
