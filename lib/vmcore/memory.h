/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the memory of a kernel, by the kernel's own addresses. */
#pragma once

#include "lib/ctx.h"

/* The first member of what provides it: a dump, or the synthetic memory of a test. */
struct vm_memory {
	/*
	 * Reads all n bytes. -ENODATA: the dump leaves them out; -EIO: the file is truncated or
	 * damaged there; -EFAULT: the kernel has no memory at that address.
	 */
	int (*read)(struct vm_memory *memory, uint64_t address, void *bytes, size_t n);
};

static inline int dkt__vm_read(struct vm_memory *memory, uint64_t address, void *bytes, size_t n)
{
	return address + n < address ? -EFAULT : memory->read(memory, address, bytes, n);
}

/* Reads a number of 1, 2, 4 or 8 bytes. */
int dkt__vm_number(struct vm_memory *memory, uint64_t address, uint64_t size, uint64_t *value);

/* Returns the string, which the caller frees; -E2BIG: it has no NUL within most bytes. */
int dkt__vm_string(struct vm_memory *memory, uint64_t address, size_t most, char **text);

/* Returns the bytes, which the caller frees. What cannot be read is an error. */
int dkt__vm_bytes(struct vm_memory *memory, uint64_t address, size_t n, uint8_t **bytes);

/* Says why memory cannot be read, for messages. */
const char *dkt__vm_why(int err);

/* Reads consecutive bytes one by one, as a table of unknown length needs it. */
struct vm_tape {
	struct vm_memory *memory;
	uint64_t at; /* of the bytes after those in room */
	size_t n, next; /* bytes in room, and the next one */
	int err;
	uint8_t room[4096];
};

int dkt__vm_tape_fill(struct vm_tape *tape);

/* Returns the next byte, or 0 with tape->err set. */
static inline uint8_t dkt__vm_tape_byte(struct vm_tape *tape)
{
	if (dkt__unlikely(tape->next >= tape->n) && dkt__vm_tape_fill(tape))
		return 0;
	return tape->room[tape->next++];
}

/* A walk along a list of the kernel (struct list_head). */
struct vm_list {
	struct vm_memory *memory;
	uint64_t head; /* address of the list_head that is not in an entry */
	uint64_t offset; /* of the list_head in an entry */
	bool back; /* from the last entry to the first */
	int err; /* that ended the walk; -ELOOP: the list never returns to its head */

	uint64_t at, mark;
	uint64_t steps, power;
};

struct vm_list dkt__vm_list(struct vm_memory *memory, uint64_t head, uint64_t offset);

/* Gets the address of the next entry. False: there is none, or list->err is set. */
bool dkt__vm_list_next(struct vm_list *list, uint64_t *entry);
