/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The names of the files and sockets behind the descriptors of processes, learned from their system calls. */
#pragma once

#include "answers/strace/calls.h"

struct descriptors;

int descriptors_new(struct descriptors **descriptors);
void descriptors_free(struct descriptors *descriptors);

/* Learns what the processes of this machine have open now. Returns 0 or -ENOMEM. */
int descriptors_read_proc(struct descriptors *descriptors);

/* Gives a process the open descriptors of this one that a program inherits. */
int descriptors_inherit(struct descriptors *descriptors, int32_t tid);

/* Learns from a call; before that, descriptors_name() has the names that the call itself used. */
int descriptors_learn(struct descriptors *descriptors, const struct call *call);

/*
 * Shows sockets with the addresses that they had at an earlier time, if no call before this time, in ns of
 * the monotonic clock, has changed the descriptor. Call it before each call of a live trace.
 */
void descriptors_until(struct descriptors *descriptors, uint64_t ts);

/* Learns from a thread that began or ended. */
int descriptors_task(struct descriptors *descriptors, const struct call_task *task);

/* After lost records, in which any descriptor may have changed, no name is known. */
void descriptors_forget(struct descriptors *descriptors);

/* Returns NULL if the name is unknown. */
const char *descriptors_name(const struct descriptors *descriptors, int32_t tid, int fd);

/* True if a call of that name can change descriptors. */
bool descriptors_needs(const char *call);
