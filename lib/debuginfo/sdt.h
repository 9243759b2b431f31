/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The static markers of a program (sys/sdt.h): their addresses and arguments. */
#pragma once

#include "debuginfo/binary.h"

/* One note of .note.stapsdt. The strings are valid as long as the binary. */
struct sdt_note {
	const char *provider;
	const char *name;
	const char *args; /* "-4@%edi 8@$5", "" if there are none */
	uint64_t address; /* in dwfl's counting */
	uint64_t semaphore; /* an address of data, which tells the program that somebody looks; 0: none */
};

/* All markers, in the file's order. Anything but 0 ends the walk and is what it returns. */
int dkt__sdt_each(struct dkt__binary *binary, int (*fn)(void *data, const struct sdt_note *note),
		  void *data);

/* Where an argument is. */
struct sdt_arg {
	char fetch[48]; /* "%di", "-20(%bp)", "\\5", as the kernel has it */
	char type[4]; /* "s32", "" if the note does not say */
};

/* How many arguments there are. */
unsigned int dkt__sdt_args(const char *args);

/* Argument n, counted from 1. NULL, or why it cannot be fetched; of one that is not there, too. */
const char *dkt__sdt_arg(enum dkt__machine machine, const char *args, unsigned int n,
			 struct sdt_arg *arg);
