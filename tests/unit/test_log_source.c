/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The text of Lustre's debug log as a source: its records come once each, in order of time. */
#include "check.h"
#include "lustre/log_source.h"

#define RECORDS 20000

/* Writes RECORDS lines; time() returns the time of line i in us. Returns the descriptor. */
static int write_log(uint32_t (*time)(uint32_t i))
{
	FILE *f = tmpfile();

	assert_non_null(f);
	for (uint32_t i = 0; i < RECORDS; i++)
		fprintf(f, "00000100:00100000:%u.0:%u.%06u:0:%u:0:(a.c:%u:f()) text %u\n", i % 3,
			1700000000 + time(i) / 1000000, time(i) % 1000000, i % 7, 1 + i % 9, i);
	assert_int_equal(fflush(f), 0);
	return fileno(f);
}

static void comes_in_order(struct dkt_ctx *ctx, uint32_t (*time)(uint32_t i))
{
	DKT_OPTS(dkt_source_opts, opts, .fd = write_log(time) + 1, .name = "log");
	struct dkt_source *source;
	struct dkt_record record;
	uint64_t last = 0, n = 0, sum = 0, want = 0;

	assert_ok(ctx, log_source_open(ctx, "log", &opts, &source));
	assert_int_equal(dkt_source_info(source)->cpus, 3);
	while (!dkt_source_next(source, &record)) {
		assert_true(record.ts >= last);
		last = record.ts;
		sum += record.ts % 1000000000000;
		n++;
	}
	for (uint32_t i = 0; i < RECORDS; i++)
		want += (UINT64_C(1700000000000000) + time(i)) * 1000 % 1000000000000;
	assert_int_equal(n, RECORDS);
	assert_int_equal(sum, want);
	dkt_source_close(source);
}

static uint32_t sorted(uint32_t i)
{
	return i * 10;
}

/* As two CPUs one after the other. */
static uint32_t halves(uint32_t i)
{
	return i % (RECORDS / 2) * 10;
}

/* Each record goes back or forward. */
static uint32_t without_order(uint32_t i)
{
	return i * 7919 % RECORDS * 10;
}

/* Back at the end only, when the first reading has seen that the log is in order. */
static uint32_t late(uint32_t i)
{
	return i < RECORDS - 1 ? i * 10 : 5;
}

static void a_text_comes_in_order_whatever_its_order_is(void **state)
{
	comes_in_order(*state, sorted);
	comes_in_order(*state, halves);
	comes_in_order(*state, without_order);
	comes_in_order(*state, late);
}

static int open_context(void **state)
{
	return dkt_ctx_new(NULL, (struct dkt_ctx **)state);
}

static int close_context(void **state)
{
	dkt_ctx_free(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_comes_in_order_whatever_its_order_is),
	};

	return cmocka_run_group_tests(tests, open_context, close_context);
}
