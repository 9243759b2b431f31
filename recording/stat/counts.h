/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts events at places, and what follows from the counts: rates, ratios, the spread of several runs. */
#pragma once

#include "recording/stat/events.h"
#include "recording/stat/places.h"

enum stat_state {
	STAT_COUNTED,
	STAT_NEVER_RAN, /* other counters had the hardware all the time, or it is not counted on this CPU */
	STAT_UNSUPPORTED, /* this machine does not have it */
	STAT_REFUSED, /* by kernel.perf_event_paranoid */
};

/* A row's count in a group. */
struct stat_value {
	enum stat_state state;
	double count; /* in the unit of the event, and scaled to the whole time */
	double ran; /* the share of the time in which its counters ran, 0..1 */
};

struct stat_counts {
	struct dkt_ctx *ctx;
	struct stat_events *events;
	const struct stat_places *places;
	struct dkt__counter **counters; /* by event; NULL: not counted */
	enum stat_state *states; /* by event */
	struct dkt__count *now, *before; /* by event and place */
};

/*
 * Opens counters for the events of all rows. on_exec: they begin when the process executes its program. What is
 * not supported is not an error; nor is what is refused, if the user did not choose the events, and not all of
 * them are: then those that can be are counted without the kernel. -EACCES, -EPERM: refused; -ESRCH: all threads
 * have exited. Close the counts in either case.
 */
int stat_counts_open(struct stat_counts *counts, struct dkt_ctx *ctx, struct stat_events *events,
		     const struct stat_places *places, bool on_exec);
int stat_counts_start(struct stat_counts *counts);
int stat_counts_stop(struct stat_counts *counts);

/* Reads the counts; those of the last reading become what stat_counts_get() takes off. */
int stat_counts_read(struct stat_counts *counts);

/* Gets a row's count in a group: since the reading before, or since the start if there was none. */
void stat_counts_get(const struct stat_counts *counts, size_t row, size_t group,
		     struct stat_value *value);
void stat_counts_close(struct stat_counts *counts);

/* True for software and tracepoints, which share no hardware. */
bool stat_event_always_runs(const struct stat_event *event);

/* ---- ratios ---- */

struct stat_ratio {
	double value;
	const char *to; /* the other row's name, or "elapsed" */
	bool is_share; /* a part of it, such as misses of accesses */
};

/*
 * Gets the ratio of a row to what it is compared with: a clock to the time that has passed (ns), instructions to
 * cycles, misses to accesses, other events to system calls. values: of all rows. False: there is none.
 */
bool stat_ratio(const struct stat_events *events, const struct stat_value *values, size_t row,
		double elapsed, struct stat_ratio *ratio);

/* Returns the row whose clock rates are of, or -1: they are of the time that has passed. */
int stat_clock_row(const struct stat_events *events);

/* Returns the row that counts system calls, or -1. */
int stat_calls_row(const struct stat_events *events);

/* ---- several runs ---- */

/* All zeroes: no run. */
struct stat_spread {
	uint64_t n;
	double mean, squares; /* the sum of squared differences from the mean */
};

void stat_spread_add(struct stat_spread *spread, double value);

/* Returns the standard error of the mean, as a part of the mean; 0: fewer than two runs, or the mean is 0. */
double stat_spread_error(const struct stat_spread *spread);
