/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Callers that were found before. Most samples have the callers of an earlier one; only the innermost
 * function is at another place.
 */
#include "lib/perfdata.h"

/* Memory for callers; beyond it all are forgotten. */
#define ROOM (8u << 20)

/* Callers are remembered by the lower bits of their hash: a lookup reads little memory. */
#define SLOTS (1u << 16)

/* The names of callers, by the addresses that a sample has. */
struct dkt__perf_found {
	const struct dkt__perf_map *maps;
	enum dkt__perf_callers_kind kind;
	uint32_t n, n_names;
	uint64_t number;
	uint64_t words[]; /* the addresses, then what stands for the names */
};

static uint64_t hash_of(const struct dkt__perf_callers *callers)
{
	uint64_t h = dkt__mix(callers->kind, (uintptr_t)callers->maps), word;

	h = dkt__mix(h, callers->n);
	for (uint32_t i = 0; i < callers->n; i++) {
		memcpy(&word, callers->addresses + (size_t)i * sizeof(word), sizeof(word));
		h = dkt__mix(h, word);
	}
	return h;
}

static bool is_of(const struct dkt__perf_found *found, const struct dkt__perf_callers *callers)
{
	return found->maps == callers->maps && found->kind == callers->kind &&
	       found->n == callers->n &&
	       !memcmp(found->words, callers->addresses, callers->n * sizeof(uint64_t));
}

static void forget(struct dkt__perf_cache *cache)
{
	if (cache->slots)
		memset(cache->slots, 0, SLOTS * sizeof(*cache->slots));
	cache->used = 0;
}

/* False: memory is out. */
static bool reach_room(struct dkt__perf_cache *cache)
{
	/* One large block, of which the kernel gives only the used part, and takes it back at once. */
	if (!cache->room)
		cache->room = malloc(ROOM);
	if (!cache->slots)
		cache->slots = calloc(SLOTS, sizeof(*cache->slots));
	return cache->room && cache->slots;
}

bool dkt__perf_callers_find(struct dkt__perf *perf, struct dkt__perf_callers *callers)
{
	const struct dkt__perf_cache *cache = &perf->callers;
	const struct dkt__perf_found *found;

	callers->slot = (uint32_t)hash_of(callers) & (SLOTS - 1);
	found = cache->slots ? cache->slots[callers->slot] : NULL;
	if (!found || !is_of(found, callers))
		return false;
	callers->names = found->words + found->n;
	callers->n_names = found->n_names;
	callers->number = found->number;
	return true;
}

void dkt__perf_callers_keep(struct dkt__perf *perf, struct dkt__perf_callers *callers)
{
	struct dkt__perf_cache *cache = &perf->callers;
	const size_t size = sizeof(struct dkt__perf_found) +
			    ((size_t)callers->n + callers->n_names) * sizeof(uint64_t);
	struct dkt__perf_found *found;

	/* The sample is right without. */
	if (!reach_room(cache) || size > ROOM)
		return;
	if (size > ROOM - cache->used)
		forget(cache);
	found = (struct dkt__perf_found *)(cache->room + cache->used / sizeof(uint64_t));
	cache->used += size;
	callers->number = ++cache->number;
	*found = (struct dkt__perf_found){ .maps = callers->maps,
					   .kind = callers->kind,
					   .n = callers->n,
					   .n_names = callers->n_names,
					   .number = callers->number };
	memcpy(found->words, callers->addresses, callers->n * sizeof(uint64_t));
	memcpy(found->words + callers->n, callers->names, callers->n_names * sizeof(uint64_t));
	cache->slots[callers->slot] = found;
}

void dkt__perf_callers_forget(struct dkt__perf *perf)
{
	forget(&perf->callers);
}

void dkt__perf_callers_clear(struct dkt__perf *perf)
{
	forget(&perf->callers);
	free(perf->callers.slots);
	free(perf->callers.room);
	perf->callers.slots = NULL;
	perf->callers.room = NULL;
}
