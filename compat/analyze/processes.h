/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The processes of a trace. A PID that is used again is another process. */
#pragma once

#include "analyze/texts.h"
#include "base/keymap.h"

#define COMM_SIZE 16

struct process {
	int32_t pid;
	char comm[COMM_SIZE]; /* the name, not terminated if it is full */
	const char *name; /* the same as a text; NULL: unknown */
};

/* All zero: none. */
struct processes {
	struct process *list;
	uint32_t n;
	struct dkt__keymap pids; /* from a PID to an entry of now */
	uint32_t *now; /* the index in the list of the process that has the PID now */
	uint32_t n_now;
};

#define PROCESS_NONE UINT32_MAX

/* Returns the index of the process that has the PID now; a new one if necessary. */
uint32_t process_of(struct processes *all, int32_t pid);

/* The process has ended: the PID is free. */
void process_ended(struct processes *all, int32_t pid);

/* Sets the name of a process from the field of a record. */
int process_name(struct processes *all, struct texts *texts, uint32_t nr, const char *comm,
		 size_t len);
void processes_clear(struct processes *all);
