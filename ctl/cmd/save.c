/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* save: writes the settings to a configuration file. */
#include "compat/apply/apply.h"
#include "compat/set/saved.h"
#include "ctl/app/commands.h"

static const char heading[] = "# Settings of dktrace, see dktrace-apply(1).";

/* The lines of an existing file keep their places. An invalid file is an error, and stays. */
static int load(struct app *app, const char *file, struct conf *conf)
{
	int err = dkl_conf_load(app->ctx, file, conf);

	if (err != -ENOENT)
		return err;
	return dkl_conf_parse(app->ctx, file, heading, sizeof(heading) - 1, conf);
}

int cmd_save(struct app *app, int argc, char **argv)
{
	struct debuglog *log = NULL;
	struct conf conf;
	int err = load(app, argc > 1 ? argv[1] : CONF_FILE, &conf);

	if (!err)
		err = dkl_debuglog_open(app->ctx, app->instance, 0, &log);
	if (!err)
		err = dkl_saved_fill(log, &conf);
	if (!err)
		err = dkl_conf_save(app->ctx, &conf);
	if (!err && argc == 1)
		app_say("the settings are in %s", CONF_FILE);
	dkl_debuglog_close(log);
	dkl_conf_clear(&conf);
	return err ? app_fail(app) : 0;
}
