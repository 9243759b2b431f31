/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* set_param of dktrace's own parameters: values, errors, several in one change. */
#include "compat/set/param.h"
#include "tests/helper/log_tree.h"

static int set_param(struct log_tree *t, const char *name, const char *value)
{
	char *notes __cleanup(free) = NULL;
	int err = dkl_param_set(t->log, dkl_param_find(name), value, &notes);

	log_tree_answer(t);
	return err;
}

static void assert_value(const struct log_tree *t, const char *name, const char *want)
{
	char *value __cleanup(free) = NULL;

	assert_ok(t->ctx, dkl_param_get(t->log, dkl_param_find(name), &value));
	assert_string_equal(value, want);
}

static void assert_on(const struct log_tree *t, const char *want)
{
	char *list __cleanup(free) = log_read_all(t, "set_event");

	assert_string_equal(list, want);
}

static void masks_are_events(void **state)
{
	struct log_tree *t = *state;

	assert_ok(t->ctx, set_param(t, "debug", "vfstrace"));
	assert_on(t, "fs:open\n");
	assert_ok(t->ctx, set_param(t, "debug", "+net"));
	assert_on(t, "fs:open\nnet:send\n");
	assert_ok(t->ctx, set_param(t, "debug", "-vfstrace"));
	assert_on(t, "net:send\n");
	assert_ok(t->ctx, set_param(t, "debug", "-1"));
	assert_on(t, "fs:open\nnet:send\nio:issue\nio_ctl:call\n");
	assert_ok(t->ctx, set_param(t, "subsystem_debug", "llite"));
	assert_on(t, "fs:open\nio_ctl:call\n");
	assert_value(t, "subsystem_debug", "llite");
	assert_ok(t->ctx, set_param(t, "debug", "0"));
	assert_on(t, "");
}

/* A source less is an event less; printk is kept, but no event hangs on it. */
static void the_other_masks(void **state)
{
	struct log_tree *t = *state;

	assert_ok(t->ctx, set_param(t, "debug", "vfstrace"));
	assert_ok(t->ctx, set_param(t, "printk", "+net"));
	assert_on(t, "fs:open\n");
	assert_ok(t->ctx, set_param(t, "debug_sources", "functions"));
	assert_on(t, "");
	assert_ok(t->ctx, set_param(t, "debug_sources", "default"));
	assert_on(t, "fs:open\n");
}

static void a_size_is_taken(void **state)
{
	struct log_tree *t = *state;
	const long mb = 2 * sysconf(_SC_NPROCESSORS_CONF);
	char text[24], *kb;

	snprintf(text, sizeof(text), "%ld", mb);
	assert_ok(t->ctx, set_param(t, "debug_mb", text));
	assert_value(t, "debug_mb", text);
	kb = log_read(t, "buffer_size_kb");
	assert_int_equal(atol(kb), mb * 1024);
	free(kb);
}

static void a_filter_is_on_every_event(void **state)
{
	struct log_tree *t = *state;
	char *filter;

	assert_ok(t->ctx, set_param(t, "debug", "vfstrace"));
	assert_ok(t->ctx, set_param(t, "debug_filter", "common_pid == 7"));
	assert_value(t, "debug_filter", "common_pid == 7");
	filter = log_read(t, "events/fs/open/filter");
	assert_string_equal(filter, "common_pid == 7");
	free(filter);
	/* Events that are enabled later get the filter too. */
	assert_ok(t->ctx, set_param(t, "debug", "+net"));
	filter = log_read(t, "events/net/send/filter");
	assert_string_equal(filter, "common_pid == 7");
	free(filter);
	assert_ok(t->ctx, set_param(t, "debug_filter", "none"));
	filter = log_read(t, "events/fs/open/filter");
	assert_string_equal(filter, "0");
	free(filter);
}

/* An invalid value changes nothing, and the message names it. */
static void refusals(void **state)
{
	static const struct {
		const char *name, *value, *words;
	} bad[] = {
		{ "debug", "+nosuch", "unknown mask 'nosuch'" },
		{ "debug", "vfstrace +", "an operator has no name after it" },
		{ "subsystem_debug", "llite oops", "unknown mask 'oops'" },
		{ "debug_sources", "somewhere", "unknown mask 'somewhere'" },
		{ "debug_mb", "many", "'many' is not a number of megabytes" },
		{ "debug_mb", "-5", "'-5' is not a number of megabytes" },
		{ "debug_filter", "common_pid ==", "common_pid ==" },
		{ "debug_filter", "nofield == 1", "nofield" },
		{ "debug_filter", "a == 1\nb == 2", "a filter is one line" },
	};
	struct log_tree *t = *state;
	char *before __cleanup(free) = NULL, *kept __cleanup(free) = NULL;
	size_t i;

	assert_ok(t->ctx, set_param(t, "debug", "vfstrace"));
	before = log_tree_state(t);
	kept = tree_read(t->run, DEBUGLOG_SETTINGS);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		char *now __cleanup(free) = NULL, *kept_now __cleanup(free) = NULL;

		if (set_param(t, bad[i].name, bad[i].value) != -EINVAL)
			fail_msg("%s=%s was taken", bad[i].name, bad[i].value);
		assert_has(dkt_error(t->ctx), bad[i].words);
		now = log_tree_state(t);
		kept_now = tree_read(t->run, DEBUGLOG_SETTINGS);
		assert_string_equal(now, before);
		assert_string_equal(kept_now, kept);
		assert_value(t, "debug", "warning error emerg vfstrace console");
		assert_value(t, "debug_filter", "none");
	}
}

/* As with Lustre's own: a write to printk that fails is a choice all the same. */
static void printk_is_chosen_though_it_fails(void **state)
{
	struct log_tree *t = *state;

	assert_int_equal(t->log->set.chosen & 1u << MASK_PRINTK, 0);
	assert_fails(t->ctx, -EINVAL, "unknown mask 'oops'.\nmask usage: [+|-]<all|type> ...",
		     set_param(t, "printk", "net oops"));
	assert_int_not_equal(t->log->set.chosen & 1u << MASK_PRINTK, 0);
	assert_value(t, "printk", "warning error emerg console");
}

/* A file of the instance that cannot be written: no value is kept that is not the kernel's. */
static void a_failure_keeps_the_value(void **state)
{
	struct log_tree *t = *state;

	assert_ok(t->ctx, set_param(t, "debug", "vfstrace"));
	log_tree_break(t, "events/net/send/enable");
	if (!set_param(t, "debug", "net"))
		fail_msg("it was set");
	assert_has(dkt_error(t->ctx), "events/net/send/enable");
	assert_value(t, "debug", "warning error emerg vfstrace console");
	assert_on(t, "fs:open\n");
}

/* Several values are one transaction: the last one is invalid, so none is set. */
static void several_at_once(void **state)
{
	struct log_tree *t = *state;
	char *notes = NULL;
	struct settings set;

	assert_ok(t->ctx, set_param(t, "debug", "vfstrace"));
	assert_int_equal(dkl_settings_copy(&set, &t->log->set), 0);
	assert_ok(t->ctx, dkl_param_take(t->log, dkl_param_find("debug"), "net", &set, &notes));
	assert_ok(t->ctx, dkl_param_take(t->log, dkl_param_find("debug_filter"), "nofield == 1",
					 &set, &notes));
	assert_on(t, "fs:open\n");
	assert_ok(t->ctx, dkl_param_take(t->log, dkl_param_find("debug_filter"),
					 "common_pid ===", &set, &notes));
	assert_int_equal(dkl_param_apply(t->log, &set, NULL, &notes), -EINVAL);
	log_tree_answer(t);
	assert_on(t, "fs:open\n");
	assert_value(t, "debug", "warning error emerg vfstrace console");
	assert_ok(t->ctx, dkl_param_take(t->log, dkl_param_find("debug_filter"), "common_pid == 7",
					 &set, &notes));
	assert_ok(t->ctx, dkl_param_apply(t->log, &set, NULL, &notes));
	log_tree_answer(t);
	assert_on(t, "net:send\n");
	assert_value(t, "debug_filter", "common_pid == 7");
	dkl_settings_clear(&set);
	free(notes);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, log_tree_setup, log_tree_teardown)
	const struct CMUnitTest tests[] = {
		TEST(masks_are_events),
		TEST(the_other_masks),
		TEST(a_size_is_taken),
		TEST(a_filter_is_on_every_event),
		TEST(refusals),
		TEST(printk_is_chosen_though_it_fails),
		TEST(a_failure_keeps_the_value),
		TEST(several_at_once),
	};

	if (geteuid()) {
		printf("the log's directory in " RUN_DIR " needs root\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
