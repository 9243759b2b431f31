/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A hash table from a few 64-bit words to numbered entries. */
#pragma once

#include "lib/base/util.h"

#define DKT__KEYMAP_MAX 5

/* Entries are numbered from 0; the number of a removed entry is reused. */
struct dkt__keymap {
	uint32_t n_words; /* of a key, at most DKT__KEYMAP_MAX */
	uint32_t n; /* entries */
	uint32_t used; /* entry numbers used so far */
	uint32_t room; /* entries that keys has memory for */
	uint32_t mask; /* the number of slots minus one */
	uint32_t *slots; /* entry number + 1; 0: free */
	uint32_t *free; /* numbers to be reused */
	uint32_t n_free;
	uint64_t *keys; /* by entry number */
};

#define DKT__KEYMAP_NONE UINT32_MAX

static inline uint64_t dkt__mix(uint64_t h, uint64_t word)
{
	/* Multiplication moves differing bits up, the shift brings them back down. */
	h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 32;
}

/* Returns the entry of the key, or DKT__KEYMAP_NONE. */
uint32_t dkt__keymap_find(const struct dkt__keymap *map, const uint64_t *key);

/* Returns the entry of the key, created if necessary. DKT__KEYMAP_NONE: memory is out. */
uint32_t dkt__keymap_add(struct dkt__keymap *map, const uint64_t *key, bool *added);

/* Removes the key and returns its entry, whose number dkt__keymap_add() may reuse. */
uint32_t dkt__keymap_remove(struct dkt__keymap *map, const uint64_t *key);

/* Removes all entries, but keeps the memory. */
void dkt__keymap_empty(struct dkt__keymap *map);
void dkt__keymap_clear(struct dkt__keymap *map);

static inline const uint64_t *dkt__keymap_key(const struct dkt__keymap *map, uint32_t entry)
{
	return map->keys + (size_t)entry * map->n_words;
}
