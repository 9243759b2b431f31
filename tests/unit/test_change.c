/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A change reports its progress. */
#include "lib/ctx.h"
#include "tests/helper/check.h"
#include "tests/helper/tree.h"

static void note(void *data, const char *what, size_t done, size_t of)
{
	dkt_buf_printf(data, "%s %zu/%zu\n", what, done, of);
	errno = EIO;
}

static void a_change_reports_its_progress(void **state)
{
	static const char *const names[] = { "a", "b", "c" };
	char root[TREE_NAME], path[64];
	struct dkt_buf *told;
	DKT_OPTS(dkt_ctx_opts, opts, .root = root, .progress = note);
	struct dkt_event *events[ARRAY_SIZE(names)];
	struct dkt_change *change;
	struct dkt_instance *in;
	struct dkt_ctx *ctx;
	size_t i, len;

	(void)state;
	assert_int_equal(dkt_buf_new(&told), 0);
	opts.progress_data = told;
	assert_int_equal(tree_make(root), 0);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		tree_event(root, "made", names[i], (unsigned int)i + 20, "", "\"\"");
		snprintf(path, sizeof(path), "events/made/%s/enable", names[i]);
		assert_int_equal(tree_text(root, path, i == 2 ? "1\n" : "0\n"), 0);
	}
	tree_text(root, "available_events", "made:a\nmade:b\nmade:c\n");
	tree_text(root, "events/made/a/filter", "none\n");
	tree_text(root, "set_event", "made:c\n");
	tree_text(root, "per_cpu/cpu0/stats", "");
	assert_int_equal(dkt_ctx_new(&opts, &ctx), 0);
	assert_ok(ctx, dkt_instance_open(ctx, NULL, NULL, &in));
	for (i = 0; i < ARRAY_SIZE(names); i++)
		events[i] = dkt_event_find(ctx, "made", names[i]);
	assert_int_equal(dkt_change_new(in, &change), 0);
	assert_int_equal(dkt_change_events(change, events, 2), 0);
	assert_int_equal(dkt_change_filter(change, events[0], "common_pid == 1"), 0);
	errno = EPERM;
	assert_int_equal(dkt_change_commit(change), 0);
	/* c off, the filter, a and b on: the last of the four is the end. */
	assert_int_equal(errno, EPERM);
	dkt__buf_add(told, "", 1);
	assert_string_equal(dkt_buf_data(told, &len),
			    "events 1/4\nevents 2/4\nevents 3/4\nevents 4/4\n");
	dkt_change_free(change);
	dkt_instance_close(in);
	dkt_ctx_free(ctx);
	dkt_buf_free(told);
	assert_int_equal(tree_remove(root), 0);
}

/* Even if it was defined before the kernel's events were read. */
static void a_defined_event_cannot_be_enabled(void **state)
{
	char root[TREE_NAME];
	struct dkt_event *event;
	struct dkt_change *change;
	struct dkt_instance *in;
	struct dkt_ctx *ctx;

	(void)state;
	assert_int_equal(tree_make(root), 0);
	tree_event(root, "made", "a", 20, "", "\"\"");
	tree_text(root, "available_events", "made:a\n");
	tree_text(root, "set_event", "");
	tree_text(root, "per_cpu/cpu0/stats", "");
	ctx = tree_ctx(root);
	assert_non_null(ctx);
	assert_ok(ctx, dkt__event_define(ctx, "own", "a", "name: a\nID: 21\nformat:\n", &event));
	assert_ok(ctx, dkt_instance_open(ctx, NULL, NULL, &in));
	assert_ok(ctx, dkt_change_new(in, &change));
	assert_fails(ctx, -EINVAL, "event own:a cannot be enabled",
		     dkt_change_events(change, &event, 1));
	dkt_change_free(change);
	dkt_instance_close(in);
	dkt_ctx_free(ctx);
	assert_int_equal(tree_remove(root), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_change_reports_its_progress),
		cmocka_unit_test(a_defined_event_cannot_be_enabled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
