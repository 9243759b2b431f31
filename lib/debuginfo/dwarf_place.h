/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A place in code and the scopes that enclose it, from DWARF. */
#pragma once

#include "lib/debuginfo/binary.h"

struct dwarf_place {
	struct dkt__binary *binary;
	uint64_t address; /* as dwfl numbers addresses */
	uint64_t bias; /* dwfl's addresses minus DWARF's */
	Dwarf_Die *scopes; /* the innermost first; of libdw, freed with free() */
	int n_scopes;
	Dwarf_Die function;
	bool entry; /* the function's first instruction */
};

/* -ENODATA with an error message: no debug information for the place. */
int dkt__dwarf_place(struct dkt__binary *binary, uint64_t address, struct dwarf_place *place);
void dkt__dwarf_place_clear(struct dwarf_place *place);
