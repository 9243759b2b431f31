/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which DIE has the code at an address: the spans of each unit and function, read once. */
#include "lib/debuginfo/dwarf_index.h"

#include <dwarf.h>

#include "lib/base/keyed.h"

/* DIEs within DIEs: so many are looked at. */
#define MAX_DEPTH 64
/* Ranges of all units and functions of a file: the DIEs of a hostile one can name the same ranges again and again. */
#define MAX_SPANS (1u << 21)

struct spans {
	struct dwarf_span *list;
	size_t n;
};

struct dwarf_index {
	struct spans units; /* sorted; valid if units_read */
	bool units_read;
	Dwarf_Die unit; /* the last one found among them */
	/* By the offset of a DIE: the spans of a unit's functions, sorted, or of what is inlined into a function. */
	struct dkt__keyed known;
	size_t n_spans; /* of all */
};

/* ---- reading ---- */

/* False: nothing more can be read. */
static bool add_spans(struct dwarf_index *index, struct spans *spans, Dwarf_Die *die)
{
	struct dwarf_span span = { .die = dwarf_dieoffset(die) };
	Dwarf_Addr base;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &span.from, &span.to)) > 0) {
		if (span.from >= span.to)
			continue;
		if (index->n_spans >= MAX_SPANS || dkt__append(spans->list, spans->n, span))
			return false;
		index->n_spans++;
	}
	return true;
}

/* Functions are in the unit itself, or in what a language puts around them. */
static bool add_functions(struct dwarf_index *index, struct spans *spans, Dwarf_Die *parent,
			  int depth)
{
	bool going = true;
	Dwarf_Die die;

	if (depth >= MAX_DEPTH || dwarf_child(parent, &die))
		return true;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram:
			going = add_spans(index, spans, &die);
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
			going = add_functions(index, spans, &die, depth + 1);
		}
	} while (going && !dwarf_siblingof(&die, &die));
	return going;
}

static bool add_inlined(struct dwarf_index *index, struct spans *spans, Dwarf_Die *parent,
			int depth)
{
	bool going = true;
	Dwarf_Die die;

	if (depth >= MAX_DEPTH || dwarf_child(parent, &die))
		return true;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_inlined_subroutine:
			going = add_spans(index, spans, &die) &&
				add_inlined(index, spans, &die, depth + 1);
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
		case DW_TAG_with_stmt:
			going = add_inlined(index, spans, &die, depth + 1);
		}
	} while (going && !dwarf_siblingof(&die, &die));
	return going;
}

static int by_address(const void *a, const void *b)
{
	const struct dwarf_span *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

static void sort(struct spans *spans)
{
	if (spans->n)
		qsort(spans->list, spans->n, sizeof(*spans->list), by_address);
}

/* ---- finding ---- */

/* The span with the address; of sorted ones, which do not overlap. */
static const struct dwarf_span *find(const struct spans *spans, uint64_t address)
{
	size_t low = 0, high = spans->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (spans->list[middle].from <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < spans->list[low - 1].to ? &spans->list[low - 1] : NULL;
}

/* Without memory nothing is found. */
static struct dwarf_index *reach_index(struct dkt__binary *binary)
{
	if (!binary->index)
		binary->index = calloc(1, sizeof(*binary->index));
	if (binary->index) {
		binary->index->known.keys.n_words = 1;
		binary->index->known.size = sizeof(struct spans);
	}
	return binary->index;
}

/* Returns the spans of a unit or function, read by fn the first time. */
static const struct spans *spans_of(struct dkt__binary *binary, Dwarf_Die *die,
				    bool (*fn)(struct dwarf_index *index, struct spans *spans,
					       Dwarf_Die *parent, int depth))
{
	static const struct spans none;
	struct dwarf_index *index = reach_index(binary);
	const uint64_t key = dwarf_dieoffset(die);
	struct spans *spans;
	bool added;

	spans = index ? dkt__keyed_add(&index->known, &key, &added) : NULL;
	if (!spans)
		return &none;
	if (added)
		fn(index, spans, die, 0);
	if (added && fn == add_functions)
		sort(spans);
	return spans;
}

/* Some compilers, such as clang, do not write .debug_aranges. */
static const struct spans *units_of(struct dkt__binary *binary)
{
	struct dwarf_index *index = reach_index(binary);
	Dwarf_Addr bias;

	if (!index || index->units_read)
		return index ? &index->units : NULL;
	for (Dwarf_Die *unit = NULL; (unit = dwfl_module_nextcu(binary->module, unit, &bias)) &&
				     add_spans(index, &index->units, unit);)
		;
	sort(&index->units);
	index->units_read = true;
	return &index->units;
}

Dwarf_Die *dkt__dwarf_unit(struct dkt__binary *binary, uint64_t address, uint64_t *bias)
{
	Dwarf_Die *unit = dwfl_module_addrdie(binary->module, address, bias);
	const struct dwarf_span *span = NULL;
	const struct spans *units;
	Dwarf *dwarf;

	if (unit)
		return unit;
	dwarf = dwfl_module_getdwarf(binary->module, bias);
	units = dwarf ? units_of(binary) : NULL;
	if (units)
		span = find(units, address - *bias);
	return span ? dwarf_offdie(dwarf, span->die, &binary->index->unit) : NULL;
}

int dkt__dwarf_function_at(struct dkt__binary *binary, Dwarf_Die *unit, uint64_t address,
			   Dwarf_Die *function)
{
	const struct dwarf_span *span = find(spans_of(binary, unit, add_functions), address);

	return span && dwarf_offdie(dwarf_cu_getdwarf(unit->cu), span->die, function) ? 0 : -ENOENT;
}

struct dwarf_spans dkt__dwarf_inlined_in(struct dkt__binary *binary, Dwarf_Die *function)
{
	const struct spans *spans = spans_of(binary, function, add_inlined);

	return (struct dwarf_spans){ .list = spans->list, .n = spans->n };
}

void dkt__dwarf_index_free(struct dwarf_index *index)
{
	if (!index)
		return;
	for (uint32_t i = 0; i < index->known.n_values; i++)
		free(((struct spans *)dkt__keyed_at(&index->known, i))->list);
	dkt__keyed_clear(&index->known);
	free(index->units.list);
	free(index);
}
