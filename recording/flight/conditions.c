/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All conditions of a flight recorder. */
#include "recording/flight/conditions.h"

#include "compat/lustre/named.h"
#include "lib/base/buf.h"
#include "lib/base/io.h"
#include "lib/base/memory.h"
#include "lib/base/parse.h"
#include "lib/inside.h"
#include "recording/record/service.h"

#define WATCH "when"

/* Threads that a machine may create before the kernel's table, of 16384 entries, can be full. */
#define FORKS_MAX 12000

/* A call that has been under way for that many times the limit when its table goes is missed. */
#define OVERLAP 10

/* Returns how many threads the machine has created; 0: unknown. */
static uint64_t count_forks(void)
{
	char *text __cleanup(free) = NULL;
	uint64_t n = 0;
	size_t len;
	const char *p;

	if (dkt__read_file("/proc/stat", 16 << 20, &text, &len))
		return 0;
	p = strstr(text, "\nprocesses ");
	if (p) {
		p += strlen("\nprocesses ");
		dkt__take_u64(&p, NULL, DKT__DEC, &n);
	}
	return n;
}

/* ---- setting up ---- */

static void name_watch(char *name, size_t size, size_t i, bool second)
{
	snprintf(name, size, WATCH "%zu%s", i, second ? "b" : "");
}

/* A message or a latency. */
static int open_text(struct dkt_ctx *ctx, const char *log, const struct wanted_words *who,
		     const char *text, const char *name, struct flight_watch *watch)
{
	char *latency __cleanup(free) = NULL;
	const char *words = flight_message_words(text);
	uint64_t limit;

	if (words)
		return flight_watch_message(ctx, log, name, words, watch);
	flight_read_latency(text, &latency, &limit);
	return latency ? flight_watch_latency(ctx, log, name, latency, limit, who, watch) :
			 dkt__no_memory(ctx);
}

/* Opens the next instance for conditions: text is a latency or a message, or events are not NULL. */
static int open_next(struct dkt_ctx *ctx, const char *log, struct flight_state *state,
		     struct flight_conditions *all, const char *text, const char *events)
{
	struct flight_condition *one = &all->list[all->n];
	char names[2][sizeof(WATCH) + 24];
	int err = 0;

	if (all->n == FLIGHT_WATCHES)
		return dkt_fail(ctx, -E2BIG, "more than %d latencies and messages",
				FLIGHT_WATCHES - 1);
	for (size_t i = 0; !err && i < 2; i++) {
		name_watch(names[i], sizeof(names[i]), all->n, i);
		err = dkt__with_words(ctx, dkt__strings_add(&state->watches, names[i]));
	}
	/* If this process is killed, the state names the instance to remove. */
	if (!err)
		err = flight_save(ctx, log, state);
	if (err)
		return err;
	all->n++;
	one->text = text;
	one->forks = count_forks();
	err = events ? flight_watch_events(ctx, log, names[0], events, all->who, &one->watch) :
		       open_text(ctx, log, all->who, text, names[0], &one->watch);
	all->reads |= flight_watch_reads(&one->watch);
	all->fills |= one->watch.lat != NULL;
	return err;
}

/* Stores how the conditions are tested, in their order. */
static int note_ways(struct flight_state *state, const struct flight_conditions *all)
{
	const char *events = NULL;
	int err = 0;

	for (size_t i = 0; i < all->n; i++)
		if (!all->list[i].text)
			events = all->list[i].watch.way;
	for (size_t i = 0; !err && i < state->conditions.n; i++) {
		const char *way = events;

		for (size_t j = 0; j < all->n; j++)
			if (all->list[j].text == state->conditions.list[i])
				way = all->list[j].watch.way;
		err = dkt__strings_add(&state->ways, way);
	}
	return err;
}

/* Tells conditions on events from the others. */
static bool is_events(const char *text)
{
	char *latency __cleanup(free) = NULL;
	uint64_t limit;

	return !flight_message_words(text) && !flight_read_latency(text, &latency, &limit);
}

int flight_condition_check(struct dkt_ctx *ctx, const char *text)
{
	char *latency __cleanup(free) = NULL;
	struct named named = { 0 };
	uint64_t limit;
	int err = 0;

	if (flight_message_words(text))
		return 0;
	if (!flight_read_latency(text, &latency, &limit))
		err = dkl_named_read(ctx, text, &named);
	else if (latency && !*latency)
		err = dkt_fail(ctx, -EINVAL,
			       "'%s' names no latency; write it before the sign, such as"
			       " fsync > 100ms",
			       text);
	else if (latency && !limit)
		err = dkt_fail(ctx, -EINVAL, "%s: give a time with its unit, such as %s > 100ms",
			       latency, latency);
	dkl_named_clear(&named);
	return err ? dkt__fail_in(ctx, err, "--when") : 0;
}

int flight_conditions_open(struct dkt_ctx *ctx, const char *log, const struct wanted_words *who,
			   struct flight_state *state, struct flight_conditions *all)
{
	char *events __cleanup(free) = NULL;
	int err = 0;

	all->who = who;
	for (size_t i = 0; !err && i < state->conditions.n; i++) {
		const char *text = state->conditions.list[i];
		char *both;

		if (!is_events(text)) {
			err = open_next(ctx, log, state, all, text, NULL);
			continue;
		}
		both = events ? dkt__format("%s,%s", events, text) : strdup(text);
		free(events);
		events = both;
		err = both ? 0 : dkt__no_memory(ctx);
	}
	if (!err && events)
		err = open_next(ctx, log, state, all, NULL, events);
	if (!err)
		err = dkt__with_words(ctx, note_ways(state, all));
	return err ? dkt__fail_in(ctx, err, "--when") : 0;
}

/* ---- looking ---- */

int flight_condition_look(struct dkt_ctx *ctx, struct flight_condition *one,
			  struct flight_found *found)
{
	struct flight_watch *before = one->before.ctx ? &one->before : NULL;
	struct flight_found more = { 0 };
	int err = 0;

	*found = more;
	/*
	 * Both tables have a call, unless it began before the second one. The old one comes first: it may go after
	 * this look, and with it what it has told of.
	 */
	if (before)
		err = flight_watch_look(ctx, before, &one->watch, found);
	if (!err)
		err = flight_watch_look(ctx, &one->watch, before, &more);
	found->n += more.n;
	found->last = DKT__MAX(found->last, more.last);
	if (!found->reason)
		found->reason = more.reason;
	else
		free(more.reason);
	return err;
}

static void log_error(struct dkt_ctx *ctx)
{
	char *message = dkt__error_take(ctx);

	dkt__log(ctx, DKT_LOG_WARN, "--when: %s", message);
	dkt__error_give(ctx, 0, message);
}

/* If the kernel refuses now, the table there is serves on. */
static void renew(struct dkt_ctx *ctx, const char *log, const struct wanted_words *who,
		  struct flight_condition *one, size_t i)
{
	struct flight_watch fresh = { 0 };
	char name[sizeof(WATCH) + 24];

	name_watch(name, sizeof(name), i, !one->second);
	if (open_text(ctx, log, who, one->text, name, &fresh) || !fresh.lat) {
		log_error(ctx);
		flight_watch_remove(ctx, log, &fresh);
		return;
	}
	one->before = one->watch;
	one->watch = fresh;
	one->since = service_now();
	one->second = !one->second;
}

void flight_conditions_renew(struct dkt_ctx *ctx, const char *log, struct flight_conditions *all)
{
	const uint64_t forks = count_forks();

	for (size_t i = 0; i < all->n; i++) {
		struct flight_condition *one = &all->list[i];

		if (!one->watch.lat)
			continue;
		if (one->before.ctx && service_now() - one->since > OVERLAP * one->watch.limit) {
			if (flight_watch_remove(ctx, log, &one->before))
				log_error(ctx);
		} else if (!one->before.ctx && forks - one->forks > FORKS_MAX) {
			one->forks = forks;
			renew(ctx, log, all->who, one, i);
		}
	}
}

int flight_conditions_remove(struct dkt_ctx *ctx, const char *log, struct flight_conditions *all)
{
	int err = 0;

	for (size_t i = 0; i < all->n; i++) {
		err = flight_watch_remove(ctx, log, &all->list[i].before) ?: err;
		err = flight_watch_remove(ctx, log, &all->list[i].watch) ?: err;
	}
	all->n = 0;
	return err;
}
