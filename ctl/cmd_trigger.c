/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* trigger: let the kernel act when an event happens. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "fold.h"
#include "out.h"
#include "triggers.h"

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

/* ---- add ---- */

static void print_count(const struct trigger_count *count)
{
	char *names __cleanup(free) = count->lacking ? events_by_system(count->missed) : NULL;

	printf("%zu trigger%s on %zu event%s\n", count->added, plural(count->added), count->events,
	       plural(count->events));
	if (!names)
		return;
	printf("%zu cannot have the condition: ", count->lacking);
	fold_print(stdout, names, 0, fold_width());
}

static int add(struct app *app, struct debuglog *log, int argc, char **argv)
{
	struct trigger_count count;
	int err = triggers_add(log, argv[0], argv[1], app->condition, &count);

	(void)argc;
	if (!err)
		print_count(&count);
	free(count.missed);
	return err;
}

/* ---- list ---- */

static int add_row(void *data, struct dkt_event *event, const struct dkt_trigger *trigger)
{
	struct table *table = data;
	char *name __cleanup(free) = NULL;
	char *action __cleanup(free) = NULL;
	char left[24];

	snprintf(left, sizeof(left), "%" PRId64, trigger->left);
	if (asprintf(&name, "%s:%s", dkt_event_system(event), dkt_event_name(event)) < 0) {
		name = NULL;
		return -ENOMEM;
	}
	/* Of a histogram all of its text is what it does. */
	if (!strcmp(trigger->action, "hist"))
		action = strndup(trigger->text,
				 trigger->filter ?
					 (size_t)(strstr(trigger->text, " if ") - trigger->text) :
					 strlen(trigger->text));
	else if (asprintf(&action, "%s%s%s", trigger->action, trigger->target ? ":" : "",
			  trigger->target ? trigger->target : "") < 0)
		action = NULL;
	if (!action)
		return -ENOMEM;
	return table_add(table,
			 (const char *const[]){ name, action, trigger->left < 0 ? NULL : left,
						trigger->filter });
}

static int list(struct app *app, struct debuglog *log, int argc, char **argv)
{
	static const struct column columns[] = {
		{ "EVENT", 0 },
		{ "ACTION", 0 },
		{ "LEFT", COL_NUMBER },
		{ "CONDITION", COL_FOLD },
	};
	struct table *table = table_new("triggers", columns, ARRAY_SIZE(columns), app->json);
	struct select *select = NULL;
	int err = table ? debuglog_map(log) : -ENOMEM;

	if (!err && argc)
		err = select_new(app->ctx, log->map, argv[0], &select);
	if (!err && argc)
		err = select_check(app->ctx, select);
	if (!err)
		err = triggers_each(log, select, add_row, table);
	if (!err && !app->json && !table_rows(table))
		fprintf(stderr, "dktrace: no trigger is set\n");
	if (!err)
		err = table_print(table);
	select_free(select);
	table_free(table);
	return err;
}

/* ---- del, rearm ---- */

static int del(struct app *app, struct debuglog *log, int argc, char **argv)
{
	size_t n;
	int err = triggers_remove(log, argv[0], argc > 1 ? argv[1] : NULL, &n);

	(void)app;
	if (!err)
		printf("%zu trigger%s removed\n", n, plural(n));
	return err;
}

static int rearm(struct app *app, struct debuglog *log, int argc, char **argv)
{
	size_t n;
	int err = triggers_rearm(log, &n);

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
} words[] = {
	{ "add", 2, 2, DEBUGLOG_CHANGE, "EVENTS ACTION [--if EXPR]", add },
	{ "list", 0, 1, 0, "[EVENTS]", list },
	{ "del", 1, 2, DEBUGLOG_CHANGE, "EVENTS [ACTION]", del },
	{ "rearm", 0, 0, DEBUGLOG_CHANGE, "", rearm },
};

int cmd_trigger(struct app *app, int argc, char **argv)
{
	struct debuglog *log = NULL;
	size_t i;
	int err;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i].name, argv[1]))
			break;
	if (i == ARRAY_SIZE(words))
		return app_usage("trigger: '%s' is none of add, list, del, rearm", argv[1]);
	if (argc - 2 < words[i].min_args || argc - 2 > words[i].max_args)
		return app_usage("usage: dktrace trigger %s %s", argv[1], words[i].usage);
	if (i && app->condition)
		return app_usage("trigger %s: --if goes with add", argv[1]);
	err = debuglog_open(app->ctx, app->instance, words[i].flags, &log);
	if (!err)
		err = words[i].run(app, log, argc - 2, argv + 2);
	debuglog_close(log);
	return err ? app_fail(app) : 0;
}
