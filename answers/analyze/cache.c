/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The page cache: who adds, removes and dirties pages, and which devices they are written to. */
#include "answers/analyze/kinds.h"
#include "answers/analyze/running.h"

/* The pages of a process. */
struct cached {
	uint64_t added, removed, dirtied;
};

/* A device that dirty pages are written to. */
struct device {
	const char *name;
	uint64_t inodes, pages;
};

struct cache {
	struct cached *all; /* by process */
	uint32_t n;
	struct dkt__keymap names; /* from the text of a device to its index */
	struct device *devices;
	uint32_t n_devices;
};

enum { BY_PROCESS, BY_DEVICE };

static const struct result_column process_columns[] = {
	{ "process", RESULT_PROCESS, "Process", NULL, "pid" },
	{ "added", RESULT_NUMBER, "Pages added", "pages", NULL },
	{ "removed", RESULT_NUMBER, "Pages removed", "pages", NULL },
	{ "dirtied", RESULT_NUMBER, "Dirtied", "folios", NULL },
};

static const struct result_column device_columns[] = {
	{ "device", RESULT_DISK, "Device", NULL, NULL },
	{ "inodes", RESULT_NUMBER, "Writes of inodes", "writes", NULL },
	{ "pages", RESULT_NUMBER, "Pages written", "pages", NULL },
};

static const struct result_table tables[] = {
	[BY_PROCESS] = { "processes", "Pages of the cache by process", process_columns,
			 ARRAY_SIZE(process_columns), .by = 1, .bar = 1 },
	[BY_DEVICE] = { "writeback", "Dirty pages written by device", device_columns,
			ARRAY_SIZE(device_columns), .by = 2, .bar = 2 },
};

static struct cached *cached_of(struct analyze *a, struct cache *cache,
				const struct analysis_record *r)
{
	uint32_t process = analyze_self(a, r);

	return process == PROCESS_NONE ? NULL : dkt__reach(cache->all, cache->n, process);
}

/* A kernel without large folios has no order. */
static uint64_t page_count(const struct analysis_record *r)
{
	uint64_t order = (uint64_t)record_int(r, 0);

	return order < 32 ? UINT64_C(1) << order : 0;
}

static int on_add(struct analyze *a, void *state, const struct analysis_record *r)
{
	struct cached *cached = cached_of(a, state, r);

	if (!cached)
		return -ENOMEM;
	cached->added += page_count(r);
	return 0;
}

static int on_remove(struct analyze *a, void *state, const struct analysis_record *r)
{
	struct cached *cached = cached_of(a, state, r);

	if (!cached)
		return -ENOMEM;
	cached->removed += page_count(r);
	return 0;
}

static int on_dirty(struct analyze *a, void *state, const struct analysis_record *r)
{
	struct cached *cached = cached_of(a, state, r);

	if (!cached)
		return -ENOMEM;
	cached->dirtied++;
	return 0;
}

static int on_write(struct analyze *a, void *state, const struct analysis_record *r)
{
	struct cache *cache = state;
	struct device device = { .name = analyze_text(a, r, 0) };
	uint64_t key = (uintptr_t)device.name;
	bool added = false;
	uint32_t entry;

	cache->names.n_words = 1;
	entry = dkt__keymap_add(&cache->names, &key, &added);
	if (!device.name || entry == DKT__KEYMAP_NONE ||
	    (added && dkt__append(cache->devices, cache->n_devices, device)))
		return -ENOMEM;
	cache->devices[entry].inodes++;
	cache->devices[entry].pages += (uint64_t)record_int(r, 1);
	return 0;
}

static int device_rows(struct analyze *a, const struct cache *cache)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < cache->n_devices; i++) {
		const struct result_cell cells[ARRAY_SIZE(device_columns)] = {
			cell_text(cache->devices[i].name),
			cell_number(cache->devices[i].inodes),
			cell_number(cache->devices[i].pages),
		};

		err = analyze_row(a, &tables[BY_DEVICE], cells);
	}
	return err;
}

static int on_end(struct analyze *a, void *state)
{
	const struct cache *cache = state;
	int err = 0;

	for (uint32_t i = 0; !err && i < cache->n; i++) {
		const struct cached *cached = &cache->all[i];
		const struct result_cell cells[ARRAY_SIZE(process_columns)] = {
			analyze_cell(a, i),
			cell_number(cached->added),
			cell_number(cached->removed),
			cell_number(cached->dirtied),
		};

		if (cached->added || cached->removed || cached->dirtied)
			err = analyze_row(a, &tables[BY_PROCESS], cells);
	}
	return err ? err : device_rows(a, cache);
}

static void clear(void *state)
{
	struct cache *cache = state;

	dkt__keymap_clear(&cache->names);
	free(cache->devices);
	free(cache->all);
}

static const struct analysis_event events[] = {
	{ "filemap:mm_filemap_add_to_page_cache", NEED_ONE, on_add, { "order" } },
	{ "filemap:mm_filemap_delete_from_page_cache", NEED_NONE, on_remove, { "order" } },
	{ "writeback:writeback_dirty_folio", NEED_NONE, on_dirty, { 0 } },
	{ "writeback:writeback_dirty_page", NEED_NONE, on_dirty, { 0 } },
	{ "writeback:writeback_single_inode", NEED_ONE, on_write, { "name", "wrote" } },
};

const struct analysis_kind cache_kind = {
	.events = events,
	.n_events = ARRAY_SIZE(events),
	.size = sizeof(struct cache),
	.end = on_end,
	.clear = clear,
	.tables = tables,
	.n_tables = ARRAY_SIZE(tables),
};
