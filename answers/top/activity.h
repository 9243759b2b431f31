/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The activity of threads, system calls and disks: counted from records, by interval. */
#pragma once

#include <dktrace/dktrace.h>

#include "lib/base/util.h"

#define ACTIVITY_COMM 16
#define ACTIVITY_ARGS 6

/* The parts that can be counted: the kernel may lack the events for a part. */
enum activity_have {
	ACTIVITY_CPU = 1, /* time on CPUs */
	ACTIVITY_WAIT = 2, /* time in run queues */
	ACTIVITY_CALLS = 4, /* system calls */
	ACTIVITY_REQUESTS = 8, /* the latency of each request to a disk */
};

/* A thread, or a process: the sum of its threads. */
struct activity_task {
	int32_t pid; /* of a thread: its own; of a process: that of its first thread */
	int32_t process; /* the process of the thread */
	uint64_t serial; /* tells processes with the same pid apart; 0: older than the records */
	uint64_t threads; /* that have not ended */
	char comm[ACTIVITY_COMM];
	int64_t cpu, wait; /* ns on a CPU, and in a run queue */
	uint64_t calls; /* system calls that began */
	uint64_t read, written; /* bytes that system calls returned */
};

enum activity_call_flags {
	ACTIVITY_CALL_READS = 1, /* its result is a number of bytes */
	ACTIVITY_CALL_WRITES = 2,
	ACTIVITY_CALL_WAITS = 4, /* waits for something to do, usually for long */
	ACTIVITY_CALL_FD = 8, /* its first argument is a file descriptor */
	ACTIVITY_CALL_OLDER = 16, /* began before the first record */
	ACTIVITY_CALL_UNSURE = 32, /* records were lost since it began: it may have ended */
};

/* A system call that has not returned yet. */
struct activity_call {
	int32_t pid, process;
	char comm[ACTIVITY_COMM];
	int32_t number;
	unsigned int flags; /* enum activity_call_flags */
	uint64_t since; /* ns on the clock of the records */
	unsigned long args[ACTIVITY_ARGS];
};

struct activity_disk {
	char name[32];
	uint64_t reads, writes, read_bytes, written_bytes;
	uint64_t ms; /* of all requests together, from the kernel's own statistics */
	uint64_t queue_ms; /* requests under way, multiplied by the time; ms / 1 ms */
	uint64_t in_flight; /* now */
	/* From records of single requests; timed 0: there are none. */
	uint64_t timed, latency_sum, latency_max;
};

struct activity_event {
	struct dkt_event *event;
	uint64_t records;
};

/* How long the intervals of one name took that ended, in ns. If none ended, count is 0. */
struct activity_interval {
	const char *name; /* valid as long as the activity's context */
	uint64_t count, total;
	uint64_t p50, p90, p99, max;
};

/* One interval. Its arrays are copies, which do not change with later records. */
struct activity_frame {
	uint64_t from, to; /* ns on the clock of the records */
	unsigned int have; /* enum activity_have */
	struct activity_task *threads, *processes;
	size_t n_threads, n_processes;
	struct activity_call *calls;
	size_t n_calls;
	struct activity_disk *disks;
	size_t n_disks;
	struct activity_event *events;
	size_t n_events;
	struct activity_interval *intervals;
	size_t n_intervals;
	uint64_t records;
	int64_t busy; /* ns of all CPUs together */
	uint64_t unfollowed; /* records of threads that there was no room for */
};

struct activity;

struct activity_opts {
	const char *proc; /* NULL: /proc */
	const char *sys; /* NULL: /sys */
	const char *const *intervals; /* names of ready-made intervals to measure, too */
	size_t n_intervals;
};

/* Finds the events. -ENOENT: the kernel has none of them, or lacks those of an interval. */
int activity_new(struct dkt_ctx *ctx, const struct activity_opts *opts, struct activity **activity);
void activity_free(struct activity *activity);

/* Returns all events that are counted. */
const struct activity_event *activity_events(const struct activity *activity, size_t *n);

/*
 * Call after the records that there are when recording has begun: reads the threads, and the system calls
 * that they are in, from /proc.
 */
int activity_start(struct activity *activity, uint64_t now);

/* Counts a record, or a gap. */
int activity_add(struct activity *activity, const struct dkt_record *record);

/*
 * Ends the interval at that time, and begins the next one. *frame gets the interval, for
 * activity_frame_clear().
 */
int activity_take(struct activity *activity, uint64_t now, struct activity_frame *frame);
void activity_frame_clear(struct activity_frame *frame);
