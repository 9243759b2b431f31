/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions that the compiler has put into others: an unwound call chain names them as perf script does. */
#include "lib/debuginfo/demangle.h"
#include "lib/debuginfo/dwarf_inline.h"
#include "lib/perfdata.h"
#include "lib/symbol.h"

/* Addresses whose inlined functions are remembered. */
#define MAX_PLACES (1u << 15)

struct span {
	uint32_t from, n;
};

struct dkt__perf_inlines {
	struct dkt__keymap found; /* by file and offset in it */
	struct span *spans; /* by entry */
	size_t n_spans;
	uint64_t *names; /* addresses that stand for them; those of one place are consecutive */
	size_t n_names;
};

static uint64_t make_name(struct dkt_ctx *ctx, const char *symbol)
{
	char *plain __cleanup(free) = dkt__demangle(symbol);
	char *text __cleanup(free) = dkt__format("%s (inlined)", plain ? plain : symbol);
	const size_t len = text ? strlen(text) : 0;

	dkt__perf_put_name(text, len, text);
	return len ? dkt__symbol_create_whole(ctx, text, len) : 0;
}

static struct span read_names(struct dkt__perf *perf, struct dkt__binary *binary, uint64_t at)
{
	struct dkt__perf_inlines *inlines = perf->inlines;
	struct span span = { .from = (uint32_t)inlines->n_names };
	const char *names[DWARF_INLINE_MAX];
	uint64_t address;
	const size_t n = dkt__binary_find_address(binary, at, &address) ?
				 0 :
				 dkt__dwarf_inline_names(binary, address, names);

	for (size_t i = 0; i < n; i++) {
		const uint64_t name = make_name(perf->streams.base.ctx, names[i]);

		if (name && !dkt__append(inlines->names, inlines->n_names, name))
			span.n++;
	}
	return span;
}

static void forget(struct dkt__perf_inlines *inlines)
{
	dkt__keymap_empty(&inlines->found);
	inlines->n_names = 0;
}

/* Without memory there are no inlined functions. */
static struct dkt__perf_inlines *reach_inlines(struct dkt__perf *perf)
{
	if (!perf->inlines)
		perf->inlines = calloc(1, sizeof(*perf->inlines));
	if (!perf->inlines)
		return NULL;
	perf->inlines->found.n_words = 2;
	if (perf->inlines->found.n >= MAX_PLACES)
		forget(perf->inlines);
	return perf->inlines;
}

const uint64_t *dkt__perf_inline_names(struct dkt__perf *perf, int32_t pid, uint64_t address,
				       size_t *n)
{
	uint64_t at;
	struct dkt__perf_program *program =
		dkt__perf_maps_program(dkt__perf_maps_of(perf, pid), address, &at);
	struct dkt__binary *binary = dkt__perf_program_binary(perf, program);
	struct dkt__perf_inlines *inlines = binary ? reach_inlines(perf) : NULL;
	const uint64_t key[] = { (uintptr_t)program, at };
	uint32_t entry = DKT__KEYMAP_NONE;
	bool added;

	*n = 0;
	if (inlines)
		entry = dkt__keymap_add(&inlines->found, key, &added);
	if (entry == DKT__KEYMAP_NONE)
		return NULL;
	if (!dkt__reach(inlines->spans, inlines->n_spans, entry)) {
		dkt__keymap_remove(&inlines->found, key);
		return NULL;
	}
	if (added)
		inlines->spans[entry] = read_names(perf, binary, at);
	*n = inlines->spans[entry].n;
	return *n ? inlines->names + inlines->spans[entry].from : NULL;
}

void dkt__perf_inlines_clear(struct dkt__perf *perf)
{
	if (!perf->inlines)
		return;
	dkt__keymap_clear(&perf->inlines->found);
	free(perf->inlines->spans);
	free(perf->inlines->names);
	free(perf->inlines);
	perf->inlines = NULL;
}
