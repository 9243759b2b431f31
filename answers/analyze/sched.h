/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The records of the scheduler, as several analyses read them. */
#pragma once

#include "answers/analyze/running.h"

/* The fields of sched:sched_switch, in this order. */
#define SWITCH_FIELDS                                                                              \
	{                                                                                          \
		"prev_comm", "prev_pid", "prev_state", "next_comm", "next_pid", "next_prio"        \
	}

/* A record of sched:sched_switch. */
struct sched_switch {
	uint64_t ts;
	uint32_t cpu;
	int32_t prev_pid, next_pid;
	uint32_t prev, next; /* processes; the idle task of each CPU is one */
	int64_t next_prio;
	uint64_t state; /* why the process before stopped */
	bool ended; /* it has exited: its PID may be used again */
};

/* Reads a record. -ENOMEM. */
int sched_read_switch(struct analyze *a, const struct analysis_record *r, struct sched_switch *s);

/* Call after the record was used: a process that has exited gives back its PID. */
void sched_switch_done(struct analyze *a, const struct sched_switch *s);

/* Returns "sleeping", "disk or other uninterruptible wait", "preempted" ... */
const char *sched_reason(uint64_t state);
