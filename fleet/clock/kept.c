/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keeps the pairs that say most. */
#include "fleet/clock/causal.h"
#include "lib/base/keymap.h"

/* The first span: clocks drift apart by 0.1 us in it. */
#define SPAN_FIRST UINT64_C(1000000)

struct causal_kept {
	size_t room;
	uint64_t span; /* ns */
	struct dkt__keymap map; /* by hosts and span */
	struct dkt__causal_pair *pairs; /* by entry of map */
	int64_t *apart;
};

struct causal_kept *causal_kept_new(size_t room)
{
	struct causal_kept *kept = calloc(1, sizeof(*kept));

	if (!kept)
		return NULL;
	*kept = (struct causal_kept){ .room = room, .span = SPAN_FIRST, .map.n_words = 2 };
	kept->pairs = calloc(room, sizeof(*kept->pairs));
	kept->apart = calloc(room, sizeof(*kept->apart));
	if (kept->pairs && kept->apart)
		return kept;
	causal_kept_free(kept);
	return NULL;
}

static int put(struct causal_kept *kept, const struct dkt__causal_pair *pair, int64_t apart)
{
	const uint64_t key[] = { (uint64_t)pair->cause << 32 | pair->effect,
				 pair->cause_time / kept->span };
	bool added;
	const uint32_t entry = dkt__keymap_add(&kept->map, key, &added);

	if (entry == DKT__KEYMAP_NONE)
		return -ENOMEM;
	if (!added && kept->apart[entry] <= apart)
		return 0;
	kept->pairs[entry] = *pair;
	kept->apart[entry] = apart;
	return 0;
}

/* Doubles the span until pairs have become one. Nothing is removed from the map alone: entries are in order. */
static int thin(struct causal_kept *kept)
{
	int err = 0;

	while (!err && kept->map.n == kept->room && kept->span < INT64_MAX) {
		const size_t n = kept->map.n;

		kept->span *= 2;
		dkt__keymap_empty(&kept->map);
		for (size_t i = 0; !err && i < n; i++) {
			const struct dkt__causal_pair pair = kept->pairs[i];

			err = put(kept, &pair, kept->apart[i]);
		}
	}
	return err;
}

int causal_kept_add(struct causal_kept *kept, const struct dkt__causal_pair *pair, int64_t apart)
{
	int err = kept->map.n == kept->room ? thin(kept) : 0;

	/* There are too many pairs of hosts. */
	if (err || kept->map.n == kept->room)
		return err;
	return put(kept, pair, apart);
}

const struct dkt__causal_pair *causal_kept_pairs(const struct causal_kept *kept, size_t *n)
{
	*n = kept->map.n;
	return kept->pairs;
}

void causal_kept_free(struct causal_kept *kept)
{
	if (!kept)
		return;
	dkt__keymap_clear(&kept->map);
	free(kept->pairs);
	free(kept->apart);
	free(kept);
}
