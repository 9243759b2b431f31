/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inside of an activity, shared by the files of this directory. */
#pragma once

#include "answers/top/activity.h"
#include "lib/base/dist.h"
#include "lib/base/open.h"
#include "lib/inside.h"

/* More threads, ended threads and requests are not followed, so that memory stays bounded. */
#define ACTIVITY_MAX 65536

/* System calls with a higher number have no flags. */
#define N_CALLS 1024

#define N_FIELDS 5

struct thread {
	struct activity_task task;
	uint64_t runnable; /* in a run queue since then; 0: not in one */
	uint64_t seen; /* the time of its last record */
	bool on_cpu;
	bool in_call;
	struct activity_call call;
};

struct cpu {
	bool known; /* thread is the one that runs there */
	uint32_t thread; /* DKT__KEYMAP_NONE: the idle thread, or one that is not followed */
	int32_t pid;
	uint64_t since; /* 0: since the beginning */
};

/* A disk as the kernel's statistics and the records have it. */
struct disk {
	struct activity_disk now; /* of the interval */
	struct activity_disk total; /* the statistics when they were read last */
	bool whole; /* not a partition */
	bool read; /* total has been read */
};

struct counted;

/* Counts a record of an event. */
typedef int counted_fn(struct activity *activity, const struct counted *counted,
		       const struct dkt_record *record);

struct counted {
	counted_fn *fn;
	const struct dkt_field *fields[N_FIELDS];
};

struct activity {
	struct dkt_ctx *ctx;
	char *proc, *sys;
	unsigned int have;
	struct activity_event *events; /* all that are counted */
	struct counted *counted; /* the same */
	size_t n_events;
	uint32_t *event_of; /* by dkt__event_index(): number in events plus 1 */
	size_t n_event_of;
	struct dkt__keymap by_pid; /* threads */
	struct thread *threads; /* by entry of by_pid; pid 0: the entry is free */
	size_t n_threads;
	struct activity_task *ended; /* threads that ended in this interval */
	size_t n_ended;
	uint64_t serial; /* of the process that began last */
	struct cpu *cpus;
	size_t n_cpus;
	uint8_t flags_of[N_CALLS]; /* enum activity_call_flags, by system call */
	struct dkt__keymap by_device; /* disks */
	struct disk *disks;
	size_t n_disks;
	struct dkt__open requests; /* that disks have, of struct dkt__begun */
	uint64_t first; /* when recording began; 0: before activity_start() */
	uint64_t from; /* when the interval began */
	uint64_t gap; /* records from before that time were lost; 0: none were */
	uint64_t swept; /* when threads that had ended unseen were last looked for */
	uint64_t records, unfollowed;
	int64_t busy;
	bool no_memory; /* a thread could not be added */
	struct measured *measured; /* ready-made intervals; see intervals.c */
	size_t n_measured;
};

/* ---- activity.c ---- */

/* Adds an event whose records are counted, unless it is there. */
int activity_record_event(struct activity *activity, struct dkt_event *event);

/* ---- intervals.c ---- */

/* Finds the events of the ready-made intervals. -ENOENT: the kernel lacks those of one. */
int intervals_open(struct activity *activity, const char *const *names, size_t n);
void intervals_clear(struct activity *activity);
int intervals_add(struct activity *activity, const struct dkt_record *record);
int intervals_take(struct activity *activity, struct activity_frame *frame);

/* ---- threads.c ---- */

/* Returns the entry of the thread, created if necessary; DKT__KEYMAP_NONE: idle, or not followed. */
uint32_t thread_get(struct activity *activity, int32_t pid);

/* The thread that the record is from, which runs on the record's CPU; NULL: not followed. */
struct thread *thread_of(struct activity *activity, const struct dkt_record *record);

/* The thread has ended, or its number has a new thread: its counts stay until the interval ends. */
int thread_end(struct activity *activity, uint32_t entry);

/* Removes threads that have ended without a record of it. */
int threads_sweep(struct activity *activity, uint64_t now);

/* Copies the counts of all threads, and sums them by process. Sets the counts to 0. */
int threads_take(struct activity *activity, struct activity_frame *frame);

/* Adds the threads that exist. */
int proc_scan(struct activity *activity);

/* Finds the process and the name of a thread if no record has told them. */
void proc_complete(const struct activity *activity, struct activity_task *task);

static inline struct thread *thread_at(struct activity *activity, uint32_t entry)
{
	return entry == DKT__KEYMAP_NONE ? NULL : &activity->threads[entry];
}

/* ---- sched.c ---- */

counted_fn sched_switch, sched_wakeup, sched_newtask, sched_rename;

/* If it is unknown which thread runs on the record's CPU, it is the record's. */
void sched_identify(struct activity *activity, const struct dkt_record *record);

/* It is unknown from now on which thread runs on the CPU. */
void sched_forget(struct activity *activity, struct cpu *cpu);

/* Counts the time until now of threads that run or wait for a CPU. */
void sched_charge(struct activity *activity, uint64_t now);

/* ---- calls.c ---- */

counted_fn call_enter, call_exit;

void calls_init(struct activity *activity);
void call_begin(struct activity *activity, struct thread *thread, int64_t number, uint64_t since);
int calls_take(struct activity *activity, struct activity_frame *frame);

/* ---- disks.c ---- */

counted_fn request_issue, request_complete;

/* Reads the statistics that the first interval begins with. */
int disks_start(struct activity *activity);
int disks_take(struct activity *activity, struct activity_frame *frame);
