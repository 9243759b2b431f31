/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Completion: names of classes, subsystems, events, fields and parameters. */
#include "compat/io/say.h"
#include "compat/lustre/named.h"
#include "compat/lustre/select.h"
#include "compat/set/param.h"
#include "ctl/complete/complete.h"

struct typed typed_new(const char *word, const char *rest)
{
	return (struct typed){ .word = word, .keep = (int)(rest - word), .rest = rest };
}

struct typed typed_last(const struct typed *typed, const char *separators)
{
	const char *last = typed->rest;
	size_t len;

	while (len = strcspn(last, separators), last[len])
		last += len + 1;
	return typed_new(typed->word, last);
}

void offer(const struct typed *typed, const char *candidate, const char *after)
{
	if (!strncmp(candidate, typed->rest, strlen(typed->rest)))
		dkl_say_line(stdout, "%.*s%s%s", typed->keep, typed->word, candidate, after);
}

void offer_words(const struct typed *typed, const char *const *words)
{
	for (; *words; words++)
		offer(typed, *words, "");
}

/* ---- classes and subsystems ---- */

void offer_bits(const struct typed *typed, enum mask_kind kind)
{
	for (unsigned int bit = 0; bit < MASK_BITS; bit++)
		if (*dkl_mask_name(kind, bit))
			offer(typed, dkl_mask_name(kind, bit), "");
}

/* Words for several bits. */
static const char *const masks[] = { "all", "none", "default", NULL };

/* Completes the last name of "+rpctrace-net". */
void offer_mask(const struct typed *typed, enum mask_kind kind, bool words)
{
	struct typed name = typed_last(typed, "+-, ");

	offer_bits(&name, kind);
	if (words)
		offer_words(&name, masks);
}

/* ---- events ---- */

/* There are thousands of events: offers the systems, then the events of one. */
void offer_events(struct app *app, const struct typed *typed)
{
	const char *colon = strchr(typed->rest, ':'), *before = "";
	size_t n, len = colon ? (size_t)(colon - typed->rest) : 0;
	struct typed name = typed_new(typed->word, colon ? colon + 1 : typed->rest);
	struct dkt_event *const *events;

	if (dkt_tracefs_open(app->ctx, 0) || dkt_events(app->ctx, &events, &n))
		return;
	for (size_t i = 0; i < n; i++) {
		const char *system = dkt_event_system(events[i]);

		if (colon && !strncmp(system, typed->rest, len) && !system[len])
			offer(&name, dkt_event_name(events[i]), "");
		else if (!colon && strcmp(system, before))
			offer(typed, system, ":");
		before = system;
	}
}

/* Completes the last event of "block:*,-sched:sched_switch", or a field in its filter. */
void offer_named(struct app *app, const struct typed *typed, const char *separators)
{
	const char *last = typed->rest, *end, *open;
	struct typed name;

	while (end = dkl_named_word_end(last, separators), *end)
		last = end + 1;
	last += *last == '+' || *last == '-';
	name = typed_new(typed->word, last);
	open = strchr(last, '[');
	if (open) {
		char *event __cleanup(free) = strndup(last, (size_t)(open - last));

		name = typed_last(&name, "[ (&|!");
		if (event)
			offer_fields(app, &name, event);
	} else {
		offer_events(app, &name);
	}
}

/* Completes the last name of "rpctrace+sched:sched_switch". */
void offer_selection(struct app *app, const struct typed *typed)
{
	struct typed name = typed_last(typed, "+,");

	offer(&name, SELECT_ALL, "");
	if (!strchr(name.rest, ':')) {
		offer_bits(&name, MASK_DEBUG);
		offer_bits(&name, MASK_SUBSYSTEM);
	}
	offer_events(app, &name);
}

/* ---- fields ---- */

static void offer_fields_of(struct app *app, const struct typed *typed, const char *event)
{
	const char *colon = strchr(event, ':');
	char *system __cleanup(free) = colon ? strndup(event, (size_t)(colon - event)) : NULL;
	struct dkt_event *found = system ? dkt_event_find(app->ctx, system, colon + 1) : NULL;
	const struct dkt_field *const *fields;
	size_t n;

	if (!found || dkt_event_fields(found, &fields, &n))
		return;
	for (size_t i = 0; i < n; i++)
		if (!(fields[i]->flags & DKT_FIELD_COMMON))
			offer(typed, fields[i]->name, "");
}

void offer_fields(struct app *app, const struct typed *typed, const char *events)
{
	static const char *const common[] = { "COMM", "CPU", "PID", "common_pid", NULL };
	struct typed name = typed_last(typed, ",");
	char *names __cleanup(free) = strdup(events);
	char *rest = names, *event;

	if (!names || dkt_tracefs_open(app->ctx, 0))
		return;
	while ((event = strsep(&rest, ",")))
		offer_fields_of(app, &name, event);
	offer_words(&name, common);
}

/* ---- parameters ---- */

void offer_params(const struct typed *typed, const char *after)
{
	const struct param *param = NULL;

	while ((param = dkl_param_next(param)))
		offer(typed, dkl_param_name(param), after);
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* True if the last word may become a class, which is far more frequent in debug than an event. */
static bool begins_class(const struct typed *typed)
{
	const struct typed name = typed_last(typed, "+-, ");

	for (unsigned int bit = 0; bit < MASK_BITS; bit++)
		if (begins(dkl_mask_name(MASK_DEBUG, bit), name.rest))
			return true;
	for (const char *const *word = masks; *word; word++)
		if (begins(*word, name.rest))
			return true;
	return false;
}

void offer_settings(struct app *app, const struct typed *typed)
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
	if (begins(typed->rest, "debug=") && !begins_class(&value))
		offer_named(app, &value, NAMED_SEPARATORS "+-");
	if (begins(typed->rest, "subsystem_debug="))
		offer_mask(&value, MASK_SUBSYSTEM, true);
	else if (begins(typed->rest, "debug_sources="))
		offer_mask(&value, MASK_SOURCES, true);
	else if (begins(typed->rest, "debug_filter="))
		offer(&value, "none", "");
}
