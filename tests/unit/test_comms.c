/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of processes that change while records are read. */
#include "lib/source/comms.h"
#include "tests/helper/check.h"

static void set(struct dkt__comms *comms, int32_t pid, const char *name)
{
	assert_int_equal(dkt__comms_set(comms, pid, name, strlen(name)), 0);
}

/* A caller may keep the pointer to a name, and compare names by address. */
static void a_name_stays_valid_after_a_change(void **state)
{
	struct dkt__comms comms = { 0 };
	const char *before, *after;
	int32_t pid;

	(void)state;
	set(&comms, 42, "sh");
	before = dkt__comms_get(&comms, 42);
	assert_string_equal(before, "sh");
	assert_int_equal(dkt__comms_set(&comms, 42, "ls -l", 2), 0);
	after = dkt__comms_get(&comms, 42);
	assert_string_equal(after, "ls");
	assert_ptr_not_equal(before, after);
	for (pid = 0; pid < 5000; pid++)
		set(&comms, pid, pid == 42 ? "sh" : "other");
	assert_ptr_equal(dkt__comms_get(&comms, 42), before);
	dkt__comms_forget(&comms);
	assert_null(dkt__comms_get(&comms, 42));
	assert_string_equal(before, "sh");
	assert_int_equal(dkt__comms_parse(&comms, "42 ls\n43 sh", 11), 0);
	assert_ptr_equal(dkt__comms_get(&comms, 42), after);
	assert_ptr_equal(dkt__comms_get(&comms, 43), before);
	dkt__comms_clear(&comms);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_stays_valid_after_a_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
