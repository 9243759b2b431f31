/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A hash table from a few 64-bit words to values of one size. */
#pragma once

#include "lib/base/keymap.h"

/* All zero but the number of words and the size of a value: empty. */
struct dkt__keyed {
	struct dkt__keymap keys;
	size_t size; /* of a value, in bytes */
	uint32_t n_values; /* that there were at the same time */
	uint8_t *values; /* by entry number of keys */
};

/* The value of an entry. Valid until the next one is added. */
static inline void *dkt__keyed_at(const struct dkt__keyed *map, uint32_t entry)
{
	return map->values + (size_t)entry * map->size;
}

/* The entry of a value. */
static inline uint32_t dkt__keyed_nr(const struct dkt__keyed *map, const void *value)
{
	return (uint32_t)((size_t)((const uint8_t *)value - map->values) / map->size);
}

/* Returns the value of the key, or NULL. */
static inline void *dkt__keyed_find(const struct dkt__keyed *map, const uint64_t *key)
{
	const uint32_t entry = dkt__keymap_find(&map->keys, key);

	return entry == DKT__KEYMAP_NONE ? NULL : dkt__keyed_at(map, entry);
}

/*
 * Returns the value of the key, created if necessary; NULL: memory is out. A created one is zero, or as it was
 * when another key was removed that had it: it can keep its memory.
 */
static inline void *dkt__keyed_add(struct dkt__keyed *map, const uint64_t *key, bool *added)
{
	const uint32_t entry = dkt__keymap_add(&map->keys, key, added);
	uint8_t *values = map->values;

	if (dkt__unlikely(entry >= map->n_values)) {
		values = entry == DKT__KEYMAP_NONE ?
				 NULL :
				 dkt__stretch(values, map->n_values, entry + 1, map->size);
		if (!values) {
			/* A key that is found must have a value. */
			if (entry != DKT__KEYMAP_NONE)
				dkt__keymap_remove(&map->keys, key);
			return NULL;
		}
		map->values = values;
		map->n_values = entry + 1;
	}
	return dkt__keyed_at(map, entry);
}

/* Removes the key and returns its value, which is valid until the next one is added; NULL: it has none. */
static inline void *dkt__keyed_remove(struct dkt__keyed *map, const uint64_t *key)
{
	const uint32_t entry = dkt__keymap_remove(&map->keys, key);

	return entry == DKT__KEYMAP_NONE ? NULL : dkt__keyed_at(map, entry);
}

/* Makes the values zero whose keys begin with the word. The keys stay. */
static inline void dkt__keyed_zero(struct dkt__keyed *map, uint64_t first)
{
	for (uint32_t i = 0; i < map->n_values; i++)
		if (dkt__keymap_key(&map->keys, i)[0] == first)
			memset(dkt__keyed_at(map, i), 0, map->size);
}

static inline void dkt__keyed_clear(struct dkt__keyed *map)
{
	dkt__keymap_clear(&map->keys);
	free(map->values);
	map->values = NULL;
	map->n_values = 0;
}
