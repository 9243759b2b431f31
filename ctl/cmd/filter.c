/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* filter: restricts recording by expression, process, program or CPU. */
#include "compat/apply/apply.h"
#include "compat/lustre/event_names.h"
#include "compat/set/filters.h"
#include "ctl/app/commands.h"
#include "ctl/app/groups.h"
#include "ctl/app/print.h"
#include "ctl/app/value.h"
#include "ctl/out/fold.h"
#include "lib/base/io.h"

struct filter {
	struct app *app;
	struct debuglog *log;
	struct rules *rules;
	struct rows *rows;
};

static int open_rules(struct filter *filter, unsigned int flags)
{
	int err = dkl_debuglog_open(filter->app->ctx, filter->app->instance, flags, &filter->log);

	if (!err)
		err = dkl_debuglog_map(filter->log);
	return err;
}

/* Call again after a change, which replaces the lines of the settings. */
static int read_rules(struct filter *filter)
{
	dkl_rules_free(filter->rules);
	return dkl_rules_new(filter->log->ctx, filter->log->map, &filter->log->set.rules,
			     &filter->rules);
}

static void filter_close(struct filter *filter)
{
	dkl_rules_free(filter->rules);
	dkl_debuglog_close(filter->log);
}

/* ---- set ---- */

static int print_count(struct filter *filter, const struct rule *rule)
{
	struct filter_count count;
	char *names __cleanup(free) = NULL;
	int err = dkl_filters_count(filter->log, rule, &count);

	if (err)
		return err;
	printf("%zu event%s recorded with the filter", count.on, count.on == 1 ? " is" : "s are");
	if (count.off)
		printf(", %zu more will be once they are enabled", count.off);
	printf("\n");
	names = count.lacking ? dkl_names_by_system(count.missed) : NULL;
	free(count.missed);
	if (names) {
		printf("%zu do not have its fields and %s recorded without it: ", count.lacking,
		       count.lacking == 1 ? "is" : "are");
		return fold_print(stdout, names, 0, fold_width());
	}
	return 0;
}

static int set_filter(struct filter *filter, int argc, char **argv)
{
	const struct app *app = filter->app;
	const struct what_options *given = OPT(app, what);
	const struct filter_wish wish = { .words = argc > 0 ? argv[0] : NULL,
					  .expr = argc > 1 ? argv[1] : NULL,
					  .pids = given->pid,
					  .comm = given->comm,
					  .cpus = given->cpu,
					  .children = given->children };
	const char *words;
	int err = open_rules(filter, DEBUGLOG_CHANGE);

	if (!err)
		err = dkl_filters_set(filter->log, &wish, &words);
	if (!err && words)
		err = read_rules(filter);
	for (size_t i = 0; !err && words && i < filter->rules->n; i++)
		if (!strcmp(filter->rules->list[i].entry->events, words))
			err = print_count(filter, &filter->rules->list[i]);
	return err ? app_fail(app) : 0;
}

static int cmd_set(struct filter *filter, int argc, char **argv)
{
	const struct app *app = filter->app;
	const struct what_options *given = OPT(app, what);

	if (given->children && !given->pid)
		return app_usage("filter set: --children needs --pid");
	if (!argc && !given->pid && !given->comm && !given->cpu)
		return app_usage("filter set: needs EVENTS EXPR, or --pid, --comm or --cpu");
	if (argc == 1 && !given->pid && !given->comm && !given->cpu)
		return app_usage("filter set %s: needs an expression, or --pid, --comm or --cpu",
				 argv[0]);
	if (given->children && argc)
		return app_usage("filter set: --children is for all events, not for '%s' alone",
				 argv[0]);
	if (argc > 1 && value_filter(app->ctx, "filter", argv[1]))
		return app_usage("%s", dkt_error(app->ctx));
	return set_filter(filter, argc, argv);
}

/* ---- list ---- */

static int add_rule_row(struct filter *filter, const struct rule *rule)
{
	struct filter_count count;
	int err = dkl_filters_count(filter->log, rule, &count);

	if (err)
		return err;
	free(count.missed);
	rows_add(filter->rows, val_text(rule->entry->events), val_number(count.on),
		 val_number(count.off), val_number(count.lacking), val_text(rule->entry->text));
	return 0;
}

static void add_limit(struct filter *filter, const char *what, const char *limit)
{
	if (limit)
		rows_add(filter->rows, val_text(what), NULL, NULL, NULL, val_text(limit));
}

static void add_limit_rows(struct filter *filter)
{
	const struct settings *set = &filter->log->set;
	char *pids __cleanup(free) = dkl_threads_text(&set->threads, set->children);

	add_limit(filter, FILTERS_PIDS, pids);
	add_limit(filter, FILTERS_CPUS, set->cpus);
	add_limit(filter, "debug_filter", set->filter);
}

static int list_rules(struct filter *filter)
{
	static const struct column columns[] = {
		{ .key = "events" },
		{ .key = "on", .type = COL_NUMBER },
		{ .key = "off", .type = COL_NUMBER },
		{ .key = "without", .type = COL_NUMBER },
		{ .key = "filter", .flags = COL_FOLD },
	};
	int err = 0;

	filter->rows = rows_new("filters", columns, ARRAY_SIZE(columns));
	add_limit_rows(filter);
	for (size_t i = 0; !err && i < filter->rules->n; i++)
		err = add_rule_row(filter, &filter->rules->list[i]);
	return err;
}

/* Prints "has no field 'x'" of "filter: SYSTEM:EVENT has no field 'x'; ...\n...". */
static void print_reason(FILE *out, const char *message, const char *event)
{
	const char *from = strstr(message, event);

	from = from ? from + strlen(event) : message;
	from += strspn(from, " ");
	fprintf(out, "%.*s", (int)strcspn(from, ";\n"), from);
}

/* Prints the rules that do not apply to the event, with the reasons. */
static void add_without(struct filter *filter, struct dkt_event *event, const char *name, FILE *out)
{
	const struct rule *rule;
	int n = 0;

	for (size_t i = 0; i < filter->rules->n; i++) {
		rule = &filter->rules->list[i];
		if (!dkl_select_has(rule->select, event) || !dkt_expr_check(rule->expr, event))
			continue;
		fputs(n++ ? "; " : "", out);
		print_reason(out, dkt_error(filter->app->ctx), name);
	}
}

static int add_event_row(struct filter *filter, struct dkt_event *event)
{
	char *in_kernel __cleanup(free) = NULL;
	char *name __cleanup(free) = dkl_event_full_name(event);
	char *without __cleanup(free) = NULL;
	size_t len;
	FILE *out = open_memstream(&without, &len);
	int err = name ? dkt_instance_get_filter(filter->log->in, event, &in_kernel) : -ENOMEM;

	if (!err && out)
		add_without(filter, event, name, out);
	err = dkt__text_end(out, err, &without);
	if (!err && (*in_kernel || *without))
		rows_add(filter->rows, val_text(name), val_words(in_kernel), val_words(without));
	return err;
}

static int list_events(struct filter *filter, const char *words)
{
	static const struct column columns[] = {
		{ .key = "event" },
		{ .key = "filter", .flags = COL_FOLD },
		{ .key = "without" },
	};
	struct dkt_event *const *events;
	struct select *chosen;
	size_t n;
	int err = dkl_select_new(filter->app->ctx, filter->log->map, words, &chosen);

	if (err)
		return err;
	err = dkl_select_check(filter->app->ctx, chosen);
	filter->rows = rows_new("events", columns, ARRAY_SIZE(columns));
	events = dkl_select_events(chosen, &n);
	for (size_t i = 0; !err && filter->log->in && i < n; i++)
		err = add_event_row(filter, events[i]);
	dkl_select_free(chosen);
	return err;
}

static int cmd_list_filters(struct filter *filter, int argc, char **argv)
{
	int err = open_rules(filter, 0);

	if (!err)
		err = read_rules(filter);
	if (!err)
		err = argc ? list_events(filter, argv[0]) : list_rules(filter);
	err = print_rows(filter->app, err, filter->rows, "no filter is set");
	return err ? app_fail(filter->app) : 0;
}

/* ---- clear ---- */

static int cmd_clear(struct filter *filter, int argc, char **argv)
{
	int err = open_rules(filter, DEBUGLOG_CHANGE);

	if (!err)
		err = dkl_filters_clear(filter->log, argc ? argv[0] : NULL);
	if (!err && !argc && filter->log->set.filter)
		app_say("debug_filter is still set; set_param debug_filter=none clears it");
	return err ? app_fail(filter->app) : 0;
}

static const struct {
	const char *name;
	int max_args;
	int (*run)(struct filter *filter, int argc, char **argv);
} actions[] = {
	{ "set", 2, cmd_set },
	{ "list", 1, cmd_list_filters },
	{ "clear", 1, cmd_clear },
};

int cmd_filter(struct app *app, int argc, char **argv)
{
	const struct what_options *given = OPT(app, what);
	struct filter filter = { .app = app };
	int rc, i = app_find_row(app, argv[1], actions, ARRAY_SIZE(actions), sizeof(*actions));

	if (i < 0)
		return EXIT_USAGE;
	if (argc - 2 > actions[i].max_args)
		return app_usage("filter %s: too many arguments; put an expression in quotes",
				 argv[1]);
	if (i && (given->pid || given->comm || given->cpu || given->children))
		return app_usage(
			"filter %s: --pid, --comm, --cpu and --children are options of set",
			argv[1]);
	if (argc > 2 && value_select(app->ctx, "filter", argv[2]))
		return app_usage("%s", dkt_error(app->ctx));
	rc = actions[i].run(&filter, argc - 2, argv + 2);
	filter_close(&filter);
	return rc;
}
