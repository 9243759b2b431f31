/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Completion: the possible arguments of each command, and the values of its options. */
#include <ctype.h>

#include "answers/analyze/analyze.h"
#include "answers/strace/signature.h"
#include "compat/apply/apply.h"
#include "compat/log/probe_list.h"
#include "compat/lustre/named.h"
#include "compat/lustre/style.h"
#include "compat/lustre/thread_class.h"
#include "compat/set/counts.h"
#include "compat/set/triggers.h"
#include "ctl/app/commands.h"
#include "ctl/app/print.h"
#include "ctl/complete/complete.h"
#include "ctl/help/tasks.h"
#include "ctl/latency/latency.h"
#include "ctl/lustre_log/lustre_log.h"
#include "ctl/top/top.h"
#include "lib/base/buf.h"
#include "lib/inside.h"

/* The n-th argument before the word being typed, counted from 1 without options, or NULL. */
static const char *argument(const struct completing *at, int n)
{
	for (int i = 1; i < at->argc - 1; i++) {
		if (opt_takes(at->command, at->argv[i]))
			i++;
		else if (*at->argv[i] != '-' && !--n)
			return at->argv[i];
	}
	return NULL;
}

/* ---- names ---- */

/* profile takes classes of threads, too. */
static void offer_classes(const struct completing *at)
{
	const struct thread_class *class;
	const struct typed name = typed_last(&at->typed, ",");

	for (size_t i = 0; at->command->run == cmd_profile && (class = dkl_thread_class(i)); i++)
		offer(&name, class->name, "");
	offer_mask(&at->typed, MASK_DEBUG, false);
}

static void offer_subsystems(const struct completing *at)
{
	offer_mask(&at->typed, MASK_SUBSYSTEM, false);
}

static void offer_event_globs(const struct completing *at)
{
	offer_named(at->app, &at->typed, NAMED_SEPARATORS);
}

static void offer_counter(void *data, const char *name)
{
	offer(data, name, "");
}

/* Events of perf_event_open(2), too. */
static void offer_counters(const struct completing *at)
{
	struct typed name = typed_last(&at->typed, ",");

	dkt__perf_event_names(offer_counter, &name);
	offer_event_globs(at);
}

static void offer_styles(const struct completing *at)
{
	struct dkt_style_info info;

	for (size_t i = 0; !dkl_style_get(i, &info); i++)
		offer(&at->typed, info.name, "");
}

static void offer_formats(const struct completing *at)
{
	static const char *const files[] = { "trace.dat", "trace.dat-6", "sqlite", NULL };

	offer_words(&at->typed, files);
	offer_styles(at);
}

static void offer_instances(const struct completing *at)
{
	DIR *dir __cleanup(closedir) = opendir(RUN_DIR);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (*entry->d_name != '.' && strcmp(entry->d_name, "mounted"))
			offer(&at->typed, entry->d_name, "");
}

/* Offers the fields of the events of hist, or of both ends of a pair. */
static void offer_fields_typed(const struct completing *at)
{
	const char *first = argument(at, 1), *second = argument(at, 2);
	const struct dkt_interval *pair = first ? dkt_interval_find(at->app->ctx, first) : NULL;
	char *events __cleanup(free) = NULL;

	if (pair) {
		first = pair->begin;
		second = pair->end;
	}
	events = dkt__format("%s,%s", first ? first : "", second ? second : "");
	if (events)
		offer_fields(at->app, &at->typed, events);
}

/* Offers the last name of "!futex,read". */
static void offer_calls(const struct completing *at)
{
	const struct typed last = typed_last(&at->typed, "!=, ");
	const struct call_signature *signature;

	for (size_t i = 0; (signature = call_signature_at(i)); i++)
		offer(&last, signature->name, "");
}

static void offer_panels(const struct completing *at)
{
	const struct typed name = typed_last(&at->typed, ",");

	for (size_t nr = 0; nr < N_TOP_PANELS; nr++)
		offer(&name, top_panels[nr].name, "");
}

/* Two panels may have the same column. */
static void offer_top_columns(const struct completing *at)
{
	struct dkt__strings seen = { 0 };

	for (size_t nr = 0; nr < N_TOP_PANELS; nr++)
		for (size_t i = 0; i < top_panels[nr].n; i++) {
			const char *key = top_panels[nr].columns[i].out.key;

			if (!dkt__strings_has(&seen, key) && !dkt__strings_add(&seen, key))
				offer(&at->typed, key, "");
		}
	dkt__strings_clear(&seen);
}

static void offer_intervals(const struct completing *at)
{
	const struct dkt_interval *list;
	size_t n;

	if (dkt_interval_list(at->app->ctx, &list, &n))
		return;
	for (size_t i = 0; i < n; i++)
		if (dkt_interval_find(at->app->ctx, list[i].name) == &list[i])
			offer(&at->typed, list[i].name, "");
}

/* Offers the last name of "fsync,jbd2". */
static void offer_measured(const struct completing *at)
{
	struct completing name = *at;

	name.typed = typed_last(&at->typed, ",");
	offer_intervals(&name);
}

/* ---- arguments of commands ---- */

static void offer_assignments(const struct completing *at)
{
	offer_settings(at->app, &at->typed);
}

static void offer_parameters(const struct completing *at)
{
	offer_params(&at->typed, "");
}

static void offer_counts(const struct completing *at)
{
	const struct count *count = NULL;

	while ((count = dkl_count_next(count)))
		if (count == dkl_count_find(count->name, NULL))
			offer(&at->typed, count->name, "");
}

static void offer_counted(const struct completing *at)
{
	if (argument(at, 1))
		return;
	offer_counts(at);
	offer_selection(at->app, &at->typed);
}

static void offer_lists(const struct completing *at)
{
	static const char *const lists[] = { "classes", "subsystems", "events",
					     "fields",  "counts",     NULL };

	if (at->argc < 3)
		offer_words(&at->typed, lists);
	else if (!strcmp(at->argv[1], "classes"))
		offer_bits(&at->typed, MASK_DEBUG);
	else if (!strcmp(at->argv[1], "subsystems"))
		offer_bits(&at->typed, MASK_SUBSYSTEM);
	else if (!strcmp(at->argv[1], "counts"))
		offer_counts(at);
	else
		offer_events(at->app, &at->typed);
}

static void offer_filters(const struct completing *at)
{
	static const char *const verbs[] = { "set", "list", "clear", NULL };

	if (at->argc < 3)
		offer_words(&at->typed, verbs);
	else if (at->argc == 3)
		offer_selection(at->app, &at->typed);
}

static void offer_triggers(const struct completing *at)
{
	static const char *const verbs[] = { "add", "list", "del", "rearm", NULL };
	static const char *const actions[] = {
		"traceon",        "traceoff",     "stacktrace",    "snapshot",   "enable_event:",
		"disable_event:", "enable_hist:", "disable_hist:", "hist:keys=", NULL
	};
	const struct typed *typed = &at->typed;
	const int argc = at->argc;
	char **argv = at->argv;
	const char *colon = strchr(typed->rest, ':');
	/* "message TEXT" has one argument more than "EVENTS". */
	bool text = argc > 3 && !strcmp(argv[1], "add") && !strcmp(argv[2], TRIGGERS_MESSAGE);
	struct typed target;

	if (argc < 3) {
		offer_words(typed, verbs);
	} else if (argc == 3 && strcmp(argv[1], "rearm")) {
		offer(typed, TRIGGERS_MESSAGE, "");
		offer_selection(at->app, typed);
	} else if (argc == 4 + text && colon && strncmp(typed->rest, "hist", 4)) {
		target = typed_new(typed->word, colon + 1);
		offer_selection(at->app, &target);
	} else if (argc == 4 + text) {
		offer_words(typed, actions);
	}
}

static int offer_function(void *data, const char *module, const char *name)
{
	(void)module;
	offer(data, name, "");
	return 0;
}

static void offer_probe_names(const struct completing *at)
{
	struct debuglog *log;

	if (dkl_debuglog_open(at->app->ctx, at->app->instance, 0, &log))
		return;
	for (size_t i = 0; !dkl_probes_load(log) && i < log->probes->n; i++)
		offer(&at->typed, probes_at(log->probes, i)->name, "");
	dkl_debuglog_close(log);
}

/* There are too many functions to offer all: the user must type two letters. */
static void offer_probes(const struct completing *at)
{
	static const char *const actions[] = { "add", "del", "disable", "enable", "list", NULL };
	const char *action = argument(at, 1);
	bool is_program = false;

	for (int i = 1; i < at->argc - 1; i++)
		is_program |= !strcmp(at->argv[i], "-x") || !strncmp(at->argv[i], "--exec", 6);
	if (!action)
		offer_words(&at->typed, actions);
	else if (strcmp(action, "add") != 0)
		offer_probe_names(at);
	else if (!argument(at, 2) && !is_program && strlen(at->typed.rest) > 1)
		dkt__kernel_functions(at->app->ctx, at->typed.rest, offer_function,
				      (void *)(uintptr_t)&at->typed);
}

/* Offers ready-made pairs and events, then the events that end a pair. */
static void offer_pairs(const struct completing *at)
{
	const char *first = argument(at, 1);

	if (argument(at, 2) || (first && dkt_interval_find(at->app->ctx, first)))
		return;
	if (!first)
		offer_intervals(at);
	offer_events(at->app, &at->typed);
}

/* The word may be one of a question's. */
struct question {
	const struct typed *typed;
	struct dkt__strings seen;
};

static void offer_task_word(void *data, const char *word)
{
	struct question *question = data;

	if (!dkt__strings_has(&question->seen, word) && !dkt__strings_add(&question->seen, word))
		offer(question->typed, word, "");
}

static void offer_help(const struct completing *at)
{
	struct question question = { .typed = &at->typed };

	if (at->argc < 3)
		for (const struct command *row = at->app->commands; row->name; row++)
			if (!(row->flags & CMD_HIDDEN) &&
			    !dkt__strings_add(&question.seen, row->name))
				offer(&at->typed, row->name, "");
	if (at->argc > 2 || *at->typed.rest)
		task_words(offer_task_word, &question);
	dkt__strings_clear(&question.seen);
}

static void offer_lustre(const struct completing *at)
{
	if (argument(at, 1))
		return;
	for (const struct lustre_analysis *row = lustre_analyses; row->name; row++)
		offer(&at->typed, row->name, "");
}

static void offer_analyses(const struct completing *at)
{
	const struct analysis *analysis = NULL;

	while (!argument(at, 1) && (analysis = analysis_next(analysis)))
		offer(&at->typed, analysis->name, "");
}

/* ---- rows ---- */

static void (*const offers[N_OFFERS])(const struct completing *) = {
	[OFFER_ANALYSES] = offer_analyses,
	[OFFER_CALLS] = offer_calls,
	[OFFER_CLASSES] = offer_classes,
	[OFFER_COLUMNS] = offer_top_columns,
	[OFFER_COUNTERS] = offer_counters,
	[OFFER_COUNTS] = offer_counted,
	[OFFER_EVENTS] = offer_event_globs,
	[OFFER_FIELDS] = offer_fields_typed,
	[OFFER_FILTERS] = offer_filters,
	[OFFER_FORMATS] = offer_formats,
	[OFFER_HELP] = offer_help,
	[OFFER_INSTANCES] = offer_instances,
	[OFFER_INTERVALS] = offer_intervals,
	[OFFER_LISTS] = offer_lists,
	[OFFER_LUSTRE] = offer_lustre,
	[OFFER_MEASURED] = offer_measured,
	[OFFER_PAIRS] = offer_pairs,
	[OFFER_PANELS] = offer_panels,
	[OFFER_PARAMETERS] = offer_parameters,
	[OFFER_PROBES] = offer_probes,
	[OFFER_SETTINGS] = offer_assignments,
	[OFFER_STYLES] = offer_styles,
	[OFFER_SUBSYSTEMS] = offer_subsystems,
	[OFFER_TRIGGERS] = offer_triggers,
};

void complete_value(const struct completing *at, const struct opt *opt)
{
	if (opt->words)
		offer_words(&at->typed, opt->words);
	else if (offers[opt->offers])
		offers[opt->offers](at);
}

/* Offers the words of "start|stop [NAME]", with which the help begins. */
static void offer_actions(const struct completing *at)
{
	const char *args = at->command->args;
	char *copy __cleanup(free) = strndup(args, strcspn(args, " "));
	char *rest = copy, *word;

	if (argument(at, 1) || !strchr(copy ?: "", '|') || !islower(*copy))
		return;
	while ((word = strsep(&rest, "|")))
		offer(&at->typed, word, "");
}

void complete_arguments(const struct completing *at)
{
	(offers[at->command->offers] ?: offer_actions)(at);
}
