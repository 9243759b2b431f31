/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares counts: ratios of one event to another, and the spread of several runs. */
#include <math.h>

#include "recording/stat/counts.h"

#include "lib/base/util.h"

#define HARDWARE(event)                                                                            \
	{                                                                                          \
		PERF_TYPE_HARDWARE, PERF_COUNT_HW_##event                                          \
	}

struct kind {
	uint32_t type;
	uint64_t config;
};

static const struct {
	struct kind of, to;
	bool is_share;
} known[] = {
	/* clang-format off */
	{ HARDWARE(INSTRUCTIONS),            HARDWARE(CPU_CYCLES),          false },
	{ HARDWARE(BRANCH_MISSES),           HARDWARE(BRANCH_INSTRUCTIONS), true },
	{ HARDWARE(CACHE_MISSES),            HARDWARE(CACHE_REFERENCES),    true },
	{ HARDWARE(STALLED_CYCLES_FRONTEND), HARDWARE(CPU_CYCLES),          true },
	{ HARDWARE(STALLED_CYCLES_BACKEND),  HARDWARE(CPU_CYCLES),          true },
	/* clang-format on */
};

/* The only event of a row; NULL: the row is a class. */
static const struct stat_event *event_of(const struct stat_events *events, size_t row)
{
	const struct stat_row *of = &events->rows[row];

	return of->is_class || of->n != 1 ? NULL : &events->list[of->events[0]];
}

static bool is_clock(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
						    attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

static bool same_exclusions(const struct perf_event_attr *a, const struct perf_event_attr *b)
{
	return a->exclude_user == b->exclude_user && a->exclude_kernel == b->exclude_kernel &&
	       a->exclude_hv == b->exclude_hv && a->exclude_host == b->exclude_host &&
	       a->exclude_guest == b->exclude_guest;
}

/* Returns the row of that kind that counts the same part of the time, or -1. */
static int find_row(const struct stat_events *events, const struct kind *kind,
		    const struct perf_event_attr *like)
{
	for (size_t i = 0; i < events->n_rows; i++) {
		const struct stat_event *event = event_of(events, i);

		if (event && event->perf.attr.type == kind->type &&
		    event->perf.attr.config == kind->config &&
		    same_exclusions(&event->perf.attr, like))
			return (int)i;
	}
	return -1;
}

int stat_calls_row(const struct stat_events *events)
{
	for (size_t i = 0; i < events->n_rows; i++) {
		const struct stat_event *event = event_of(events, i);

		if (event && event->tracepoint && !event->filter &&
		    !strcmp(dkt_event_system(event->tracepoint), "raw_syscalls") &&
		    !strcmp(dkt_event_name(event->tracepoint), "sys_enter"))
			return (int)i;
	}
	return -1;
}

/* Finds what a hardware event is compared with. */
static bool find_kind(const struct perf_event_attr *attr, struct kind *kind, bool *is_share)
{
	/* Misses of a cache are a part of the same operation's accesses. */
	if (attr->type == PERF_TYPE_HW_CACHE &&
	    attr->config >> 16 == PERF_COUNT_HW_CACHE_RESULT_MISS) {
		*kind = (struct kind){ attr->type, attr->config & 0xffff };
		*is_share = true;
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (known[i].of.type == attr->type && known[i].of.config == attr->config) {
			*kind = known[i].to;
			*is_share = known[i].is_share;
			return true;
		}
	return false;
}

bool stat_ratio(const struct stat_events *events, const struct stat_value *values, size_t row,
		double elapsed, struct stat_ratio *ratio)
{
	const struct stat_event *event = event_of(events, row);
	struct kind kind;
	int to;

	*ratio = (struct stat_ratio){ 0 };
	if (values[row].state != STAT_COUNTED)
		return false;
	if (event && is_clock(&event->perf.attr)) {
		ratio->to = "elapsed";
		ratio->value = elapsed > 0 ? values[row].count / elapsed : 0;
		return elapsed > 0;
	}
	to = event && find_kind(&event->perf.attr, &kind, &ratio->is_share) ?
		     find_row(events, &kind, &event->perf.attr) :
		     stat_calls_row(events);
	if (to < 0 || (size_t)to == row || values[to].state != STAT_COUNTED ||
	    values[to].count <= 0)
		return false;
	ratio->to = events->rows[to].name;
	ratio->value = values[row].count / values[to].count;
	return true;
}

int stat_clock_row(const struct stat_events *events)
{
	for (size_t i = 0; i < events->n_rows; i++) {
		const struct stat_event *event = event_of(events, i);

		if (event && is_clock(&event->perf.attr))
			return (int)i;
	}
	return -1;
}

/* ---- several runs ---- */

void stat_spread_add(struct stat_spread *spread, double value)
{
	const double from = value - spread->mean;

	spread->n++;
	spread->mean += from / (double)spread->n;
	spread->squares += from * (value - spread->mean);
}

double stat_spread_error(const struct stat_spread *spread)
{
	const double n = (double)spread->n;

	if (spread->n < 2 || spread->mean <= 0)
		return 0;
	return sqrt(spread->squares / (n - 1) / n) / spread->mean;
}
