/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records a second of CPU time in each style: system calls and switches, as a trace has most. */
#include <time.h>

#include "lib/event.h"
#include "lib/style.h"

#include "lib/base/banned.h"

#define ROUNDS  7
#define RECORDS 3072
#define SIZE    128
#define REPEAT  150

static const char *const names[][2] = {
	{ "raw_syscalls", "sys_enter" },
	{ "raw_syscalls", "sys_exit" },
	{ "sched", "sched_switch" },
};

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

/* Values as they are met: small numbers, addresses, names of processes. */
static void fill(struct dkt_record *record, uint8_t *data, struct dkt_event *event, unsigned int i)
{
	const struct dkt_field *const *fields;
	unsigned int j;
	size_t n, k;

	dkt_event_fields(event, &fields, &n);
	for (k = 0; k < n; k++) {
		uint64_t v = i % 3 ? i * 7 + 1 : UINT64_C(0x7ffd4a210000) + i;
		const struct dkt_field *field = fields[k];

		record->size = field->offset + field->size;
		if (field->flags & DKT_FIELD_STRING)
			memcpy(data + field->offset, i & 1 ? "kworker/1:2" : "dd", i & 1 ? 12 : 3);
		else if (field->flags & DKT_FIELD_ARRAY)
			for (j = 0; j < field->size; j += 8, v = v * 3 + j)
				memcpy(data + field->offset + j, &v, 8);
		else
			memcpy(data + field->offset, &(uint64_t){ v % 5000 }, field->size);
	}
	record->event = event;
	record->data = data;
	record->ts = UINT64_C(1234567891234) + i * 1000;
	record->cpu = i & 3;
	record->pid = 4711;
}

/* Median of some rounds, in records a second. */
static double rate(struct dkt_style *style, const struct dkt_record *records, struct dkt_buf *buf,
		   size_t *bytes)
{
	double rates[ROUNDS], start;
	size_t i;
	int round, j;

	for (round = 0; round < ROUNDS; round++) {
		start = now();
		for (j = 0; j < REPEAT; j++) {
			dkt_buf_reset(buf);
			for (i = 0; i < RECORDS; i++)
				dkt_style_record(style, &records[i], "kworker/1:2", buf);
		}
		rates[round] = (double)RECORDS * REPEAT / (now() - start);
	}
	dkt_buf_data(buf, bytes);
	qsort(rates, ROUNDS, sizeof(*rates), cmp_double);
	return rates[ROUNDS / 2];
}

static int bench(struct dkt_ctx *ctx, const char *name, const struct dkt_record *records)
{
	DKT_OPTS(dkt_source_info, source, .has_wall = true, .wall = INT64_C(1795175396000000000));
	DKT_OPTS(dkt_style_opts, opts, .source = &source);
	struct dkt_style *style;
	struct dkt_buf *buf;
	size_t bytes;
	double r;

	if (dkt_style_new(ctx, name, &opts, &style) || dkt_buf_new(&buf))
		return 1;
	dkt_style_begin(style, buf);
	r = rate(style, records, buf, &bytes);
	printf("style %-8s %6.2f M records/s, %5.0f bytes each\n", name, r / 1e6,
	       (double)bytes / RECORDS);
	dkt_buf_free(buf);
	dkt_style_free(style);
	return 0;
}

int main(void)
{
	uint8_t(*data)[SIZE] __cleanup(free) = calloc(RECORDS, SIZE);
	struct dkt_record *records __cleanup(free) = calloc(RECORDS, sizeof(*records));
	struct dkt_style_info info;
	struct dkt_ctx *ctx;
	size_t i;
	int failed = 0;

	if (!data || !records || dkt_ctx_new(NULL, &ctx))
		return 1;
	if (dkt_tracefs_open(ctx, 0)) {
		printf("SKIP: %s\n", dkt_error(ctx));
		return 77;
	}
	for (i = 0; i < RECORDS; i++) {
		const char *const *name = names[i % ARRAY_SIZE(names)];

		fill(&records[i], data[i], dkt_event_find(ctx, name[0], name[1]), (unsigned int)i);
	}
	for (i = 0; !dkt_style_get(i, &info, sizeof(info)); i++)
		if (!(info.traits & DKT_STYLE_FILES))
			failed |= bench(ctx, info.name, records);
	dkt_ctx_free(ctx);
	return failed;
}
