/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* snapshot: keeps the log of a moment in the kernel's second set of buffers, and prints it. */
#include "compat/apply/apply.h"
#include "ctl/app/commands.h"
#include "ctl/cmd/dk.h"
#include "lib/inside.h"

static int take(struct app *app, struct debuglog *log, const char *file)
{
	enum dkt__snapshot_state state;
	uint64_t bytes;

	(void)file;
	if (dkt_instance_snapshot_take(log->in) || dkt__instance_get_size(log->in, &bytes) ||
	    dkt__instance_snapshot_get(log->in, &state))
		return app_fail(app);
	printf("snapshot taken%s; its buffers have %.1f MB\n",
	       state == DKT__SNAPSHOT_FULL ? "" : " of an empty log", (double)bytes / DKT__MB);
	return 0;
}

static int show(struct app *app, struct debuglog *log, const char *file)
{
	enum dkt__snapshot_state state;

	if (dkt__instance_snapshot_get(log->in, &state))
		return app_fail(app);
	if (state == DKT__SNAPSHOT_NONE) {
		app_say("there is no snapshot; 'dktrace snapshot take', or a snapshot trigger, takes one");
		return EXIT_FAILED;
	}
	return dk_command(app, file, DKT_LIVE_KEEP | DKT_LIVE_SNAPSHOT);
}

static int let_go(struct app *app, struct debuglog *log, const char *file)
{
	(void)file;
	return dkt_instance_snapshot_free(log->in) ? app_fail(app) : 0;
}

static const struct {
	const char *name;
	int max_args;
	const char *usage;
	int (*run)(struct app *app, struct debuglog *log, const char *file);
} actions[] = {
	{ "take", 0, "", take },
	{ "show", 1, " [FILE]", show },
	{ "free", 0, "", let_go },
};

int cmd_snapshot(struct app *app, int argc, char **argv)
{
	struct debuglog *log = NULL;
	int i = app_find_row(app, argv[1], actions, ARRAY_SIZE(actions), sizeof(*actions));
	int rc;

	if (i < 0)
		return EXIT_USAGE;
	if (argc - 2 > actions[i].max_args)
		return app_usage("usage: dktrace snapshot %s%s", argv[1], actions[i].usage);
	if (app->input)
		return app_usage("snapshot: the kernel has it; --input has none");
	if (dkl_debuglog_open(app->ctx, app->instance, 0, &log)) {
		rc = app_fail(app);
	} else if (!log->in) {
		app_say(APP_NO_LOG);
		rc = EXIT_FAILED;
	} else {
		rc = actions[i].run(app, log, argc > 2 ? argv[2] : NULL);
	}
	dkl_debuglog_close(log);
	return rc;
}
