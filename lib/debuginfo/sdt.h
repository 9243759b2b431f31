/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The static markers of a program (sys/sdt.h): their addresses and arguments. */
#pragma once

#include "lib/debuginfo/binary.h"

/* One note of .note.stapsdt. The strings are valid as long as the binary. */
struct sdt_note {
	const char *provider;
	const char *name;
	const char *args; /* "-4@%edi 8@$5", "" without arguments */
	uint64_t address; /* as dwfl numbers addresses */
	uint64_t semaphore; /* data address of a counter that enables the marker; 0: none */
};

/*
 * Calls fn for all markers, in the file's order. A result of fn other than 0 ends the walk and is
 * returned.
 */
int dkt__sdt_each(struct dkt__binary *binary, int (*fn)(void *data, const struct sdt_note *note),
		  void *data);

/* The place of an argument. */
struct sdt_arg {
	char fetch[48]; /* "%di", "-20(%bp)", "\\5", as the kernel has it */
	char type[4]; /* "s32", "" if the note does not say */
};

/* Returns the number of arguments. */
unsigned int dkt__sdt_args(const char *args);

/*
 * Gets argument n, counted from 1. Returns NULL, or the reason why it cannot be fetched or does not
 * exist.
 */
const char *dkt__sdt_arg(enum dkt__machine machine, const char *args, unsigned int n,
			 struct sdt_arg *arg);
