/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Joins the records at the begin and the end of system calls, thread by thread: those of
 * raw_syscalls:sys_enter and sys_exit, and of syscalls:sys_enter_NAME and sys_exit_NAME. A call whose
 * records come from both counts once.
 */
#pragma once

#include <dktrace/dktrace.h>

#include "answers/strace/signature.h"

struct call_stacks; /* stack.h */

enum call_state {
	CALL_ENDED, /* both records are there, and none can be missing between them */
	CALL_LOST, /* both are there, but they may be of two calls: records between them are lost */
	CALL_UNFINISHED, /* it had not ended at the end of the trace */
	CALL_NO_BEGIN, /* it began before the trace, or its begin is lost */
	CALL_NO_END, /* it does not return, as exit, or the record is missing */
};

/* A system call of the machine. */
struct call_kind {
	int number;
	unsigned int index; /* kinds are numbered from 0 as they are met */
	const char *name; /* NULL: unknown */
	const struct call_signature *signature; /* NULL: unknown */
};

/* Valid until the function that gets it returns. */
struct call {
	enum call_state state;
	bool lost; /* records were lost where a missing one should be, or between both */
	bool selected, refused; /* by calls_opts.selects(), for one of its records */
	int32_t tid;
	uint32_t cpu; /* of the last record */
	uint32_t stream; /* of the first record */
	int number; /* of a hostile record it may be unlike that of kind */
	const struct call_kind *kind;
	uint64_t begin; /* ns on the clock of the source; 0: unknown */
	uint64_t end; /* the same */
	unsigned int n_args; /* known ones; 0 without the begin */
	uint64_t args[CALL_ARGS]; /* as in the record, not sign-extended */
	const char *texts[CALL_ARGS]; /* strings that arguments point to; NULL: not recorded */
	int64_t ret; /* valid if end is known */
	const struct call_stacks *stacks; /* NULL: calls_opts.stacks is false */
};

/* True if the call failed, with the negative error number in ret. */
static inline bool call_failed(const struct call *call)
{
	return call->end && call->ret < 0 && call->ret >= -4095;
}

/* How a thread ended. */
enum call_exit {
	CALL_EXIT_UNKNOWN, /* no record tells */
	CALL_EXIT_STATUS, /* by exit or exit_group of its process, with this status */
	CALL_EXIT_SIGNAL, /* by this signal to its process */
	CALL_EXIT_KILLED, /* by a signal, of which no record tells the number */
};

/* A process that began, or a thread if it shares the descriptors of its parent. */
struct call_task {
	int32_t tid, parent;
	uint64_t flags; /* of clone(2) */
	bool began; /* false: the thread tid ended */
	enum call_exit exit; /* of a thread that ended */
	int code; /* the status, or the number of the signal */
	uint64_t ts; /* of the record */
	uint32_t cpu, stream;
};

enum call_verdict { CALL_UNTOLD, CALL_SELECTED, CALL_REFUSED };

struct calls_opts {
	/* Called for each call, in the order of their ends. An error ends calls_add(). */
	int (*call)(void *data, const struct call *call);
	/* Called for threads that begin and end, if the trace has such records; may be NULL. */
	int (*task)(void *data, const struct call_task *task);
	/* Called for each begin and end, and marks the call; may be NULL. */
	enum call_verdict (*selects)(void *data, const struct dkt_record *record);
	/* Called for each stack of a program, with its innermost address; may be NULL. */
	int (*user_stack)(void *data, int32_t tid, uint64_t address);
	void *data;
	bool texts; /* keep strings */
	bool stacks; /* keep stacks, and find out where calls waited */
};

/* Counts so far. */
struct calls_info {
	uint64_t begins, ends; /* records; those of a call that was recorded twice count once */
	uint64_t ended, lost, unfinished, no_begin, no_end; /* calls by state */
	uint64_t stacks; /* records of stacks */
};

struct calls;

/* ctx: of the kernel that recorded. */
int calls_new(struct dkt_ctx *ctx, const struct calls_opts *opts, struct calls **calls);
void calls_free(struct calls *calls);

/* Adds a record or gap; records of other events are ignored. */
int calls_add(struct calls *calls, const struct dkt_record *record);

/* After the last record: reports the calls that have not ended, in the order of their begins. */
int calls_finish(struct calls *calls);

void calls_info(const struct calls *calls, struct calls_info *info);
