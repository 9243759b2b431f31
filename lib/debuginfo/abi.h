/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The registers that hold a function's arguments at its entry, and the names of registers. */
#pragma once

#include "lib/debuginfo/c_type.h"

enum dkt__machine {
	DKT__X86_64,
	DKT__ARM64,
	DKT__OTHER, /* unknown */
};

/* Returns the machine of this program. */
enum dkt__machine dkt__machine(void);

/* A place that a probe can fetch, in the syntax of kprobetrace.rst. */
struct abi_place {
	char fetch[24]; /* "%di", "$arg1", "%sp" */
	bool memory; /* it is in memory, at fetch + offset */
	int64_t offset;
	const char *trouble; /* why it cannot be fetched; NULL: it can */
};

/* Finds argument i, counted from 0, if all are integers and pointers. numbered: as $arg1, ... */
void dkt__abi_word(enum dkt__machine machine, bool numbered, unsigned int i,
		   struct abi_place *place);

/* Finds the places of arguments of these types. */
void dkt__abi_arguments(enum dkt__machine machine, bool numbered, struct ctype_source *source,
			const uint32_t *types, size_t n, struct abi_place *places);

/* Returns the kernel's name of DWARF's register number; NULL: the kernel cannot fetch it. */
const char *dkt__abi_dwarf_register(enum dkt__machine machine, unsigned int number);

/* True if the kernel knows a register of that name, without its %. */
bool dkt__abi_is_register(enum dkt__machine machine, const char *name);
