/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The threads that make system calls: the last call of each. */
#pragma once

#include "answers/strace/calls.h"
#include "answers/strace/events.h"
#include "answers/strace/stack.h"
#include "lib/base/keymap.h"

struct call_thread {
	struct call call; /* the open one, otherwise the one before */
	uint64_t sources; /* families and streams that had its begin */
	uint64_t ended; /* the same of its end */
	uint64_t gaps; /* met when it began, or ended */
	bool is_open;
	bool is_reported;
	bool is_known; /* had a record before */
	bool has_texts;
	int64_t before; /* the call that next is for, plus 1; 0: none, or before_name */
	const char *before_name; /* the same by its name; NULL: none, or before */
	char *texts[CALL_ARGS]; /* memory of the call's texts */
	char *next[CALL_ARGS]; /* texts of a call that has not begun yet */
	struct call_stacks stacks;
};

/* The most recent threads, for one look without a search. */
#define CALL_THREADS_NEAR 1024

struct call_threads {
	struct dkt__keymap map; /* by thread ID */
	struct call_thread **list; /* by entry of the map */
	size_t n;
	struct call_thread *near[CALL_THREADS_NEAR];
};

/* Returns NULL if there is none. */
struct call_thread *call_threads_find(const struct call_threads *threads, int32_t tid);

/* Returns thread i in no order; NULL after the last. */
struct call_thread *call_threads_at(const struct call_threads *threads, size_t i);

/* Returns NULL if memory is out. */
struct call_thread *call_threads_create(struct call_threads *threads, int32_t tid);

static inline struct call_thread *call_threads_add(struct call_threads *threads, int32_t tid)
{
	struct call_thread *near = threads->near[(uint32_t)tid % CALL_THREADS_NEAR];

	return dkt__likely(near && near->call.tid == tid) ? near :
							    call_threads_create(threads, tid);
}

void call_threads_remove(struct call_threads *threads, int32_t tid);

/* Gives a thread another ID, which no thread has. Returns 0, or -ENOMEM. */
int call_threads_rename(struct call_threads *threads, int32_t tid, int32_t to);
void call_threads_clear(struct call_threads *threads);

/* Begins a call with the arguments of the record; event NULL: they are unknown. */
void call_thread_begin(struct call_thread *thread, const struct call_event *event,
		       const struct dkt_record *record);

/* After a begin: takes the strings that came before it. */
void call_thread_take_texts(struct call_thread *thread);

/* Keeps the paths of a probe's record, for the open call or the next one. Returns 0 or -ENOMEM. */
int call_thread_paths(struct call_thread *thread, const struct call_event *event,
		      const struct dkt_record *record);

/* Keeps the strings of the record for the open call. Returns 0 or -ENOMEM. */
int call_thread_texts(struct call_thread *thread, const struct call_event *event,
		      const struct dkt_record *record);

/* Keeps them for the next call, if it has that number. */
int call_thread_next_texts(struct call_thread *thread, const struct call_event *event,
			   const struct dkt_record *record, int number);
