/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* flight start: reads the options, and leaves the recorder in the background. */
#include <limits.h>

#include "compat/lustre/named.h"
#include "ctl/app/background.h"
#include "ctl/app/groups.h"
#include "ctl/app/live.h"
#include "ctl/app/value.h"
#include "ctl/flight/actions.h"
#include "lib/base/buf.h"
#include "lib/base/io.h"
#include "lib/base/memory.h"
#include "lib/base/parse.h"
#include "lib/inside.h"
#include "recording/flight/conditions.h"
#include "recording/flight/flight.h"

#define DEFAULT_DUMPS 12
#define DEFAULT_SIZE  (UINT64_C(1) << 30)

struct start {
	struct app *app;
	struct flight_words *groups;
	char **texts; /* of the groups' names, classes and events */
	size_t n, n_texts;
	char *owner;
	uint64_t size;
	struct flight_state limits;
	struct background background;
};

/* ---- options ---- */

static char *keep_text(struct start *start, char *text)
{
	if (text && !dkt__append(start->texts, start->n_texts, text))
		return text;
	free(text);
	return NULL;
}

static int add_group(struct start *start, const char *name, const char *classes, const char *events,
		     const char *text)
{
	const struct app *app = start->app;
	const bool first = !strcmp(name, FLIGHT_MAIN);
	struct flight_words group = {
		.name = name,
		.text = service_line(text),
		.words = { .classes = classes,
			   .subsystems = classes ? OPT(app, what)->subsystems : NULL,
			   .events = events,
			   .filter = OPT(app, what)->filter,
			   .comms = OPT(app, what)->comm,
			   .pids = OPT(app, what)->pid,
			   .children = OPT(app, what)->children,
			   .cpus = OPT(app, what)->cpu,
			   .stacks = first ? OPT(app, what)->stacks : NULL,
			   .probes = first ? OPT(app, what)->probes : NULL,
			   .owner = start->owner }
	};
	int err;

	for (size_t i = 0; i < start->n; i++)
		if (!strcmp(start->groups[i].name, name)) {
			free(group.text);
			return dkt_fail(app->ctx, -EINVAL, "--group: '%s' is given twice", name);
		}
	err = group.text ? dkt__append(start->groups, start->n, group) : -ENOMEM;
	if (err)
		free(group.text);
	return dkt__with_words(app->ctx, err);
}

/* Words with a colon or a filter are events, the others are classes. */
static int split_words(const char *text, char **classes, char **events)
{
	size_t size[2];
	FILE *out[] = { open_memstream(classes, &size[0]), open_memstream(events, &size[1]) };
	const char *p = text + strspn(text, NAMED_SEPARATORS), *end;
	int err;

	for (; out[0] && out[1] && *p; p = end + strspn(end, NAMED_SEPARATORS)) {
		bool event;

		end = dkl_named_word_end(p, NAMED_SEPARATORS);
		event = memchr(p, ':', (size_t)(end - p)) || memchr(p, '[', (size_t)(end - p));
		fprintf(out[event], "%s%.*s", ftell(out[event]) ? event ? "," : " " : "",
			(int)(end - p), p);
	}
	err = dkt__text_end_some(out[0], 0, classes);
	return dkt__text_end_some(out[1], err, events) ?: err;
}

/* Reads NAME=WORDS. */
static int read_group(struct start *start, const char *text)
{
	struct dkt_ctx *ctx = start->app->ctx;
	const char *words = strchr(text, '=');
	char *classes = NULL, *events = NULL, *name;
	int err;

	if (!words || words == text || !words[1])
		return dkt_fail(ctx, -EINVAL,
				"--group: '%s' is not NAME=CLASSES or NAME=EVENTS, such as"
				" net=sunrpc:*",
				text);
	name = keep_text(start, strndup(text, (size_t)(words - text)));
	err = name ? flight_check_name(ctx, name) : dkt__no_memory(ctx);
	if (err)
		return dkt__fail_in(ctx, err, "--group");
	if (!strcmp(name, FLIGHT_MAIN) || !strncmp(name, "when", strlen("when")))
		return dkt_fail(ctx, -EINVAL, "--group: '%s' is a name of dktrace's own", name);
	err = dkt__with_words(ctx, split_words(words + 1, &classes, &events));
	if (classes && !keep_text(start, classes))
		err = dkt__no_memory(ctx);
	if (events && !keep_text(start, events))
		err = dkt__no_memory(ctx);
	if (!err && classes)
		err = value_classes(ctx, "group", classes);
	if (!err && events)
		err = value_events(ctx, "group", events);
	return err ? err : add_group(start, name, classes, events, words + 1);
}

static int read_groups(struct start *start)
{
	const struct app *app = start->app;
	const struct what_options *given = OPT(app, what);
	char *all __cleanup(free) = OPT(app, flight)->groups ? strdup(OPT(app, flight)->groups) :
							       NULL,
		  *rest = all, *one;
	char *text __cleanup(free) = dkt__format("%s%s%s%s%s", given->classes ? given->classes : "",
						 given->classes && given->events ? " " : "",
						 given->events ? given->events : "",
						 given->probes ? " " : "",
						 given->probes ? given->probes : "");
	int err = 0;

	if (given->classes || given->events || given->probes)
		err = text ? add_group(start, FLIGHT_MAIN, given->classes, given->events, text) :
			     dkt__no_memory(app->ctx);
	while (!err && (one = strsep(&rest, "\n")))
		err = *one ? read_group(start, one) : 0;
	return err;
}

static int read_conditions(struct start *start)
{
	const struct app *app = start->app;
	struct flight_state *limits = &start->limits;
	char *all __cleanup(free) = OPT(app, flight)->when ? strdup(OPT(app, flight)->when) : NULL,
		  *rest = all, *one;
	int err = 0;

	while (!err && (one = strsep(&rest, "\n")))
		if (*one) {
			err = flight_condition_check(app->ctx, one);
			if (!err)
				err = dkt__strings_add(&limits->conditions, one);
		}
	return dkt__with_words(app->ctx, err);
}

/* Returns 0 or EXIT_USAGE. */
static int read_limits(struct start *start)
{
	const struct app *app = start->app;
	const struct flight_options *given = OPT(app, flight);
	struct flight_state *limits = &start->limits;
	double keep = 0, after = 0;
	int dumps = DEFAULT_DUMPS, rc;

	limits->max_size = DEFAULT_SIZE;
	rc = opt_bytes("max-size", given->max_size, &limits->max_size);
	if (!rc)
		rc = opt_bytes("size", given->size, &start->size);
	if (!rc)
		rc = opt_number("max-dumps", given->max_dumps, &dumps);
	if (!rc)
		rc = opt_seconds("keep", given->keep_time, &keep);
	if (!rc)
		rc = opt_seconds("after", given->after, &after);
	if (rc)
		return rc;
	if (dumps < 1 || dumps > 100000)
		return app_usage("--max-dumps: the number of dumps in an hour is 1 to 100000");
	if (given->exec && (!*given->exec || strpbrk(given->exec, "\n")))
		return app_usage("--exec: give a command of one line");
	limits->max_dumps = (uint64_t)dumps;
	limits->keep = (uint64_t)(keep * 1e9);
	limits->after = (uint64_t)(after * 1e9);
	return 0;
}

static int make_dir(struct start *start)
{
	const struct app *app = start->app;
	const struct flight_options *given = OPT(app, flight);
	char path[PATH_MAX];
	int err = background_dir(app, given->dir, path);

	if (err)
		return err;
	start->limits.dir = strdup(path);
	if (given->exec)
		start->limits.exec = strdup(given->exec);
	return start->limits.dir && (start->limits.exec || !given->exec) ? 0 :
									   dkt__no_memory(app->ctx);
}

/* ---- the process ---- */

/* Reports that recording has begun, and leaves the terminal to the shell. */
static void leave_terminal(void *data)
{
	struct start *start = data;
	const struct flight_state *limits = &start->limits;

	for (size_t i = 0; i < limits->ways.n; i++)
		app_say("%s: %s", limits->conditions.list[i], limits->ways.list[i]);
	app_say("recording; dumps go to %s", limits->dir);
	background_ready(&start->background);
}

static int run(void *data)
{
	struct start *start = data;
	const struct app *app = start->app;
	const struct what_options *given = OPT(app, what);
	const struct flight_opts opts = { .groups = start->groups,
					  .n_groups = start->n,
					  .who = { .filter = given->filter,
						   .comms = given->comm,
						   .pids = given->pid,
						   .children = given->children,
						   .cpus = given->cpu },
					  .size = start->size,
					  .limits = &start->limits,
					  .ready = leave_terminal,
					  .data = start };
	int err;

	live_clean(start->app);
	err = flight_run(start->app->ctx, start->app->instance, &opts);
	return err ? app_fail(start->app) : 0;
}

static void clear(struct start *start)
{
	for (size_t i = 0; i < start->n; i++)
		free(start->groups[i].text);
	for (size_t i = 0; i < start->n_texts; i++)
		free(start->texts[i]);
	free(start->groups);
	free(start->texts);
	free(start->owner);
	flight_clear(&start->limits);
}

int flight_action_start(struct app *app)
{
	struct start start = { .app = app };
	int rc = read_limits(&start), err;

	if (!rc && !OPT(app, what)->classes && !OPT(app, what)->events && !OPT(app, what)->probes &&
	    !OPT(app, flight)->groups)
		rc = app_usage("flight start: name what to record: classes with -c, events with -e,"
			       " or several sets with --group NAME=WORDS");
	if (rc)
		return rc;
	start.owner = live_name(app, "flight");
	err = start.owner ? dkt_caps_check(app->ctx, DKT_NEED_CONTROL) : dkt__no_memory(app->ctx);
	if (!err)
		err = read_groups(&start);
	if (!err)
		err = read_conditions(&start);
	app->wrong = err && err != -ENOMEM;
	if (!err)
		err = make_dir(&start);
	if (err)
		rc = app_fail(app);
	else
		rc = background_run(&start.background, app, run, &start);
	clear(&start);
	return rc;
}
