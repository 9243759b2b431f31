/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What DWARF says of a place in code: variables, source lines, what was inlined. */
#ifndef DKT_DWARF_PLACE_H
#define DKT_DWARF_PLACE_H

#include "debuginfo/binary.h"
#include "probe/arg.h"

struct dwarf_place {
	struct dkt__binary *binary;
	uint64_t address; /* in dwfl's counting */
	uint64_t bias; /* what dwfl adds to DWARF's addresses */
	Dwarf_Die *scopes; /* the innermost first; of libdw, freed with free() */
	int n_scopes;
	Dwarf_Die function;
	bool entry; /* the function's first instruction */
};

/* -ENODATA: nothing is known of it, with words. */
int dkt__dwarf_place(struct dkt__binary *binary, uint64_t address, struct dwarf_place *place);
void dkt__dwarf_place_clear(struct dwarf_place *place);

/* Callbacks' bodies of struct probe_scope. numbered: arguments are $arg1, ... */
int dkt__dwarf_variable(struct dwarf_place *place, bool numbered, const char *name,
			struct probe_value *value, struct dkt__guess *guess);
int dkt__dwarf_argument(struct dwarf_place *place, bool numbered, unsigned int n,
			struct probe_value *value);
int dkt__dwarf_result(struct dwarf_place *place, uint32_t *type);

/* A place for a probe. */
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

#endif
