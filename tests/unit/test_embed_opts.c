/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options of callers: NULL, of an older or newer header, and with unknown flags. */
#include "lib/ctx.h"
#include "lib/inside.h"
#include "tests/helper/check.h"
#include "tests/helper/tree.h"

/* A struct of a header that has a member more. */
#define NEWER(type)                                                                                \
	struct {                                                                                   \
		struct type opts;                                                                  \
		uint64_t more;                                                                     \
	}

static int setup(void **state)
{
	DKT_OPTS(dkt_ctx_opts, opts, .root = "/nowhere/at/all");
	struct dkt_ctx *ctx;

	assert_int_equal(dkt_ctx_new(&opts, &ctx), 0);
	*state = ctx;
	return 0;
}

static int teardown(void **state)
{
	dkt_ctx_free(*state);
	return 0;
}

static void smaller_options_are_zero_beyond(void **state)
{
	struct dkt_live_opts opts = { .sz = offsetof(struct dkt_live_opts, until),
				      .flags = DKT_LIVE_KEEP,
				      .until = 5 };
	struct dkt_live_opts all;

	assert_ok(*state, dkt__opts_take(*state, dkt_live_opts, &all, &opts));
	assert_int_equal(all.sz, sizeof(all));
	assert_int_equal(all.flags, DKT_LIVE_KEEP);
	assert_int_equal(all.until, 0);
}

static void null_options_are_all_defaults(void **state)
{
	struct dkt_live_opts all;

	assert_ok(*state, dkt__opts_take(*state, dkt_live_opts, &all, NULL));
	assert_int_equal(all.sz, sizeof(all));
	assert_int_equal(all.flags, 0);
}

static void larger_options_must_be_zero_beyond(void **state)
{
	NEWER(dkt_expr_opts) newer = { .opts.sz = sizeof(newer) };
	struct dkt_expr *expr;

	assert_ok(*state, dkt_expr_new(*state, "a == 1", &newer.opts, &expr));
	dkt_expr_free(expr);
	newer.more = 1;
	assert_fails(
		*state, -E2BIG,
		"dkt_expr_opts has 40 bytes, and more than the 32 that are known here are used",
		dkt_expr_new(*state, "a == 1", &newer.opts, &expr));
	assert_null(expr);
}

static void a_size_must_be_set(void **state)
{
	struct dkt_expr_opts opts = { 0 };
	struct dkt_ctx_opts ctx_opts = { 0 };
	struct dkt_expr *expr;
	struct dkt_ctx *ctx;

	assert_fails(*state, -EINVAL, "dkt_expr_opts: sz is 0, not the size of the struct",
		     dkt_expr_new(*state, "a == 1", &opts, &expr));
	opts.sz = 1 << 20;
	assert_fails(*state, -EINVAL, "dkt_expr_opts: sz is 1048576, not the size of the struct",
		     dkt_expr_new(*state, "a == 1", &opts, &expr));
	assert_int_equal(dkt_ctx_new(&ctx_opts, &ctx), -EINVAL);
	assert_null(ctx);
}

/* Members that an older header lacks are not written, those that a newer one adds are 0. */
static void results_have_the_size_of_the_caller(void **state)
{
	NEWER(dkt_style_info) newer = { .more = 1 };
	struct dkt_style_info older = { .traits = 77 };

	(void)state;
	assert_int_equal(dkt_style_get(2, &older, offsetof(struct dkt_style_info, words)), 0);
	assert_string_equal(older.name, "json");
	assert_null(older.words);
	assert_int_equal(older.traits, 77);
	assert_int_equal(dkt_style_get(2, &newer.opts, sizeof(newer)), 0);
	assert_string_equal(newer.opts.name, "json");
	assert_int_equal(newer.opts.traits, DKT_STYLE_DATA);
	assert_int_equal(newer.more, 0);
}

/* One call for each struct: all go the same way. */
static void every_call_checks_the_size(void **state)
{
	struct dkt_ctx *ctx = *state;
	struct dkt__source_calls calls = { 0 };
	struct dkt_source_opts source_opts = { 0 };
	struct dkt_style_opts style_opts = { 0 };
	struct dkt_hist_opts hist_opts = { 0 };
	struct dkt_intervals_opts pairs_opts = { 0 };
	struct dkt_probe_opts probe_opts = { 0 };
	struct dkt_tracedat_opts tracedat_opts = { 0 };
	struct dkt_tracedat *tracedat;
	struct dkt_source *source;
	struct dkt_probes *probes;
	struct dkt_style *style;
	struct dkt_intervals *pairs;
	struct dkt_hist *hist;

	assert_int_equal(dkt_source_open(ctx, "/x", &source_opts, &source), -EINVAL);
	assert_null(source);
	assert_int_equal(dkt__source_make(ctx, &calls, NULL, NULL, NULL, &source), -EINVAL);
	assert_null(source);
	assert_int_equal(dkt_style_new(ctx, "trace", &style_opts, &style), -EINVAL);
	assert_null(style);
	assert_int_equal(dkt_hist_new(ctx, &hist_opts, &hist), -EINVAL);
	assert_null(hist);
	assert_int_equal(dkt_intervals_new(ctx, &pairs_opts, &pairs), -EINVAL);
	assert_null(pairs);
	assert_int_equal(dkt_probe_define(ctx, "f", NULL, 0, &probe_opts, &probes), -EINVAL);
	assert_null(probes);
	assert_int_equal(dkt_tracedat_new(ctx, NULL, -1, &tracedat_opts, &tracedat), -EINVAL);
	assert_null(tracedat);
}

static int no_more(void *data, struct dkt_record *record)
{
	(void)data;
	(void)record;
	return 1;
}

static void count_close(void *data)
{
	++*(int *)data;
}

static void a_made_source_needs_only_next(void **state)
{
	NEWER(dkt__source_calls)
	newer = { .opts = { .sz = sizeof(newer), .next = no_more, .close = count_close } };
	DKT_OPTS(dkt_source_opts, opts, .flags = 1 << 20);
	struct dkt_source *source;
	struct dkt_record record;
	int closed = 0;

	newer.more = 1;
	assert_int_equal(dkt__source_make(*state, &newer.opts, &closed, NULL, NULL, &source),
			 -E2BIG);
	assert_int_equal(closed, 1);
	newer.more = 0;
	assert_fails(*state, -EINVAL, "dkt_source_opts: 0x100000 is not a known flag",
		     dkt__source_make(*state, &newer.opts, &closed, NULL, &opts, &source));
	assert_int_equal(closed, 2);
	assert_fails(*state, -EINVAL, "a source without a call to read it",
		     dkt__source_make(*state, NULL, &closed, NULL, NULL, &source));
	assert_ok(*state, dkt__source_make(*state, &newer.opts, &closed, NULL, NULL, &source));
	assert_int_equal(dkt_source_next(source, &record), 1);
	assert_null(dkt_source_info(source)->kind);
	assert_int_equal(dkt_source_info(source)->sz, sizeof(struct dkt_source_info));
	dkt_source_close(source);
	assert_int_equal(closed, 3);
}

/* Whichever pointer is NULL, the call closes the object. */
static void a_failed_make_calls_close(void **state)
{
	DKT_OPTS(dkt__source_calls, calls, .next = no_more, .close = count_close);
	DKT_OPTS(dkt__style_calls, style_calls, .close = count_close);
	struct dkt_source_info no_size = { .kind = "sizeless" };
	struct dkt_source *source;
	struct dkt_style *style;
	int closed = 0;

	assert_int_equal(dkt__source_make(NULL, &calls, &closed, NULL, NULL, &source), -EINVAL);
	assert_null(source);
	assert_int_equal(closed, 1);
	assert_int_equal(dkt__source_make(*state, &calls, &closed, NULL, NULL, NULL), -EINVAL);
	assert_int_equal(closed, 2);
	assert_fails(*state, -EINVAL, "dkt_source_info: sz is 0, not the size of the struct",
		     dkt__source_make(*state, &calls, &closed, &no_size, NULL, &source));
	assert_int_equal(closed, 3);
	assert_int_equal(dkt__style_make(NULL, &style_calls, &closed, &style), -EINVAL);
	assert_null(style);
	assert_int_equal(closed, 4);
	assert_int_equal(dkt__style_make(*state, &style_calls, &closed, NULL), -EINVAL);
	assert_int_equal(closed, 5);
}

static void a_probe_has_a_size(void **state)
{
	struct dkt_probe probe = {
		.kind = DKT_PROBE_KPROBE, .group = "g", .name = "n", .place = "f"
	};
	NEWER(dkt_probe) newer = { .more = 1 };
	char *text;

	assert_fails(*state, -EINVAL, "dkt_probe: sz is 0, not the size of the struct",
		     dkt__probe_text(*state, &probe, &text));
	probe.sz = offsetof(struct dkt_probe, hits);
	assert_ok(*state, dkt__probe_text(*state, &probe, &text));
	assert_string_equal(text, "p:g/n f");
	free(text);
	newer.opts = probe;
	newer.opts.sz = sizeof(newer);
	assert_int_equal(dkt__probe_text(*state, &newer.opts, &text), -E2BIG);
	assert_null(text);
}

static void source_info_may_be_of_an_older_header(void **state)
{
	struct dkt_source_info older = { .sz = offsetof(struct dkt_source_info, cpus),
					 .kind = "old",
					 .cpus = 77 };
	DKT_OPTS(dkt__source_calls, calls, .next = no_more);
	struct dkt_source *source;

	assert_ok(*state, dkt__source_make(*state, &calls, NULL, &older, NULL, &source));
	assert_string_equal(dkt_source_info(source)->kind, "old");
	assert_int_equal(dkt_source_info(source)->cpus, 0);
	dkt_source_close(source);
}

static int put_comm(void *data, const struct dkt_record *record, const char *comm,
		    struct dkt_buf *buf)
{
	(void)data;
	dkt_buf_printf(buf, "%s %s\n", comm, record->event ? "record" : "gap");
	return 0;
}

static int put_end(void *data, struct dkt_buf *buf)
{
	(void)data;
	dkt_buf_str(buf, "end\n");
	return 0;
}

static void a_made_style_needs_only_record(void **state)
{
	NEWER(dkt__style_calls)
	newer = { .opts = { .sz = sizeof(newer), .record = put_comm, .close = count_close } };
	DKT_OPTS(dkt__style_calls, all, .record = put_comm, .begin = put_end, .flush = put_end,
		 .end = put_end);
	struct dkt_record gap = { .lost = 7 };
	struct dkt_style *style;
	struct dkt_buf *buf;
	int closed = 0;
	size_t len;

	newer.more = 1;
	assert_int_equal(dkt__style_make(*state, &newer.opts, &closed, &style), -E2BIG);
	assert_int_equal(closed, 1);
	newer.more = 0;
	assert_fails(*state, -EINVAL, "a style without a call to put a record",
		     dkt__style_make(*state, NULL, &closed, &style));
	assert_null(style);
	assert_int_equal(dkt_buf_new(&buf), 0);
	assert_ok(*state, dkt__style_make(*state, &newer.opts, &closed, &style));
	assert_int_equal(dkt_style_begin(style, buf), 0);
	assert_int_equal(dkt_style_record(style, &gap, "dd", buf), 0);
	assert_int_equal(dkt__style_flush(style, buf), 0);
	assert_int_equal(dkt_style_end(style, buf), 0);
	dkt__buf_add(buf, "", 1);
	assert_string_equal(dkt_buf_data(buf, &len), "dd gap\n");
	dkt_style_free(style);
	assert_int_equal(closed, 2);
	dkt_buf_reset(buf);
	assert_ok(*state, dkt__style_make(*state, &all, NULL, &style));
	assert_int_equal(dkt_style_begin(style, buf), 0);
	assert_int_equal(dkt__style_flush(style, buf), 0);
	assert_int_equal(dkt_style_end(style, buf), 0);
	dkt__buf_add(buf, "", 1);
	assert_string_equal(dkt_buf_data(buf, &len), "end\nend\nend\n");
	dkt_style_free(style);
	dkt_buf_free(buf);
}

static void nothing_crashes_without_options(void **state)
{
	struct dkt_ctx *ctx = *state;
	struct dkt_probes *probes;
	struct dkt_intervals *pairs;
	struct dkt_style *style;
	struct dkt_hist *hist;
	struct dkt_expr *expr;

	assert_fails(ctx, -EINVAL, "a histogram without keys", dkt_hist_new(ctx, NULL, &hist));
	assert_null(hist);
	assert_fails(ctx, -EINVAL, "the pairs have no key", dkt_intervals_new(ctx, NULL, &pairs));
	assert_null(pairs);
	assert_fails(ctx, -EINVAL, "place 'f%x': after % only 'return' is possible",
		     dkt_probe_define(ctx, "f%x", NULL, 0, NULL, &probes));
	assert_null(probes);
	assert_ok(ctx, dkt_expr_new(ctx, "a == 1", NULL, &expr));
	dkt_expr_free(expr);
	assert_ok(ctx, dkt_style_new(ctx, "trace", NULL, &style));
	dkt_style_free(style);
}

static void a_probe_on_a_program_needs_the_program(void **state)
{
	DKT_OPTS(dkt_probe_opts, opts, .kind = DKT_PROBE_UPROBE);
	struct dkt_probes *probes;

	assert_fails(*state, -EINVAL, "a uprobe needs the program",
		     dkt_probe_define(*state, "f", NULL, 0, &opts, &probes));
}

/* A kernel that can trace functions, and a change of its top instance. */
struct tracer {
	char root[TREE_NAME];
	struct dkt_ctx *ctx;
	struct dkt_instance *in;
	struct dkt_change *change;
};

static void tracer_open(struct tracer *t, const char *functions)
{
	assert_int_equal(tree_make(t->root), 0);
	assert_int_equal(tree_text(t->root, "available_events", ""), 0);
	assert_int_equal(tree_text(t->root, "available_filter_functions", functions), 0);
	assert_int_equal(tree_text(t->root, "per_cpu/cpu0/stats", ""), 0);
	t->ctx = tree_ctx(t->root);
	assert_non_null(t->ctx);
	assert_ok(t->ctx, dkt_instance_open(t->ctx, NULL, NULL, &t->in));
	assert_ok(t->ctx, dkt_change_new(t->in, &t->change));
}

static void tracer_close(struct tracer *t)
{
	dkt_change_free(t->change);
	dkt_instance_close(t->in);
	dkt_ctx_free(t->ctx);
	assert_int_equal(tree_remove(t->root), 0);
}

static void functions_and_live_sources_have_defaults(void **state)
{
	static const char *const names[] = { "xfs" };
	struct dkt_tracer_opts functions = { 0 };
	DKT_OPTS(dkt_live_opts, opts, .flags = 1 << 20);
	struct dkt_source *source;
	struct tracer t;

	(void)state;
	tracer_open(&t, "vfs_read\n");
	assert_ok(t.ctx, dkt_change_tracer(t.change, "function", NULL));
	assert_int_equal(dkt_change_tracer(t.change, "function", &functions), -EINVAL);
	functions = (struct dkt_tracer_opts){ .sz = sizeof(functions),
					      .modules = names,
					      .n_modules = 1 };
	assert_ok(t.ctx, dkt_change_tracer(t.change, "function", &functions));
	functions.depth = 1;
	assert_fails(t.ctx, -EINVAL, "dkt_tracer_opts: of modules only functions can be left out",
		     dkt_change_tracer(t.change, "function", &functions));
	assert_fails(t.ctx, -EINVAL, "dkt_live_opts: 0x100000 is not a known flag",
		     dkt_source_live(t.in, &opts, &source));
	assert_null(source);
	tracer_close(&t);
}

static void each_glob_of_a_tracer_matches_a_function(void **state)
{
	static const char *const has[] = { "vfs_*", "*:mod:xfs", "xfs_a*:mod:xfs" };
	static const char *const lacks[] = { "vfs_read", "xfs_alloc" };
	static const char *const wrong[] = { "a b" };
	DKT_OPTS(dkt_tracer_opts, opts, .only = has, .n_only = ARRAY_SIZE(has), .without = has,
		 .n_without = 1, .roots = lacks, .n_roots = 1);
	struct tracer t;

	(void)state;
	tracer_open(&t, "vfs_read\nvfs_write\nxfs_alloc [xfs]\n");
	assert_ok(t.ctx, dkt_change_tracer(t.change, "function", &opts));
	opts.n_roots = 2;
	assert_ok(t.ctx, dkt_change_tracer(t.change, "function", &opts));
	opts.roots = has;
	opts.without = (const char *const[]){ "nfs_*" };
	assert_fails(t.ctx, -ENOENT, "no function that this kernel can trace matches 'nfs_*'",
		     dkt_change_tracer(t.change, "function", &opts));
	opts.only = wrong;
	opts.n_only = 1;
	assert_fails(t.ctx, -EINVAL, "'a b' cannot be the name of a function",
		     dkt_change_tracer(t.change, "function", &opts));
	tracer_close(&t);
}

static void unknown_flags_are_refused(void **state)
{
	DKT_OPTS(dkt_instance_opts, opts, .flags = 2);
	struct dkt_ctx *ctx = *state;
	struct dkt_instance *in;
	struct dkt_expr *expr;

	assert_fails(ctx, -EINVAL, "dkt_tracefs_open: 0x2 is not a known flag",
		     dkt_tracefs_open(ctx, DKT_MOUNT | 2));
	assert_fails(ctx, -EINVAL, "dkt_instance_opts: 0x2 is not a known flag",
		     dkt_instance_open(ctx, "i", &opts, &in));
	assert_fails(ctx, -EINVAL, "dkt_caps_check: 0x100 is not a known flag",
		     dkt_caps_check(ctx, 0x100));
	assert_fails(ctx, -EINVAL, "dkt__caps_limit: 0x100 is not a known flag",
		     dkt__caps_limit(ctx, 0x100));
	assert_ok(ctx, dkt_expr_new(ctx, "a == 1", NULL, &expr));
	assert_fails(ctx, -EINVAL, "dkt__expr_check_any: 0x2 is not a known flag",
		     dkt__expr_check_any(expr, NULL, 0, 2));
	dkt_expr_free(expr);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(smaller_options_are_zero_beyond, setup, teardown),
		cmocka_unit_test_setup_teardown(null_options_are_all_defaults, setup, teardown),
		cmocka_unit_test_setup_teardown(larger_options_must_be_zero_beyond, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_size_must_be_set, setup, teardown),
		cmocka_unit_test_setup_teardown(results_have_the_size_of_the_caller, setup,
						teardown),
		cmocka_unit_test_setup_teardown(every_call_checks_the_size, setup, teardown),
		cmocka_unit_test_setup_teardown(a_failed_make_calls_close, setup, teardown),
		cmocka_unit_test_setup_teardown(a_probe_has_a_size, setup, teardown),
		cmocka_unit_test_setup_teardown(source_info_may_be_of_an_older_header, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_made_style_needs_only_record, setup, teardown),
		cmocka_unit_test_setup_teardown(a_made_source_needs_only_next, setup, teardown),
		cmocka_unit_test_setup_teardown(nothing_crashes_without_options, setup, teardown),
		cmocka_unit_test_setup_teardown(a_probe_on_a_program_needs_the_program, setup,
						teardown),
		cmocka_unit_test(functions_and_live_sources_have_defaults),
		cmocka_unit_test(each_glob_of_a_tracer_matches_a_function),
		cmocka_unit_test_setup_teardown(unknown_flags_are_refused, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
