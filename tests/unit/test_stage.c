/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stages: all buffers are processed in order until one fails, with and without threads. */
#include <sched.h>

#include "compat/lustre/binary/stage.h"
#include "tests/helper/check.h"

#define SIZE 64

struct sum {
	unsigned int calls;
	unsigned int fail_at; /* 0: never */
	size_t bytes;
	struct stage *next;
};

/* Buffers hold their number. */
static int add(void *data, const uint8_t *bytes, size_t len)
{
	struct sum *sum = data;
	unsigned int nr;

	memcpy(&nr, bytes, sizeof(nr));
	if (nr != sum->calls++)
		return -EBADMSG;
	if (sum->calls == sum->fail_at)
		return -ENOSPC;
	sum->bytes += len;
	if (!sum->next)
		return 0;
	memcpy(dkl_stage_buffer(sum->next), bytes, len);
	return dkl_stage_put(sum->next, len);
}

/* Puts n buffers; the last one is of 8 bytes. Returns how many were taken. */
static unsigned int put(struct stage *stage, unsigned int n, int *err)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		memcpy(dkl_stage_buffer(stage), &i, sizeof(i));
		if (i + 1 < n && dkl_stage_put(stage, SIZE))
			break;
	}
	*err = dkl_stage_finish(stage, i == n && n ? 8 : 0);
	return i;
}

static void check_all(void)
{
	static const unsigned int counts[] = { 0, 1, 2, 3, 4, 5, 1000 };
	size_t i;
	int err;

	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		unsigned int n = counts[i];
		struct sum last = { 0 }, sum = { 0 };

		assert_int_equal(dkl_stage_new(SIZE, add, &last, &sum.next), 0);
		struct stage *stage;

		assert_int_equal(dkl_stage_new(SIZE, add, &sum, &stage), 0);
		assert_int_equal(put(stage, n, &err), n);
		assert_int_equal(err, 0);
		assert_int_equal(sum.calls, n);
		assert_int_equal(sum.bytes, n ? (n - 1) * SIZE + 8 : 0);
		assert_int_equal(dkl_stage_finish(sum.next, 0), 0);
		assert_int_equal(last.calls, n);
		assert_int_equal(last.bytes, sum.bytes);
		dkl_stage_free(stage);
		dkl_stage_free(sum.next);
	}
}

static void check_failure(void)
{
	struct sum last = { .fail_at = 3 }, sum = { 0 };
	struct stage *stage;
	int err;

	assert_int_equal(dkl_stage_new(SIZE, add, &last, &sum.next), 0);
	assert_int_equal(dkl_stage_new(SIZE, add, &sum, &stage), 0);
	/* The first stage fails with the error of the second one, and stops. */
	assert_true(put(stage, 1000, &err) < 1000);
	assert_int_equal(err, -ENOSPC);
	assert_int_equal(last.calls, 3);
	assert_true(sum.calls < 1000);
	dkl_stage_free(stage);
	dkl_stage_free(sum.next);
}

/* Unprocessed buffers are dropped, and no thread waits for ever. */
static void check_dropped(void)
{
	struct sum sum = { 0 };
	struct stage *stage;
	unsigned int i;

	assert_int_equal(dkl_stage_new(SIZE, add, &sum, &stage), 0);
	for (i = 0; i < 3; i++) {
		memcpy(dkl_stage_buffer(stage), &i, sizeof(i));
		assert_int_equal(dkl_stage_put(stage, SIZE), 0);
	}
	dkl_stage_free(stage);
	assert_true(sum.calls <= 3);
}

static void check(void)
{
	check_all();
	check_failure();
	check_dropped();
}

static void stages_run_in_order_on_all_cpus(void **state)
{
	(void)state;
	check();
}

static void stages_run_in_order_on_one_cpu(void **state)
{
	cpu_set_t all, one;
	int cpu = 0;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	check();
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stages_run_in_order_on_all_cpus),
		cmocka_unit_test(stages_run_in_order_on_one_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
