/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stores each distinct byte string once and gives it a number. */
#pragma once

#include "lib/base/util.h"

struct dkt__interned {
	uint64_t hash;
	size_t at; /* its offset in bytes */
	uint32_t len;
};

struct dkt__intern {
	char *bytes; /* all strings, each with a NUL after it */
	size_t len, room;
	struct dkt__interned *all; /* by number */
	uint32_t n, n_room;
	uint32_t *slots; /* number + 1; 0: free */
	uint32_t mask; /* the number of slots minus one */
};

/* Returns the number of these bytes; UINT32_MAX: memory is out. */
uint32_t dkt__intern(struct dkt__intern *in, const void *bytes, uint32_t len);

/* The same, but does not store the bytes. UINT32_MAX: they are not there. */
uint32_t dkt__intern_find(const struct dkt__intern *in, const void *bytes, uint32_t len);

/* Returns the bytes of that number, with a NUL after them; valid until the next dkt__intern(). */
const char *dkt__interned(const struct dkt__intern *in, uint64_t number, uint32_t *len);
void dkt__intern_clear(struct dkt__intern *in);

struct dkt__grouped {
	const char *text;
	uint32_t place; /* in the caller's list */
	uint32_t group; /* set by dkt__group(): equal texts have equal numbers, from 0 on */
};

/* Sorts by group, in order of the first of each, and by place. -ENOMEM. */
int dkt__group(struct dkt__grouped *list, size_t n);
