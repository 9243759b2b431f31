/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The states in which a thread spends its time, and how a wait's stack tells which one. */
#pragma once

#include "answers/profile/profile.h"

enum wall_state {
	WALL_RUNNING,
	WALL_RUNNABLE, /* it waits for a CPU */
	WALL_DISK,
	WALL_LOCK,
	WALL_NETWORK,
	WALL_MEMORY,
	WALL_SLEEPING, /* for a time, or until there is work */
	WALL_OTHER, /* in the kernel, where no function tells for what */
	WALL_STATES,
};

/* The state in which a thread has left its CPU, by sched_switch; other bits are of newer kernels. */
enum wall_sched {
	WALL_SCHED_RUNS = 0x00, /* another thread took the CPU */
	WALL_SCHED_SLEEPS = 0x01,
	WALL_SCHED_BLOCKS = 0x02,
	WALL_SCHED_ENDED = 0x30,
	WALL_SCHED_IDLE = 0x80, /* a kernel thread without work */
	WALL_SCHED_MASK = 0xff,
};

/* The states of stacks that were asked for, by node, plus 1; 0: not yet. */
struct wall_states {
	uint8_t *list;
	uint32_t n;
};

const char *wall_state_name(enum wall_state state);

/* Returns the state with this name; WALL_STATES: no state has it. */
enum wall_state wall_state_named(const char *name);

/* Finds the state of a wait whose stack ends in that node of the profile's tree. -ENOMEM. */
int wall_state_find(struct wall_states *states, const struct profile *profile, uint32_t node,
		    uint64_t sched, enum wall_state *state);
void wall_states_clear(struct wall_states *states);
