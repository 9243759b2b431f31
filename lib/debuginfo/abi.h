/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The registers that hold a function's arguments at its entry, and the names of registers. */
#pragma once

#include "debuginfo/c_type.h"

enum dkt__machine {
	DKT__X86_64,
	DKT__ARM64,
	DKT__OTHER, /* none of those that are known */
};

/* That of this program. */
enum dkt__machine dkt__machine(void);

/* Something a probe can fetch, in the words of kprobetrace.rst. */
struct abi_place {
	char fetch[24]; /* "%di", "$arg1", "%sp" */
	bool memory; /* it is in memory, at fetch + offset */
	int64_t offset;
	const char *trouble; /* why it cannot be fetched, NULL: it can */
};

/* Arguments in registers; the others are on the stack. */
unsigned int dkt__abi_registers(enum dkt__machine machine);

/* Argument i, counted from 0, of integers and pointers alone. numbered: as $arg1, ... */
void dkt__abi_word(enum dkt__machine machine, bool numbered, unsigned int i,
		   struct abi_place *place);

/* Where each of the arguments of these types is. */
void dkt__abi_arguments(enum dkt__machine machine, bool numbered, struct ctype_source *source,
			const uint32_t *types, size_t n, struct abi_place *places);

/* The kernel's name of a register by its number in DWARF, NULL: not one that it fetches. */
const char *dkt__abi_dwarf_register(enum dkt__machine machine, unsigned int number);

/* True if the kernel knows a register of that name, without its %. */
bool dkt__abi_is_register(enum dkt__machine machine, const char *name);
