/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Changes an instance as one transaction: all steps, or the state before. */
#include <signal.h>

#include "lib/change.h"
#include "lib/event.h"
#include "lib/instance.h"
#include "lib/tracefs.h"

int dkt_change_new(struct dkt_instance *in, struct dkt_change **out)
{
	dkt__needs(in ? in->ctx : NULL, dkt__clear(out) && in);

	struct dkt_change *change = calloc(1, sizeof(*change));
	int err;

	if (!change)
		return dkt__no_memory(in->ctx);
	change->in = in;
	err = dkt_events(in->ctx, &change->all, &change->n_all);
	if (err) {
		dkt_change_free(change);
		return err;
	}
	*out = change;
	return 0;
}

void dkt_change_free(struct dkt_change *change)
{
	if (!change)
		return;
	for (size_t i = 0; i < change->n_filters; i++) {
		free(change->filters[i].text);
		free(change->filters[i].before);
	}
	dkt__triggers_free(change);
	dkt__knobs_free(change);
	dkt__tracer_clear(&change->tracer);
	dkt__stops_clear(&change->stops);
	free(change->filters);
	free(change->wanted);
	free(change->before);
	free(change->now);
	free(change);
}

int dkt_change_events(struct dkt_change *change, struct dkt_event *const *events, size_t n)
{
	dkt__needs(change ? change->in->ctx : NULL, change && (events || !n));

	free(change->wanted);
	change->wanted = calloc(change->n_all + 1, sizeof(*change->wanted));
	if (!change->wanted)
		return dkt__no_memory(change->in->ctx);
	for (size_t i = 0; i < n; i++) {
		size_t index = dkt__event_index(events[i]);

		if (index >= change->n_all)
			return dkt_fail(change->in->ctx, -EINVAL, "event %s:%s cannot be enabled",
					events[i]->system, events[i]->name);
		change->wanted[index] = true;
	}
	return 0;
}

int dkt_change_filter(struct dkt_change *change, struct dkt_event *event, const char *text)
{
	dkt__needs(change ? change->in->ctx : NULL, change && event && text);

	char *copy = strdup(text);
	int err = copy ? dkt__append(change->filters, change->n_filters,
				     (struct dkt__filter_step){ .event = event, .text = copy }) :
			 dkt__no_memory(change->in->ctx);

	if (err)
		free(copy);
	return dkt__with_words(change->in->ctx, err);
}

int dkt_change_tracer(struct dkt_change *change, const char *tracer,
		      const struct dkt_tracer_opts *opts)
{
	dkt__needs(NULL, change);

	struct dkt_ctx *ctx = change->in->ctx;
	struct dkt_tracer_opts all;
	int err = dkt__opts_take(ctx, dkt_tracer_opts, &all, opts);

	if (!err && all.n_modules &&
	    (all.n_only || all.n_roots || all.n_pids || all.depth || all.threshold))
		err = dkt_fail(ctx, -EINVAL,
			       "dkt_tracer_opts: of modules only functions can be left out");
	if (err)
		return err;
	dkt__tracer_clear(&change->tracer);
	err = dkt__with_words(ctx, dkt__tracer_want(&change->tracer, tracer, &all));
	if (err || !change->tracer.functions || all.keep)
		return err;
	return dkt__functions_check(ctx, change->tracer.functions);
}

const char *dkt_change_refused(const struct dkt_change *change)
{
	if (!change)
		return NULL;

	return change->tracer.refused;
}

static int write_filter(struct dkt_instance *in, const struct dkt_event *event, const char *text)
{
	/* "0" removes the filter. */
	return dkt__tfs_set(in->ctx, *text ? text : "0", "%sevents/%s/%s/filter", in->prefix,
			    event->system, event->name);
}

/* ---- asking ---- */

/*
 * True if the event has the filter's first field. The kernel's error message for an event without
 * that field would mislead.
 */
static bool has_first_field(struct dkt_event *event, const char *filter)
{
	size_t from = strcspn(filter, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
	size_t len = strspn(filter + from, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
					   "0123456789");
	char *word __cleanup(free) = strndup(filter + from, len);

	return word && dkt_event_field(event, word);
}

/*
 * Finds a disabled event to try the filter on, if possible one with the filter's first field. -EBUSY:
 * every event is enabled.
 */
static int find_disabled(struct dkt_instance *in, const char *filter, struct dkt_event **off)
{
	struct dkt_event **on __cleanup(free) = NULL;
	struct dkt_event *const *all;
	size_t n_on, n, j = 0;
	int err = dkt_instance_get_events(in, &on, &n_on);

	*off = NULL;
	if (!err)
		err = dkt_events(in->ctx, &all, &n);
	if (err)
		return err;
	for (size_t i = 0; i < n; i++) {
		/* Both lists are sorted. */
		if (j < n_on && all[i] == on[j]) {
			j++;
			continue;
		}
		if (has_first_field(all[i], filter)) {
			*off = all[i];
			return 0;
		}
		*off = *off ? *off : all[i];
	}
	return *off ? 0 : dkt_fail(in->ctx, -EBUSY, "every event is on");
}

int dkt__instance_try_filter(struct dkt_instance *in, const char *filter)
{
	dkt__needs(in ? in->ctx : NULL, in && filter);

	char *before __cleanup(free) = NULL;
	struct dkt_event *event;
	char *words;
	int result, err = find_disabled(in, filter, &event);

	if (!err)
		err = dkt_instance_get_filter(in, event, &before);
	if (err)
		return err;
	result = write_filter(in, event, filter);
	words = result ? dkt__error_take(in->ctx) : NULL;
	err = write_filter(in, event, before);
	return result ? dkt__error_give(in->ctx, result, words) : err;
}

/* ---- steps ---- */

/* Reports n more filters or events as done; dkt_change_commit() reports the last one. */
static void step(struct dkt_change *change, size_t n)
{
	change->steps_done += n;
	if (change->steps_done < change->steps)
		dkt__progress(change->in->ctx, "events", change->steps_done, change->steps);
}

static int apply_filters(struct dkt_change *change)
{
	int err = 0;

	for (size_t i = 0; !err && i < change->n_filters; i++) {
		struct dkt__filter_step *filter = &change->filters[i];
		char *before;

		step(change, 1);
		err = dkt_instance_get_filter(change->in, filter->event, &before);
		if (err)
			break;
		if (!strcmp(before, filter->text)) {
			free(before);
			continue;
		}
		filter->before = before;
		err = write_filter(change->in, filter->event, filter->text);
	}
	return err;
}

static int write_enable(struct dkt_change *change, const char *system, const char *event, bool on)
{
	return dkt__tfs_set(change->in->ctx, on ? "1" : "0", "%sevents/%s%s%s/enable",
			    change->in->prefix, system, event ? "/" : "", event ? event : "");
}

/* Returns the end of the range of events, from `from` on, that have the same system. */
static size_t system_end(const struct dkt_change *change, size_t from)
{
	size_t to = from + 1;

	while (to < change->n_all && !strcmp(change->all[to]->system, change->all[from]->system))
		to++;
	return to;
}

/* Enables (on) or disables the system's events in [from, to) whose target state is `on`. */
static int set_system(struct dkt_change *change, size_t from, size_t to, const bool *target,
		      bool on)
{
	size_t differ = 0, same = 0;
	int err = 0;

	for (size_t i = from; i < to; i++) {
		differ += target[i] == on && change->now[i] != on;
		same += target[i] == on;
	}
	/* One write for a whole system costs the kernel less than one write for each event. */
	if (differ > 1 && same == to - from) {
		err = write_enable(change, change->all[from]->system, NULL, on);
		step(change, differ);
		for (size_t i = from; !err && i < to; i++)
			change->now[i] = on;
		return err;
	}
	for (size_t i = from; !err && differ && i < to; i++) {
		if (target[i] != on || change->now[i] == on)
			continue;
		err = write_enable(change, change->all[i]->system, change->all[i]->name, on);
		step(change, 1);
		if (!err)
			change->now[i] = on;
	}
	return err;
}

static int set_events(struct dkt_change *change, const bool *target, bool on)
{
	size_t to;
	int err = 0;

	for (size_t from = 0; !err && from < change->n_all; from = to) {
		to = system_end(change, from);
		err = set_system(change, from, to, target, on);
	}
	return err;
}

static void count_steps(struct dkt_change *change)
{
	change->steps_done = 0;
	change->steps = change->n_filters;
	for (size_t i = 0; change->wanted && i < change->n_all; i++)
		change->steps += change->now[i] != change->wanted[i];
}

static int read_before(struct dkt_change *change)
{
	struct dkt_event **events __cleanup(free) = NULL;
	size_t n;
	int err = dkt_instance_get_events(change->in, &events, &n);

	if (err)
		return err;
	change->before = calloc(change->n_all + 1, sizeof(bool));
	change->now = calloc(change->n_all + 1, sizeof(bool));
	if (!change->before || !change->now)
		return dkt__no_memory(change->in->ctx);
	for (size_t i = 0; i < n; i++) {
		change->before[dkt__event_index(events[i])] = true;
		change->now[dkt__event_index(events[i])] = true;
	}
	return 0;
}

/*
 * Until they were removed, triggers may have enabled or disabled their target events. Reads the state
 * of these events again and disables those that should not be enabled.
 */
static int settle_targets(struct dkt_change *change, const bool *target)
{
	size_t n = 0;

	for (size_t i = 0; i < change->n_triggers; i++) {
		const struct dkt_event *event = change->triggers[i].target;

		if (!change->triggers[i].done || !event || dkt__event_index(event) >= change->n_all)
			continue;
		change->now[dkt__event_index(event)] = dkt__event_is_on(change->in, event);
		n++;
	}
	return n ? set_events(change, target, false) : 0;
}

static int apply(struct dkt_change *change)
{
	int err = 0;

	/* Disable, set filters, then enable: no event is ever enabled without its filter. */
	if (change->wanted)
		err = set_events(change, change->wanted, false);
	if (!err)
		err = dkt__knobs_apply(change);
	if (!err)
		err = apply_filters(change);
	if (!err)
		err = dkt__triggers_apply(change);
	if (!err && change->wanted)
		err = settle_targets(change, change->wanted);
	if (!err && change->wanted)
		err = set_events(change, change->wanted, true);
	return err;
}

static void undo(struct dkt_change *change)
{
	struct dkt_ctx *ctx = change->in->ctx;
	char *error = dkt__error_take(ctx);
	const bool events = change->now && change->wanted;
	bool failed = events && set_events(change, change->before, false);

	failed |= dkt__triggers_undo(change) != 0;
	failed |= events && settle_targets(change, change->before);
	for (size_t i = change->n_filters; i-- > 0;)
		if (change->filters[i].before)
			failed |= write_filter(change->in, change->filters[i].event,
					       change->filters[i].before) != 0;
	failed |= dkt__knobs_undo(change) != 0;
	failed |= events && set_events(change, change->before, true);
	if (failed)
		dkt__log(ctx, DKT_LOG_WARN, "undoing the change: %s", dkt_error(ctx));
	dkt__error_give(ctx, 0, error);
}

int dkt_change_commit(struct dkt_change *change)
{
	dkt__needs(NULL, change);

	sigset_t all, saved;
	int err;

	/* Ctrl-C must not leave half a change. It takes half a second, or seconds with functions. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &saved);
	err = change->wanted ? read_before(change) : 0;
	if (!err) {
		count_steps(change);
		err = apply(change);
		dkt__progress(change->in->ctx, "events", change->steps, change->steps);
		/* The tracer is last, so that an optional tracer can fail without the others. */
		change->tracer.stops = &change->stops;
		if (!err)
			err = dkt__tracer_apply(&change->tracer, change->in);
		if (err)
			undo(change);
	}
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
	return err;
}
