/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The next process undoes the changes of a killed one, from its notes in the spool. */
#include <signal.h>
#include <sys/wait.h>

#include "lib/ctx.h"
#include "lib/inside.h"
#include "lib/note.h"
#include "lib/top_instance.h"
#include "tests/helper/check.h"
#include "tests/helper/tree.h"

/* The top instance and one of our own. */
static const char *const knobs[][2] = {
	{ "trace", "" },
	{ "set_event", "" },
	{ "trace_clock", "[local] mono\n" },
	{ "buffer_size_kb", "1408\n" },
	{ "tracing_on", "1\n" },
	{ "available_tracers", "function_graph nop\n" },
	{ "current_tracer", "nop\n" },
	{ "set_ftrace_filter", "" },
	{ "per_cpu/cpu0/stats", "entries: 0\n" },
	{ "per_cpu/cpu0/trace_pipe_raw", "" },
	{ "events/made/a/enable", "0\n" },
};

static const char *const whole[][2] = {
	{ "available_events", "made:a\n" }, { "available_filter_functions", "vfs_read\n" },
	{ "max_graph_depth", "0\n" },       { "tracing_thresh", "0\n" },
	{ "set_graph_function", "" },
};

struct place {
	char root[TREE_NAME];
	char spool[48];
	struct dkt_ctx *ctx;
	struct dkt_instance *in;
};

static void open_process(struct place *p)
{
	DKT_OPTS(dkt_instance_opts, opts, .spool = p->spool);

	p->ctx = tree_ctx(p->root);
	assert_non_null(p->ctx);
	assert_ok(p->ctx, dkt_instance_open(p->ctx, "mine", &opts, &p->in));
}

static int setup(void **state)
{
	struct place *p = calloc(1, sizeof(*p));
	char name[64];
	size_t i;

	assert_non_null(p);
	assert_int_equal(tree_make(p->root), 0);
	snprintf(p->spool, sizeof(p->spool), "%s/spool", p->root);
	assert_int_equal(tree_event(p->root, "made", "a", 20, "", "\"\""), 0);
	for (i = 0; i < ARRAY_SIZE(whole); i++)
		assert_int_equal(tree_text(p->root, whole[i][0], whole[i][1]), 0);
	for (i = 0; i < ARRAY_SIZE(knobs); i++) {
		assert_int_equal(tree_text(p->root, knobs[i][0], knobs[i][1]), 0);
		snprintf(name, sizeof(name), "instances/mine/%s", knobs[i][0]);
		assert_int_equal(tree_text(p->root, name, knobs[i][1]), 0);
	}
	assert_int_equal(tree_text(p->root, "instances/mine/trace_clock", "local [mono]\n"), 0);
	assert_int_equal(tree_text(p->root, "instances/mine/buffer_size_kb", "64\n"), 0);
	open_process(p);
	*state = p;
	return 0;
}

static int teardown(void **state)
{
	struct place *p = *state;

	dkt_instance_close(p->in);
	dkt_ctx_free(p->ctx);
	assert_int_equal(tree_remove(p->root), 0);
	free(p);
	return 0;
}

static void assert_file(const struct place *p, const char *name, const char *want)
{
	char *text __cleanup(free) = tree_read(p->root, name);

	assert_non_null(text);
	text[strcspn(text, "\n")] = '\0';
	if (strcmp(text, want))
		fail_msg("%s is '%s', not '%s'", name, text, want);
}

/* Has a process of its own do it, which kills itself there. */
static void killed_in(void (*work)(struct place *), struct place *p)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid) {
		work(p);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGKILL);
}

/* ---- a rest in recording ---- */

static int die(void *data)
{
	(void)data;
	return kill(getpid(), SIGKILL);
}

static void rest(struct place *p)
{
	dkt__instance_run_stopped(p->in, die, NULL);
}

static void recording_starts_again_after_a_kill(void **state)
{
	struct place *p = *state;

	killed_in(rest, p);
	assert_file(p, "instances/mine/tracing_on", "0");
	assert_true(dkt__note_exists(p->spool, "rest"));
	assert_ok(p->ctx, dkt__instance_start_stopped(p->in));
	assert_file(p, "instances/mine/tracing_on", "1");
	assert_false(dkt__note_exists(p->spool, "rest"));
	/* Another process may have stopped recording since: no note says that it must start again. */
	assert_ok(p->ctx, dkt_instance_set_on(p->in, false));
	assert_ok(p->ctx, dkt__instance_start_stopped(p->in));
	assert_file(p, "instances/mine/tracing_on", "0");
}

/* Nothing tells that it was not switched off. */
static void without_a_spool_nothing_wakes(void **state)
{
	struct place *p = *state;
	struct dkt_instance *in;

	assert_ok(p->ctx, dkt_instance_open(p->ctx, "mine", NULL, &in));
	assert_ok(p->ctx, dkt_instance_set_on(in, false));
	assert_ok(p->ctx, dkt__instance_start_stopped(in));
	assert_file(p, "instances/mine/tracing_on", "0");
	assert_false(dkt__instance_borrows_top(in));
	dkt_instance_close(in);
}

static int refuse(void *data)
{
	(void)data;
	return -EIO;
}

/* A process that fails, but is not killed, starts recording again itself. */
static void a_failed_stop_of_recording_ends(void **state)
{
	struct place *p = *state;

	assert_int_equal(dkt__instance_run_stopped(p->in, refuse, NULL), -EIO);
	assert_file(p, "instances/mine/tracing_on", "1");
	assert_false(dkt__note_exists(p->spool, "rest"));
}

/* Recording that was stopped stays stopped. */
static void a_log_that_is_off_stays_off(void **state)
{
	struct place *p = *state;

	assert_ok(p->ctx, dkt_instance_set_on(p->in, false));
	killed_in(rest, p);
	assert_false(dkt__note_exists(p->spool, "rest"));
	assert_ok(p->ctx, dkt__instance_start_stopped(p->in));
	assert_file(p, "instances/mine/tracing_on", "0");
}

/* ---- settings of the whole kernel ---- */

static int change_functions(struct place *p, const struct dkt_tracer_opts *functions)
{
	struct dkt_change *change;
	int err;

	assert_ok(p->ctx, dkt_change_new(p->in, &change));
	assert_ok(p->ctx, dkt_change_tracer(change, "function_graph", functions));
	err = dkt_change_commit(change);
	dkt_change_free(change);
	return err;
}

static int limit(struct place *p)
{
	static const char *const names[] = { "vfs_read" };
	const struct dkt_tracer_opts functions = {
		.sz = sizeof(functions),
		.only = names,
		.n_only = 1,
		.roots = names,
		.n_roots = 1,
		.depth = 3,
		.threshold = 20,
	};

	return change_functions(p, &functions);
}

static void limit_and_die(struct place *p)
{
	if (!limit(p))
		die(NULL);
}

static void assert_unlimited(const struct place *p)
{
	assert_file(p, "max_graph_depth", "0");
	assert_file(p, "tracing_thresh", "0");
	assert_file(p, "set_graph_function", "");
	assert_false(dkt__note_exists(p->spool, "graph"));
}

static void roots_depth_and_threshold_are_restored(void **state)
{
	struct place *p = *state;

	killed_in(limit_and_die, p);
	assert_file(p, "max_graph_depth", "3");
	assert_file(p, "tracing_thresh", "20");
	assert_file(p, "set_graph_function", "vfs_read");
	assert_true(dkt__note_exists(p->spool, "graph"));
	assert_ok(p->ctx, dkt__spool_return(p->ctx, p->spool));
	assert_unlimited(p);
}

/* Settings of another program are not changed, and not restored. */
static void settings_of_other_programs_are_left_alone(void **state)
{
	struct place *p = *state;

	assert_int_equal(tree_text(p->root, "max_graph_depth", "7\n"), 0);
	assert_fails(p->ctx, -EBUSY,
		     "another program has set max_graph_depth, which applies to the whole kernel",
		     limit(p));
	assert_ok(p->ctx, dkt__spool_return(p->ctx, p->spool));
	assert_file(p, "max_graph_depth", "7");
	assert_file(p, "tracing_thresh", "0");
	assert_file(p, "instances/mine/current_tracer", "nop");
}

/* The last of the files cannot be written: those before it are restored at once. */
static void limits_that_fail_half_way_are_restored(void **state)
{
	struct place *p = *state;
	char path[64];

	snprintf(path, sizeof(path), "%s/tracing_thresh", p->root);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(limit(p), -ENOENT);
	assert_has(dkt_error(p->ctx), "tracing_thresh: No such file or directory");
	assert_file(p, "max_graph_depth", "0");
	assert_false(dkt__note_exists(p->spool, "graph"));
	assert_file(p, "instances/mine/current_tracer", "nop");
}

/* ---- the top instance ---- */

static void borrow_and_die(struct place *p)
{
	struct dkt_instance *top;

	if (!dkt__top_borrow(p->in, &top) && !dkt_instance_set_on(top, false))
		die(NULL);
}

static void assert_top_as_before(const struct place *p)
{
	/* In a directory, the file has the written text, not the list of clocks. */
	assert_file(p, "trace_clock", "local");
	assert_file(p, "buffer_size_kb", "1408");
	assert_file(p, "tracing_on", "1");
	assert_file(p, "current_tracer", "nop");
	assert_false(dkt__instance_borrows_top(p->in));
}

static void the_top_instance_is_restored(void **state)
{
	struct place *p = *state;

	killed_in(borrow_and_die, p);
	assert_true(dkt__instance_borrows_top(p->in));
	assert_file(p, "trace_clock", "mono");
	assert_file(p, "buffer_size_kb", "64");
	assert_file(p, "tracing_on", "0");
	assert_ok(p->ctx, dkt__spool_return(p->ctx, p->spool));
	assert_top_as_before(p);
}

/* After a kill while recording was stopped, the top instance records again, and is still borrowed. */
static void the_top_instance_records_again(void **state)
{
	struct place *p = *state;

	killed_in(borrow_and_die, p);
	assert_ok(p->ctx, dkt__note_write(p->ctx, p->spool, "rest", "top"));
	assert_ok(p->ctx, dkt__instance_start_stopped(p->in));
	assert_file(p, "tracing_on", "1");
	assert_true(dkt__instance_borrows_top(p->in));
}

/* A file that is refused keeps nothing else from going back, and the note is there for the next try. */
static void a_failed_restore_is_tried_again(void **state)
{
	struct place *p = *state;
	char path[64];

	killed_in(borrow_and_die, p);
	snprintf(path, sizeof(path), "%s/buffer_size_kb", p->root);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(dkt__spool_return(p->ctx, p->spool), -ENOENT);
	assert_has(dkt_error(p->ctx), "buffer_size_kb");
	assert_true(dkt__instance_borrows_top(p->in));
	assert_file(p, "tracing_on", "1");
	assert_int_equal(tree_text(p->root, "buffer_size_kb", "64\n"), 0);
	assert_int_equal(tree_text(p->root, "trace_clock", "local [mono]\n"), 0);
	assert_ok(p->ctx, dkt__spool_return(p->ctx, p->spool));
	assert_top_as_before(p);
}

/* With a truncated note, the values after boot are restored. */
static void a_truncated_note_restores_the_kernels_defaults(void **state)
{
	struct place *p = *state;

	killed_in(borrow_and_die, p);
	assert_ok(p->ctx, dkt__note_write(p->ctx, p->spool, "top", "clo"));
	assert_ok(p->ctx, dkt__spool_return(p->ctx, p->spool));
	assert_file(p, "trace_clock", "local");
	assert_file(p, "tracing_on", "1");
	assert_false(dkt__instance_borrows_top(p->in));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(recording_starts_again_after_a_kill, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_failed_stop_of_recording_ends, setup, teardown),
		cmocka_unit_test_setup_teardown(a_log_that_is_off_stays_off, setup, teardown),
		cmocka_unit_test_setup_teardown(without_a_spool_nothing_wakes, setup, teardown),
		cmocka_unit_test_setup_teardown(roots_depth_and_threshold_are_restored, setup,
						teardown),
		cmocka_unit_test_setup_teardown(settings_of_other_programs_are_left_alone, setup,
						teardown),
		cmocka_unit_test_setup_teardown(limits_that_fail_half_way_are_restored, setup,
						teardown),
		cmocka_unit_test_setup_teardown(the_top_instance_is_restored, setup, teardown),
		cmocka_unit_test_setup_teardown(the_top_instance_records_again, setup, teardown),
		cmocka_unit_test_setup_teardown(a_failed_restore_is_tried_again, setup, teardown),
		cmocka_unit_test_setup_teardown(a_truncated_note_restores_the_kernels_defaults,
						setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
