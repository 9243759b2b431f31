/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contexts: their end, error messages, the log, a root that is not tracefs, instances' names. */
#include "lib/ctx.h"
#include "lib/inside.h"
#include "tests/helper/check.h"
#include "tests/helper/tree.h"

static int setup(void **state)
{
	return dkt_ctx_new(NULL, (struct dkt_ctx **)state);
}

static int teardown(void **state)
{
	dkt_ctx_free(*state);
	return 0;
}

static void messages_are_set_and_prefixed(void **state)
{
	struct dkt_ctx *ctx = *state;

	assert_string_equal(dkt_error(NULL), "");
	assert_string_equal(dkt_error(ctx), "");
	assert_fails(ctx, -EIO, "read x", dkt_fail(ctx, -EIO, "read %s", "x"));
	assert_fails(ctx, -EIO, "open 5: read x", dkt__fail_in(ctx, -EIO, "open %d", 5));
	/* The context's own message as an argument. */
	assert_fails(ctx, -EPERM, "open 5: read x again",
		     dkt_fail(ctx, -EPERM, "%s again", dkt_error(ctx)));
	dkt_ctx_free(NULL);
}

static void out_of_memory_replaces_an_older_message(void **state)
{
	struct dkt_ctx *ctx = *state;
	char *words;

	dkt_fail(ctx, -EIO, "an older failure");
	assert_fails(ctx, -ENOMEM, "out of memory", dkt__no_memory(ctx));
	assert_fails(ctx, -ENOMEM, "open x: out of memory", dkt__fail_in(ctx, -ENOMEM, "open x"));
	assert_fails(ctx, -ENOMEM, "out of memory", dkt__with_words(ctx, -ENOMEM));
	words = dkt__error_take(ctx);
	assert_string_equal(words, "out of memory");
	assert_string_equal(dkt_error(ctx), "");
	assert_fails(ctx, -ENOMEM, "out of memory", dkt__error_give(ctx, -ENOMEM, words));
	assert_fails(ctx, -ENOMEM, "out of memory", dkt__error_give(ctx, -ENOMEM, NULL));
	assert_fails(ctx, -EIO, "", dkt__error_give(ctx, -EIO, NULL));
	dkt_fail(ctx, -EIO, "read x");
	assert_fails(ctx, -EIO, "read x", dkt__with_words(ctx, -EIO));
}

static void note_begin(void *data)
{
	strcat(data, "begin");
}

static void note_end(void *data)
{
	strcat(data, "end ");
}

static void functions_run_at_the_contexts_end(void **state)
{
	char notes[32] = "";
	struct dkt_ctx *ctx;

	(void)state;
	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	assert_int_equal(dkt__ctx_at_end(ctx, note_begin, notes), 0);
	assert_int_equal(dkt__ctx_at_end(ctx, note_end, notes), 0);
	assert_int_equal(dkt__ctx_at_end(ctx, note_begin, notes), 0);
	assert_string_equal(notes, "");
	dkt_ctx_free(ctx);
	assert_string_equal(notes, "end begin");
}

static void a_prefix_without_a_message_adds_errnos(void **state)
{
	struct dkt_ctx *ctx = *state;

	assert_fails(ctx, -ENOMEM, "make it: Cannot allocate memory",
		     dkt__fail_in(ctx, -ENOMEM, "make it"));
}

static void count_lines(void *data, enum dkt_log_level level, const char *text)
{
	int *n = data;

	if (level == DKT_LOG_INFO && !strcmp(text, "one 1"))
		(*n)++;
	errno = EIO;
}

static void a_message_is_taken_and_given_back(void **state)
{
	struct dkt_ctx *ctx = *state;
	char *words;

	assert_null(dkt__error_take(ctx));
	dkt_fail(ctx, -EIO, "first");
	words = dkt__error_take(ctx);
	assert_string_equal(dkt_error(ctx), "");
	dkt_fail(ctx, -EPERM, "second");
	assert_fails(ctx, -EIO, "first", dkt__error_give(ctx, -EIO, words));
	assert_fails(ctx, -EIO, "", dkt__error_give(ctx, -EIO, NULL));
}

static void log_lines_keep_errno(void **state)
{
	int n = 0;
	DKT_OPTS(dkt_ctx_opts, opts, .log = count_lines, .log_data = &n);
	struct dkt_ctx *ctx;

	(void)state;
	assert_int_equal(dkt_ctx_new(&opts, &ctx), 0);
	errno = EPERM;
	dkt__log(ctx, DKT_LOG_INFO, "one %d", 1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(n, 1);
	dkt_ctx_free(ctx);
}

static void a_missing_root_is_reported(void **state)
{
	DKT_OPTS(dkt_ctx_opts, opts, .root = "/nowhere/at/all");
	struct dkt_instance *in;
	struct dkt_ctx *ctx;

	(void)state;
	assert_int_equal(dkt_ctx_new(&opts, &ctx), 0);
	assert_fails(ctx, -ENOENT, "open /nowhere/at/all: No such file or directory",
		     dkt_tracefs_open(ctx, 0));
	assert_int_equal(dkt_instance_open(ctx, NULL, NULL, &in), -ENOENT);
	assert_null(in);
	dkt_ctx_free(ctx);
}

static void invalid_names_of_instances_are_refused(void **state)
{
	static const char *const names[] = { "", ".", "..", ".x", "a/b", "/a" };
	DKT_OPTS(dkt_instance_opts, opts, .flags = DKT_CREATE);
	struct dkt_ctx *ctx = *state;
	struct dkt_instance *in;
	char words[80];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		assert_int_equal(dkt_instance_open(ctx, names[i], &opts, &in), -EINVAL);
		assert_null(in);
		snprintf(words, sizeof(words), "'%s' cannot be the name of an instance", names[i]);
		assert_string_equal(dkt_error(ctx), words);
		assert_int_equal(dkt_instance_remove(ctx, names[i]), -EINVAL);
	}
	assert_int_equal(dkt_instance_remove(ctx, NULL), -EINVAL);
	assert_fails(ctx, -EINVAL, "'a\\nb' cannot be the name of an instance",
		     dkt_instance_open(ctx, "a\nb", &opts, &in));
	assert_int_equal(dkt_instance_open(ctx, "a\x7f", &opts, &in), -EINVAL);
}

static void statistics_and_the_clock_are_read(void **state)
{
	char root[TREE_NAME];
	struct dkt_cpu_stats stats;
	struct dkt_instance *in;
	struct dkt_ctx *ctx;
	int64_t wall;
	char *clock;

	(void)state;
	assert_int_equal(tree_make(root), 0);
	assert_int_equal(tree_text(root, "per_cpu/cpu0/stats",
				   "entries: 1\noverrun: 2\ncommit overrun: 3\nbytes: 4\n"
				   "oldest event ts:  5.000100\nnow ts:  6.1\ndropped events: 7\n"
				   "read events: 18446744073709551615\n"),
			 0);
	assert_int_equal(tree_text(root, "per_cpu/cpu5/stats", "nonsense"), 0);
	assert_int_equal(tree_text(root, "trace_clock", "[local] global\n"), 0);
	ctx = tree_ctx(root);
	assert_non_null(ctx);
	assert_ok(ctx, dkt_instance_open(ctx, NULL, NULL, &in));
	assert_int_equal(dkt_instance_n_cpus(in), 6);
	assert_int_equal(dkt_instance_get_stats(in, 0, &stats, sizeof(stats)), 0);
	assert_int_equal(stats.entries, 1);
	assert_int_equal(stats.overrun, 2);
	assert_int_equal(stats.commit_overrun, 3);
	assert_int_equal(stats.bytes, 4);
	assert_int_equal(stats.dropped, 7);
	assert_int_equal(stats.oldest, 5000100000);
	assert_true(stats.read == UINT64_MAX);
	assert_int_equal(dkt_instance_get_stats(in, 5, &stats, sizeof(stats)), 0);
	assert_int_equal(stats.overrun, 0);
	assert_int_equal(stats.oldest, 0);
	assert_int_equal(dkt_instance_get_stats(in, 3, &stats, sizeof(stats)), -ENOENT);
	assert_int_equal(dkt__instance_get_clock(in, &clock), 0);
	assert_string_equal(clock, "local");
	free(clock);
	assert_int_equal(dkt__instance_get_wall(in, &wall), -EOPNOTSUPP);
	assert_int_equal(tree_text(root, "wall_offset", "1234567890123456789\n"), 0);
	assert_int_equal(dkt__instance_get_wall(in, &wall), 0);
	assert_true(wall == INT64_C(1234567890123456789));
	assert_int_equal(tree_text(root, "trace_clock", "local global\n"), 0);
	assert_int_equal(dkt__instance_get_clock(in, &clock), -EINVAL);
	dkt_instance_close(in);
	dkt_ctx_free(ctx);
	assert_int_equal(tree_remove(root), 0);
}

static void the_version_is_that_of_the_header(void **state)
{
	const char *text = NULL;
	char wanted[32];

	(void)state;
	snprintf(wanted, sizeof(wanted), "%d.%d.%d", DKT_VERSION_MAJOR, DKT_VERSION_MINOR,
		 DKT_VERSION_PATCH);
	assert_int_equal(dkt_version(&text), DKT_VERSION_NUMBER);
	assert_string_equal(text, wanted);
	assert_string_equal(text, DKT_VERSION);
	assert_int_equal(dkt_version(NULL), DKT_VERSION_NUMBER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_version_is_that_of_the_header),
		cmocka_unit_test_setup_teardown(messages_are_set_and_prefixed, setup, teardown),
		cmocka_unit_test_setup_teardown(out_of_memory_replaces_an_older_message, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_prefix_without_a_message_adds_errnos, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_message_is_taken_and_given_back, setup, teardown),
		cmocka_unit_test(functions_run_at_the_contexts_end),
		cmocka_unit_test(log_lines_keep_errno),
		cmocka_unit_test(a_missing_root_is_reported),
		cmocka_unit_test_setup_teardown(invalid_names_of_instances_are_refused, setup,
						teardown),
		cmocka_unit_test(statistics_and_the_clock_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
