/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of names, sorted by address. */
#pragma once

#include "lib/ctx.h"

struct symbol_entry {
	uint64_t address;
	const char *name; /* in a module, the module's name follows 2 bytes after its end */
	uint32_t order : 30; /* line in the file */
	uint32_t in_module : 1;
	uint32_t is_code : 1;
};

struct symbol_list {
	struct symbol_entry *entries;
	size_t n;
	char *text; /* holds the names */
};

/* Parses a line; the name stays in it. False: the line has no name to list. */
typedef bool (*symbol_cut_fn)(char *line, struct symbol_entry *entry);

/* Fills the list with the lines of the text, which it takes over. */
int dkt__symbol_list_fill(struct symbol_list *list, char *text, symbol_cut_fn cut);

/* Sorts the entries after their addresses have changed. */
void dkt__symbol_list_sort(struct symbol_list *list);
void dkt__symbol_list_clear(struct symbol_list *list);

/*
 * Finds the last entry whose address is not above the given one. If several have the same address,
 * the first in the file wins.
 */
const struct symbol_entry *dkt__symbol_list_find(const struct symbol_list *list, uint64_t address);
