/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Requests to block devices: in the scheduler's queue, and in the device. */
#include "answers/analyze/kinds.h"
#include "answers/analyze/requests.h"
#include "answers/analyze/running.h"

enum { QUEUE, DEVICE };
enum { BY_DISK, UNFINISHED };

#define NONE UINT32_MAX

/* Separate times with requests of a disk that are remembered; of older ones only the sum is known. */
#define PERIODS_MAX 65536

struct period {
	uint64_t begin, end;
};

/* Only requests that have ended count: one whose completion is missing would stay in the device for ever. */
struct disk {
	const char *name;
	uint64_t reads, writes, bytes, errors;
	uint64_t sum; /* of the requests' times in the device */
	struct period *periods; /* times with requests, in order and apart */
	size_t n_periods;
	uint64_t busy, known; /* the sum of older periods; when the last of them ended */
	uint64_t depth; /* requests in the device now, also those that will not end */
	uint64_t most; /* before the oldest of them was issued */
	uint32_t youngest; /* of them; NONE: none is in the device */
	uint64_t unfinished, lacking,
		oldest; /* their number and bytes; when the first was issued */
};

/* A request that has not ended. */
struct request {
	uint64_t begin;
	const char *op;
	uint32_t process, disk;
	uint64_t bytes, depth, left; /* left: sectors that have not been completed */
	bool failed;
	uint32_t older, younger; /* the requests that were issued to the disk before and after it */
	uint64_t most; /* the greatest depth from its issue to that of the younger one */
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

static const struct result_column unfinished_columns[] = {
	{ "disk", RESULT_DISK, "Device", NULL, NULL },
	{ "unfinished", RESULT_NUMBER, "Requests without a recorded end", "requests", NULL },
	{ "bytes", RESULT_BYTES, "Size", NULL, NULL },
	{ "oldest", RESULT_TIME, "Issue of the first", NULL, NULL },
};

static const struct result_table tables[] = {
	[BY_DISK] = { "disks", "Block devices", disk_columns, ARRAY_SIZE(disk_columns), .by = 4,
		      .bar = -1 },
	[UNFINISHED] = { "unfinished",
			 "Requests without a recorded end, which the table above lacks",
			 unfinished_columns, ARRAY_SIZE(unfinished_columns), .by = 1, .bar = -1 },
};

/* ---- disks ---- */

/* Disks of several hosts can have one number, and other names. */
static struct disk *disk_of(struct analyze *a, struct block *block, const struct analysis_record *r,
			    uint64_t dev, uint32_t *nr)
{
	const char *name = analyze_disk(a, r, dev);
	const uint64_t key = (uint64_t)(uintptr_t)name; /* equal names are one text */
	bool added = false;

	block->disk_keys.n_words = 1;
	*nr = name ? dkt__keymap_add(&block->disk_keys, &key, &added) : DKT__KEYMAP_NONE;
	if (*nr == DKT__KEYMAP_NONE ||
	    (added && dkt__append(block->disks, block->n_disks,
				  (struct disk){ .name = name, .youngest = NONE })))
		return NULL;
	return &block->disks[*nr];
}

static void forget_old_periods(struct disk *disk)
{
	size_t n = disk->n_periods / 2;

	for (size_t i = 0; i < n; i++)
		disk->busy += disk->periods[i].end - disk->periods[i].begin;
	disk->known = disk->periods[n - 1].end;
	disk->n_periods -= n;
	memmove(disk->periods, disk->periods + n, disk->n_periods * sizeof(*disk->periods));
}

/* Adds the time of a request that ends last, so that only the last periods can meet it. */
static int add_period(struct disk *disk, uint64_t begin, uint64_t end)
{
	struct period period = { DKT__MIN(DKT__MAX(begin, disk->known), end), end };

	disk->sum += end - begin;
	while (disk->n_periods && disk->periods[disk->n_periods - 1].end >= period.begin) {
		const struct period *last = &disk->periods[--disk->n_periods];

		period.begin = DKT__MIN(period.begin, last->begin);
		period.end = DKT__MAX(period.end, last->end);
	}
	if (disk->n_periods == PERIODS_MAX)
		forget_old_periods(disk);
	return dkt__append(disk->periods, disk->n_periods, period);
}

static uint64_t busy(const struct disk *disk)
{
	uint64_t sum = disk->busy;

	for (size_t i = 0; i < disk->n_periods; i++)
		sum += disk->periods[i].end - disk->periods[i].begin;
	return sum;
}

/* ---- the requests in a disk, by age ---- */

static struct request *in_device(const struct block *block, uint32_t nr)
{
	return &block->requests[DEVICE][nr];
}

static void enter(struct block *block, uint32_t nr)
{
	struct request *request = in_device(block, nr);
	struct disk *disk = &block->disks[request->disk];

	request->older = disk->youngest;
	request->younger = NONE;
	request->depth = request->most = ++disk->depth;
	if (request->older != NONE)
		in_device(block, request->older)->younger = nr;
	disk->youngest = nr;
}

static void leave(struct block *block, uint32_t nr)
{
	struct request *request = in_device(block, nr);
	struct disk *disk = &block->disks[request->disk];
	uint64_t *most = request->older == NONE ? &disk->most :
						  &in_device(block, request->older)->most;

	*most = DKT__MAX(*most, request->most);
	if (request->older != NONE)
		in_device(block, request->older)->younger = request->younger;
	if (request->younger != NONE)
		in_device(block, request->younger)->older = request->older;
	else
		disk->youngest = request->older;
	disk->depth--;
}

/* A request that never ends has been in none of the depths since it was issued. */
static void take_back(struct block *block, uint32_t nr)
{
	for (uint32_t i = nr; i != NONE; i = in_device(block, i)->younger)
		in_device(block, i)->most--;
	leave(block, nr);
}

static void note_unfinished(struct block *block, uint32_t nr)
{
	const struct request *request = in_device(block, nr);
	struct disk *disk = &block->disks[request->disk];

	disk->oldest = disk->unfinished ? DKT__MIN(disk->oldest, request->begin) : request->begin;
	disk->lacking += request->bytes;
	disk->unfinished++;
}

/* The youngest first: the others are not looked at again then. */
static void take_all_back(struct block *block, bool note)
{
	for (uint32_t i = 0; i < block->n_disks; i++)
		while (block->disks[i].youngest != NONE) {
			if (note)
				note_unfinished(block, block->disks[i].youngest);
			take_back(block, block->disks[i].youngest);
		}
}

/* ---- requests ---- */

/* Returns the number of a new request; NONE: memory is out. */
static uint32_t add_request(struct analyze *a, struct block *block, int where,
			    const struct analysis_record *r)
{
	uint64_t key[DKT__REQUEST_WORDS];
	bool added = false;
	struct request *request;
	uint32_t nr;

	request_read(r->record, r->fields, key);
	block->keys[where].n_words = DKT__REQUEST_WORDS;
	nr = dkt__keymap_add(&block->keys[where], key, &added);
	request = nr == DKT__KEYMAP_NONE ?
			  NULL :
			  dkt__reach(block->requests[where], block->n_requests[where], nr);
	if (!request)
		return NONE;
	a->missed.endless += !added;
	if (!added && where == DEVICE) {
		note_unfinished(block, nr);
		take_back(block, nr);
	}
	*request = (struct request){ .begin = r->record->ts,
				     .op = analyze_text(a, r, 3),
				     .process = analyze_self(a, r),
				     .left = (uint64_t)record_int(r, 2),
				     .bytes = (uint64_t)record_int(r, 4) };
	if (!request->bytes)
		request->bytes = 512 * request->left;
	return request->op && request->process != PROCESS_NONE &&
			       disk_of(a, block, r, key[0], &request->disk) ?
		       nr :
		       NONE;
}

/* Returns the number of the request; NONE: its beginning is missing. */
static uint32_t find_request(const struct block *block, int where, const struct analysis_record *r)
{
	uint64_t key[DKT__REQUEST_WORDS];

	request_read(r->record, r->fields, key);
	return block->keys[where].n ? dkt__keymap_find(&block->keys[where], key) : NONE;
}

static void forget_request(struct block *block, int where, const struct analysis_record *r)
{
	uint64_t key[DKT__REQUEST_WORDS];

	request_read(r->record, r->fields, key);
	dkt__keymap_remove(&block->keys[where], key);
}

/* The device has completed the first sectors; the rest begins behind them. */
static int complete_part(struct analyze *a, struct block *block, uint32_t nr,
			 const struct analysis_record *r)
{
	const uint64_t done = (uint64_t)record_int(r, 2);
	uint64_t key[DKT__REQUEST_WORDS];
	uint32_t other;

	request_read(r->record, r->fields, key);
	in_device(block, nr)->left -= done;
	other = dkt__request_go_on(&block->keys[DEVICE], key, done);
	if (other == DKT__KEYMAP_NONE)
		return 0;
	a->missed.endless++;
	note_unfinished(block, other);
	take_back(block, other);
	return 0;
}

static int add(struct analyze *a, struct block *block, int where, const struct request *request,
	       const struct analysis_record *r)
{
	struct span span = { .begin = request->begin,
			     .end = r->record->ts,
			     .set = (uint32_t)where };

	span.cells[0] = cell_text(block->disks[request->disk].name);
	span.cells[1] = cell_text(request->op);
	span.cells[2] = analyze_cell(a, request->process);
	span.cells[3] = cell_number((uint64_t)record_int(r, 1));
	span.cells[4] = cell_number(request->bytes);
	span.cells[5] = cell_number(request->depth);
	return span_add(a, &span);
}

static int on_insert(struct analyze *a, void *state, const struct analysis_record *r)
{
	return add_request(a, state, QUEUE, r) == NONE ? -ENOMEM : 0;
}

static int on_issue(struct analyze *a, void *state, const struct analysis_record *r)
{
	struct block *block = state;
	const uint32_t queued = find_request(block, QUEUE, r);
	const uint32_t nr = add_request(a, block, DEVICE, r);
	const struct request *before = queued == NONE ? NULL : &block->requests[QUEUE][queued];

	if (nr == NONE)
		return -ENOMEM;
	enter(block, nr);
	if (!before)
		return 0;
	/* Who inserted it is who wants it; a worker of the kernel may issue it. */
	in_device(block, nr)->process = before->process;
	forget_request(block, QUEUE, r);
	return add(a, block, QUEUE, before, r);
}

static int on_requeue(struct analyze *a, void *state, const struct analysis_record *r)
{
	struct block *block = state;
	const uint32_t nr = find_request(block, DEVICE, r);

	(void)a;
	if (nr == NONE)
		return 0;
	leave(block, nr);
	forget_request(block, DEVICE, r);
	return 0;
}

static int on_complete(struct analyze *a, void *state, const struct analysis_record *r)
{
	struct block *block = state;
	const uint32_t nr = find_request(block, DEVICE, r);
	struct request *request;
	struct disk *disk;

	if (nr == NONE) {
		/* The layer of flushes completes requests without data that no device has got. */
		a->missed.unbegun += record_int(r, 2) != 0;
		return 0;
	}
	request = in_device(block, nr);
	request->failed |= record_int(r, 4) != 0;
	if ((uint64_t)record_int(r, 2) < request->left)
		return complete_part(a, block, nr, r);
	disk = &block->disks[request->disk];
	leave(block, nr);
	forget_request(block, DEVICE, r);
	disk->reads += request->op[0] == 'R';
	disk->writes += request->op[0] != 'R';
	disk->errors += request->failed;
	disk->bytes += request->bytes;
	return add_period(disk, request->begin, DKT__MAX(request->begin, r->record->ts)) ?:
		       add(a, block, DEVICE, request, r);
}

/* ---- the rest ---- */

static int on_gap(struct analyze *a, void *state, uint32_t cpu, uint64_t last, uint64_t ts)
{
	struct block *block = state;

	(void)cpu, (void)last, (void)ts;
	a->missed.lost += block->keys[QUEUE].n + block->keys[DEVICE].n;
	take_all_back(block, false);
	for (size_t i = 0; i < ARRAY_SIZE(block->keys); i++)
		dkt__keymap_empty(&block->keys[i]);
	return 0;
}

static int add_disk(struct analyze *a, const struct disk *disk)
{
	const uint64_t time = busy(disk);
	const struct result_cell cells[ARRAY_SIZE(disk_columns)] = {
		cell_text(disk->name),       cell_number(disk->reads),
		cell_number(disk->writes),   cell_number(disk->errors),
		cell_number(disk->bytes),    cell_share(time, a->to - a->from),
		cell_share(disk->sum, time), cell_number(disk->most),
	};

	return analyze_row(a, &tables[BY_DISK], cells);
}

static int add_unfinished(struct analyze *a, const struct disk *disk)
{
	const struct result_cell cells[ARRAY_SIZE(unfinished_columns)] = {
		cell_text(disk->name),
		cell_number(disk->unfinished),
		cell_number(disk->lacking),
		cell_number(disk->oldest),
	};

	return disk->unfinished ? analyze_row(a, &tables[UNFINISHED], cells) : 0;
}

static int on_end(struct analyze *a, void *state)
{
	struct block *block = state;
	int err = 0;

	a->missed.open += block->keys[QUEUE].n + block->keys[DEVICE].n;
	take_all_back(block, true);
	if (a->analysis->view != VIEW_STATS)
		return 0;
	for (uint32_t i = 0; !err && i < block->n_disks; i++)
		err = add_disk(a, &block->disks[i]);
	for (uint32_t i = 0; !err && i < block->n_disks; i++)
		err = add_unfinished(a, &block->disks[i]);
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
	for (uint32_t i = 0; i < block->n_disks; i++)
		free(block->disks[i].periods);
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
	{ "block:block_rq_requeue",
	  NEED_NONE,
	  on_requeue,
	  { "dev", "sector", "nr_sector", "rwbs" } },
	{ "block:block_rq_complete",
	  NEED_ALL,
	  on_complete,
	  { "dev", "sector", "nr_sector", "rwbs", "error" } },
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
