/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The call stacks that are recorded during a system call. */
#pragma once

#include "answers/strace/events.h"

/* Addresses, the innermost first. */
struct call_stack {
	uint64_t *frames;
	uint32_t n, room;
};

/* The stacks of one thread and of its call. */
struct call_stacks {
	struct call_stack kernel; /* of the longest wait; without a wait, of the last record */
	struct call_stack user;
	struct call_stack waiting; /* where the thread sleeps now */
	uint64_t since; /* when it fell asleep; 0: it runs */
	uint64_t waited; /* ns in kernel; 0: that is not where it waited */
};

/* Forgets the stacks of the call before. */
void call_stacks_reset(struct call_stacks *stacks);

/* The thread sleeps from that time on. */
void call_stacks_sleep(struct call_stacks *stacks, uint64_t ts);

/* The thread runs at that time. */
void call_stacks_run(struct call_stacks *stacks, uint64_t ts);

/*
 * Keeps the stack in the record of that event. late: the stack is that of the call's end, which tells
 * less than another. Returns 0 or -ENOMEM.
 */
int call_stacks_add(struct call_stacks *stacks, const struct call_event *event,
		    const struct dkt_record *record, bool late);
void call_stacks_clear(struct call_stacks *stacks);
