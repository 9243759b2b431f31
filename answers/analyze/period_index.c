/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds open periods by the values that the record that ends them, or begins a child, must have. */
#include "answers/analyze/period_index.h"

int period_index_add(struct period_index *index, const uint64_t *key, struct period_link *link)
{
	bool added = false;
	uint32_t entry = dkt__keymap_add(&index->keys, key, &added);
	struct period_link **first;

	if (entry == DKT__KEYMAP_NONE)
		return -ENOMEM;
	first = dkt__reach(index->first, index->n_first, entry);
	if (!first) {
		if (added)
			dkt__keymap_remove(&index->keys, key);
		return -ENOMEM;
	}
	link->index = index;
	link->entry = entry;
	link->prev = NULL;
	link->next = added ? NULL : *first;
	if (link->next)
		link->next->prev = link;
	*first = link;
	return 0;
}

void period_index_remove(struct period_link *link)
{
	struct period_index *index = link->index;
	uint64_t key[PERIOD_KEYS];

	if (!index)
		return;
	link->index = NULL;
	if (link->next)
		link->next->prev = link->prev;
	if (link->prev) {
		link->prev->next = link->next;
		return;
	}
	index->first[link->entry] = link->next;
	if (link->next)
		return;
	memcpy(key, dkt__keymap_key(&index->keys, link->entry),
	       index->keys.n_words * sizeof(key[0]));
	dkt__keymap_remove(&index->keys, key);
}

struct period_link *period_index_find(const struct period_index *index, const uint64_t *key)
{
	uint32_t entry = dkt__keymap_find(&index->keys, key);

	return entry == DKT__KEYMAP_NONE ? NULL : index->first[entry];
}

void period_index_clear(struct period_index *index)
{
	dkt__keymap_clear(&index->keys);
	free(index->first);
	*index = (struct period_index){ 0 };
}
