/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* function, graph: record functions of the kernel, as calls or with their entry and exit. */
#include "compat/apply/apply.h"
#include "compat/io/say.h"
#include "compat/set/functions.h"
#include "ctl/app/app.h"
#include "ctl/app/commands.h"
#include "ctl/app/groups.h"
#include "ctl/app/live.h"

struct function_options {
	const char *depth, *notrace, *threshold, *under;
};

OPT_OWN(function,
	{ "notrace", 'x', "GLOBS", AT(function, notrace), "exclude these functions" },
);

OPT_TABLE(graph,
	{ "depth", 0, "N", AT(function, depth), "record at most N nested calls", .check = value_depth },
	{ "threshold", 0, "TIME", AT(function, threshold), "record only calls longer than TIME, without their entry: 100us, 5ms", .check = value_threshold },
	{ "under", 0, "GLOBS", AT(function, under), "record only calls made within these functions" },
);

/* Sets the tracer, or removes it if wish is NULL. */
static int change(struct app *app, const struct functions_wish *wish)
{
	struct debuglog *log;
	int err = dkl_debuglog_open(app->ctx, app->instance, DEBUGLOG_CHANGE, &log);

	if (!err)
		err = wish ? dkl_functions_set(log, wish) : dkl_functions_off(log);
	dkl_debuglog_close(log);
	return err;
}

static int set(struct app *app, const char *name, char **globs, size_t n)
{
	const struct functions_wish wish = {
		.tracer = strcmp(name, "graph") ? FUNCTIONS_CALLS : FUNCTIONS_GRAPH,
		.only = globs,
		.n_only = n,
		.without = OPT(app, function)->notrace,
		.roots = OPT(app, function)->under,
		.depth = OPT(app, function)->depth,
		.threshold = OPT(app, function)->threshold,
		.pids = OPT(app, what)->pid,
		.children = OPT(app, what)->children,
	};

	return change(app, &wish);
}

static int show(struct app *app)
{
	char *text __cleanup(free) = NULL;
	struct debuglog *log;
	int err = dkl_debuglog_open(app->ctx, app->instance, 0, &log);

	if (err)
		return err;
	text = dkl_functions_text(&log->set);
	dkl_debuglog_close(log);
	if (text)
		dkl_say_line(stdout, "%s", text);
	else
		app_say("no function tracer is set");
	return 0;
}

/* Records the command and what it starts; the log keeps it. Returns the exit status. */
static int run(struct app *app, const char *name, char **globs, size_t n, char **command)
{
	struct spawn spawn = SPAWN_INIT;
	char pid[24];
	int err;

	/* Catch signals: we must turn the tracer off whatever ends the command. */
	live_catch();
	if (spawn_start(app->ctx, &spawn, command))
		return app_fail(app);
	snprintf(pid, sizeof(pid), "%d", (int)spawn.pid);
	OPT_CHANGE(app, what)->pid = pid;
	OPT_CHANGE(app, what)->children = true;
	err = set(app, name, globs, n);
	if (!err) {
		spawn_go(&spawn);
		live_wait(&spawn, 0, NULL, NULL);
	}
	spawn_finish(&spawn);
	if (!err)
		err = change(app, NULL);
	if (err)
		return app_fail(app);
	app_say("the records are in the log; 'dktrace dk --style trace' prints them");
	return spawn.status;
}

int cmd_function(struct app *app, int argc, char **argv)
{
	const char *name = argv[0];
	size_t n = (size_t)(argc - 1 - app->n_command);
	bool chosen = OPT(app, function)->notrace || OPT(app, function)->under ||
		      OPT(app, function)->depth || OPT(app, function)->threshold ||
		      OPT(app, what)->pid;

	if (app->n_command && OPT(app, what)->pid)
		return app_usage(
			"%s: --pid selects running processes; it cannot be combined with a command",
			name);
	if (OPT(app, what)->children && !OPT(app, what)->pid)
		return app_usage("%s: --children needs --pid", name);
	if (app->n_command)
		return run(app, name, argv + 1, n, argv + 1 + n);
	if (!n && !chosen)
		return show(app) ? app_fail(app) : 0;
	if (!n && !OPT(app, function)->under)
		return app_usage("%s: needs functions; '*' selects all functions of the kernel",
				 name);
	if (n == 1 && !strcmp(argv[1], "off") && !chosen)
		return change(app, NULL) ? app_fail(app) : 0;
	return set(app, name, argv + 1, n) ? app_fail(app) : 0;
}
