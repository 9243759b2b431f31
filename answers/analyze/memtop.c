/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* memtop: the pages that each process allocates and frees. */
#include "answers/analyze/kinds.h"
#include "answers/analyze/running.h"

struct pages {
	uint64_t allocs, alloc_pages, frees, free_pages;
};

struct memtop {
	struct pages *all; /* by process */
	uint32_t n;
};

static const struct result_column columns[] = {
	{ "process", RESULT_PROCESS, "Process", NULL, "pid" },
	{ "allocs", RESULT_NUMBER, "Allocations", "allocations", NULL },
	{ "alloc_pages", RESULT_NUMBER, "Allocated pages", "pages", NULL },
	{ "frees", RESULT_NUMBER, "Frees", "frees", NULL },
	{ "free_pages", RESULT_NUMBER, "Freed pages", "pages", NULL },
};

static const struct result_column total_columns[] = {
	{ "allocs", RESULT_NUMBER, "Allocations", "allocations", NULL },
	{ "alloc_pages", RESULT_NUMBER, "Allocated pages", "pages", NULL },
	{ "frees", RESULT_NUMBER, "Frees", "frees", NULL },
	{ "free_pages", RESULT_NUMBER, "Freed pages", "pages", NULL },
};

static const struct result_table tables[] = {
	{ "processes", "Pages of processes", columns, ARRAY_SIZE(columns), .by = 2, .bar = 2 },
	{ "total", "Pages of all processes", total_columns, ARRAY_SIZE(total_columns), .by = -1,
	  .bar = -1 },
};

static struct pages *pages_of(struct analyze *a, struct memtop *top,
			      const struct analysis_record *r)
{
	uint32_t process = analyze_self(a, r);

	return process == PROCESS_NONE ? NULL : dkt__reach(top->all, top->n, process);
}

/* A damaged record may have any order. */
static uint64_t page_count(const struct analysis_record *r)
{
	uint64_t order = (uint64_t)record_int(r, 0);

	return order < 32 ? UINT64_C(1) << order : 0;
}

static int on_alloc(struct analyze *a, void *state, const struct analysis_record *r)
{
	struct pages *pages = pages_of(a, state, r);

	if (!pages)
		return -ENOMEM;
	pages->allocs++;
	pages->alloc_pages += page_count(r);
	return 0;
}

static int on_free(struct analyze *a, void *state, const struct analysis_record *r)
{
	struct pages *pages = pages_of(a, state, r);

	if (!pages)
		return -ENOMEM;
	pages->frees++;
	pages->free_pages += page_count(r);
	return 0;
}

static void fill(const struct pages *pages, struct result_cell *cells)
{
	cells[0] = cell_number(pages->allocs);
	cells[1] = cell_number(pages->alloc_pages);
	cells[2] = cell_number(pages->frees);
	cells[3] = cell_number(pages->free_pages);
}

static int on_end(struct analyze *a, void *state)
{
	struct memtop *top = state;
	struct result_cell cells[ARRAY_SIZE(columns)];
	struct pages all = { 0 };
	int err = 0;

	for (uint32_t i = 0; !err && i < top->n; i++) {
		const struct pages *pages = &top->all[i];

		if (!pages->allocs && !pages->frees)
			continue;
		cells[0] = analyze_cell(a, i);
		fill(pages, cells + 1);
		all.allocs += pages->allocs;
		all.alloc_pages += pages->alloc_pages;
		all.frees += pages->frees;
		all.free_pages += pages->free_pages;
		err = analyze_row(a, &tables[0], cells);
	}
	fill(&all, cells);
	return err || !top->n ? err : analyze_row(a, &tables[1], cells);
}

static void clear(void *state)
{
	free(((struct memtop *)state)->all);
}

static const struct analysis_event events[] = {
	{ "kmem:mm_page_alloc", NEED_ALL, on_alloc, { "order" } },
	{ "kmem:mm_page_free", NEED_NONE, on_free, { "order" } },
};

const struct analysis_kind memtop_kind = {
	.events = events,
	.n_events = ARRAY_SIZE(events),
	.size = sizeof(struct memtop),
	.end = on_end,
	.clear = clear,
	.tables = tables,
	.n_tables = ARRAY_SIZE(tables),
};
