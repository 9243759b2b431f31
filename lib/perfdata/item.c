/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses single records of perf.data. */
#include "lib/perfdata.h"

/* perf_event.h of older kernels lacks these. */
#define FORMAT_LOST     (1u << 4)
#define BRANCH_HW_INDEX (1u << 17)
#define BRANCH_COUNTERS (1u << 19)

/* struct perf_branch_entry */
#define BRANCH_SIZE 24

static void skip(struct dkt__cursor *cur, uint64_t type, uint64_t bits)
{
	dkt__cursor_bytes(cur, 8 * dkt__perf_words(type, bits));
}

/*
 * Returns the attributes of a record. If there are several, the distinguishing ID has a fixed
 * position: the first field of a sample, the last of another record.
 */
static const struct dkt__perf_attr *find_attr(const struct dkt__perf *perf,
					      const struct dkt__cursor *cur, bool sample)
{
	const struct dkt__perf_attr *attr = perf->attrs;
	uint64_t type = attr->sample_type, id;
	struct dkt__cursor at;
	size_t words = 0; /* words before the ID in a sample, after it in another record */

	if (perf->n_attrs == 1)
		return attr;
	if (!(type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID)))
		return NULL;
	if (!(type & PERF_SAMPLE_IDENTIFIER) && sample)
		words = dkt__perf_id_words(type);
	else if (!(type & PERF_SAMPLE_IDENTIFIER))
		words = dkt__perf_words(type, PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU);
	if (dkt__cursor_left(cur) < 8 * (words + 1))
		return NULL;
	at = *cur;
	at.p = sample ? cur->p + 8 * words : cur->end - 8 * (words + 1);
	id = dkt__cursor_number(&at, 8);
	/* Records that perf synthesized have no ID. */
	return id ? dkt__perf_attr_of(perf, id) : sample ? NULL : attr;
}

/* Reads n values of that many bytes, which stay in the file. */
static const uint8_t *take_words(struct dkt__cursor *cur, uint64_t n, uint64_t each)
{
	return dkt__cursor_bytes(cur, n > dkt__cursor_left(cur) ? n : n * each);
}

/* Reads counts, which are of a group or of the event alone. */
static void take_counts(struct dkt__cursor *cur, struct dkt__perf_item *item)
{
	const uint64_t format = item->attr->read_format;
	const uint64_t words = 1 + dkt__perf_words(format, PERF_FORMAT_ID | FORMAT_LOST);
	const uint64_t times = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	uint64_t n;

	if (!(format & PERF_FORMAT_GROUP)) {
		take_words(cur, words + dkt__perf_words(format, times), 8);
		return;
	}
	n = dkt__cursor_number(cur, 8);
	skip(cur, format, times);
	item->counts = take_words(cur, n, 8 * words);
	item->counts_each = 8 * (uint32_t)words;
	item->n_counts = item->counts && format & PERF_FORMAT_ID ? (uint32_t)n : 0;
}

/* Reads the next word of a sample if it has it. */
static void take_value(struct dkt__cursor *cur, struct dkt__perf_item *item, uint64_t bit,
		       enum dkt__perf_value which)
{
	if (item->attr->sample_type & bit)
		item->values[which] = dkt__cursor_number(cur, 8);
}

/* Reads the fields up to the counts. */
static void take_begin(struct dkt__cursor *cur, struct dkt__perf_item *item)
{
	const uint64_t type = item->attr->sample_type;

	skip(cur, type, PERF_SAMPLE_IDENTIFIER);
	take_value(cur, item, PERF_SAMPLE_IP, DKT__PERF_IP);
	if (type & PERF_SAMPLE_TID) {
		item->pid = (int32_t)dkt__cursor_number(cur, 4);
		item->tid = (int32_t)dkt__cursor_number(cur, 4);
		item->values[DKT__PERF_TGID] = (uint32_t)item->pid;
	}
	if (type & PERF_SAMPLE_TIME)
		item->time = dkt__cursor_number(cur, 8);
	take_value(cur, item, PERF_SAMPLE_ADDR, DKT__PERF_ADDR);
	skip(cur, type, PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID);
	if (type & PERF_SAMPLE_CPU) {
		item->cpu = (uint32_t)dkt__cursor_number(cur, 4);
		dkt__cursor_number(cur, 4);
	}
	item->values[DKT__PERF_PERIOD] = item->attr->period;
	take_value(cur, item, PERF_SAMPLE_PERIOD, DKT__PERF_PERIOD);
	if (type & PERF_SAMPLE_READ)
		take_counts(cur, item);
}

static void take_branches(struct dkt__cursor *cur, struct dkt__perf_item *item)
{
	const uint64_t type = item->attr->branch_type, n = dkt__cursor_number(cur, 8);

	if (type & BRANCH_HW_INDEX)
		dkt__cursor_number(cur, 8);
	item->branches = take_words(cur, n, BRANCH_SIZE);
	item->n_branches = item->branches ? (uint32_t)n : 0;
	if (type & BRANCH_COUNTERS)
		take_words(cur, n, 8);
}

static void take_regs(struct dkt__cursor *cur, uint64_t mask, struct dkt__perf_regs *regs)
{
	regs->abi = dkt__cursor_number(cur, 8);
	regs->mask = regs->abi ? mask : 0;
	regs->words = take_words(cur, (uint64_t)__builtin_popcountll(regs->mask), 8);
}

/* The bytes of a program's stack; of those that were asked for, the first size were there. */
static void take_stack(struct dkt__cursor *cur, struct dkt__perf_item *item)
{
	const uint64_t room = dkt__cursor_number(cur, 8);

	item->stack = dkt__cursor_bytes(cur, room);
	if (room)
		item->values[DKT__PERF_STACK_SIZE] = DKT__MIN(dkt__cursor_number(cur, 8), room);
}

static void take_weight(struct dkt__cursor *cur, struct dkt__perf_item *item)
{
	uint64_t all;

	take_value(cur, item, PERF_SAMPLE_WEIGHT, DKT__PERF_WEIGHT);
	if (!(item->attr->sample_type & DKT__PERF_WEIGHT_STRUCT))
		return;
	/* union perf_sample_weight has the same parts of the number in both byte orders. */
	all = dkt__cursor_number(cur, 8);
	item->values[DKT__PERF_WEIGHT] = (uint32_t)all;
	item->values[DKT__PERF_INS_LAT] = (uint16_t)(all >> 32);
	item->values[DKT__PERF_RETIRE_LAT] = all >> 48;
}

/* Reads the fields after the raw data. */
static void take_end(struct dkt__cursor *cur, struct dkt__perf_item *item)
{
	const struct dkt__perf_attr *attr = item->attr;
	const uint64_t type = attr->sample_type;

	if (type & PERF_SAMPLE_BRANCH_STACK)
		take_branches(cur, item);
	if (type & PERF_SAMPLE_REGS_USER)
		take_regs(cur, attr->user_regs, &item->user_regs);
	if (type & PERF_SAMPLE_STACK_USER)
		take_stack(cur, item);
	take_weight(cur, item);
	take_value(cur, item, PERF_SAMPLE_DATA_SRC, DKT__PERF_DATA_SRC);
	take_value(cur, item, PERF_SAMPLE_TRANSACTION, DKT__PERF_TRANSACTION);
	if (type & PERF_SAMPLE_REGS_INTR)
		take_regs(cur, attr->intr_regs, &item->intr_regs);
	take_value(cur, item, PERF_SAMPLE_PHYS_ADDR, DKT__PERF_PHYS_ADDR);
	take_value(cur, item, PERF_SAMPLE_CGROUP, DKT__PERF_CGROUP);
	take_value(cur, item, DKT__PERF_BIT_DATA_PAGE, DKT__PERF_DATA_PAGE_SIZE);
	take_value(cur, item, DKT__PERF_BIT_CODE_PAGE, DKT__PERF_CODE_PAGE_SIZE);
}

static bool take_sample(const struct dkt__perf *perf, struct dkt__cursor *cur,
			struct dkt__perf_item *item)
{
	uint64_t type, n;

	item->attr = find_attr(perf, cur, true);
	if (!item->attr)
		return false;
	type = item->attr->sample_type;
	take_begin(cur, item);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		n = dkt__cursor_number(cur, 8);
		item->chain = take_words(cur, n, 8);
		item->n_chain = item->chain ? (uint32_t)n : 0;
	}
	if (type & PERF_SAMPLE_RAW && !cur->bad) {
		item->size = (uint32_t)dkt__cursor_number(cur, 4);
		item->data = dkt__cursor_bytes(cur, item->size);
	}
	take_end(cur, item);
	return !cur->bad && item->cpu < DKT__PERF_CPUS;
}

/* Reads the common end of records that are not samples. */
static void take_tail(const struct dkt__perf *perf, struct dkt__cursor *cur,
		      struct dkt__perf_item *item)
{
	const struct dkt__perf_attr *attr = find_attr(perf, cur, false);
	struct dkt__cursor tail = *cur;
	uint64_t type = attr ? attr->sample_type : 0;
	size_t words = dkt__perf_words(type, PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
						     PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
						     PERF_SAMPLE_IDENTIFIER);

	if (!attr || !attr->sample_id_all || dkt__cursor_left(cur) < 8 * words)
		return;
	tail.p = tail.end - 8 * words;
	cur->end = tail.p;
	if (type & PERF_SAMPLE_TID) {
		item->pid = (int32_t)dkt__cursor_number(&tail, 4);
		item->tid = (int32_t)dkt__cursor_number(&tail, 4);
	}
	if (type & PERF_SAMPLE_TIME)
		item->time = dkt__cursor_number(&tail, 8);
	skip(&tail, type, PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID);
	if (type & PERF_SAMPLE_CPU)
		item->cpu = (uint32_t)dkt__cursor_number(&tail, 4);
	item->placed = item->time && item->cpu < DKT__PERF_CPUS;
}

/* Reads the name at the end of a record. */
static void take_name(struct dkt__cursor *cur, struct dkt__perf_item *item)
{
	item->data = cur->p;
	item->size = (uint32_t)strnlen((const char *)cur->p, dkt__cursor_left(cur));
}

static void take_process(struct dkt__cursor *cur, struct dkt__perf_item *item)
{
	item->pid = (int32_t)dkt__cursor_number(cur, 4);
	if (item->type == PERF_RECORD_FORK)
		item->parent = (int32_t)dkt__cursor_number(cur, 4);
	item->tid = (int32_t)dkt__cursor_number(cur, 4);
	if (item->type == PERF_RECORD_FORK)
		item->parent_tid = (int32_t)dkt__cursor_number(cur, 4);
}

/* The build ID of the file, or its device and inode numbers with a generation. */
static void take_file(struct dkt__cursor *cur, struct dkt__perf_item *item)
{
	struct dkt__cursor file = *cur;
	const uint8_t *p = dkt__cursor_bytes(cur, 24);

	if (p && item->misc & DKT__PERF_MMAP_BUILD_ID) {
		item->n_build = p[0];
		item->build = p + 4;
	} else if (p) {
		item->major = (uint32_t)dkt__cursor_number(&file, 4);
		item->minor = (uint32_t)dkt__cursor_number(&file, 4);
		item->inode = dkt__cursor_number(&file, 8);
	}
}

/* Reads a record of a mapped file. */
static void take_map(struct dkt__cursor *cur, struct dkt__perf_item *item)
{
	take_process(cur, item);
	item->start = dkt__cursor_number(cur, 8);
	item->length = dkt__cursor_number(cur, 8);
	item->offset = dkt__cursor_number(cur, 8);
	if (item->type == PERF_RECORD_MMAP2) {
		take_file(cur, item);
		/* Its protection. */
		dkt__cursor_bytes(cur, 8);
	}
	take_name(cur, item);
}

/* Reads a record of a new kernel function: of a BPF program, or a trampoline of the tracer. */
static void take_function(struct dkt__cursor *cur, struct dkt__perf_item *item)
{
	item->pid = -1;
	item->start = dkt__cursor_number(cur, 8);
	item->length = dkt__cursor_number(cur, 4);
	dkt__cursor_number(cur, 4);
	take_name(cur, item);
}

/* Reads a record that is not a sample. Returns false if it is not wanted. */
static bool take_other(const struct dkt__perf *perf, struct dkt__cursor *cur,
		       struct dkt__perf_item *item)
{
	take_tail(perf, cur, item);
	switch (item->type) {
	case PERF_RECORD_COMM:
		take_process(cur, item);
		take_name(cur, item);
		break;
	case PERF_RECORD_FORK:
		take_process(cur, item);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		take_map(cur, item);
		break;
	case PERF_RECORD_KSYMBOL:
		take_function(cur, item);
		break;
	case PERF_RECORD_LOST:
		dkt__cursor_number(cur, 8);
		item->lost = dkt__cursor_number(cur, 8);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		item->lost = dkt__cursor_number(cur, 8);
		break;
	default:
		return item->placed && dkt__perf_switch_is(perf, item->type);
	}
	return !cur->bad;
}

bool dkt__perf_item(const struct dkt__perf *perf, const uint8_t *data, uint32_t size,
		    struct dkt__perf_item *item)
{
	struct dkt__cursor cur = dkt__perf_cursor(perf, data, size);

	*item = (struct dkt__perf_item){ .type = (uint32_t)dkt__cursor_number(&cur, 4) };
	item->misc = (uint16_t)dkt__cursor_number(&cur, 2);
	dkt__cursor_number(&cur, 2);
	if (!perf->n_attrs)
		return false;
	if (item->type != PERF_RECORD_SAMPLE)
		return take_other(perf, &cur, item);
	if (!take_sample(perf, &cur, item))
		return false;
	/* Without IDs nobody knows which count is of which event. */
	if (!perf->n_ids)
		item->n_counts = 0;
	return item->attr->type != PERF_TYPE_TRACEPOINT ||
	       (item->data && item->size >= DKT__PERF_ENTRY);
}
