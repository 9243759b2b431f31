/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opens the counters of all events, and sums what they counted by row and group. */
#include "recording/stat/counts.h"

#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/base/parse.h"

/* ---- opening ---- */

bool stat_event_always_runs(const struct stat_event *event)
{
	const uint32_t type = event->perf.attr.type;

	return type == PERF_TYPE_SOFTWARE || type == PERF_TYPE_TRACEPOINT;
}

/* Errors of an event that this machine does not have. The kernel calls some hardware events invalid. */
static bool is_missing(const struct stat_event *event, int err)
{
	return err == -ENOENT || err == -EOPNOTSUPP || err == -ENODEV || err == -ENXIO ||
	       (err == -EINVAL && !stat_event_always_runs(event));
}

static bool is_refused(int err)
{
	return err == -EACCES || err == -EPERM;
}

static bool has_cpu(const int *list, size_t n, int cpu)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == cpu)
			return true;
	return false;
}

/*
 * A device counts for the whole machine on some CPUs; on others it would count the same again. Returns the places
 * without these, which the caller frees; NULL: out of memory.
 */
static struct dkt__counted *places_of(const struct stat_counts *counts,
				      const struct dkt__perf_event *perf)
{
	const struct stat_places *places = counts->places;
	struct dkt__counted *list = calloc(places->n, sizeof(*list));
	int *cpus __cleanup(free) = NULL;
	size_t n = 0;
	const bool some = *perf->cpus && !dkt__parse_list(perf->cpus, INT16_MAX, &cpus, &n);

	for (size_t i = 0; list && i < places->n; i++) {
		list[i] = places->list[i];
		if (some && list[i].pid == -1 && !has_cpu(cpus, n, list[i].cpu))
			list[i].cpu = -1;
	}
	return list;
}

static int open_event(struct stat_counts *counts, size_t nr, bool on_exec)
{
	struct stat_event *event = &counts->events->list[nr];
	struct dkt__counted *list __cleanup(free) = places_of(counts, &event->perf);
	const struct dkt__counter_opts opts = { .name = event->name,
						.attr = &event->perf.attr,
						.filter = event->filter,
						.inherit = counts->places->list[0].pid != -1,
						.on_exec = on_exec };

	return list ? dkt__counter_open(counts->ctx, &opts, list, counts->places->n,
					&counts->counters[nr]) :
		      dkt__no_memory(counts->ctx);
}

static void exclude_kernel(struct stat_event *event, bool exclude)
{
	event->perf.attr.exclude_kernel = event->perf.attr.exclude_hv = exclude;
}

static bool can_exclude(const struct stat_event *event)
{
	return !event->tracepoint && !event->perf.attr.exclude_kernel &&
	       !stat_event_in_kernel(&event->perf.attr);
}

/* Tries the event without the kernel, as ":u" asks for. */
static int open_for_programs(struct stat_counts *counts, size_t nr, bool on_exec)
{
	struct stat_event *event = &counts->events->list[nr];
	char *name;
	int err;

	exclude_kernel(event, true);
	err = open_event(counts, nr, on_exec);
	if (err) {
		exclude_kernel(event, false);
		return err;
	}
	name = dkt__format("%s:u", event->name);
	if (!name)
		return dkt__no_memory(counts->ctx);
	free(event->name);
	event->name = name;
	return 0;
}

/* Adds to the words of a refusal what this user can count. */
static int refuse(struct stat_counts *counts, size_t nr, int err)
{
	struct stat_event *event = &counts->events->list[nr];
	char *words __cleanup(free) = dkt__error_take(counts->ctx);
	bool can = false;

	if (!words)
		return dkt__no_memory(counts->ctx);
	/* Only a try can tell. */
	if (can_exclude(event)) {
		exclude_kernel(event, true);
		can = !open_event(counts, nr, false);
		exclude_kernel(event, false);
	}
	if (!can)
		return dkt_fail(counts->ctx, err, "%s", words);
	return dkt_fail(counts->ctx, err, "%s; or count your own programs only: %s:u", words,
			event->name);
}

static int open_one(struct stat_counts *counts, size_t nr, bool on_exec)
{
	const struct stat_event *event = &counts->events->list[nr];
	int err = open_event(counts, nr, on_exec);

	if (is_refused(err) && counts->events->usual && can_exclude(event))
		err = open_for_programs(counts, nr, on_exec);
	if (is_missing(event, err))
		counts->states[nr] = STAT_UNSUPPORTED;
	else if (is_refused(err) && counts->events->usual)
		counts->states[nr] = STAT_REFUSED;
	else
		return is_refused(err) ? refuse(counts, nr, err) : err;
	return 0;
}

static bool is_used(const struct stat_events *events, size_t nr)
{
	for (size_t i = 0; i < events->n_rows; i++)
		for (size_t k = 0; k < events->rows[i].n; k++)
			if (events->rows[i].events[k] == nr)
				return true;
	return false;
}

/* A row's name follows that of its event, which has changed if it is counted without the kernel. */
static int rename_rows(struct stat_events *events)
{
	for (size_t i = 0; i < events->n_rows; i++) {
		struct stat_row *row = &events->rows[i];
		char *name;

		if (!events->usual || row->n != 1)
			continue;
		name = strdup(events->list[row->events[0]].name);
		if (!name)
			return -ENOMEM;
		free(row->name);
		row->name = name;
	}
	return 0;
}

int stat_counts_open(struct stat_counts *counts, struct dkt_ctx *ctx, struct stat_events *events,
		     const struct stat_places *places, bool on_exec)
{
	char *refusal = NULL; /* the words of the first one */
	bool any = false;
	int err = 0;

	*counts = (struct stat_counts){ .ctx = ctx, .events = events, .places = places };
	counts->counters = calloc(events->n + 1, sizeof(struct dkt__counter *));
	counts->states = calloc(events->n + 1, sizeof(*counts->states));
	counts->now = calloc(events->n * places->n + 1, sizeof(*counts->now));
	counts->before = calloc(events->n * places->n + 1, sizeof(*counts->before));
	if (!counts->counters || !counts->states || !counts->now || !counts->before)
		return dkt__no_memory(ctx);
	for (size_t i = 0; !err && i < events->n; i++) {
		if (!is_used(events, i))
			continue;
		err = open_one(counts, i, on_exec);
		any |= counts->states[i] == STAT_COUNTED;
		if (counts->states[i] == STAT_REFUSED && !refusal)
			refusal = dkt__error_take(ctx);
	}
	if (!err && !any && refusal)
		return dkt__error_give(ctx, -EACCES, refusal);
	free(refusal);
	return err ? err : dkt__with_words(ctx, rename_rows(events));
}

/* ---- counting ---- */

static int each(struct stat_counts *counts, int (*fn)(struct dkt__counter *counter))
{
	int err = 0;

	for (size_t i = 0; !err && i < counts->events->n; i++)
		if (counts->counters[i])
			err = fn(counts->counters[i]);
	return err;
}

int stat_counts_start(struct stat_counts *counts)
{
	return each(counts, dkt__counter_start);
}

int stat_counts_stop(struct stat_counts *counts)
{
	return each(counts, dkt__counter_stop);
}

int stat_counts_read(struct stat_counts *counts)
{
	struct dkt__count *last = counts->before;
	int err = 0;

	counts->before = counts->now;
	counts->now = last;
	for (size_t i = 0; !err && i < counts->events->n; i++)
		if (counts->counters[i])
			err = dkt__counter_read(counts->counters[i],
						&counts->now[i * counts->places->n]);
	return err;
}

static struct dkt__count count_at(const struct stat_counts *counts, size_t nr, size_t place)
{
	const size_t at = nr * counts->places->n + place;

	return dkt__count_since(&counts->now[at], &counts->before[at]);
}

/*
 * A thread's counter on one CPU is enabled while the thread runs on another, too, and runs on none then. What
 * its counters ran on all CPUs together is to be compared with that time. Returns the mean time that is to be
 * compared with the running time of one CPU's counter.
 */
static double enabled_by_cpu(const struct stat_counts *counts, size_t nr, double *running)
{
	double enabled = 0;

	*running = 0;
	for (size_t i = 0; i < counts->places->n; i++) {
		const struct dkt__count count = count_at(counts, nr, i);

		enabled += (double)count.enabled;
		*running += (double)count.running;
	}
	return enabled / (double)counts->places->n_groups;
}

static void sum_by_cpu(const struct stat_counts *counts, size_t nr, size_t group,
		       struct stat_value *value, double *enabled)
{
	double running, all = enabled_by_cpu(counts, nr, &running);
	const double factor = running > 0 && running < all ? all / running : 1;

	for (size_t i = 0; i < counts->places->n; i++) {
		const struct dkt__count count = count_at(counts, nr, i);

		if (counts->places->group_of[i] == group)
			value->count +=
				(double)count.value * factor * counts->events->list[nr].perf.scale;
	}
	value->ran += running;
	*enabled += all;
}

static void sum_event(const struct stat_counts *counts, size_t nr, size_t group,
		      struct stat_value *value, double *enabled)
{
	const struct stat_places *places = counts->places;
	const struct dkt__perf_event *perf = &counts->events->list[nr].perf;
	const bool always = stat_event_always_runs(&counts->events->list[nr]);

	if (!always && places->list[0].pid != -1 && places->list[0].cpu != -1) {
		sum_by_cpu(counts, nr, group, value, enabled);
		return;
	}
	for (size_t i = 0; i < places->n; i++) {
		const struct dkt__count count = count_at(counts, nr, i);

		if (places->group_of[i] != group)
			continue;
		value->count +=
			perf->scale * (always ? (double)count.value : dkt__count_scaled(&count));
		value->ran += always ? 0 : (double)count.running;
		*enabled += always ? 0 : (double)count.enabled;
	}
}

/* False for a device that does not count on the group's CPU. */
static bool counts_in(const struct stat_counts *counts, size_t nr, size_t group)
{
	const struct stat_places *places = counts->places;
	const char *list = counts->events->list[nr].perf.cpus;
	int *cpus __cleanup(free) = NULL;
	size_t n;

	if (!*list || places->list[0].pid != -1 || dkt__parse_list(list, INT16_MAX, &cpus, &n))
		return true;
	for (size_t i = 0; i < places->n; i++)
		if (places->group_of[i] == group && has_cpu(cpus, n, places->list[i].cpu))
			return true;
	return false;
}

void stat_counts_get(const struct stat_counts *counts, size_t row, size_t group,
		     struct stat_value *value)
{
	const struct stat_row *of = &counts->events->rows[row];
	double enabled = 0;

	/* This kernel may have no event of a class. */
	*value = (struct stat_value){ .state = of->n ? STAT_COUNTED : STAT_UNSUPPORTED };
	for (size_t i = 0; i < of->n; i++) {
		if (counts->states[of->events[i]] != STAT_COUNTED) {
			*value = (struct stat_value){ .state = counts->states[of->events[i]] };
			return;
		}
		if (!counts_in(counts, of->events[i], group)) {
			*value = (struct stat_value){ .state = STAT_NEVER_RAN };
			return;
		}
		sum_event(counts, of->events[i], group, value, &enabled);
	}
	/* A thread that did not run had nothing to count, which is a count of 0. */
	if (value->ran <= 0 && enabled > 0)
		value->state = STAT_NEVER_RAN;
	value->ran = enabled > 0 ? value->ran / enabled : 1;
}

void stat_counts_close(struct stat_counts *counts)
{
	for (size_t i = 0; counts->counters && i < counts->events->n; i++)
		dkt__counter_close(counts->counters[i]);
	free(counts->counters);
	free(counts->states);
	free(counts->now);
	free(counts->before);
	*counts = (struct stat_counts){ 0 };
}
