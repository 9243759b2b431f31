/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The processes of a trace. A PID that is used again is another process. */
#pragma once

#include "answers/analyze/texts.h"
#include "lib/base/keymap.h"

#define COMM_SIZE 16

struct process {
	int32_t pid;
	char comm[COMM_SIZE]; /* the name, with zeroes at its end, none if it is full */
	const char *name; /* the same as a text; NULL: unknown */
};

/* Processes found last, for one look without a search. */
#define PROCESSES_NEAR 64

/* All zero: none. */
struct processes {
	struct process *list;
	uint32_t n;
	struct dkt__keymap pids; /* from a PID to an entry of now */
	uint32_t *now; /* the index in the list of the process that has the PID now */
	uint32_t n_now;
	struct {
		int32_t pid;
		uint32_t next; /* the index in the list plus 1; 0: none */
	} near[PROCESSES_NEAR]; /* by PID */
};

#define PROCESS_NONE UINT32_MAX

/* The same without a look at those found last. */
uint32_t process_search(struct processes *all, int32_t pid);

/* Returns the index of the process that has the PID now; a new one if necessary. */
static inline uint32_t process_of(struct processes *all, int32_t pid)
{
	size_t slot = (uint32_t)pid % PROCESSES_NEAR;

	if (dkt__likely(all->near[slot].next && all->near[slot].pid == pid))
		return all->near[slot].next - 1;
	return process_search(all, pid);
}

/* The process has ended: the PID is free. */
void process_ended(struct processes *all, int32_t pid);

/* All processes have ended. */
void processes_end(struct processes *all);

/* Sets the name of a process from the field of a record. */
int process_name(struct processes *all, struct texts *texts, uint32_t nr, const char *comm,
		 size_t len);
void processes_clear(struct processes *all);
