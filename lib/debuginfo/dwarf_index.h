/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which DIE has the code at an address, from DWARF. libdw walks all of a unit for each address; here each unit and each
 * function is read once.
 */
#pragma once

#include "lib/debuginfo/binary.h"

struct dwarf_index;

/* A range of code, as DWARF numbers addresses, and the DIE that has it. */
struct dwarf_span {
	uint64_t from, to;
	Dwarf_Off die;
};

/* Spans that are valid until the next call. */
struct dwarf_spans {
	const struct dwarf_span *list;
	size_t n;
};

/* Returns the unit that the code at an address was compiled in; NULL: unknown. bias: dwfl's addresses minus DWARF's. */
Dwarf_Die *dkt__dwarf_unit(struct dkt__binary *binary, uint64_t address, uint64_t *bias);

/* Gets the function of a unit that has the code at an address, as DWARF numbers it. -ENOENT: none. */
int dkt__dwarf_function_at(struct dkt__binary *binary, Dwarf_Die *unit, uint64_t address,
			   Dwarf_Die *function);

/* Returns the code of the functions that the compiler has put into a function, the outer before the inner ones. */
struct dwarf_spans dkt__dwarf_inlined_in(struct dkt__binary *binary, Dwarf_Die *function);

void dkt__dwarf_index_free(struct dwarf_index *index);
