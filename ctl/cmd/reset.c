/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* reset, start, stop: remove all settings and records; start and stop recording. */
#include "compat/apply/apply.h"
#include "compat/dk/debug_daemon.h"
#include "compat/log/debuglog.h"
#include "ctl/app/app.h"
#include "ctl/app/commands.h"
#include "ctl/app/live.h"
#include "lib/base/buf.h"
#include "lib/inside.h"
#include "recording/daemon/archive.h"
#include "recording/daemon/state.h"
#include "recording/flight/flight.h"
#include "recording/flight/state.h"
#include "recording/record/service.h"

struct reset_options {
	bool all;
};

OPT_OWN(reset,
	{ "all", 0, NULL, AT(reset, all), "also end what runs: the daemon, the flight recorder, the debug daemon" },
);

/* A process that records for the log. */
struct running {
	const char *noun;
	const char *stop; /* the command that ends it */
	pid_t pid; /* 0: none is running */
};

enum { ARCHIVE, FLIGHT, DEBUG_DAEMON, N_KINDS };

static void find_running(const struct app *app, const char *dir, struct running found[N_KINDS])
{
	struct daemon_state state;

	/* Who stops it reports a state that cannot be read. */
	if (dkl_daemon_load(app->ctx, dir, &state))
		state.pid = 0;
	found[ARCHIVE] = (struct running){ archive_service.noun, "dktrace daemon stop",
					   service_holder(&archive_service, app->instance) };
	found[FLIGHT] = (struct running){ flight_service.noun, "dktrace flight stop",
					  service_holder(&flight_service, app->instance) };
	found[DEBUG_DAEMON] =
		(struct running){ "the debug daemon", "lctl-dktrace debug_daemon stop", state.pid };
	dkl_daemon_state_clear(&state);
}

/* Somebody wants the records of a process that runs, and would not know that it has ended. */
static int refuse(const struct app *app, const struct running found[N_KINDS])
{
	bool any = false;

	for (size_t i = 0; i < N_KINDS; i++) {
		if (!found[i].pid)
			continue;
		app_say("%s is running, process %d; '%s' ends it", found[i].noun, (int)found[i].pid,
			found[i].stop);
		any = true;
	}
	return any ? dkt_fail(app->ctx, -EBUSY,
			      "reset: nothing was removed; --all ends what runs") :
		     0;
}

static int end(const struct app *app, const char *dir, const struct running found[N_KINDS])
{
	/* The debug daemon reads the instance, and an instance in use cannot be removed. */
	int err = dkl_daemon_stop(app->ctx, dir);

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
	for (size_t i = 0; !err && i < N_KINDS; i++)
		if (found[i].pid)
			app_say("ended %s, process %d", found[i].noun, (int)found[i].pid);
	return err;
}

int cmd_reset(struct app *app, int argc, char **argv)
{
	char *dir __cleanup(free) = dkt__format(RUN_DIR "/%s", app->instance);
	struct running found[N_KINDS];
	int err = dkt__instance_check_name(app->ctx, app->instance);

	(void)argc, (void)argv;
	if (!err && !dir)
		err = -ENOMEM;
	if (!err)
		err = dkt_caps_check(app->ctx, DKT_NEED_CONTROL);
	if (!err)
		find_running(app, dir, found);
	if (!err && !OPT(app, reset)->all)
		err = refuse(app, found);
	if (!err)
		err = end(app, dir, found);
	if (!err)
		err = dkl_debuglog_reset(app->ctx, app->instance);
	return err ? app_fail(app) : 0;
}

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
