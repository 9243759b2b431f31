/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The part of lib/inside.h for events of perf_event_open(2): counts and samples. */
#pragma once

#include <linux/perf_event.h>

#include "lib/base/error.h"

/*
 * Lets a source that has reached its end go on with what was added to its file since: one that
 * dkt__sampler_step() still writes, within the size that it had when it was opened.
 */
int dkt__perf_more(struct dkt_source *source);

/* Returns how often the kernel paused an event of the recording because it took too much time; 0: of any other source. */
uint64_t dkt__perf_throttled(const struct dkt_source *source);

/* ---- names of events ---- */

/* An event as perf_event_open(2) wants it, and what its numbers mean. */
struct dkt__perf_event {
	struct perf_event_attr attr; /* type, config and what the modifiers exclude */
	double scale; /* a count times this is in the unit; 1: a plain count */
	char unit[24]; /* as "Joules" or "ns"; "": a plain count */
	char cpus[128]; /* of a device that counts for the machine on some CPUs, "0,8"; "": on all */
};

/*
 * Finds an event by name, with the modifiers of perf(1): ":u" counts the programs only, ":k" the kernel, ":h"
 * the hypervisor. -ENOENT: there is none of that name, with a suggestion, or this machine does not have it;
 * -ENOTUNIQ: several systems have a tracepoint of that name; -EACCES: tracefs cannot be read for its number;
 * -EINVAL: the name has no such form.
 */
int dkt__perf_event_find(struct dkt_ctx *ctx, const char *name, struct dkt__perf_event *event);

/* The same for all but tracepoints. -ENOENT, without an error message: it is none of these. */
int dkt__perf_event_fixed(struct dkt_ctx *ctx, const char *name, struct dkt__perf_event *event);

/*
 * Reads modifiers, the letters alone, into the attributes. Returns false, and changes nothing, if one is
 * unknown.
 */
bool dkt__perf_modifiers(const char *letters, struct perf_event_attr *attr);

/* Calls fn with the name of each event that dkt__perf_event_fixed() finds, except those of PMUs. */
void dkt__perf_event_names(void (*fn)(void *data, const char *name), void *data);

/* ---- counters ---- */

/* A count, and how long its counter was to run and did run, in ns: fewer if counters share the hardware. */
struct dkt__count {
	uint64_t value, enabled, running;
};

/* Where an event is counted: a thread, or pid -1: all threads; a CPU, or cpu -1: all CPUs. Both -1: nowhere. */
struct dkt__counted {
	pid_t pid;
	int cpu;
};

struct dkt__counter_opts {
	const char *name; /* for error messages */
	const struct perf_event_attr *attr;
	const char *filter; /* of a tracepoint, in the kernel's language; NULL: none */
	bool inherit; /* also count threads and processes that these start later */
	bool on_exec; /* begin when the thread executes a program */
};

struct dkt__counter;

/*
 * Opens a counter for each of the n threads or CPUs, stopped. Threads that have exited are left out; -ESRCH: all
 * have. Other errors: as perf_event_open(2), with words. The caller closes the counter.
 */
int dkt__counter_open(struct dkt_ctx *ctx, const struct dkt__counter_opts *opts,
		      const struct dkt__counted *where, size_t n, struct dkt__counter **counter);
int dkt__counter_start(struct dkt__counter *counter);
int dkt__counter_stop(struct dkt__counter *counter);

/* Reads the counts since it was opened, one for each thread or CPU. */
int dkt__counter_read(struct dkt__counter *counter, struct dkt__count *counts);
void dkt__counter_close(struct dkt__counter *counter);

/* Returns what the value would be if the counter had run all the time; 0 if it never ran. */
double dkt__count_scaled(const struct dkt__count *count);

/* Returns what came since an earlier count of the same counter. */
struct dkt__count dkt__count_since(const struct dkt__count *now, const struct dkt__count *before);
