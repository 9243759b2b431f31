/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* trigger: lets the kernel act when an event occurs. */
#include "compat/apply/apply.h"
#include "compat/io/say.h"
#include "compat/lustre/event_names.h"
#include "compat/set/triggers.h"
#include "ctl/app/commands.h"
#include "ctl/app/groups.h"
#include "ctl/app/print.h"
#include "ctl/app/value.h"
#include "ctl/out/fold.h"
#include "lib/base/buf.h"

OPT_TABLE(trigger,
	{ "filter", 'f', "EXPR", AT(select, filter), "act only on events that match EXPR, in the kernel's filter language", .check = value_filter },
);

/* At most so many strings of Lustre are printed. */
#define MAX_TEXTS 8

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

/* ---- add ---- */

static void print_count(const struct trigger_count *count)
{
	char *names __cleanup(free) = count->lacking ? dkl_names_by_system(count->missed) : NULL;

	printf("%zu trigger%s on %zu event%s\n", count->added, plural(count->added), count->events,
	       plural(count->events));
	if (!names)
		return;
	printf("%zu do not have its fields: ", count->lacking);
	fold_print(stdout, names, 0, fold_width());
}

/* Prints strings as they are written in Lustre's source. */
static void print_texts(const char *what, const struct dkt__strings *texts)
{
	for (size_t i = 0; i < texts->n && i < MAX_TEXTS; i++) {
		char *text __cleanup(free) = dkl_shown(texts->list[i]);

		printf("  %s \"%s\"\n", what, text ? text : "");
	}
	if (texts->n > MAX_TEXTS)
		printf("  (and %zu more)\n", texts->n - MAX_TEXTS);
}

static void print_search(struct app *app, const struct search *search)
{
	if (search->blind) {
		dkl_say_line(stdout, "'%s': tested in every format and every string argument: %s",
			     search->glob, dkt_error(app->ctx));
	} else if (!search->formats.n && !search->arguments.n && !search->split.n) {
		dkl_say_line(
			stdout,
			"no string of Lustre's modules contains '%s': tested in every string argument",
			search->glob);
	} else {
		dkl_say_line(stdout, "'%s' can be in", search->glob);
		print_texts("the format", &search->formats);
		print_texts("an argument", &search->arguments);
		print_texts("a format and its argument", &search->split);
	}
}

static bool is_message(const char *words)
{
	return !strcmp(words, TRIGGERS_MESSAGE);
}

/* message TEXT ACTION: finds the text in Lustre's strings, which give the events and conditions. */
static int add_message(struct app *app, struct debuglog *log, char **argv,
		       struct trigger_count *count)
{
	struct search search;
	int err = dkl_search_modules(app->ctx, argv[0], &search);

	if (!err) {
		print_search(app, &search);
		err = dkl_triggers_add_message(log, &search, argv[1], OPT(app, select)->filter,
					       count);
	}
	dkl_search_clear(&search);
	return err;
}

static int add(struct app *app, struct debuglog *log, int argc, char **argv)
{
	struct trigger_count count = { 0 };
	bool message = is_message(argv[0]);
	int err = message ?
			  add_message(app, log, argv + 1, &count) :
			  dkl_triggers_add(log, argv[0], argv[1], OPT(app, select)->filter, &count);

	(void)argc;
	if (!err)
		print_count(&count);
	free(count.missed);
	return err;
}

/* ---- list ---- */

static int add_row(void *data, struct dkt_event *event, const struct dkt_trigger *trigger)
{
	struct rows *rows = data;
	char *name __cleanup(free) = dkl_event_full_name(event);
	char *action __cleanup(free) = NULL;

	/* A histogram's action is its text up to the condition. */
	if (!strcmp(trigger->action, "hist"))
		action = strndup(trigger->text,
				 trigger->filter ?
					 (size_t)(strstr(trigger->text, " if ") - trigger->text) :
					 strlen(trigger->text));
	else
		action = dkt__format("%s%s%s", trigger->action, trigger->target ? ":" : "",
				     trigger->target ? trigger->target : "");
	if (!name || !action)
		return -ENOMEM;
	rows_add(rows, val_text(name), val_text(action),
		 trigger->left < 0 ? NULL : val_number((uint64_t)trigger->left),
		 val_text(trigger->filter));
	return 0;
}

static int list(struct app *app, struct debuglog *log, int argc, char **argv)
{
	static const struct column columns[] = {
		{ .key = "event" },
		{ .key = "action" },
		{ .key = "left", .type = COL_NUMBER },
		{ .key = "condition", .flags = COL_FOLD },
	};
	struct rows *rows = rows_new("triggers", columns, ARRAY_SIZE(columns));
	const char *words = argc ? argv[0] : NULL;
	struct dkt_event *const *events;
	struct select *select = NULL;
	size_t n;
	int err = dkl_debuglog_map(log);

	if (!err && argc && is_message(words))
		err = dkl_triggers_message_events(log, &words);
	if (!err && argc)
		err = dkl_select_new(app->ctx, log->map, words, &select);
	if (!err && argc)
		err = dkl_select_check(app->ctx, select);
	if (!err && argc)
		events = dkl_select_events(select, &n);
	else if (!err)
		err = dkt_events(app->ctx, &events, &n);
	if (!err)
		err = dkl_triggers_each(log, events, n, add_row, rows);
	dkl_select_free(select);
	return print_rows(app, err, rows, "no trigger is set");
}

/* ---- del, rearm ---- */

static int del(struct app *app, struct debuglog *log, int argc, char **argv)
{
	const char *words = argv[0];
	size_t n;
	int err = is_message(words) ? dkl_triggers_message_events(log, &words) : 0;

	(void)app;
	if (!err)
		err = dkl_triggers_remove(log, words, argc > 1 ? argv[1] : NULL, &n);
	if (!err)
		printf("%zu trigger%s removed\n", n, plural(n));
	return err;
}

static int rearm(struct app *app, struct debuglog *log, int argc, char **argv)
{
	size_t n;
	int err = dkl_triggers_rearm(log, &n);

	(void)app, (void)argc, (void)argv;
	if (!err)
		printf("%zu trigger%s rearmed, recording is on\n", n, plural(n));
	return err;
}

static const struct {
	const char *name;
	int min_args, max_args;
	unsigned int flags;
	const char *usage;
	int (*run)(struct app *app, struct debuglog *log, int argc, char **argv);
} actions[] = {
	{ "add", 2, 3, DEBUGLOG_CHANGE, "EVENTS|message TEXT ACTION [--filter EXPR]", add },
	{ "list", 0, 1, 0, "[EVENTS]", list },
	{ "del", 1, 2, DEBUGLOG_CHANGE, "EVENTS [ACTION]", del },
	{ "rearm", 0, 0, DEBUGLOG_CHANGE, "", rearm },
};

/* Checks what no machine is asked for. Returns 0 or EXIT_USAGE. */
static int check_add(struct app *app, int argc, char **argv)
{
	const bool message = is_message(argv[0]);

	if ((argc == 3) != message)
		return app_usage("trigger add: give %s",
				 message ? "message TEXT ACTION" :
					   "EVENTS ACTION, or message TEXT ACTION");
	if (dkl_triggers_check_action(app->ctx, argv[argc - 1]))
		return app_usage("trigger: %s", dkt_error(app->ctx));
	return 0;
}

int cmd_trigger(struct app *app, int argc, char **argv)
{
	struct debuglog *log = NULL;
	int err, i = app_find_row(app, argv[1], actions, ARRAY_SIZE(actions), sizeof(*actions));

	if (i < 0)
		return EXIT_USAGE;
	if (argc - 2 < actions[i].min_args || argc - 2 > actions[i].max_args)
		return app_usage("usage: dktrace trigger %s %s", argv[1], actions[i].usage);
	if (i && OPT(app, select)->filter)
		return app_usage("trigger %s: --filter is an option of add", argv[1]);
	if (argc > 2 && !is_message(argv[2]) && value_select(app->ctx, "trigger", argv[2]))
		return app_usage("%s", dkt_error(app->ctx));
	if (actions[i].run == add && check_add(app, argc - 2, argv + 2))
		return EXIT_USAGE;
	err = dkl_debuglog_open(app->ctx, app->instance, actions[i].flags, &log);
	if (!err)
		err = actions[i].run(app, log, argc - 2, argv + 2);
	dkl_debuglog_close(log);
	return err ? app_fail(app) : 0;
}
