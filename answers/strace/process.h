/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The open descriptors of a process. */
#pragma once

#include "answers/strace/calls.h"
#include "answers/strace/sockets.h"

struct descriptor {
	char *name; /* NULL: unknown */
	uint64_t socket; /* the inode, until its address is known; 0: none */
	bool closes; /* on exec */
};

struct process {
	struct descriptor *list; /* by number */
	size_t n;
	size_t threads; /* that share it */
};

/* Returns one with a thread, NULL if memory is out. */
struct process *process_new(void);

/* One thread less; without threads it is freed. NULL is allowed. */
void process_put(struct process *process);

/* Takes over the name, also on failure; NULL: closed or unknown. */
int process_set(struct process *process, uint64_t fd, char *name, bool closes);
int process_set_copy(struct process *process, uint64_t fd, const char *name, bool closes);

/* Returns NULL if the name is unknown. */
const char *process_get(const struct process *process, uint64_t fd);

/* Keeps the inode of a socket until the descriptor gets another name. */
int process_set_socket(struct process *process, uint64_t fd, uint64_t inode);

/* Copies all descriptors, as fork does. */
int process_copy(struct process *to, const struct process *from);

/* Reads /proc/PID/fd, with the addresses of sockets. */
int process_read(const char *dir, const struct sockets *sockets, struct process *process);

/* A system call that changes descriptors. */
struct descriptor_change {
	const char *call;
	int (*learn)(struct process *process, const struct call *call); /* NULL: no name */
	enum { ADDRESS_SAME, ADDRESS_OF_ARGUMENT, ADDRESS_OF_RESULT } address;
};

/* Returns NULL if the call changes none, or nothing is known but its result. */
const struct descriptor_change *descriptor_change(const char *call);
