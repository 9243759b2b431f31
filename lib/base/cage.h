/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Confines this process for good before it parses bytes of others: Landlock leaves it the files that
 * are named, and a filter of seccomp(2) refuses the calls that start programs, reach other processes
 * or open sockets. So a fault of a parser is not a fault of the machine. A kernel that has only one of
 * them, or none, confines less.
 */
#pragma once

#include "lib/base/util.h"

struct dkt__cage {
	int ruleset; /* -1: the kernel has no Landlock */
	uint64_t handled; /* the rights that Landlock of this kernel knows */
	unsigned int needs; /* enum dkt__cage_need */
};

#define DKT__CAGE_INIT                                                                             \
	{                                                                                          \
		.ruleset = -1                                                                      \
	}

/* Rights to a file, or to all files below a directory. */
enum dkt__cage_right {
	DKT__CAGE_READ = 1,
	DKT__CAGE_WRITE = 2, /* in a directory: also create, rename and remove */
	DKT__CAGE_REMOVE_DIRS = 4, /* in a directory: remove empty directories */
};

/* Calls that the process needs beside those on its files. */
enum dkt__cage_need {
	DKT__CAGE_NETWORK = 1, /* connect to other machines, and what DKT__CAGE_DATAGRAMS allows */
	DKT__CAGE_DATAGRAMS = 2, /* send datagrams to sockets of this machine, as the journal's */
	DKT__CAGE_PROCESSES = 4, /* open files by /proc/PID, which Landlock forbids: without it */
	DKT__CAGE_ACCEPT = 8, /* take connections from a socket that listens already */
	DKT__CAGE_NAMES = 16, /* create, rename and remove names, and set modes of files */
	DKT__CAGE_REMOVE = 32, /* remove names, as of temporary files */
};

/* Begins without a right to any file. Returns 0, also without Landlock, or -errno. */
int dkt__cage_begin(struct dkt__cage *cage, unsigned int needs);

/* Gives rights to path; a link stands for its target. A path that does not exist is not an error. */
int dkt__cage_allow(struct dkt__cage *cage, const char *path, unsigned int rights);

/* Gives the rights that all processes need, to read the system's libraries. Also reads the time zone. */
int dkt__cage_allow_system(struct dkt__cage *cage);

/* Confines this thread, and the threads and processes that it starts later. */
int dkt__cage_enter(const struct dkt__cage *cage);

void dkt__cage_endp(struct dkt__cage *cage);

/* The version of the kernel's Landlock; 0: it has none. */
int dkt__cage_landlock(void);

/* True if the kernel has filters of seccomp(2). */
bool dkt__cage_has_filters(void);
