/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of the events of a processor's caches: CACHE[-OPERATION][-RESULT]. */
#include "lib/perf_event.h"

#define N_WORDS 8

/* The first word of a row is the one that is offered. */
struct words {
	const char *list[N_WORDS];
	unsigned int operations; /* of a cache: those that it has, bits by enum perf_hw_cache_op_id */
};

#define READS      (1u << PERF_COUNT_HW_CACHE_OP_READ)
#define WRITES     (1u << PERF_COUNT_HW_CACHE_OP_WRITE)
#define PREFETCHES (1u << PERF_COUNT_HW_CACHE_OP_PREFETCH)

/* By enum perf_hw_cache_id. */
static const struct words caches[] = {
	{ { "L1-dcache", "l1-d", "l1d", "L1-data" }, READS | WRITES | PREFETCHES },
	{ { "L1-icache", "l1-i", "l1i", "L1-instruction" }, READS | PREFETCHES },
	{ { "LLC", "L2" }, READS | WRITES | PREFETCHES },
	{ { "dTLB", "d-tlb", "Data-TLB" }, READS | WRITES | PREFETCHES },
	{ { "iTLB", "i-tlb", "Instruction-TLB" }, READS },
	{ { "branch", "branches", "bpu", "btb", "bpc" }, READS },
	{ { "node" }, READS | WRITES | PREFETCHES },
};

/* By enum perf_hw_cache_op_id. */
static const struct words operations[] = {
	{ { "load", "loads", "read" }, 0 },
	{ { "store", "stores", "write" }, 0 },
	{ { "prefetch", "prefetches", "speculative-read", "speculative-load" }, 0 },
};

/* By enum perf_hw_cache_op_result_id. */
static const struct words results[] = {
	{ { "refs", "Reference", "ops", "access" }, 0 },
	{ { "misses", "miss" }, 0 },
};

/*
 * Takes the longest word with which the text begins, up to its end or a dash, and moves *p past it. Returns the
 * row, or -1.
 */
static int take(const char **p, const struct words *rows, size_t n)
{
	size_t longest = 0;
	int found = -1;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < N_WORDS && rows[i].list[k]; k++) {
			const char *word = rows[i].list[k];
			const size_t len = strlen(word);

			if (len <= longest || strncmp(*p, word, len) ||
			    ((*p)[len] && (*p)[len] != '-'))
				continue;
			longest = len;
			found = (int)i;
		}
	*p += longest;
	return found;
}

/* The same of a part that a dash begins and that may be missing; *row stays as it is then. */
static bool take_part(const char **p, const struct words *rows, size_t n, int *row)
{
	const char *next = *p + 1;
	int found = **p == '-' ? take(&next, rows, n) : -1;

	if (found < 0)
		return false;
	*p = next;
	*row = found;
	return true;
}

int dkt__perf_cache(const char *name, uint64_t *config)
{
	const int cache = take(&name, caches, ARRAY_SIZE(caches));
	int operation = PERF_COUNT_HW_CACHE_OP_READ, result = PERF_COUNT_HW_CACHE_RESULT_ACCESS;

	if (cache < 0)
		return -ENOENT;
	take_part(&name, operations, ARRAY_SIZE(operations), &operation);
	take_part(&name, results, ARRAY_SIZE(results), &result);
	if (*name || !(caches[cache].operations >> operation & 1))
		return -ENOENT;
	*config = (uint64_t)cache | (uint64_t)operation << 8 | (uint64_t)result << 16;
	return 0;
}

void dkt__perf_cache_names(void (*fn)(void *data, const char *name), void *data)
{
	char name[64];

	for (size_t i = 0; i < ARRAY_SIZE(caches); i++)
		for (size_t k = 0; k < ARRAY_SIZE(operations); k++) {
			const char *cache = caches[i].list[0];

			if (!(caches[i].operations >> k & 1))
				continue;
			snprintf(name, sizeof(name), "%s-%s", cache, operations[k].list[1]);
			fn(data, name);
			snprintf(name, sizeof(name), "%s-%s-misses", cache, operations[k].list[0]);
			fn(data, name);
		}
}
