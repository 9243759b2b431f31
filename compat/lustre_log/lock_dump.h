/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads dumps of namespaces, as ldlm.dump_namespaces=1 writes them: which lock blocks which others. */
#pragma once

#include "compat/lustre_log/line.h"
#include "compat/lustre_log/names.h"

/* Waiting locks whose clients are remembered by name. */
#define LOCK_BLOCK_FIRST 3

/* A lock for which others wait. */
struct lock_block {
	uint32_t entry; /* of the resource's last dump */
	uint32_t host, ns, res; /* numbers of names */
	uint64_t time; /* of the dump */
	bool known; /* false: the dump does not have the lock */
	bool granted; /* false: it waits itself, and is before the others in the queue */
	uint32_t nid, mode, pid;
	uint64_t handle;
	uint32_t n_waiters;
	uint32_t waiters[LOCK_BLOCK_FIRST]; /* NIDs */
};

struct lock_dump_lock;

/* A resource whose dump is being read. */
struct lock_dump_res {
	uint32_t host;
	uint64_t time; /* of its first line */
	uint32_t ns, res;
	bool waiting; /* the next locks are the waiting ones */
	struct lock_dump_lock *locks;
	size_t n;
};

struct lock_dump {
	struct name_table *names;
	struct dkt__keymap threads; /* host, PID: dumps of several threads can be mixed */
	struct lock_dump_res *reading; /* by entry of threads */
	size_t n_reading;
	struct dkt__keymap last; /* host, namespace, resource */
	uint64_t *times; /* of the last dump, by entry of last */
	size_t n_times;
	struct lock_block *list; /* of each dump; see dkl_lock_dump_is_last() */
	size_t n;
	uint64_t locks; /* in all dumps */
	uint64_t cut; /* resources of which Lustre did not print all granted locks */
};

/* The numbers of names are those of the table. */
void dkl_lock_dump_init(struct lock_dump *dump, struct name_table *names);
void dkl_lock_dump_clear(struct lock_dump *dump);

/* Takes the next line in order of time. *part: it is part of a dump. -ENOMEM. */
int dkl_lock_dump_add(struct lock_dump *dump, const struct log_line *line, bool *part);

/* Ends the dumps after the last line. -ENOMEM. */
int dkl_lock_dump_end(struct lock_dump *dump);

/* False: the resource was dumped again later. */
bool dkl_lock_dump_is_last(const struct lock_dump *dump, const struct lock_block *block);

/* Returns false if dkl_lock_dump_add() does not need a text that begins so. */
bool dkl_lock_dump_wanted(const char *text);
