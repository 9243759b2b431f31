/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds open periods by the values that the record that ends them, or begins a child, must have. */
#pragma once

#include "lib/base/keyed.h"

#define PERIOD_KEYS DKT__KEYMAP_MAX

struct period_open;

/* The place of an open period in an index: in a list of those with the same key. */
struct period_link {
	struct period_open *open;
	struct period_index *index; /* NULL: in none */
	struct period_link *next, *prev;
	uint32_t entry; /* of the key */
};

/* All zero but keys.n_words: no periods. */
struct period_index {
	struct dkt__keymap keys;
	struct period_link **first; /* by entry; the youngest first */
	uint32_t n_first;
};

/* Returns -ENOMEM, or 0. */
int period_index_add(struct period_index *index, const uint64_t *key, struct period_link *link);
void period_index_remove(struct period_link *link);

/* Returns the first link with the key, or NULL. */
struct period_link *period_index_find(const struct period_index *index, const uint64_t *key);
void period_index_clear(struct period_index *index);
