/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events of perf_event_open(2): opened with words for each refusal, and found by name. */
#pragma once

#include <linux/perf_event.h>

#include "lib/ctx.h"

/* The least strict kernel.perf_event_paranoid for each use without privileges. */
enum dkt__paranoid {
	DKT__PARANOID_TRACEPOINT = -1, /* data of tracepoints, and rings of any size */
	DKT__PARANOID_CPU = 0, /* all processes of a CPU */
	DKT__PARANOID_KERNEL = 1, /* the kernel's side of the user's own processes */
	DKT__PARANOID_USER = 2, /* only the programs' side of them */
};

/* An attempt to open an event, and what decides whether it is allowed. */
struct dkt__perf_try {
	const char *name; /* the event, as the user knows it */
	const struct perf_event_attr *attr;
	pid_t pid; /* -1: all processes */
	int cpu; /* -1: all CPUs */
	int paranoid; /* kernel.perf_event_paranoid; INT_MIN: unknown */
	bool able; /* this process has cap_perfmon or cap_sys_admin */
	bool admin; /* it has cap_sys_admin */
};

/*
 * perf_event_open(2), with words if it is refused; name is the event's in the words. The descriptor is
 * closed on exec. Returns a descriptor or -errno. -EACCES, -EPERM: not allowed; -ENOENT, -EOPNOTSUPP, -ENODEV,
 * -ENOSYS: this machine lacks the event or the CPU; -ESRCH: no such process; -EMFILE: too many open files;
 * -EINVAL: an attribute is not supported.
 */
int dkt__perf_event_open(struct dkt_ctx *ctx, const char *name, struct perf_event_attr *attr,
			 pid_t pid, int cpu, int group, unsigned long flags);

/* Sets the words for a refused attempt. Returns err. */
int dkt__perf_event_refused(struct dkt_ctx *ctx, int err, const struct dkt__perf_try *try);

/*
 * Maps the rings of an event: a page that describes them, and size bytes of records, a power of two of
 * pages. cpu is for the words. Returns 0 or -errno. -EPERM: the memory that a user may lock is used up.
 */
int dkt__perf_event_map(struct dkt_ctx *ctx, int fd, size_t size, int cpu,
			struct perf_event_mmap_page **ring);

/* Returns kernel.perf_event_paranoid; INT_MIN: unknown. */
int dkt__perf_paranoid(void);

/* Returns the kernel's limit of samples a second; INT64_MAX: unknown. */
int64_t dkt__perf_max_rate(void);

/* ---- names ---- */

/* The directory of the PMUs: processors' and devices' counters. */
#define DKT__PMU_DIR "/sys/bus/event_source/devices"

/*
 * Finds an event by name: "cycles:u", "L1-dcache-load-misses", "r1a8", "sched:sched_switch", "sched_switch",
 * "msr/tsc/". Sets type, config and what the modifiers exclude; the rest is zero. Errors: as
 * dkt__perf_event_find().
 */
int dkt__perf_event_named(struct dkt_ctx *ctx, const char *name, struct perf_event_attr *attr);

/* The number of an event of the processor's caches, or -ENOENT: "LLC-load-misses". */
int dkt__perf_cache(const char *name, uint64_t *config);

/* Calls fn with the names of events of caches. */
void dkt__perf_cache_names(void (*fn)(void *data, const char *name), void *data);

/*
 * Finds an event of a PMU in that directory: "PMU/TERM[=NUMBER],.../MODIFIERS". A term is a field of the PMU's
 * format, or one of its events. -ENOENT: there is no such PMU, or term; -EINVAL: the text is not of that form.
 */
int dkt__pmu_find(struct dkt_ctx *ctx, const char *dir, const char *name,
		  struct dkt__perf_event *event);
