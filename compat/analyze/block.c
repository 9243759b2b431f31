/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Requests to block devices: in the scheduler's queue, and in the device. */
#include "analyze/kinds.h"
#include "analyze/running.h"

enum { QUEUE, DEVICE };
enum { BY_DISK };

struct disk {
	uint64_t dev;
	const char *name;
	uint64_t reads, writes, bytes, errors;
	uint64_t depth, most; /* requests in the device, now and at most */
	uint64_t since; /* the depth has not changed since then */
	uint64_t busy, sum; /* time with requests, and the sum of depth x time */
};

/* A request that has not ended. */
struct request {
	uint64_t begin;
	const char *op;
	uint32_t process, disk;
	uint64_t bytes, depth, sectors;
};

struct block {
	struct dkt__keymap disk_keys, keys[2]; /* of requests in the queue and in the device */
	struct disk *disks;
	uint32_t n_disks;
	struct request *requests[2];
	uint32_t n_requests[2];
};

static const struct result_column columns[] = {
	{ "disk", RESULT_DISK, "Device", NULL, NULL },
	{ "op", RESULT_TEXT, "Operation", NULL, NULL },
	{ "process", RESULT_PROCESS, "Process", NULL, "pid" },
	{ "sector", RESULT_NUMBER, "Sector", NULL, NULL },
	{ "bytes", RESULT_BYTES, "Size", NULL, NULL },
	{ "depth", RESULT_NUMBER, "Requests in the device", "requests", NULL },
};

/* A request waits in the queue before the device has it. */
static const struct span_set sets[] = {
	[QUEUE] = { "queue",
		    "Requests in the scheduler's queue",
		    columns,
		    ARRAY_SIZE(columns) - 1,
		    { 0, 1 },
		    .one_cpu = false },
	[DEVICE] = { "device",
		     "Requests in the device",
		     columns,
		     ARRAY_SIZE(columns),
		     { 0, 1 },
		     .one_cpu = false },
};

static const struct result_column disk_columns[] = {
	{ "disk", RESULT_DISK, "Device", NULL, NULL },
	{ "reads", RESULT_NUMBER, "Reads", "requests", NULL },
	{ "writes", RESULT_NUMBER, "Writes and others", "requests", NULL },
	{ "errors", RESULT_NUMBER, "Errors", "requests", NULL },
	{ "bytes", RESULT_BYTES, "Size", NULL, NULL },
	{ "busy", RESULT_SHARE, "Time with requests", NULL, NULL },
	{ "mean_depth", RESULT_REAL, "Mean requests in the device while it was busy", NULL, NULL },
	{ "max_depth", RESULT_NUMBER, "Most requests in the device", "requests", NULL },
};

static const struct result_table tables[] = {
	[BY_DISK] = { "disks", "Block devices", disk_columns, ARRAY_SIZE(disk_columns), .by = 4,
		      .bar = -1 },
};

/* ---- disks ---- */

static struct disk *disk_of(struct analyze *a, struct block *block, uint64_t dev, uint32_t *nr)
{
	bool added = false;

	block->disk_keys.n_words = 1;
	*nr = dkt__keymap_add(&block->disk_keys, &dev, &added);
	if (*nr == DKT__KEYMAP_NONE ||
	    (added && dkt__append(block->disks, block->n_disks,
				  (struct disk){ .dev = dev, .name = analyze_disk(a, dev) })))
		return NULL;
	return block->disks[*nr].name ? &block->disks[*nr] : NULL;
}

/* Counts the time up to now; then more requests, or -1, are in the device. */
static void change_depth(struct disk *disk, uint64_t ts, int64_t by)
{
	uint64_t time = ts > disk->since ? ts - disk->since : 0;

	if (disk->depth)
		disk->busy += time;
	disk->sum += disk->depth * time;
	disk->since = ts;
	if (by > 0 || disk->depth)
		disk->depth += (uint64_t)by;
	disk->most = DKT__MAX(disk->most, disk->depth);
}

/* ---- requests ---- */

/* A flush has no sectors; it may be in the device beside a request to its sector. */
static void make_key(const struct analysis_record *r, uint64_t key[3])
{
	key[0] = (uint64_t)record_int(r, 0);
	key[1] = (uint64_t)record_int(r, 1);
	key[2] = record_int(r, 2) == 0;
}

/* Returns the place of a new request; NULL: memory is out. */
static struct request *add_request(struct analyze *a, struct block *block, int where,
				   const struct analysis_record *r)
{
	uint64_t key[3];
	bool added = false;
	struct request *it;
	uint32_t nr;

	make_key(r, key);
	block->keys[where].n_words = 3;
	nr = dkt__keymap_add(&block->keys[where], key, &added);
	it = nr == DKT__KEYMAP_NONE ?
		     NULL :
		     dkt__reach(block->requests[where], block->n_requests[where], nr);
	if (!it)
		return NULL;
	a->missed.endless += !added;
	*it = (struct request){ .begin = r->record->ts,
				.op = analyze_text(a, r, 3),
				.process = analyze_self(a, r),
				.sectors = (uint64_t)record_int(r, 2),
				.bytes = (uint64_t)record_int(r, 4) };
	if (!it->bytes)
		it->bytes = 512 * it->sectors;
	return it->op && it->process != PROCESS_NONE && disk_of(a, block, key[0], &it->disk) ? it :
											       NULL;
}

/* Returns the request and forgets it; NULL: its beginning is missing. */
static struct request *take_request(struct block *block, int where, const struct analysis_record *r)
{
	uint64_t key[3];
	uint32_t nr;

	make_key(r, key);
	nr = block->keys[where].n ? dkt__keymap_find(&block->keys[where], key) : DKT__KEYMAP_NONE;
	if (nr == DKT__KEYMAP_NONE)
		return NULL;
	dkt__keymap_remove(&block->keys[where], key);
	return &block->requests[where][nr];
}

static int add(struct analyze *a, struct block *block, int where, const struct request *it,
	       const struct analysis_record *r)
{
	struct span span = { .begin = it->begin, .end = r->record->ts, .set = (uint32_t)where };

	span.cells[0] = cell_text(block->disks[it->disk].name);
	span.cells[1] = cell_text(it->op);
	span.cells[2] = analyze_cell(a, it->process);
	span.cells[3] = cell_number((uint64_t)record_int(r, 1));
	span.cells[4] = cell_number(it->bytes);
	span.cells[5] = cell_number(it->depth);
	return span_add(a, &span);
}

static int on_insert(struct analyze *a, void *state, const struct analysis_record *r)
{
	return add_request(a, state, QUEUE, r) ? 0 : -ENOMEM;
}

static int on_issue(struct analyze *a, void *state, const struct analysis_record *r)
{
	struct block *block = state;
	struct request *queued = take_request(block, QUEUE, r), *it;
	uint64_t before = a->missed.endless;
	struct disk *disk;

	if (queued && add(a, block, QUEUE, queued, r))
		return -ENOMEM;
	it = add_request(a, block, DEVICE, r);
	if (!it)
		return -ENOMEM;
	/* Who inserted it is who wants it; a worker of the kernel may issue it. */
	if (queued)
		it->process = queued->process;
	disk = &block->disks[it->disk];
	if (a->missed.endless == before)
		change_depth(disk, r->record->ts, 1);
	it->depth = disk->depth;
	return 0;
}

static int on_requeue(struct analyze *a, void *state, const struct analysis_record *r)
{
	struct block *block = state;
	struct request *it = take_request(block, DEVICE, r);

	(void)a;
	if (it)
		change_depth(&block->disks[it->disk], r->record->ts, -1);
	return 0;
}

static int on_complete(struct analyze *a, void *state, const struct analysis_record *r)
{
	struct block *block = state;
	struct request *it = take_request(block, DEVICE, r);
	struct disk *disk;

	if (!it) {
		a->missed.unbegun++;
		return 0;
	}
	disk = &block->disks[it->disk];
	change_depth(disk, r->record->ts, -1);
	disk->reads += it->op[0] == 'R';
	disk->writes += it->op[0] != 'R';
	disk->errors += record_int(r, 3) != 0;
	disk->bytes += it->bytes;
	return add(a, block, DEVICE, it, r);
}

/* ---- the rest ---- */

static void forget_requests(struct block *block)
{
	for (size_t i = 0; i < ARRAY_SIZE(block->keys); i++)
		dkt__keymap_empty(&block->keys[i]);
	for (uint32_t i = 0; i < block->n_disks; i++)
		block->disks[i].depth = 0;
}

static int on_gap(struct analyze *a, void *state, uint32_t cpu, uint64_t last, uint64_t ts)
{
	struct block *block = state;

	(void)cpu, (void)ts;
	for (uint32_t i = 0; i < block->n_disks; i++)
		change_depth(&block->disks[i], last, 0);
	a->missed.lost += block->keys[QUEUE].n + block->keys[DEVICE].n;
	forget_requests(block);
	return 0;
}

static int on_end(struct analyze *a, void *state)
{
	struct block *block = state;
	int err = 0;

	a->missed.open += block->keys[QUEUE].n + block->keys[DEVICE].n;
	for (uint32_t i = 0; !err && i < block->n_disks; i++) {
		struct disk *it = &block->disks[i];
		struct result_cell cells[ARRAY_SIZE(disk_columns)];

		change_depth(it, a->to, 0);
		cells[0] = cell_text(it->name);
		cells[1] = cell_number(it->reads);
		cells[2] = cell_number(it->writes);
		cells[3] = cell_number(it->errors);
		cells[4] = cell_number(it->bytes);
		cells[5] = cell_share(it->busy, a->to - a->from);
		cells[6] = cell_share(it->sum, it->busy);
		cells[7] = cell_number(it->most);
		if (a->analysis->view == VIEW_STATS)
			err = analyze_row(a, &tables[BY_DISK], cells);
	}
	return err;
}

static void clear(void *state)
{
	struct block *block = state;

	dkt__keymap_clear(&block->disk_keys);
	for (size_t i = 0; i < ARRAY_SIZE(block->keys); i++) {
		dkt__keymap_clear(&block->keys[i]);
		free(block->requests[i]);
	}
	free(block->disks);
}

static const struct analysis_event events[] = {
	{ "block:block_rq_insert",
	  NEED_NONE,
	  on_insert,
	  { "dev", "sector", "nr_sector", "rwbs", "bytes" } },
	{ "block:block_rq_issue",
	  NEED_ALL,
	  on_issue,
	  { "dev", "sector", "nr_sector", "rwbs", "bytes" } },
	{ "block:block_rq_requeue", NEED_NONE, on_requeue, { "dev", "sector", "nr_sector" } },
	{ "block:block_rq_complete",
	  NEED_ALL,
	  on_complete,
	  { "dev", "sector", "nr_sector", "error" } },
};

const struct analysis_kind block_kind = {
	.events = events,
	.n_events = ARRAY_SIZE(events),
	.size = sizeof(struct block),
	.gap = on_gap,
	.end = on_end,
	.clear = clear,
	.tables = tables,
	.n_tables = ARRAY_SIZE(tables),
	.sets = sets,
	.n_sets = ARRAY_SIZE(sets),
};
