/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A hash table from a few 64-bit words to numbered entries. */
#include "lib/base/keymap.h"

#define FIRST_ROOM 64

/* n: the number of words, so that the compiler can unroll the loops over a constant one. */
static inline uint32_t first_slot_of(const struct dkt__keymap *map, const uint64_t *key, uint32_t n)
{
	uint64_t h = 0;

	for (uint32_t i = 0; i < n; i++)
		h = dkt__mix(h, key[i]);
	return (uint32_t)h & map->mask;
}

static inline bool same_key(const uint64_t *have, const uint64_t *key, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (have[i] != key[i])
			return false;
	return true;
}

static inline uint32_t find_slot_of(const struct dkt__keymap *map, const uint64_t *key, uint32_t n)
{
	uint32_t slot = first_slot_of(map, key, n);

	while (map->slots[slot] &&
	       !same_key(map->keys + (size_t)(map->slots[slot] - 1) * n, key, n))
		slot = (slot + 1) & map->mask;
	return slot;
}

static uint32_t first_slot(const struct dkt__keymap *map, const uint64_t *key)
{
	return first_slot_of(map, key, map->n_words);
}

/* Returns the slot of the key, or the free slot to store it in. At least half of the slots are free. */
static uint32_t find_slot(const struct dkt__keymap *map, const uint64_t *key)
{
	/* Most keys have one word or two. */
	switch (map->n_words) {
	case 1:
		return find_slot_of(map, key, 1);
	case 2:
		return find_slot_of(map, key, 2);
	default:
		return find_slot_of(map, key, map->n_words);
	}
}

uint32_t dkt__keymap_find(const struct dkt__keymap *map, const uint64_t *key)
{
	return map->n ? map->slots[find_slot(map, key)] - 1 : DKT__KEYMAP_NONE;
}

/* Doubles the room for entries. There are twice as many slots as entries. */
static int grow(struct dkt__keymap *map)
{
	uint32_t room = map->room ? map->room * 2 : FIRST_ROOM, slots = room * 2;
	uint32_t *free_numbers, *old = map->slots;
	uint64_t *keys;

	if (room > UINT32_MAX / 8)
		return -ENOMEM;
	keys = reallocarray(map->keys, (size_t)room * map->n_words, sizeof(*keys));
	if (keys)
		map->keys = keys;
	free_numbers = reallocarray(map->free, room, sizeof(*free_numbers));
	if (free_numbers)
		map->free = free_numbers;
	map->slots = keys && free_numbers ? calloc(slots, sizeof(*map->slots)) : NULL;
	if (!map->slots) {
		map->slots = old;
		return -ENOMEM;
	}
	free(old);
	map->room = room;
	map->mask = slots - 1;
	/* The map is full, so every number up to used is an entry. */
	for (uint32_t i = 0; i < map->used; i++)
		map->slots[find_slot(map, dkt__keymap_key(map, i))] = i + 1;
	return 0;
}

uint32_t dkt__keymap_add(struct dkt__keymap *map, const uint64_t *key, bool *added)
{
	uint32_t slot, entry;

	*added = false;
	if (dkt__unlikely(map->n == map->room) && grow(map))
		return DKT__KEYMAP_NONE;
	slot = find_slot(map, key);
	if (map->slots[slot])
		return map->slots[slot] - 1;
	entry = map->n_free ? map->free[--map->n_free] : map->used++;
	memcpy(map->keys + (size_t)entry * map->n_words, key, map->n_words * sizeof(*key));
	map->slots[slot] = entry + 1;
	map->n++;
	*added = true;
	return entry;
}

uint32_t dkt__keymap_remove(struct dkt__keymap *map, const uint64_t *key)
{
	uint32_t slot, next, home, entry;

	if (!map->n)
		return DKT__KEYMAP_NONE;
	slot = find_slot(map, key);
	entry = map->slots[slot] - 1;
	if (entry == DKT__KEYMAP_NONE)
		return entry;
	map->free[map->n_free++] = entry;
	map->n--;
	/* Linear probing: fill the gap with a later key whose first slot is at the gap or before it. */
	for (next = (slot + 1) & map->mask; map->slots[next]; next = (next + 1) & map->mask) {
		home = first_slot(map, dkt__keymap_key(map, map->slots[next] - 1));
		if (((next - home) & map->mask) < ((next - slot) & map->mask))
			continue;
		map->slots[slot] = map->slots[next];
		slot = next;
	}
	map->slots[slot] = 0;
	return entry;
}

void dkt__keymap_empty(struct dkt__keymap *map)
{
	if (map->slots)
		memset(map->slots, 0, ((size_t)map->mask + 1) * sizeof(*map->slots));
	map->n = map->used = map->n_free = 0;
}

void dkt__keymap_clear(struct dkt__keymap *map)
{
	free(map->slots);
	free(map->free);
	free(map->keys);
	*map = (struct dkt__keymap){ .n_words = map->n_words };
}
