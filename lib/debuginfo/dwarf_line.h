/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the code of source lines, and the places where functions were inlined, in DWARF. */
#pragma once

#include "debuginfo/binary.h"

/* Where the code of a line begins. */
struct dwarf_line {
	uint64_t address; /* in dwfl's counting */
	uint64_t function; /* that of the function it is in, 0: unknown */
};

/*
 * Where the code of FILE:LINE begins, in each function that has it, sorted; the caller frees it.
 * file may be the end of a path. With function not NULL the line is counted from its name's, and
 * file is NULL. -ENOENT, with words.
 */
int dkt__dwarf_lines(struct dkt__binary *binary, const char *file, const char *function, int line,
		     struct dwarf_line **lines, size_t *n);

/*
 * Into which functions one of that name was inlined: "a, b, ..." in *where, NULL if it was not.
 * The caller frees it.
 */
int dkt__dwarf_inlined(struct dkt__binary *binary, const char *name, char **where);
