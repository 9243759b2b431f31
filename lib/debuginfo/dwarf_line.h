/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the code of source lines, and the places where functions were inlined, in DWARF. */
#pragma once

#include "lib/debuginfo/binary.h"

/* The start of a line's code. */
struct dwarf_line {
	uint64_t address; /* as dwfl numbers addresses */
	uint64_t function; /* address of its function, 0: unknown */
};

/*
 * Finds the start of FILE:LINE's code in each function that has some, sorted; the caller frees it.
 * file may be the end of a path. If function is not NULL, the line is relative to the function's,
 * and file is NULL. -ENOENT with an error message.
 */
int dkt__dwarf_lines(struct dkt__binary *binary, const char *file, const char *function, int line,
		     struct dwarf_line **lines, size_t *n);

/*
 * Lists the functions into which function name was inlined: *where is "a, b, ..." or NULL. The
 * caller frees it.
 */
int dkt__dwarf_inlined(struct dkt__binary *binary, const char *name, char **where);
