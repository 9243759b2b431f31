/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* __complete: what the word that is being typed can become, for the shell's completion. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "debuglog.h"
#include "lctl.h"
#include "mask.h"
#include "opt.h"
#include "param.h"
#include "probes/probe_list.h"
#include "select.h"
#include "style.h"

/* The word being typed: what stays of it, and the rest, which candidates begin with. */
struct typed {
	const char *word;
	int keep;
	const char *rest;
};

static struct typed typed_new(const char *word, const char *rest)
{
	return (struct typed){ .word = word, .keep = (int)(rest - word), .rest = rest };
}

static void offer(const struct typed *typed, const char *candidate, const char *after)
{
	if (!strncmp(candidate, typed->rest, strlen(typed->rest)))
		printf("%.*s%s%s\n", typed->keep, typed->word, candidate, after);
}

static void offer_words(const struct typed *typed, const char *const *words)
{
	for (; *words; words++)
		offer(typed, *words, "");
}

/* ---- names ---- */

static void offer_bits(const struct typed *typed, enum mask_kind kind)
{
	unsigned int bit;

	for (bit = 0; bit < MASK_BITS; bit++)
		if (*mask_name(kind, bit))
			offer(typed, mask_name(kind, bit), "");
}

/* The last name of "+rpctrace-net". */
static void offer_mask(const struct typed *typed, enum mask_kind kind, bool words)
{
	static const char *const masks[] = { "all", "none", "default", NULL };
	const char *last = typed->rest;
	struct typed name;
	size_t len;

	while (len = strcspn(last, "+-, "), last[len])
		last += len + 1;
	name = typed_new(typed->word, last);
	offer_bits(&name, kind);
	if (words)
		offer_words(&name, masks);
}

/* A system first, then its events: there are thousands. */
static void offer_events(struct app *app, const struct typed *typed)
{
	const char *colon = strchr(typed->rest, ':'), *before = "";
	size_t n, i, len = colon ? (size_t)(colon - typed->rest) : 0;
	struct typed name = typed_new(typed->word, colon ? colon + 1 : typed->rest);
	struct dkt_event *const *events;

	if (dkt_tracefs_open(app->ctx, 0) || dkt_events(app->ctx, &events, &n))
		return;
	for (i = 0; i < n; i++) {
		const char *system = dkt_event_system(events[i]);

		if (colon && !strncmp(system, typed->rest, len) && !system[len])
			offer(&name, dkt_event_name(events[i]), "");
		else if (!colon && strcmp(system, before))
			offer(typed, system, ":");
		before = system;
	}
}

static void offer_instances(const struct typed *typed)
{
	DIR *dir __cleanup(closedir) = opendir(RUN_DIR);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (*entry->d_name != '.' && strcmp(entry->d_name, "mounted"))
			offer(typed, entry->d_name, "");
}

static void offer_commands(const struct typed *typed)
{
	const struct command *command = NULL;

	while ((command = command_next(command)))
		if (!(command->flags & CMD_HIDDEN))
			offer(typed, command->name, "");
}

static void offer_lctl_commands(const struct typed *typed)
{
	const char *name;
	size_t i;

	for (i = 0; (name = lctl_command(i)); i++)
		offer(typed, name, "");
}

static void offer_option(void *data, const char *name)
{
	const struct typed *typed = data;
	char word[40];

	snprintf(word, sizeof(word), "--%s", name);
	offer(typed, word, "");
}

/* ---- parameters ---- */

static void offer_params(const struct typed *typed, const char *after)
{
	const struct param *param = NULL;

	while ((param = param_next(param)))
		offer(typed, param_name(param), after);
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static void offer_settings(const struct typed *typed)
{
	const char *equals = strchr(typed->rest, '=');
	struct typed value;

	if (!equals) {
		offer_params(typed, "=");
		return;
	}
	value = typed_new(typed->word, equals + 1);
	if (begins(typed->rest, "debug=") || begins(typed->rest, "printk="))
		offer_mask(&value, MASK_DEBUG, true);
	else if (begins(typed->rest, "subsystem_debug="))
		offer_mask(&value, MASK_SUBSYSTEM, true);
	else if (begins(typed->rest, "debug_filter="))
		offer(&value, "none", "");
}

/* ---- commands ---- */

static void offer_styles(const struct typed *typed)
{
	struct dkt_style_info info;
	size_t i;

	for (i = 0; !style_get(i, &info); i++)
		offer(typed, info.name, "");
}

static const char *const probe_kinds[] = { "kprobe", "uprobe",    "fprobe", "tracepoint",
					   "event",  "synthetic", NULL };

static void offer_value(const char *option, const struct typed *typed)
{
	if (!strcmp(option, "class"))
		offer_mask(typed, MASK_DEBUG, false);
	else if (!strcmp(option, "subsystem"))
		offer_mask(typed, MASK_SUBSYSTEM, false);
	else if (!strcmp(option, "style"))
		offer_styles(typed);
	else if (!strcmp(option, "instance"))
		offer_instances(typed);
	else if (!strcmp(option, "kind"))
		offer_words(typed, probe_kinds);
}

static void offer_lists(struct app *app, int argc, char **argv, const struct typed *typed)
{
	static const char *const lists[] = { "classes", "subsystems", "events", "fields", NULL };

	if (argc < 3)
		offer_words(typed, lists);
	else if (!strcmp(argv[1], "classes"))
		offer_bits(typed, MASK_DEBUG);
	else if (!strcmp(argv[1], "subsystems"))
		offer_bits(typed, MASK_SUBSYSTEM);
	else
		offer_events(app, typed);
}

/* The last word of "rpctrace+sched:sched_switch". */
static void offer_selection(struct app *app, const struct typed *typed)
{
	const char *last = typed->rest;
	struct typed name;
	size_t len;

	while (len = strcspn(last, "+,"), last[len])
		last += len + 1;
	name = typed_new(typed->word, last);
	offer(&name, SELECT_ALL, "");
	if (!strchr(last, ':')) {
		offer_bits(&name, MASK_DEBUG);
		offer_bits(&name, MASK_SUBSYSTEM);
	}
	offer_events(app, &name);
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
	struct typed target;

	if (argc < 3) {
		offer_words(typed, verbs);
	} else if (argc == 3 && strcmp(argv[1], "rearm")) {
		offer_selection(app, typed);
	} else if (argc == 4 && colon && strncmp(typed->rest, "hist", 4)) {
		target = typed_new(typed->word, colon + 1);
		offer_selection(app, &target);
	} else if (argc == 4) {
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
	size_t i;

	if (debuglog_open(app->ctx, app->instance, 0, &log))
		return;
	for (i = 0; !probes_load(log) && i < log->probes->n; i++)
		offer(typed, probes_at(log->probes, i)->name, "");
	debuglog_close(log);
}

/* Functions are offered from the second letter on: there are too many. */
static void offer_probe(struct app *app, int argc, char **argv, const struct typed *typed)
{
	static const char *const actions[] = { "add", "del", "disable", "enable", "list", NULL };
	const char *action = NULL;
	bool is_program = false;
	int i, words = 0;

	for (i = 1; i < argc - 1; i++) {
		is_program |= !strcmp(argv[i], "-x") || begins(argv[i], "--exec");
		if (opt_takes(command_find("probe"), argv[i]))
			i++;
		else if (*argv[i] != '-' && !words++)
			action = argv[i];
	}
	if (!action)
		offer_words(typed, actions);
	else if (strcmp(action, "add") && words == 1)
		offer_probes(app, typed);
	else if (!strcmp(action, "add") && words == 1 && !is_program && strlen(typed->rest) > 1)
		dkt_functions(app->ctx, typed->rest, offer_function, (void *)(uintptr_t)typed);
}

/* argv[0] is the command's name, the last one is being typed. */
static void offer_arguments(struct app *app, const char *command, int argc, char **argv,
			    const struct typed *typed)
{
	if (!strcmp(command, "set_param") || !strcmp(command, "boot-config"))
		offer_settings(typed);
	else if (!strcmp(command, "get_param"))
		offer_params(typed, "");
	else if (!strcmp(command, "list"))
		offer_lists(app, argc, argv, typed);
	else if (!strcmp(command, "filter"))
		offer_filters(app, argc, typed);
	else if (!strcmp(command, "trigger"))
		offer_triggers(app, argc, argv, typed);
	else if (!strcmp(command, "probe"))
		offer_probe(app, argc, argv, typed);
}

static void complete_lctl(struct app *app, int argc, char **argv, const struct typed *typed)
{
	if (argc == 1)
		offer_lctl_commands(typed);
	else if (!strcmp(argv[0], "help") && argc == 2)
		offer_lctl_commands(typed);
	else
		offer_arguments(app, argv[0], argc, argv, typed);
}

/* Skips options, and what they take, that stand before argv[*at]. */
static void skip_options(const struct command *command, int argc, char **argv, int *at)
{
	while (*at < argc - 1 && *argv[*at] == '-')
		*at += opt_takes(command, argv[*at]) ? 2 : 1;
}

static void complete(struct app *app, int argc, char **argv, struct typed *typed)
{
	const struct command *command = NULL;
	const char *option;
	int at = 0;

	skip_options(NULL, argc, argv, &at);
	if (at < argc - 1)
		command = command_find(argv[at]);
	if (at < argc - 1 && !command)
		return;
	option = argc > 1 ? opt_takes(command, argv[argc - 2]) : NULL;
	if (option && !(command && command->flags & CMD_LCTL)) {
		offer_value(option, typed);
		return;
	}
	if (!command)
		offer_commands(typed);
	else if (!strcmp(command->name, "help"))
		offer_commands(typed);
	else
		offer_arguments(app, command->name, argc - at, argv + at, typed);
	if (command && command->flags & CMD_LCTL)
		return;
	/* A file can be named here: the shell knows files, if it is offered nothing. */
	if (*typed->rest == '-' || !command || !command->max_args)
		opt_each(command, offer_option, typed);
}

/* argv: __complete, the program's name as typed, and its words up to the one being typed. */
int cmd_complete(struct app *app, int argc, char **argv)
{
	const char *slash = argc > 1 ? strrchr(argv[1], '/') : NULL;
	const char *word = argv[argc - 1], *equals = strchr(word, '=');
	struct typed typed = typed_new(word, word);

	if (argc < 3)
		return 0;
	if (!strncmp(slash ? slash + 1 : argv[1], "lctl", 4)) {
		complete_lctl(app, argc - 2, argv + 2, &typed);
	} else if (*word == '-' && equals) {
		char *option __cleanup(free) = strndup(word, (size_t)(equals - word));
		const struct command *command = argc > 3 ? command_find(argv[2]) : NULL;
		const char *name = option ? opt_takes(command, option) : NULL;

		typed = typed_new(word, equals + 1);
		if (name)
			offer_value(name, &typed);
	} else {
		complete(app, argc - 2, argv + 2, &typed);
	}
	return 0;
}
