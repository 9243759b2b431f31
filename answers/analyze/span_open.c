/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Intervals that have begun: the analyses' side of lib/base/open.h, and what a loss does to intervals. */
#include "answers/analyze/running.h"

#include "lib/base/memory.h"

struct open_span {
	struct dkt__begun begun;
	struct span span;
};

void spans_open(struct dkt__open *open, const struct span_set *set)
{
	open->all.keys.n_words = set->n_keys ? set->n_keys : 1;
	open->all.size = sizeof(struct open_span);
	open->first = set->first;
}

int span_begin(struct analyze *a, uint32_t set, const uint64_t *key, uint64_t ts,
	       struct span **span)
{
	struct dkt__open *open = &a->spans.open[set];
	bool again;
	struct open_span *begun = dkt__open_begin(open, key, ts, 0, &again);

	*span = NULL;
	if (!begun)
		return dkt__no_memory(a->ctx);
	if (again && open->first)
		return 0;
	*span = &begun->span;
	begun->span.begin = ts;
	begun->span.set = set;
	begun->span.lost = false;
	begun->span.more = NULL;
	return 0;
}

struct span *span_find(struct analyze *a, uint32_t set, const uint64_t *key)
{
	struct open_span *begun = dkt__keyed_find(&a->spans.open[set].all, key);

	return begun ? &begun->span : NULL;
}

struct span *span_end(struct analyze *a, uint32_t set, const uint64_t *key, uint64_t ts)
{
	bool part;
	struct open_span *begun = dkt__open_end(&a->spans.open[set], key, 0, &part, NULL);

	if (!begun)
		return NULL;
	begun->span.end = ts;
	return &begun->span;
}

/* ---- losses ---- */

/* Drops all that has begun on the CPU. Returns the number. */
static uint64_t drop_of_cpu(struct dkt__open *open, uint32_t cpu)
{
	struct dkt__keymap *keys = &open->all.keys;
	uint64_t key[DKT__KEYMAP_MAX], n = 0;

	for (uint32_t i = 0; i < open->all.n_values; i++) {
		memcpy(key, dkt__keymap_key(keys, i), keys->n_words * sizeof(key[0]));
		/* The entry can be free, and its old key that of another one. */
		if (key[0] != cpu || dkt__keymap_find(keys, key) != i)
			continue;
		dkt__keymap_remove(keys, key);
		n++;
	}
	return n;
}

void spans_gap(struct spans *spans, uint32_t cpu, uint64_t last)
{
	for (size_t i = 0; i < spans->n_sets; i++)
		spans->a->missed.lost += spans->shown[i].set->one_cpu ?
						 drop_of_cpu(&spans->open[i], cpu) :
						 dkt__open_drop(&spans->open[i]);
	for (size_t i = 1; i <= spans->n; i++) {
		struct span *span = &spans->ring[(spans->head + SPANS_RING - i) % SPANS_RING];

		if (span->end <= last)
			return;
		span->lost |= !spans->shown[span->set].set->one_cpu;
	}
}

void spans_count(struct spans *spans)
{
	struct analyze_missed *missed = &spans->a->missed;

	for (size_t i = 0; i < spans->n_sets; i++) {
		const struct dkt__open *open = &spans->open[i];

		missed->open += dkt__open_n(open);
		missed->endless += open->again + open->forgotten;
		missed->unbegun += spans->shown[i].set->beginless ? 0 : open->unbegun;
	}
}
