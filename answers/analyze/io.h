/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The system calls of a trace, as several analyses read them: joined, and sorted by what they do. */
#pragma once

#include "answers/analyze/running.h"
#include "answers/strace/calls.h"

/* The events that system calls are joined from. They all go to a function of this name in the file. */
#define IO_EVENTS(fn)                                                                              \
	{ "raw_syscalls:sys_enter", NEED_ONE, fn, { 0 } },                                         \
		{ "raw_syscalls:sys_exit", NEED_NONE, fn, { 0 } },                                 \
		{ "syscalls:sys_enter_*", NEED_ONE, fn, { 0 } },                                   \
		{ "syscalls:sys_exit_*", NEED_NONE, fn, { 0 } },                                   \
		{ "task:task_newtask", NEED_NONE, fn, { 0 } },                                     \
	{                                                                                          \
		"sched:sched_process_exit", NEED_NONE, fn,                                         \
		{                                                                                  \
			0                                                                          \
		}                                                                                  \
	}

enum io_op {
	IO_NONE, /* another system call */
	IO_OPEN,
	IO_CLOSE,
	IO_DUP,
	IO_READ,
	IO_WRITE,
	IO_SYNC,
	IO_COPY, /* reads from its second descriptor and writes to its first one */
};

/* Where the data of a descriptor are. */
enum io_place { IO_UNKNOWN, IO_DISK, IO_NET };

/* A system call that does I/O. */
struct io_call {
	const char *name;
	enum io_op op;
	enum io_place place; /* of the descriptor that it opens or uses, if nothing else tells */
};

extern const char *const io_op_names[];

/* Returns the row of a system call; NULL: it does no I/O. */
const struct io_call *io_call_find(const char *name);

/* Joins the calls of an analysis. The kinds' states begin with it. */
struct io {
	struct calls *calls;
	const struct io_call **rows; /* by index of the call's kind; NULL: not looked up yet */
	unsigned int n_rows;
	const char **names; /* the same; NULL: not kept yet */
	unsigned int n_names;
	struct analyze *a;
	const struct analysis_record *now; /* that is being added */
	/* Takes a call that has ended; row is NULL if it does no I/O. */
	int (*call)(struct analyze *a, void *state, const struct call *call,
		    const struct io_call *row);
	/* Takes a thread that began or ended; may be NULL. */
	int (*task)(struct analyze *a, void *state, const struct call_task *task);
};

int io_begin(struct analyze *a, struct io *io);

/* An analysis_record_fn. */
int io_record(struct analyze *a, void *state, const struct analysis_record *r);

/* Adds a gap: an analysis' gap(). */
int io_gap(struct analyze *a, void *state, uint32_t cpu, uint64_t last, uint64_t ts);

/* After the last record. */
int io_end(struct io *io);
void io_clear(struct io *io);

/* The name of a call, kept as a text; NULL: memory is out. */
const char *io_name(struct io *io, const struct call *call);

/* The process of a call, with its name. PROCESS_NONE: memory is out. */
uint32_t io_process(struct io *io, const struct call *call);
