/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Histograms of latencies: bounds, classes, pairs that are taken away again, and the text for Prometheus. */
#include "lib/base/memory.h"
#include "recording/daemon/histograms.h"
#include "tests/helper/check.h"

#define IOTRACE  (UINT32_C(1) << 3)
#define VFSTRACE (UINT32_C(1) << 21)

static struct dkt_ctx *ctx; /* keeps the ready-made intervals */

struct both {
	struct histograms found, shared;
};

static struct both *new_both(void)
{
	struct both *both = calloc(1, sizeof(*both));

	assert_non_null(both);
	return both;
}

/* Returns the number after these words of the text; -1 if it does not have them. */
static double number(const struct histograms *shared, const char *begins)
{
	char *text __cleanup(free) = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	const char *line;

	histograms_text(ctx, f, shared, "log");
	fclose(f);
	line = strstr(text, begins);
	return line ? strtod(line + strlen(begins), NULL) : -1;
}

#define SERIES(metric)                                                                             \
	"\ndktrace_latency_seconds_" metric "{log=\"log\",latency=\"syscall\",class=\""

static void test_bounds(void **state)
{
	struct both *both __cleanup(free) = new_both();

	(void)state;
	histograms_know(&both->found, HISTOGRAM_PAIRS, 0);
	histograms_add(&both->found, HISTOGRAM_PAIRS, 0, 0, false);
	histograms_add(&both->found, HISTOGRAM_PAIRS, 0, 1000, false);
	histograms_add(&both->found, HISTOGRAM_PAIRS, 0, 1001, false);
	histograms_add(&both->found, HISTOGRAM_PAIRS, 0, 10000000000, false);
	histograms_add(&both->found, HISTOGRAM_PAIRS, 0, 10000000001, false);
	histograms_publish(&both->found, &both->shared);
	/* A bound belongs to its bucket, and each bucket has those below it. */
	assert_true(number(&both->shared, SERIES("bucket") "none\",le=\"1e-06\"} ") == 2);
	assert_true(number(&both->shared, SERIES("bucket") "none\",le=\"2.5e-06\"} ") == 3);
	assert_true(number(&both->shared, SERIES("bucket") "none\",le=\"5\"} ") == 3);
	assert_true(number(&both->shared, SERIES("bucket") "none\",le=\"10\"} ") == 4);
	assert_true(number(&both->shared, SERIES("bucket") "none\",le=\"+Inf\"} ") == 5);
	assert_true(number(&both->shared, SERIES("count") "none\"} ") == 5);
	assert_true(number(&both->shared, SERIES("sum") "none\"} ") == 20.000002002);
}

static void test_classes(void **state)
{
	struct both *both __cleanup(free) = new_both();

	(void)state;
	histograms_know(&both->found, HISTOGRAM_PAIRS, IOTRACE | VFSTRACE);
	histograms_add(&both->found, HISTOGRAM_PAIRS, VFSTRACE | IOTRACE, 5, false);
	histograms_publish(&both->found, &both->shared);
	assert_true(number(&both->shared, SERIES("count") "vfstrace\"} ") == 1);
	assert_true(number(&both->shared, SERIES("count") "none\"} ") == -1);
	/* One that is measured is shown before it has a latency. */
	histograms_know(&both->found, HISTOGRAM_PAIRS, 0);
	histograms_publish(&both->found, &both->shared);
	assert_true(number(&both->shared, SERIES("count") "none\"} ") == 0);
}

/* Counters must never fall, because that would be a restart for Prometheus. */
static void test_removed(void **state)
{
	struct both *both __cleanup(free) = new_both();

	(void)state;
	histograms_know(&both->found, HISTOGRAM_PAIRS, 0);
	for (int i = 0; i < 3; i++)
		histograms_add(&both->found, HISTOGRAM_PAIRS, 0, 2000, false);
	histograms_publish(&both->found, &both->shared);
	for (int i = 0; i < 2; i++)
		histograms_add(&both->found, HISTOGRAM_PAIRS, 0, 2000, true);
	histograms_publish(&both->found, &both->shared);
	assert_true(number(&both->shared, SERIES("count") "none\"} ") == 3);
	assert_true(number(&both->shared, SERIES("sum") "none\"} ") == 0.000006);
	for (int i = 0; i < 3; i++)
		histograms_add(&both->found, HISTOGRAM_PAIRS, 0, 2000, false);
	histograms_publish(&both->found, &both->shared);
	assert_true(number(&both->shared, SERIES("count") "none\"} ") == 4);
}

static void test_kinds(void **state)
{
	struct both *both __cleanup(free) = new_both();
	const struct dkt_interval *list;
	size_t n;

	(void)state;
	assert_ok(ctx, dkt_interval_list(ctx, &list, &n));
	n += HISTOGRAM_PAIRS;
	assert_uint_in_range(n, HISTOGRAM_PAIRS + 1, HISTOGRAM_KINDS);
	histograms_know(&both->found, HISTOGRAM_RPC, IOTRACE);
	histograms_know(&both->found, (unsigned int)n - 1, IOTRACE);
	histograms_publish(&both->found, &both->shared);
	assert_true(number(&both->shared, "_count{log=\"log\",latency=\"ptlrpc request\",class=\""
					  "iotrace\"} ") == 0);
	assert_true(number(&both->shared,
			   "_count{log=\"log\",latency=\"fsync-block\",class=\"iotrace\"} ") == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_removed),
		cmocka_unit_test(test_kinds),
	};

	int failed;

	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	dkt_ctx_free(ctx);
	return failed;
}
