/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* start, stop: start and stop recording; all settings stay. */
#include "compat/apply/apply.h"
#include "compat/log/recording.h"
#include "ctl/app/commands.h"

int cmd_start(struct app *app, int argc, char **argv)
{
	struct debuglog *log;
	int err;

	(void)argc;
	if (dkl_debuglog_open(app->ctx, app->instance, DEBUGLOG_CHANGE, &log))
		return app_fail(app);
	if (log->in)
		err = dkl_recording_set(log, !strcmp(argv[0], "start"));
	else
		err = dkt_fail(
			app->ctx, -ENOENT,
			"nothing is set up to be recorded; run 'dktrace set_param debug=...' first");
	dkl_debuglog_close(log);
	return err ? app_fail(app) : 0;
}
