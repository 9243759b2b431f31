/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* reset: the machine as it was before. */
#include "app.h"
#include "debuglog.h"

int cmd_reset(struct app *app, int argc, char **argv)
{
	(void)argc, (void)argv;
	return debuglog_reset(app->ctx, app->instance) ? app_fail(app) : 0;
}
