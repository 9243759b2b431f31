/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The errors of the library's manual pages, on the running kernel's tracefs. */
#include "tests/helper/check.h"

#include "lib/base/banned.h"
#include "lib/inside.h"

struct test {
	struct dkt_ctx *ctx;
	struct dkt_instance *in;
	struct dkt_event *event;
};

static int setup(void **state)
{
	struct test *test = calloc(1, sizeof(*test));

	*state = test;
	assert_int_equal(dkt_ctx_new(NULL, &test->ctx), 0);
	assert_ok(test->ctx, dkt_instance_own(test->ctx, "dkt-test-errors", &test->in));
	assert_ok(test->ctx, dkt_instance_set_clock(test->in, "mono"));
	test->event = dkt_event_find(test->ctx, "sched", "sched_switch");
	assert_non_null(test->event);
	return 0;
}

static int teardown(void **state)
{
	struct test *test = *state;

	assert_ok(test->ctx, dkt_instance_remove(test->ctx, dkt_instance_name(test->in)));
	dkt_instance_close(test->in);
	dkt_ctx_free(test->ctx);
	free(test);
	return 0;
}

static void errors_of_instances_are_as_documented(void **state)
{
	DKT_OPTS(dkt_instance_opts, opts, .flags = 64);
	struct test *test = *state;
	struct dkt_instance *other;
	struct dkt_cpu_stats stats;
	char text[70000] = "";
	int64_t offset;
	uint64_t ns;

	assert_fails(test->ctx, -ENOENT, NULL, dkt_instance_open(test->ctx, "no", NULL, &other));
	assert_fails(test->ctx, -EINVAL, NULL, dkt_instance_open(test->ctx, "a/b", NULL, &other));
	assert_fails(test->ctx, -EINVAL, NULL, dkt_instance_open(test->ctx, "no", &opts, &other));
	assert_fails(test->ctx, -EEXIST, NULL,
		     dkt_instance_own(test->ctx, "dkt-test-errors", &other));
	assert_fails(test->ctx, -ENOENT, NULL, dkt_instance_remove(test->ctx, "no"));
	assert_fails(test->ctx, -EINVAL, NULL, dkt_instance_remove(test->ctx, NULL));
	assert_fails(test->ctx, -ENOENT, NULL,
		     dkt_instance_get_stats(test->in, 9999, &stats, sizeof(stats)));
	assert_fails(test->ctx, -ENOENT, NULL, dkt_instance_set_option(test->in, "no", true));
	assert_fails(test->ctx, -EINVAL, NULL, dkt_instance_set_clock(test->in, "no"));
	assert_fails(test->ctx, -EINVAL, NULL, dkt__instance_try_filter(test->in, "prev_pid =="));
	memset(text, 'x', sizeof(text) - 1);
	assert_fails(test->ctx, -EMSGSIZE, NULL, dkt_instance_mark(test->in, text));
	assert_ok(test->ctx, dkt_instance_set_on(test->in, false));
	assert_fails(test->ctx, -EBADF, NULL, dkt_instance_mark(test->in, "x"));
	assert_ok(test->ctx, dkt_instance_set_clock(test->in, "local"));
	assert_fails(test->ctx, -EOPNOTSUPP, NULL, dkt_instance_get_now(test->in, &ns));
	assert_fails(test->ctx, -EOPNOTSUPP, NULL, dkt__instance_get_wall(test->in, &offset));
}

static void errors_of_changes_are_as_documented(void **state)
{
	struct test *test = *state;
	struct dkt_trigger *trigger;
	struct dkt_change *change;
	char text[5000] = "";

	assert_fails(test->ctx, -EINVAL, NULL, dkt__trigger_parse(test->ctx, "no word", &trigger));
	memset(text, 'x', sizeof(text) - 1);
	assert_fails(test->ctx, -E2BIG, NULL, dkt__trigger_parse(test->ctx, text, &trigger));
	assert_fails(test->ctx, -ENOENT, NULL,
		     dkt__instance_check_trigger(test->in, test->event, "enable_event:no:such"));
	assert_ok(test->ctx, dkt_change_new(test->in, &change));
	assert_fails(test->ctx, -EINVAL, NULL, dkt_change_cpus(change, "9999"));
	assert_fails(test->ctx, -ENOENT, NULL,
		     dkt_change_trigger(change, test->event, "enable_event:no:such"));
	assert_ok(test->ctx, dkt_change_filter(change, test->event, "prev_pid =="));
	assert_fails(test->ctx, -EINVAL, NULL, dkt_change_commit(change));
	dkt_change_free(change);
}

static int no_marker(void *data, const struct dkt__marker *marker)
{
	(void)data;
	(void)marker;
	return 0;
}

static void errors_of_probes_are_as_documented(void **state)
{
	DKT_OPTS(dkt_probe, probe, .group = "sched", .name = "sched_switch", .place = "/bin/sh:0");
	DKT_OPTS(dkt_probe_opts, opts, .exec = "/etc/passwd");
	struct test *test = *state;
	struct dkt_probes *list;

	assert_fails(test->ctx, -ENOEXEC, NULL,
		     dkt_probe_define(test->ctx, "f", NULL, 0, &opts, &list));
	assert_fails(test->ctx, -ENOEXEC, NULL,
		     dkt__markers(test->ctx, opts.exec, no_marker, NULL));
	opts.exec = "/proc/self/exe";
	assert_fails(test->ctx, -ENOENT, NULL,
		     dkt_probe_define(test->ctx, "no_such", NULL, 0, &opts, &list));
	assert_fails(test->ctx, -ERANGE, NULL,
		     dkt_probe_define(test->ctx, "0x99999999", NULL, 0, &opts, &list));
	assert_fails(test->ctx, -EINVAL, NULL, dkt__probe_from_text(test->ctx, "no", &list));
	assert_fails(test->ctx, -ENOENT, NULL, dkt_probe_remove(test->ctx, "no", "such"));
	probe.kind = DKT_PROBE_UPROBE;
	assert_fails(test->ctx, -EEXIST, NULL, dkt_probe_create(test->ctx, &probe));
	probe.name = "no_such";
	probe.kind = DKT_PROBE_ANY;
	assert_fails(test->ctx, -EINVAL, NULL, dkt_probe_create(test->ctx, &probe));
}

static void errors_of_live_sources_are_as_documented(void **state)
{
	DKT_OPTS(dkt_live_opts, keep, .flags = DKT_LIVE_KEEP);
	struct test *test = *state;
	struct dkt_source *source;
	struct dkt_loss loss;
	uint64_t a, b;

	assert_fails(test->ctx, -EINVAL, NULL, dkt_source_live(test->in, &keep, &source));
	assert_ok(test->ctx, dkt_source_live(test->in, NULL, &source));
	assert_int_equal(dkt_source_wait(source, 0), -EOPNOTSUPP);
	assert_int_equal(dkt_source_fd(source), -EOPNOTSUPP);
	assert_int_equal(dkt__source_wake(source), -EOPNOTSUPP);
	assert_int_equal(dkt_source_seek(source, 0, 0), -EOPNOTSUPP);
	assert_int_equal(dkt__source_slice(source, 0, 1, &a), -EOPNOTSUPP);
	assert_int_equal(dkt__source_get_bytes(source, &a, &b), -EOPNOTSUPP);
	assert_fails(test->ctx, -EINVAL, NULL,
		     dkt_source_get_loss(source, 9999, &loss, sizeof(loss)));
	dkt_source_close(source);
	/* The context stands for this kernel. */
	assert_fails(test->ctx, -EBUSY, NULL,
		     dkt_source_open(test->ctx, "/etc/passwd", NULL, &source));
}

static void errors_of_counts_are_as_documented(void **state)
{
	DKT_OPTS(dkt_hist_opts, opts);
	struct test *test = *state;
	struct dkt_table *table;
	struct dkt_hist *hist;

	assert_fails(test->ctx, -EINVAL, NULL, dkt_hist_new(test->ctx, &opts, &hist));
	opts.keys = "next_pid";
	assert_ok(test->ctx, dkt_hist_new(test->ctx, &opts, &hist));
	assert_fails(test->ctx, -ENOENT, NULL,
		     dkt_hist_event(hist, dkt_event_find(test->ctx, "sched", "sched_waking")));
	assert_ok(test->ctx, dkt_hist_event(hist, test->event));
	assert_ok(test->ctx, dkt_hist_read(hist, NULL, &table));
	assert_fails(test->ctx, -ENOENT, NULL, dkt_table_sort(table, "no"));
	assert_fails(test->ctx, -EINVAL, NULL, dkt_table_sort(table, "next_pid.no"));
	dkt_table_free(table);
	assert_fails(test->ctx, -ENOENT, NULL,
		     dkt__instance_get_hist(test->in, test->event, &table));
	dkt_hist_free(hist);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(errors_of_instances_are_as_documented, setup,
						teardown),
		cmocka_unit_test_setup_teardown(errors_of_changes_are_as_documented, setup,
						teardown),
		cmocka_unit_test_setup_teardown(errors_of_probes_are_as_documented, setup,
						teardown),
		cmocka_unit_test_setup_teardown(errors_of_live_sources_are_as_documented, setup,
						teardown),
		cmocka_unit_test_setup_teardown(errors_of_counts_are_as_documented, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
