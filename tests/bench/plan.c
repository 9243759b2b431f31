/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records a second of CPU time printed by a plan, beside libtraceevent on the same records. */
#include <time.h>

#include "lib/event.h"
#include "lib/plan.h"

#include "lib/base/banned.h"

#define ROUNDS  5
#define RECORDS 1024
#define SIZE    256

/* Time on the CPU: what other processes take of it is not ours. */
static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static int cmp_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

struct work {
	struct dkt_event *event;
	uint8_t (*data)[SIZE];
	uint32_t size;
	struct dkt_buf *buf;
};

static void put(uint8_t *data, struct tep_event *tep, const char *name, uint64_t v)
{
	struct tep_format_field *field = tep_find_any_field(tep, name);

	memcpy(data + field->offset, &v, (size_t)field->size);
}

/* Values as they are met: small numbers, addresses, names of processes. */
static void fill(struct work *work)
{
	struct tep_event *tep = work->event->tep;
	struct tep_format_field *field;
	unsigned int i, j;

	for (i = 0; i < RECORDS; i++) {
		uint8_t *data = work->data[i];

		for (field = tep->format.fields; field; field = field->next) {
			uint64_t v = i % 3 ? i * 7 + 1 : UINT64_C(0x7ffd4a210000) + i;

			work->size = (uint32_t)(field->offset + field->size);
			if (field->flags & TEP_FIELD_IS_STRING)
				memcpy(data + field->offset, i & 1 ? "kworker/1:2" : "dd",
				       i & 1 ? 12 : 3);
			else if (field->flags & TEP_FIELD_IS_ARRAY)
				for (j = 0; j < (unsigned int)field->size; j += 8, v = v * 3 + j)
					memcpy(data + field->offset + j, &v, 8);
			else
				put(data, tep, field->name, field->size < 8 ? v % 5000 : v);
		}
		if (tep_find_field(tep, "prev_state"))
			put(data, tep, "prev_state", i % 3);
		if (tep_find_field(tep, "id"))
			put(data, tep, "id", i % 300);
		put(data, tep, "common_type", (uint64_t)tep->id);
	}
}

static void run_plan(struct work *work, int line)
{
	struct dkt_record record = { .event = work->event, .size = work->size, .pid = 4711 };
	unsigned int i;

	for (i = 0; i < RECORDS; i++) {
		record.data = work->data[i];
		record.ts = UINT64_C(1234567891234) + i * 1000;
		if (line)
			dkt_style_trace(&record, "kworker/1:2", work->buf);
		else
			dkt_record_text(&record, work->buf);
	}
	dkt_buf_reset(work->buf);
}

static void run_tep(struct work *work, int line)
{
	struct tep_record rec = { .size = (int)work->size };
	struct tep_handle *tep = work->event->tep->tep;
	struct trace_seq seq;
	unsigned int i;

	(void)line;
	trace_seq_init(&seq);
	for (i = 0; i < RECORDS; i++) {
		rec.data = work->data[i];
		trace_seq_reset(&seq);
		tep_print_event(tep, &seq, &rec, "%s", TEP_PRINT_INFO);
	}
	trace_seq_destroy(&seq);
}

/* Median of some rounds, in records a second. */
static double rate(struct work *work, void (*run)(struct work *, int), int line, int repeat)
{
	double rates[ROUNDS], start;
	int i, j;

	for (i = 0; i < ROUNDS; i++) {
		start = now();
		for (j = 0; j < repeat; j++)
			run(work, line);
		rates[i] = (double)RECORDS * repeat / (now() - start);
	}
	qsort(rates, ROUNDS, sizeof(*rates), cmp_double);
	return rates[ROUNDS / 2];
}

static int bench(struct dkt_ctx *ctx, const char *system, const char *name)
{
	struct work work = { .event = dkt_event_find(ctx, system, name) };
	double plan, line, tep;

	if (!work.event || dkt__event_load(work.event)) {
		printf("SKIP %s:%s: %s\n", system, name, dkt_error(ctx));
		return 0;
	}
	work.data = calloc(RECORDS, SIZE);
	if (!work.data || dkt_buf_new(&work.buf))
		return 1;
	fill(&work);
	plan = rate(&work, run_plan, 0, 400);
	line = rate(&work, run_plan, 1, 400);
	tep = rate(&work, run_tep, 0, 40);
	printf("%-16s %-16s text %6.2f M/s  line %6.2f M/s  libtraceevent %5.2f M/s  text %.1fx\n",
	       system, name, plan / 1e6, line / 1e6, tep / 1e6, plan / tep);
	dkt_buf_free(work.buf);
	free(work.data);
	return 0;
}

int main(void)
{
	struct dkt_ctx *ctx;
	int failed;

	if (dkt_ctx_new(NULL, &ctx))
		return 1;
	if (dkt_tracefs_open(ctx, 0)) {
		printf("SKIP: %s\n", dkt_error(ctx));
		return 77;
	}
	failed = bench(ctx, "raw_syscalls", "sys_enter");
	failed |= bench(ctx, "sched", "sched_switch");
	failed |= bench(ctx, "syscalls", "sys_enter_read");
	failed |= bench(ctx, "block", "block_rq_issue");
	failed |= bench(ctx, "kmem", "kmalloc");
	dkt_ctx_free(ctx);
	return failed;
}
