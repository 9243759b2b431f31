/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Call frame information: how the registers of a function's caller are found again. */
#pragma once

#include "lib/debuginfo/binary.h"

/* DWARF numbers of registers are below that. */
#define CFI_REGS 33

/* The registers of one frame, by DWARF's numbers. */
struct cfi_regs {
	uint64_t pc;
	uint64_t values[CFI_REGS];
	uint64_t known; /* a bit for each value that is valid */
};

/* The memory of the program. */
struct cfi_memory {
	bool (*read)(const void *data, uint64_t address, uint64_t *word);
	const void *data;
};

struct cfi_row; /* the rules at one instruction */

/* Returns DWARF's number of the stack pointer and the frame pointer. */
unsigned int dkt__cfi_sp(enum dkt__machine machine);
unsigned int dkt__cfi_fp(enum dkt__machine machine);

/*
 * Gets the rules at an address, as dwfl numbers it, valid as long as the binary; the caller frees them.
 * NULL: the file has none, or memory is out.
 */
struct cfi_row *dkt__cfi_row(struct dkt__binary *binary, uint64_t address);

/* True if the function is the return from a signal handler: its caller was interrupted, and called nothing. */
bool dkt__cfi_is_signal(const struct cfi_row *row);

/* Replaces the registers by those of the caller. False: it cannot be found, or there is none. */
bool dkt__cfi_step(const struct cfi_row *row, const struct cfi_memory *memory,
		   struct cfi_regs *regs);
