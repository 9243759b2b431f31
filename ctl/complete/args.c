/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Completion: the possible arguments of each command, and the values of its options. */
#include <ctype.h>

#include "answers/analyze/analyze.h"
#include "answers/strace/signature.h"
#include "compat/apply/apply.h"
#include "compat/log/probe_list.h"
#include "compat/lustre/named.h"
#include "compat/lustre/style.h"
#include "compat/set/counts.h"
#include "compat/set/triggers.h"
#include "ctl/app/print.h"
#include "ctl/complete/complete.h"
#include "ctl/help/tasks.h"
#include "ctl/latency/latency.h"
#include "ctl/lustre_log/lustre_log.h"
#include "ctl/top/top.h"
#include "lib/base/buf.h"
#include "lib/inside.h"

/* The n-th argument before the word being typed, counted from 1 without options, or NULL. */
static const char *argument(const struct command *command, int argc, char **argv, int n)
{
	for (int i = 1; i < argc - 1; i++) {
		if (opt_takes(command, argv[i]))
			i++;
		else if (*argv[i] != '-' && !--n)
			return argv[i];
	}
	return NULL;
}

/* ---- values of options ---- */

static void offer_styles(const struct typed *typed)
{
	struct dkt_style_info info;

	for (size_t i = 0; !dkl_style_get(i, &info); i++)
		offer(typed, info.name, "");
}

static void offer_formats(const struct typed *typed)
{
	static const char *const files[] = { "trace.dat", "trace.dat-6", "sqlite", NULL };

	offer_words(typed, files);
	offer_styles(typed);
}

static void offer_instances(const struct typed *typed)
{
	DIR *dir __cleanup(closedir) = opendir(RUN_DIR);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (*entry->d_name != '.' && strcmp(entry->d_name, "mounted"))
			offer(typed, entry->d_name, "");
}

/* Completes fields of the events of hist, or of both ends of a pair. */
static void offer_fields_typed(struct app *app, const struct command *command, int argc,
			       char **argv, const struct typed *typed)
{
	const char *first = argument(command, argc, argv, 1);
	const char *second = argument(command, argc, argv, 2);
	const struct dkt_interval *pair = first ? dkt_interval_find(app->ctx, first, NULL) : NULL;
	char *events __cleanup(free) = NULL;

	if (pair) {
		first = pair->begin;
		second = pair->end;
	}
	events = dkt__format("%s,%s", first ? first : "", second ? second : "");
	if (events)
		offer_fields(app, typed, events);
}

/* Completes the last name of "!futex,read". */
static void offer_calls(const struct typed *typed)
{
	const struct typed last = typed_last(typed, "!=, ");
	const struct call_signature *signature;

	for (size_t i = 0; (signature = call_signature_at(i)); i++)
		offer(&last, signature->name, "");
}

static bool takes_fields(const char *option)
{
	static const char *const names[] = { "keys", "match", "vals", "sort" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(option, names[i]))
			return true;
	return false;
}

static void offer_panels(const struct typed *typed)
{
	const struct typed name = typed_last(typed, ",");

	for (size_t nr = 0; nr < N_TOP_PANELS; nr++)
		offer(&name, top_panels[nr].name, "");
}

/* Two panels may have the same column. */
static void offer_top_columns(const struct typed *typed)
{
	struct dkt__strings seen = { 0 };

	for (size_t nr = 0; nr < N_TOP_PANELS; nr++)
		for (size_t i = 0; i < top_panels[nr].n; i++) {
			const char *key = top_panels[nr].columns[i].out.key;

			if (!dkt__strings_has(&seen, key) && !dkt__strings_add(&seen, key))
				offer(typed, key, "");
		}
	dkt__strings_clear(&seen);
}

static void offer_pair_names(struct app *app, const struct typed *typed)
{
	const struct dkt_interval *pair = NULL;
	const char *before = "";

	/* Several rows of the same name follow each other. */
	while ((pair = dkt_interval_next(app->ctx, pair))) {
		if (strcmp(pair->name, before) != 0)
			offer(typed, pair->name, "");
		before = pair->name;
	}
}

void complete_value(struct app *app, const struct command *command, const struct opt *opt, int argc,
		    char **argv, const struct typed *typed)
{
	const char *option = opt->name;
	static const char *const probe_kinds[] = { "kprobe", "uprobe",    "fprobe", "tracepoint",
						   "event",  "synthetic", NULL };
	static const char *const compressions[] = { "none", "zlib", "zstd", NULL };

	if (opt->words)
		offer_words(typed, opt->words);
	else if (!strcmp(option, "class"))
		offer_mask(typed, MASK_DEBUG, false);
	else if (!strcmp(option, "subsystem"))
		offer_mask(typed, MASK_SUBSYSTEM, false);
	else if (!strcmp(option, "event") || !strcmp(option, "stack"))
		offer_named(app, typed, NAMED_SEPARATORS);
	else if (!strcmp(option, "style"))
		offer_styles(typed);
	else if (!strcmp(option, "format"))
		offer_formats(typed);
	else if (!strcmp(option, "compression"))
		offer_words(typed, compressions);
	else if (!strcmp(option, "instance"))
		offer_instances(typed);
	else if (!strcmp(option, "kind"))
		offer_words(typed, probe_kinds);
	else if (!strcmp(option, "period"))
		offer_pair_names(app, typed);
	else if (!strcmp(option, "calls"))
		offer_calls(typed);
	else if (!strcmp(option, "sort") && opt->into == &top_values)
		offer_top_columns(typed);
	else if (!strcmp(option, "panel"))
		offer_panels(typed);
	else if (takes_fields(option) && command)
		offer_fields_typed(app, command, argc, argv, typed);
}

/* ---- arguments of commands ---- */

static void offer_counts(const struct typed *typed)
{
	const struct count *count = NULL;

	while ((count = dkl_count_next(count)))
		if (count == dkl_count_find(count->name, NULL))
			offer(typed, count->name, "");
}

static void offer_lists(struct app *app, int argc, char **argv, const struct typed *typed)
{
	static const char *const lists[] = { "classes", "subsystems", "events",
					     "fields",  "counts",     NULL };

	if (argc < 3)
		offer_words(typed, lists);
	else if (!strcmp(argv[1], "classes"))
		offer_bits(typed, MASK_DEBUG);
	else if (!strcmp(argv[1], "subsystems"))
		offer_bits(typed, MASK_SUBSYSTEM);
	else if (!strcmp(argv[1], "counts"))
		offer_counts(typed);
	else
		offer_events(app, typed);
}

static void offer_filters(struct app *app, int argc, const struct typed *typed)
{
	static const char *const verbs[] = { "set", "list", "clear", NULL };

	if (argc < 3)
		offer_words(typed, verbs);
	else if (argc == 3)
		offer_selection(app, typed);
}

static void offer_triggers(struct app *app, int argc, char **argv, const struct typed *typed)
{
	static const char *const verbs[] = { "add", "list", "del", "rearm", NULL };
	static const char *const actions[] = {
		"traceon",        "traceoff",     "stacktrace",    "snapshot",   "enable_event:",
		"disable_event:", "enable_hist:", "disable_hist:", "hist:keys=", NULL
	};
	const char *colon = strchr(typed->rest, ':');
	/* "message TEXT" has one argument more than "EVENTS". */
	bool text = argc > 3 && !strcmp(argv[1], "add") && !strcmp(argv[2], TRIGGERS_MESSAGE);
	struct typed target;

	if (argc < 3) {
		offer_words(typed, verbs);
	} else if (argc == 3 && strcmp(argv[1], "rearm")) {
		offer(typed, TRIGGERS_MESSAGE, "");
		offer_selection(app, typed);
	} else if (argc == 4 + text && colon && strncmp(typed->rest, "hist", 4)) {
		target = typed_new(typed->word, colon + 1);
		offer_selection(app, &target);
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

static void offer_probes(struct app *app, const struct typed *typed)
{
	struct debuglog *log;

	if (dkl_debuglog_open(app->ctx, app->instance, 0, &log))
		return;
	for (size_t i = 0; !dkl_probes_load(log) && i < log->probes->n; i++)
		offer(typed, probes_at(log->probes, i)->name, "");
	dkl_debuglog_close(log);
}

/* There are too many functions to offer all: the user must type two letters. */
static void offer_probe(struct app *app, const struct command *command, int argc, char **argv,
			const struct typed *typed)
{
	static const char *const actions[] = { "add", "del", "disable", "enable", "list", NULL };
	const char *action = argument(command, argc, argv, 1);
	bool is_program = false;

	for (int i = 1; i < argc - 1; i++)
		is_program |= !strcmp(argv[i], "-x") || !strncmp(argv[i], "--exec", 6);
	if (!action)
		offer_words(typed, actions);
	else if (strcmp(action, "add") != 0)
		offer_probes(app, typed);
	else if (!argument(command, argc, argv, 2) && !is_program && strlen(typed->rest) > 1)
		dkt__kernel_functions(app->ctx, typed->rest, offer_function,
				      (void *)(uintptr_t)typed);
}

/* Offers ready-made pairs and events, then the events that end a pair. */
static void offer_pairs(struct app *app, const struct command *command, int argc, char **argv,
			const struct typed *typed)
{
	const char *first = argument(command, argc, argv, 1);

	if (argument(command, argc, argv, 2) || (first && dkt_interval_find(app->ctx, first, NULL)))
		return;
	if (!first)
		offer_pair_names(app, typed);
	offer_events(app, typed);
}

static void offer_counted(struct app *app, const struct typed *typed)
{
	offer_counts(typed);
	offer_selection(app, typed);
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

static void offer_help(struct app *app, int argc, const struct typed *typed)
{
	struct question question = { .typed = typed };

	if (argc < 3)
		for (const struct command *row = app->commands; row->name; row++)
			if (!(row->flags & CMD_HIDDEN) &&
			    !dkt__strings_add(&question.seen, row->name))
				offer(typed, row->name, "");
	if (argc > 2 || *typed->rest)
		task_words(offer_task_word, &question);
	dkt__strings_clear(&question.seen);
}

/* Offers the words of "start|stop [NAME]", with which the help begins. */
static void offer_actions(const struct command *command, int argc, char **argv,
			  const struct typed *typed)
{
	char *copy __cleanup(free) = strndup(command->args, strcspn(command->args, " "));
	char *rest = copy, *word;

	if (argument(command, argc, argv, 1) || !strchr(copy ?: "", '|') || !islower(*copy))
		return;
	while ((word = strsep(&rest, "|")))
		offer(typed, word, "");
}

static void offer_lustre(const struct command *command, int argc, char **argv,
			 const struct typed *typed)
{
	if (argument(command, argc, argv, 1))
		return;
	for (const struct lustre_analysis *row = lustre_analyses; row->name; row++)
		offer(typed, row->name, "");
}

static void offer_analyses(const struct typed *typed)
{
	const struct analysis *analysis = NULL;

	while ((analysis = analysis_next(analysis)))
		offer(typed, analysis->name, "");
}

void complete_arguments(struct app *app, const char *command, int argc, char **argv,
			const struct typed *typed)
{
	const struct command *row = command_find(app, command);

	if (!strcmp(command, "set_param") || !strcmp(command, "boot-config"))
		offer_settings(app, typed);
	else if (!strcmp(command, "get_param"))
		offer_params(typed, "");
	else if (!strcmp(command, "list"))
		offer_lists(app, argc, argv, typed);
	else if (!strcmp(command, "filter"))
		offer_filters(app, argc, typed);
	else if (!strcmp(command, "trigger"))
		offer_triggers(app, argc, argv, typed);
	else if (!strcmp(command, "probe"))
		offer_probe(app, row, argc, argv, typed);
	else if (!strcmp(command, "hist") && !argument(row, argc, argv, 1))
		offer_counted(app, typed);
	else if (!strcmp(command, "lustre"))
		offer_lustre(row, argc, argv, typed);
	else if ((!strcmp(command, "analyze") || !strcmp(command, "lami")) &&
		 !argument(row, argc, argv, 1))
		offer_analyses(typed);
	else if (!strcmp(command, "latency"))
		offer_pairs(app, row, argc, argv, typed);
	else if (!strcmp(command, "help"))
		offer_help(app, argc, typed);
	else
		offer_actions(row, argc, argv, typed);
}
