/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The size of the machine's memory, and the part of it that a buffer may take. */
#pragma once

#include <stdint.h>

#define MEMORY_INFO "/proc/meminfo"

/* In bytes. */
struct memory {
	uint64_t total;
	uint64_t available; /* what programs can still get without swapping */
};

/* Reads a file such as MEMORY_INFO. -EINVAL: it lacks one of the two; -errno: it cannot be read. */
int dkl_memory_read(const char *path, struct memory *memory);

/* Returns that part of the available memory, at most so many bytes; 0: the memory is unknown. */
uint64_t dkl_memory_share(uint64_t most, uint64_t part);

/*
 * Returns how many bytes buffers may have that have `own` bytes now. 20 % of memory, and at least
 * 2 GiB or half of a small machine, stay available to others. Buffers need not shrink for that.
 */
uint64_t dkl_memory_most(const struct memory *memory, uint64_t own);
