/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The settings are applied to the instance as one transaction, which failures and kills undo. */
#include <sys/wait.h>

#include "tests/helper/log_tree.h"

/* The masks of a value in lctl's syntax. */
static uint32_t mask_of(enum mask_kind kind, const char *words)
{
	struct mask_value value;

	assert_int_equal(dkl_mask_parse(kind, words, 0, &value), 0);
	return value.value;
}

static int apply(struct log_tree *t, const char *debug, const char *filter, uint32_t mb)
{
	struct settings set;
	int err;

	assert_int_equal(dkl_settings_copy(&set, &t->log->set), 0);
	set.debug = mask_of(MASK_DEBUG, debug);
	free(set.filter);
	set.filter = filter ? strdup(filter) : NULL;
	set.debug_mb = mb;
	err = dkl_debuglog_apply(t->log, &set, NULL);
	dkl_settings_clear(&set);
	log_tree_answer(t);
	return err;
}

/* The log before each failure: one event enabled, with a filter. */
static void apply_first(struct log_tree *t)
{
	assert_ok(t->ctx, apply(t, "net", "common_pid == 1", 4));
}

static void assert_file_gone(const struct log_tree *t, const char *name)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/%s", t->run, name);
	assert_int_equal(access(path, F_OK), -1);
}

static void assert_event(const struct log_tree *t, const char *event, const char *want)
{
	char *state __cleanup(free) = log_tree_state(t);
	char line[80];

	snprintf(line, sizeof(line), "\n%s %s\n", event, want);
	assert_has(state, line);
}

/* ---- whole ---- */

static void the_instance_is_what_the_settings_say(void **state)
{
	struct log_tree *t = *state;
	char *size __cleanup(free) = NULL;

	assert_ok(t->ctx,
		  apply(t, "+vfstrace+net-console-warning-error-emerg", "common_pid == 1", 4));
	assert_event(t, "fs:open", "1 common_pid == 1");
	assert_event(t, "net:send", "1 common_pid == 1");
	assert_event(t, "io:issue", "0 none");
	size = log_read(t, "buffer_size_kb");
	assert_string_equal(size, "4096");
	assert_file_gone(t, DEBUGLOG_BEFORE);
	/* A disabled event has no filter. */
	assert_ok(t->ctx, apply(t, "iotrace", NULL, 4));
	assert_event(t, "fs:open", "0 none");
	assert_event(t, "net:send", "0 none");
	assert_event(t, "io:issue", "1 none");
}

static void subsystems_choose_too(void **state)
{
	struct log_tree *t = *state;
	struct settings set;

	assert_int_equal(dkl_settings_copy(&set, &t->log->set), 0);
	set.debug = mask_of(MASK_DEBUG, "-1");
	set.subsystem_debug = mask_of(MASK_SUBSYSTEM, "+llite");
	assert_ok(t->ctx, dkl_debuglog_apply(t->log, &set, NULL));
	dkl_settings_clear(&set);
	assert_event(t, "fs:open", "1 none");
	assert_event(t, "io_ctl:call", "1 none");
	assert_event(t, "net:send", "0 none");
	assert_event(t, "io:issue", "0 none");
}

/* The next command finds what this one set. */
static void settings_are_kept(void **state)
{
	struct log_tree *t = *state;

	apply_first(t);
	log_tree_close(t);
	log_tree_open(t);
	assert_int_equal(t->log->set.debug, mask_of(MASK_DEBUG, "net"));
	assert_string_equal(t->log->set.filter, "common_pid == 1");
	assert_int_equal(t->log->set.debug_mb, 4);
	assert_false(t->log->rebuilt);
	assert_false(t->log->interrupted);
}

/* ---- not at all ---- */

/* Nothing that is kept or shown differs from before. */
static void assert_unchanged(struct log_tree *t, const char *state, const char *kept)
{
	char *state_now __cleanup(free) = log_tree_state(t);
	char *kept_now __cleanup(free) = tree_read(t->run, DEBUGLOG_SETTINGS);

	assert_string_equal(state_now, state);
	assert_string_equal(kept_now, kept);
	assert_file_gone(t, DEBUGLOG_BEFORE);
	assert_int_equal(t->log->set.debug, mask_of(MASK_DEBUG, "net"));
	assert_string_equal(t->log->set.filter, "common_pid == 1");
}

static void a_refused_file_undoes_all(void **state)
{
	static const char *const files[] = { "events/fs/open/enable", "events/net/send/enable",
					     "events/fs/open/filter", "events/net/send/filter" };
	struct log_tree *t;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		char *before __cleanup(free) = NULL;
		char *kept __cleanup(free) = NULL;

		if (i) {
			log_tree_teardown(state);
			log_tree_setup(state);
		}
		t = *state;
		apply_first(t);
		log_tree_break(t, files[i]);
		before = log_tree_state(t);
		kept = tree_read(t->run, DEBUGLOG_SETTINGS);
		if (!apply(t, "vfstrace", "common_pid == 2", 8))
			fail_msg("%s: the change went on", files[i]);
		assert_has(dkt_error(t->ctx), files[i]);
		assert_unchanged(t, before, kept);
	}
}

/* An error in the filter is found before the change begins. */
static void a_bad_filter_touches_nothing(void **state)
{
	struct log_tree *t = *state;
	char *before __cleanup(free) = NULL, *kept __cleanup(free) = NULL;

	apply_first(t);
	before = log_tree_state(t);
	kept = tree_read(t->run, DEBUGLOG_SETTINGS);
	t->steps = 0;
	assert_int_equal(apply(t, "vfstrace", "common_pid === 2", 8), -EINVAL);
	assert_has(dkt_error(t->ctx), "common_pid === 2");
	assert_int_equal(t->steps, 0);
	assert_unchanged(t, before, kept);
}

/* The settings cannot be written: nothing is switched that could not be kept. */
static void a_full_disk_is_found_first(void **state)
{
	static const char *const files[] = { DEBUGLOG_BEFORE, DEBUGLOG_SETTINGS };
	struct log_tree *t = *state;
	char *before __cleanup(free) = NULL, *kept __cleanup(free) = NULL;
	char path[96];
	size_t i;

	apply_first(t);
	before = log_tree_state(t);
	kept = tree_read(t->run, DEBUGLOG_SETTINGS);
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "%s/%s.tmp", t->run, files[i]);
		assert_int_equal(mkdir(path, 0700), 0);
		t->steps = 0;
		assert_int_equal(apply(t, "vfstrace", "common_pid == 2", 4), -EISDIR);
		assert_int_equal(t->steps, 0);
		assert_int_equal(rmdir(path), 0);
		assert_unchanged(t, before, kept);
	}
}

/* ---- after a kill ---- */

/* Has a process of its own make the change and die at a step; false: it had less steps. */
static bool killed_at(struct log_tree *t, int step)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid) {
		t->die_at = step;
		log_tree_open(t);
		_exit(apply(t, "vfstrace", "common_pid == 2", 8) ? 2 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFSIGNALED(status))
		assert_int_equal(status, 0);
	return WIFSIGNALED(status);
}

/* Wherever a process was killed, the next command restores and keeps the state before. */
static void the_next_command_takes_back(void **state)
{
	struct log_tree *t = *state;
	char *before __cleanup(free) = NULL, *kept __cleanup(free) = NULL;
	int step;

	apply_first(t);
	before = log_tree_state(t);
	kept = tree_read(t->run, DEBUGLOG_SETTINGS);
	log_tree_close(t);
	for (step = 1; killed_at(t, step); step++) {
		char *half __cleanup(free) = log_tree_state(t);
		char *note __cleanup(free) = tree_read(t->run, DEBUGLOG_BEFORE);

		assert_string_not_equal(half, before);
		assert_non_null(note);
		log_tree_open(t);
		assert_unchanged(t, before, kept);
		assert_false(t->log->interrupted);
		log_tree_close(t);
	}
	/* Two filters, one event off, one on. */
	assert_int_equal(step, 5);
	log_tree_open(t);
	assert_event(t, "fs:open", "1 common_pid == 2");
	assert_event(t, "net:send", "0 none");
}

/* A look only tells that it was so; the note stays for a command that changes something. */
static void a_look_takes_nothing_back(void **state)
{
	struct log_tree *t = *state;
	char *half __cleanup(free) = NULL, *now __cleanup(free) = NULL;

	apply_first(t);
	log_tree_close(t);
	assert_true(killed_at(t, 2));
	half = log_tree_state(t);
	t->ctx = tree_ctx(t->root);
	assert_non_null(t->ctx);
	assert_ok(t->ctx, dkl_debuglog_open(t->ctx, t->name, 0, &t->log));
	assert_true(t->log->interrupted);
	now = log_tree_state(t);
	assert_string_equal(now, half);
}

/* An incomplete note is ignored, and the saved settings count. */
static void a_note_without_sense_is_dropped(void **state)
{
	struct log_tree *t = *state;

	apply_first(t);
	log_tree_close(t);
	assert_int_equal(tree_text(t->run, DEBUGLOG_BEFORE, "nonsense\n"), 0);
	log_tree_open(t);
	assert_int_equal(t->log->set.debug, mask_of(MASK_DEBUG, "net"));
	assert_event(t, "net:send", "1 common_pid == 1");
	assert_file_gone(t, DEBUGLOG_BEFORE);
}

/* ---- triggers ---- */

static int count_trigger(void *data, struct dkt_event *event, const struct dkt_trigger *trigger)
{
	size_t *n = data;

	assert_string_equal(dkt_event_name(event), "issue");
	assert_string_equal(trigger->action, "stacktrace");
	++*n;
	return 0;
}

/* As if another process had removed its probe since the events were listed. */
static void an_event_that_is_gone_has_no_triggers(void **state)
{
	struct log_tree *t = *state;
	struct dkt_event *const *events;
	char path[128];
	size_t n, found = 0;

	assert_ok(t->ctx, apply(t, "net", NULL, 4));
	assert_ok(t->ctx, dkt_events(t->ctx, &events, &n));
	log_write(t, "events/io/issue/trigger", "stacktrace:unlimited\n");
	snprintf(path, sizeof(path), "%s/instances/%s/events/fs/open/trigger", t->root, t->name);
	assert_int_equal(unlink(path), 0);
	assert_ok(t->ctx, dkl_triggers_each(t->log, events, n, count_trigger, &found));
	assert_int_equal(found, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, log_tree_setup, log_tree_teardown)
	const struct CMUnitTest tests[] = {
		TEST(the_instance_is_what_the_settings_say),
		TEST(subsystems_choose_too),
		TEST(settings_are_kept),
		TEST(a_refused_file_undoes_all),
		TEST(a_bad_filter_touches_nothing),
		TEST(a_full_disk_is_found_first),
		TEST(the_next_command_takes_back),
		TEST(a_look_takes_nothing_back),
		TEST(a_note_without_sense_is_dropped),
		TEST(an_event_that_is_gone_has_no_triggers),
	};

	if (geteuid()) {
		printf("the log's directory in " RUN_DIR " needs root\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
