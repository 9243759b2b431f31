/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starts a command that is then recorded. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct dkt_ctx;

struct spawn {
	pid_t pid; /* 0: none */
	int gate; /* the child waits for a byte from this pipe; -1: sent */
	bool ended;
	int status; /* as a shell's $? */
};

#define SPAWN_INIT                                                                                 \
	{                                                                                          \
		.gate = -1                                                                         \
	}

/*
 * Checks that the command can be run, before anything is prepared for it. Returns 0, or after an error
 * message a shell's exit status: 127 if it does not exist, 126 if it cannot be executed.
 */
int spawn_check(char **argv);

/* True if there is a file that the command's name stands for, which can be run or not. */
bool spawn_finds(const char *name);

/* Forks a child that waits for spawn_go() before it executes argv; argv NULL: no command. */
int spawn_start(struct dkt_ctx *ctx, struct spawn *spawn, char **argv);

void spawn_go(struct spawn *spawn);

/* True if the command has ended, or none was started. Does not wait. */
bool spawn_ended(struct spawn *spawn);

/* Waits for the command's end. Without spawn_go() before, the child exits without executing it. */
void spawn_finish(struct spawn *spawn);
