/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How threads end: from their calls of exit and exit_group, and from the signals that the kernel sends and
 * delivers. A record says of a thread only that it has ended.
 */
#pragma once

#include "answers/strace/calls.h"
#include "answers/strace/events.h"
#include "lib/base/keyed.h"

struct call_exits {
	struct dkt__keyed map; /* from the ID of a thread to a struct exit_thread */
};

/* A thread has begun, in the process of its parent if the flags of clone(2) say so. -ENOMEM. */
int call_exits_began(struct call_exits *exits, const struct call_task *task);

/* A thread executes a program, which makes it the only one of its process, with the ID of that. */
void call_exits_exec(struct call_exits *exits, int32_t tid, int32_t old);

/* A call of exit or exit_group. -ENOMEM. */
int call_exits_call(struct call_exits *exits, const struct call *call);

/* A signal is sent to a process or thread, or delivered to the thread of the record. -ENOMEM. */
int call_exits_signal(struct call_exits *exits, const struct call_event *event,
		      const struct dkt_record *record);

/* The thread has ended: sets how, and forgets it. */
void call_exits_ended(struct call_exits *exits, struct call_task *task);

/* After lost records. */
void call_exits_forget(struct call_exits *exits);
void call_exits_clear(struct call_exits *exits);
