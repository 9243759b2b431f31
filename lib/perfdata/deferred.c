/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Call chains of programs that the kernel recorded later, when the program went on (linux 6.19, perf record
 * --call-graph fp,defer). The samples before have a cookie in their place, by which they are found; the first pass
 * keeps them all, so that the samples stay in order of time.
 */
#include "lib/perfdata.h"

/* The limits: chains that samples wait for, and bytes of different ones. */
#define MAX_COOKIES (1u << 21)
#define MAX_BYTES   (32u << 20)

int dkt__perf_deferred_take(struct dkt__perf *perf, const uint8_t *data, uint32_t size)
{
	struct dkt__perf_deferred *deferred = &perf->deferred;
	struct dkt__cursor cur = dkt__perf_cursor(perf, data, size);
	uint64_t cookie, n;
	uint32_t entry, *chain;
	bool added;

	dkt__cursor_bytes(&cur, sizeof(struct perf_event_header));
	cookie = dkt__cursor_number(&cur, 8);
	n = dkt__cursor_number(&cur, 8);
	if (cur.bad || n > dkt__cursor_left(&cur) / 8)
		return 0;
	if (deferred->cookies.n >= MAX_COOKIES || deferred->chains.len >= MAX_BYTES) {
		deferred->left_out++;
		return 0;
	}
	deferred->cookies.n_words = 1;
	entry = dkt__keymap_add(&deferred->cookies, &cookie, &added);
	if (entry == DKT__KEYMAP_NONE)
		return -ENOMEM;
	chain = dkt__reach(deferred->numbers, deferred->n, entry);
	if (chain && added)
		*chain = dkt__intern(&deferred->chains, cur.p, (uint32_t)(n * 8));
	return chain && *chain != UINT32_MAX ? 0 : -ENOMEM;
}

void dkt__perf_deferred_end(struct dkt__perf *perf)
{
	if (perf->deferred.left_out)
		dkt__streams_damage(
			&perf->streams,
			"%llu call chains of programs that were recorded after their samples are"
			" too many, and left out",
			(unsigned long long)perf->deferred.left_out);
}

uint32_t dkt__perf_deferred_find(const struct dkt__perf *perf, uint64_t cookie,
				 const uint8_t **chain)
{
	const struct dkt__perf_deferred *deferred = &perf->deferred;
	const uint32_t entry = dkt__keymap_find(&deferred->cookies, &cookie);
	uint32_t len = 0;

	*chain = NULL;
	if (entry != DKT__KEYMAP_NONE)
		*chain = (const uint8_t *)dkt__interned(&deferred->chains, deferred->numbers[entry],
							&len);
	return len / 8;
}

void dkt__perf_deferred_clear(struct dkt__perf *perf)
{
	dkt__keymap_clear(&perf->deferred.cookies);
	dkt__intern_clear(&perf->deferred.chains);
	free(perf->deferred.numbers);
}
