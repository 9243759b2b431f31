/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The threads of chosen processes of this machine, also those that begin during the trace. */
#pragma once

#include "answers/strace/calls.h"

struct followed;

/* threads: those that the processes have now. Returns NULL if memory is out. */
struct followed *followed_new(const int *threads, size_t n);
void followed_free(struct followed *followed);

/* Learns from a thread that began or ended. Returns 0 or -ENOMEM. */
int followed_task(struct followed *followed, const struct call_task *task);

/* After lost records, in which any thread may have begun or ended, /proc is asked again. */
void followed_forget(struct followed *followed);

/* True for a thread of the processes, and for one of which nothing is known: no call is hidden. */
bool followed_has(struct followed *followed, int32_t tid);
