/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starts a command that is then recorded. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct spawn {
	pid_t pid; /* 0: none */
	int gate; /* it waits for this to be closed; -1: it was let go */
	bool ended;
	int status; /* what a shell would call its exit status */
};

#define SPAWN_INIT                                                                                 \
	{                                                                                          \
		.gate = -1                                                                         \
	}

/* Starts argv, which waits before it is executed. Returns 0 or a negative errno value. */
/*
 * Says why it if the command cannot be run, before anything is done for it; returns 0, or the exit
 * status of a shell then: 127, there is none, 126, it cannot be executed.
 */
int spawn_check(char **argv);

int spawn_start(struct spawn *spawn, char **argv);

/* Lets it go. */
void spawn_go(struct spawn *spawn);

/* Whether it has ended; does not wait. True also if there is none. */
bool spawn_ended(struct spawn *spawn);

/* Waits for it to end, and ends it if it has not been let go. */
void spawn_finish(struct spawn *spawn);
