/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The names of the numbers that system calls take and return, as the headers of the C library have them. */
#pragma once

#include <dktrace/dktrace.h>

#include "answers/strace/signature.h"

/* Which numbers the machine that recorded uses where machines differ. */
enum call_machine {
	MACHINE_GENERIC, /* x86, RISC-V, s390 ... */
	MACHINE_ARM, /* its own open flags; also those of POWER */
	MACHINE_OTHER, /* MIPS, SPARC, Alpha, PA-RISC: no names for errors, signals and flags */
};

/* kernel: release and architecture, as in struct dkt_source_info; NULL: this machine. */
enum call_machine call_machine(const char *kernel);

/* Appends the words for an argument of that kind. Returns false if there are none: nothing is appended. */
bool call_words(enum call_arg kind, uint64_t value, enum call_machine machine, struct dkt_buf *buf);

/* Appends the name of an ioctl, or its parts. */
void call_ioctl(uint32_t number, struct dkt_buf *buf);

/*
 * Returns the name of an error and sets *words to its description; NULL: unknown. restarts: the kernel
 * restarts the call, and no program sees the error.
 */
const char *call_error(int error, enum call_machine machine, const char **words, bool *restarts);
