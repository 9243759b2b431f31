/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls on a context without tracefs open it, or report why they cannot. */
#include "lib/inside.h"
#include "tests/helper/check.h"
#include "tests/helper/order.h"
#include "tests/helper/tree.h"

#define NOWHERE "/nowhere/at/all"
#define NO_ROOT "open " NOWHERE ": No such file or directory"

static int make_tree(void **state)
{
	char *root = malloc(TREE_NAME);

	assert_non_null(root);
	assert_int_equal(tree_make(root), 0);
	assert_int_equal(tree_text(root, "available_events", "sched:sched_switch\n"), 0);
	assert_int_equal(tree_event(root, "sched", "sched_switch", 300,
				    "\tfield:u64 v;\toffset:8;\tsize:8;\tsigned:0;\n", "\"x\""),
			 0);
	assert_int_equal(tree_text(root, "README", "mkdir instances/foo\n"), 0);
	assert_int_equal(tree_text(root, "instances/i/trace", ""), 0);
	assert_int_equal(tree_text(root, "instances/i/per_cpu/cpu0/stats", ""), 0);
	*state = root;
	return 0;
}

static int remove_tree(void **state)
{
	int err = tree_remove(*state);

	free(*state);
	return err;
}

static struct dkt_ctx *fresh(const char *root)
{
	DKT_OPTS(dkt_ctx_opts, opts, .root = root);
	struct dkt_ctx *ctx;

	assert_int_equal(dkt_ctx_new(&opts, &ctx), 0);
	assert_string_equal(dkt_tracefs_dir(ctx), "");
	return ctx;
}

static void events_are_listed(void **state)
{
	struct dkt_ctx *ctx = fresh(*state);
	struct dkt_event *const *events;
	size_t n;

	assert_ok(ctx, dkt_events(ctx, &events, &n));
	assert_int_equal(n, 1);
	assert_string_equal(dkt_event_name(events[0]), "sched_switch");
	assert_string_equal(dkt_tracefs_dir(ctx), *state);
	dkt_ctx_free(ctx);
}

static void events_are_found(void **state)
{
	struct dkt_ctx *ctx = fresh(*state);

	assert_non_null(dkt_event_find(ctx, "sched", "sched_switch"));
	assert_null(dkt_event_find(ctx, "sched", "none"));
	assert_string_equal(dkt_error(ctx), "there is no event sched:none");
	dkt_ctx_free(ctx);
	ctx = fresh(*state);
	assert_string_equal(dkt_event_name(dkt__event_by_id(ctx, 300)), "sched_switch");
	assert_null(dkt__event_by_id(ctx, -1));
	assert_string_equal(dkt_error(ctx), "-1 cannot be the ID of an event");
	dkt_ctx_free(ctx);
}

static void a_field_of_another_event_reads_as_zero(void **state)
{
	uint8_t bytes[16] = { 45, 1, [8] = 77 };
	struct dkt_record record = { .data = bytes, .size = sizeof(bytes) };
	struct dkt_ctx *ctx = fresh(*state);
	const struct dkt_field *v, *w, *type;
	struct dkt_event *event;
	size_t len;

	own_order(bytes, "21148");
	assert_ok(ctx, dkt__event_define(ctx, "own", "other",
					 "name: other\nID: 301\n" TREE_COMMON
					 "\tfield:u64 w;\toffset:8;\tsize:8;\tsigned:0;\n\n"
					 "print fmt: \"x\"\n",
					 &record.event));
	event = dkt_event_find(ctx, "sched", "sched_switch");
	assert_non_null(event);
	v = dkt_event_field(event, "v");
	type = dkt_event_field(event, "common_type");
	assert_int_equal(dkt_record_int(&record, v), 0);
	dkt_record_bytes(&record, v, &len);
	assert_int_equal(len, 0);
	assert_int_equal(dkt_record_int(&record, type), 301);
	w = dkt_event_field(record.event, "w");
	assert_ptr_equal(w->event, record.event);
	assert_int_equal(dkt_record_int(&record, w), 77);
	dkt_record_bytes(&record, w, &len);
	assert_int_equal(len, 8);
	dkt_ctx_free(ctx);
}

static void features_are_found(void **state)
{
	struct dkt_ctx *ctx = fresh(*state);
	struct dkt_feature feature;

	assert_ok(ctx, dkt_feature_get(ctx, 1, &feature, sizeof(feature)));
	assert_string_equal(feature.name, "instances");
	assert_true(feature.have);
	assert_int_equal(dkt_feature_get(ctx, 1000, &feature, sizeof(feature)), 1);
	dkt_ctx_free(ctx);
}

static void instances_are_opened(void **state)
{
	struct dkt_ctx *ctx = fresh(*state);
	struct dkt_instance *in;

	assert_ok(ctx, dkt_instance_open(ctx, "i", NULL, &in));
	dkt_instance_close(in);
	dkt_ctx_free(ctx);
}

static void no_probes_is_not_an_error(void **state)
{
	struct dkt_ctx *ctx = fresh(*state);
	struct dkt_probes *probes;

	assert_ok(ctx, dkt_probes_read(ctx, &probes));
	assert_null(dkt_probes_at(probes, 0));
	assert_string_equal(dkt_tracefs_dir(ctx), *state);
	dkt_probes_free(probes);
	dkt_ctx_free(ctx);
}

static void a_missing_root_is_named(void **state)
{
	struct dkt_ctx *ctx = fresh(NOWHERE);
	struct dkt_event *const *events;
	struct dkt_feature feature;
	struct dkt_instance *in;
	size_t n;

	(void)state;
	assert_fails(ctx, -ENOENT, "list events: " NO_ROOT, dkt_events(ctx, &events, &n));
	assert_null(events);
	assert_int_equal(n, 0);
	dkt__error_give(ctx, 0, NULL);
	assert_null(dkt_event_find(ctx, "a", "b"));
	assert_string_equal(dkt_error(ctx), "list events: " NO_ROOT);
	dkt__error_give(ctx, 0, NULL);
	assert_null(dkt__event_by_id(ctx, 1));
	assert_string_equal(dkt_error(ctx), "list events: " NO_ROOT);
	assert_fails(ctx, -ENOENT, NO_ROOT, dkt_feature_get(ctx, 0, &feature, sizeof(feature)));
	assert_fails(ctx, -ENOENT, NO_ROOT, dkt_instance_open(ctx, "i", NULL, &in));
	assert_fails(ctx, -ENOENT, NO_ROOT, dkt_instance_remove(ctx, "i"));
	dkt_ctx_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(events_are_listed, make_tree, remove_tree),
		cmocka_unit_test_setup_teardown(events_are_found, make_tree, remove_tree),
		cmocka_unit_test_setup_teardown(a_field_of_another_event_reads_as_zero, make_tree,
						remove_tree),
		cmocka_unit_test_setup_teardown(features_are_found, make_tree, remove_tree),
		cmocka_unit_test_setup_teardown(instances_are_opened, make_tree, remove_tree),
		cmocka_unit_test_setup_teardown(no_probes_is_not_an_error, make_tree, remove_tree),
		cmocka_unit_test(a_missing_root_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
