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

/* A request in the device. */
struct request {
	struct dkt__begun begun;
	const char *op;
	uint32_t process, disk;
	uint64_t bytes, depth;
	bool failed;
	uint32_t older, younger; /* the requests that were issued to the disk before and after it */
	uint64_t most; /* the greatest depth from its issue to that of the younger one */
};

struct block {
	struct dkt__keymap disk_keys;
	struct disk *disks;
	uint32_t n_disks;
	struct dkt__open requests; /* in the device */
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
		    .one_cpu = false,
		    .n_keys = DKT__REQUEST_WORDS,
		    .beginless = true },
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
	return dkt__keyed_at(&block->requests.all, nr);
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

	disk->oldest = disk->unfinished ? DKT__MIN(disk->oldest, request->begun.ts) :
					  request->begun.ts;
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

/* The field behind those of the key: at the begin the size, at the end the error. */
enum { BYTES = REQUEST_FIELDS, ERROR = REQUEST_FIELDS };

static uint64_t size_of(const struct analysis_record *r)
{
	const uint64_t bytes = (uint64_t)record_int(r, BYTES);

	return bytes ? bytes : 512 * (uint64_t)record_int(r, REQUEST_SECTORS);
}

/* The earlier of two requests with one key has no end. */
static void cut(struct block *block, struct request *request)
{
	const uint32_t nr = dkt__keyed_nr(&block->requests.all, request);

	note_unfinished(block, nr);
	take_back(block, nr);
}

static int on_insert(struct analyze *a, void *state, const struct analysis_record *r)
{
	const char *op = analyze_text(a, r, REQUEST_RWBS);
	const uint32_t process = analyze_self(a, r);
	uint64_t key[DKT__REQUEST_WORDS];
	const char *disk;
	struct span *span;
	int err;

	(void)state;
	request_read(r->record, r->fields, key);
	disk = analyze_disk(a, r, key[0]);
	if (!op || !disk || process == PROCESS_NONE)
		return -ENOMEM;
	err = span_begin(a, QUEUE, key, r->record->ts, &span);
	if (err)
		return err;
	span->cells[0] = cell_text(disk);
	span->cells[1] = cell_text(op);
	span->cells[2] = analyze_cell(a, process);
	span->cells[4] = cell_number(size_of(r));
	return 0;
}

/* Ends the wait in the queue. Who inserted the request is who wants it; a worker of the kernel may issue it. */
static int leave_queue(struct analyze *a, const uint64_t *key, const struct analysis_record *r,
		       uint32_t *process)
{
	struct span *span = span_end(a, QUEUE, key, r->record->ts);

	if (!span)
		return 0;
	*process = span->cells[2].process;
	span->cells[2] = analyze_cell(a, *process);
	span->cells[3] = cell_number((uint64_t)record_int(r, REQUEST_SECTOR));
	return span_add(a, span);
}

static int on_issue(struct analyze *a, void *state, const struct analysis_record *r)
{
	struct block *block = state;
	const char *op = analyze_text(a, r, REQUEST_RWBS);
	uint32_t process = analyze_self(a, r), disk;
	uint64_t key[DKT__REQUEST_WORDS], sectors = request_read(r->record, r->fields, key);
	struct request *request;
	bool again;
	int err;

	if (!op || process == PROCESS_NONE || !disk_of(a, block, r, key[0], &disk))
		return -ENOMEM;
	err = leave_queue(a, key, r, &process);
	if (err)
		return err;
	request = dkt__keyed_find(&block->requests.all, key);
	if (request)
		cut(block, request);
	request = dkt__open_begin(&block->requests, key, r->record->ts, sectors, &again);
	if (!request)
		return -ENOMEM;
	request->op = op;
	request->process = process;
	request->disk = disk;
	request->bytes = size_of(r);
	request->failed = false;
	enter(block, dkt__keyed_nr(&block->requests.all, request));
	return 0;
}

static int on_requeue(struct analyze *a, void *state, const struct analysis_record *r)
{
	struct block *block = state;
	uint64_t key[DKT__REQUEST_WORDS];
	struct request *request;

	(void)a;
	request_read(r->record, r->fields, key);
	request = dkt__keyed_remove(&block->requests.all, key);
	if (request)
		leave(block, dkt__keyed_nr(&block->requests.all, request));
	return 0;
}

static int add(struct analyze *a, const struct block *block, const struct request *request,
	       const struct analysis_record *r)
{
	struct span span = { .begin = request->begun.ts, .end = r->record->ts, .set = DEVICE };

	span.cells[0] = cell_text(block->disks[request->disk].name);
	span.cells[1] = cell_text(request->op);
	span.cells[2] = analyze_cell(a, request->process);
	span.cells[3] = cell_number((uint64_t)record_int(r, REQUEST_SECTOR));
	span.cells[4] = cell_number(request->bytes);
	span.cells[5] = cell_number(request->depth);
	return span_add(a, &span);
}

static int on_complete(struct analyze *a, void *state, const struct analysis_record *r)
{
	struct block *block = state;
	uint64_t key[DKT__REQUEST_WORDS], sectors = request_read(r->record, r->fields, key);
	struct request *request = dkt__keyed_find(&block->requests.all, key);
	struct disk *disk;
	void *other;
	bool part;

	if (request)
		request->failed |= record_int(r, ERROR) != 0;
	request = dkt__open_end(&block->requests, key, sectors, &part, &other);
	if (other)
		cut(block, other);
	if (!request)
		return 0;
	disk = &block->disks[request->disk];
	leave(block, dkt__keyed_nr(&block->requests.all, request));
	disk->reads += request->op[0] == 'R';
	disk->writes += request->op[0] != 'R';
	disk->errors += request->failed;
	disk->bytes += request->bytes;
	return add_period(disk, request->begun.ts, DKT__MAX(request->begun.ts, r->record->ts)) ?:
		       add(a, block, request, r);
}

/* ---- the rest ---- */

static int on_begin(struct analyze *a, void *state)
{
	struct block *block = state;

	(void)a;
	block->requests.requests = true;
	block->requests.all.size = sizeof(struct request);
	block->requests.all.keys.n_words = DKT__REQUEST_WORDS;
	return 0;
}

static int on_gap(struct analyze *a, void *state, uint32_t cpu, uint64_t last, uint64_t ts)
{
	struct block *block = state;

	(void)cpu, (void)last, (void)ts;
	take_all_back(block, false);
	a->missed.lost += dkt__open_drop(&block->requests);
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

	a->missed.open += dkt__open_n(&block->requests);
	a->missed.endless += block->requests.again;
	a->missed.unbegun += block->requests.unbegun;
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
	dkt__open_clear(&block->requests);
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
	.begin = on_begin,
	.gap = on_gap,
	.end = on_end,
	.clear = clear,
	.tables = tables,
	.n_tables = ARRAY_SIZE(tables),
	.sets = sets,
	.n_sets = ARRAY_SIZE(sets),
};
