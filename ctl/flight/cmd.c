/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* flight: records all the time into memory, and writes a file when something happens. */
#include "recording/flight/flight.h"

#include "compat/io/say.h"
#include "ctl/app/commands.h"
#include "ctl/flight/actions.h"
#include "lib/inside.h"

OPT_OWN(flight,
	{ "after", 0, "TIME", AT(flight, after), "record on for TIME after an incident, before the dump" },
	{ "dir", 0, "DIR", AT(flight, dir), "write dumps to DIR (default /var/log/dktrace)" },
	{ "dump", 0, NULL, AT(flight, dump), "with stop: make a last dump" },
	{ "exec", 0, "COMMAND", AT(flight, exec), "run COMMAND after each dump, with its name in $DKTRACE_FLIGHT_FILE" },
	{ "freeze", 0, NULL, AT(flight, freeze), "with follow: freeze the buffers at each line of standard input, which is the reason", .flags = OPT_FAR },
	{ "group", 'g', "NAME=WORDS", AT(flight, groups), "record these classes or events in buffers of their own: net=sunrpc:*,rpctrace", .joint = '\n' },
	{ "keep", 0, "TIME", AT(flight, keep_time), "delete dumps after TIME: 7d (default never)" },
	{ "max-dumps", 0, "N", AT(flight, max_dumps), "make at most N dumps an hour of incidents (default 12)" },
	{ "max-size", 0, "BYTES", AT(flight, max_size), "delete the oldest dumps when all have more than BYTES (default 1G)" },
	{ "size", 0, "BYTES", AT(flight, size), "use BYTES of memory for each group (default: by the memory of the machine)" },
	{ "when", 0, "CONDITION", AT(flight, when), "make a dump at an event, a 'message TEXT' or a latency: 'fsync > 100ms'", .joint = '\n' },
);

static int start(struct app *app, const char *word)
{
	(void)word;
	return flight_action_start(app);
}

static int status(struct app *app, const char *word)
{
	(void)word;
	return flight_action_status(app);
}

/* NULL: prints nothing. */
static void print_path(const char *path)
{
	char *name __cleanup(free) = path ? dkl_shown(path) : NULL;

	if (path)
		printf("%s\n", name ? name : "");
}

static int dump(struct app *app, const char *word)
{
	char *file __cleanup(free) = NULL;
	int err = dkt_caps_check(app->ctx, DKT_NEED_CONTROL);

	if (word && !*word)
		return app_usage("flight dump: the reason is empty");
	if (!err)
		err = flight_dump_asked(app->ctx, app->instance, word ? word : "asked by a user",
					&file);
	print_path(file);
	return err ? app_fail(app) : 0;
}

static int file(struct app *app, const char *word)
{
	char *path __cleanup(free) = NULL;
	int err = dkt_caps_check(app->ctx, DKT_NEED_CONTROL);

	if (!err)
		err = flight_find_dump(app->ctx, app->instance, word, &path);
	print_path(path);
	return err ? app_fail(app) : 0;
}

static int follow(struct app *app, const char *word)
{
	(void)word;
	return dkt_caps_check(app->ctx, DKT_NEED_CONTROL) ? app_fail(app) :
							    flight_action_follow(app);
}

static int stop(struct app *app, const char *word)
{
	int rc = dkt_caps_check(app->ctx, DKT_NEED_CONTROL) ? app_fail(app) : 0;

	(void)word;
	if (!rc && OPT(app, flight)->dump)
		rc = dump(app, "flight stop");
	if (!rc && flight_stop(app->ctx, app->instance))
		rc = app_fail(app);
	return rc;
}

static const struct {
	const char *name;
	int max_args;
	const char *usage;
	int (*run)(struct app *app, const char *word);
} actions[] = {
	{ "start", 0, " -c CLASSES | -e EVENTS | --group NAME=WORDS [--when CONDITION]", start },
	{ "status", 0, "", status },
	{ "dump", 1, " [REASON]", dump },
	{ "file", 1, " [NAME]", file },
	{ "follow", 0, " [--freeze]", follow },
	{ "stop", 0, " [--dump]", stop },
};

int cmd_flight(struct app *app, int argc, char **argv)
{
	int i = app_find_row(app, argv[1], actions, ARRAY_SIZE(actions), sizeof(*actions));

	if (i < 0)
		return EXIT_USAGE;
	if (argc - 2 > actions[i].max_args)
		return app_usage("usage: dktrace flight %s%s", argv[1], actions[i].usage);
	if (dkt__instance_check_name(app->ctx, app->instance))
		return app_fail(app);
	return actions[i].run(app, argc > 2 ? argv[2] : NULL);
}
