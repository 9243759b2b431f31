/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's error_log: entries as kernel 6.18 writes them, as error messages. */
#include "lib/tracefs/errorlog.h"
#include "tests/helper/check.h"

/* clang-format off */
#define FIRST \
	"[  843.678951] event filter parse error: error: Field not found\n" \
	"  Command: prev_pidd == 1\n" \
	"                     ^\n"
#define PAST_END \
	"[  843.679007] event filter parse error: error: Invalid value (did you forget quotes)?\n" \
	"  Command: prev_comm ==\n" \
	"                        ^\n"
#define TABS \
	"[  843.679067] event filter parse error: error: Field not found\n" \
	"  Command: prev_pid\t== 1 &&\tfoo == 2\n" \
	"                                ^\n"
#define LINES \
	"[  843.680128] event filter parse error: error: Error\n" \
	"  Command: pid == 1\n\n && foo\n" \
	"                     ^\n"
#define TRIGGER \
	"[12345678.000042] hist:sched:sched_switch: error: Couldn't find field\n" \
	"  Command: hist:keys=foo\n" \
	"                     ^\n"
/* clang-format on */

static void an_empty_log_has_no_message(void **state)
{
	static const char *const logs[] = {
		"",
		"\n",
		"[  843.678951] event filter parse error: error: Field not found\n",
		"[  843.678951] event filter parse error: error: Field not found\n  Comm",
		"  Command: prev_pidd == 1\n                     ^\n",
		"[843] x: error: y\n  Command: z\n           ^\n",
		"[843.12] x: error: y\n  Command: z\n           ^\n",
	};
	struct dkt__kernel_error error;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(logs); i++) {
		assert_int_equal(dkt__errorlog_last(logs[i], &error), -ENOENT);
		assert_null(dkt__errorlog_reason(logs[i], "prev_pidd == 1"));
	}
}

static void the_last_entry_is_split(void **state)
{
	struct dkt__kernel_error error;

	(void)state;
	assert_int_equal(dkt__errorlog_last(FIRST PAST_END TRIGGER, &error), 0);
	assert_true(error.usec == 12345678000042);
	assert_string_equal(error.subsystem, "hist:sched:sched_switch");
	assert_string_equal(error.words, "Couldn't find field");
	assert_string_equal(error.command, "hist:keys=foo");
	assert_int_equal(error.caret, 10);
	assert_false(error.cut);
	dkt__kernel_error_clear(&error);
	assert_int_equal(dkt__errorlog_last(FIRST LINES, &error), 0);
	assert_string_equal(error.command, "pid == 1\n\n && foo");
	dkt__kernel_error_clear(&error);
}

static void caret_stays_within_the_command(void **state)
{
	struct dkt__kernel_error error;

	(void)state;
	assert_int_equal(dkt__errorlog_last(PAST_END, &error), 0);
	assert_int_equal(error.caret, strlen("prev_comm =="));
	dkt__kernel_error_clear(&error);
	assert_int_equal(dkt__errorlog_last("[1.000000] x: error: y\n  Command: \n ^", &error), 0);
	assert_int_equal(error.caret, 0);
	assert_string_equal(error.command, "");
	dkt__kernel_error_clear(&error);
}

static void reads_as(const char *log, const char *command, const char *want)
{
	char *words = dkt__errorlog_reason(log, command);

	if (want) {
		assert_non_null(words);
		assert_string_equal(words, want);
	} else {
		assert_null(words);
	}
	free(words);
}

static void a_message_has_a_caret(void **state)
{
	(void)state;
	reads_as(FIRST, "prev_pidd == 1",
		 "Field not found\n"
		 "  prev_pidd == 1\n"
		 "            ^");
	reads_as(FIRST PAST_END, "prev_comm == ",
		 "Invalid value (did you forget quotes)?\n"
		 "  prev_comm ==\n"
		 "              ^");
}

static void control_characters_keep_the_caret_in_line(void **state)
{
	(void)state;
	reads_as(TABS, "prev_pid\t== 1 &&\tfoo == 2",
		 "Field not found\n"
		 "  prev_pid\\t== 1 &&\\tfoo == 2\n"
		 "                         ^");
	reads_as(LINES, "pid == 1\n\n && foo\n",
		 "event filter parse error\n"
		 "  pid == 1\\n\\n && foo\n"
		 "              ^");
	reads_as("[    1.000000] a: error: b\n"
		 "  Command: \x1b[31m\xc3\xa4\xc3\xb6 x\n"
		 "                     ^\n",
		 "\x1b[31m\xc3\xa4\xc3\xb6 x",
		 "b\n"
		 "  \\x1b[31m\xc3\xa4\xc3\xb6 x\n"
		 "             ^");
}

static void entries_of_other_commands_are_skipped(void **state)
{
	(void)state;
	reads_as(FIRST, "prev_pid == 1", NULL);
	reads_as(FIRST, "prev_pidd == 12", NULL);
	reads_as(FIRST, "prev_pidd ==1", NULL);
	reads_as(FIRST, "", NULL);
	reads_as(FIRST PAST_END, "prev_pidd == 1", NULL);
}

static void spaces_do_not_matter(void **state)
{
	static const char log[] = "[    1.000000] trace_kprobe: error: Invalid probed address\n"
				  "  Command: p:a/b nosuch x=%ax \n"
				  "                 ^\n";

	(void)state;
	reads_as(log, " p:a/b  nosuch\tx=%ax\n",
		 "Invalid probed address\n"
		 "  p:a/b nosuch x=%ax \n"
		 "        ^");
}

/* Kernels before 5.17 lose the end of a long command and its newline. */
static void a_truncated_command_is_known_by_its_beginning(void **state)
{
	char log[1024], command[512], cut[244];
	struct dkt__kernel_error error;
	char *words;

	(void)state;
	memset(command, 'x', sizeof(command));
	command[100] = ' ';
	command[sizeof(command) - 1] = '\0';
	memcpy(cut, command, sizeof(cut));
	cut[sizeof(cut) - 1] = '\0';
	snprintf(log, sizeof(log), "[    1.000000] a: error: b\n  Command: %s%*s^\n", cut, 11 + 101,
		 "");
	assert_int_equal(dkt__errorlog_last(log, &error), 0);
	assert_true(error.cut);
	assert_int_equal(error.caret, 101);
	assert_string_equal(error.command, cut);
	dkt__kernel_error_clear(&error);
	words = dkt__errorlog_reason(log, command);
	assert_non_null(words);
	free(words);
	command[3] = 'y';
	assert_null(dkt__errorlog_reason(log, command));
}

/* Puts a caret under byte `at` of a command of letters, and looks for that byte above it. */
static void window_shows(size_t len, size_t at, const char *begin, const char *end)
{
	char log[2048], command[512];
	char *words, *line, *caret;

	for (size_t i = 0; i < len; i++)
		command[i] = (char)('a' + i % 26);
	command[at] = '*';
	command[len] = '\0';
	snprintf(log, sizeof(log), "[    1.000000] a: error: b\n  Command: %s\n%*s^\n", command,
		 (int)(11 + at), "");
	words = dkt__errorlog_reason(log, command);
	assert_non_null(words);
	line = strchr(words, '\n') + 1;
	caret = strchr(line, '\n') + 1;
	caret[-1] = '\0';
	assert_true(strlen(line) <= 2 + 100);
	assert_int_equal(line[strlen(caret) - 1], '*');
	assert_int_equal(caret[strlen(caret) - 1], '^');
	assert_memory_equal(line, begin, strlen(begin));
	assert_string_equal(line + strlen(line) - strlen(end), end);
	free(words);
}

static void long_commands_are_shortened_around_the_caret(void **state)
{
	(void)state;
	window_shows(100, 99, "  abcd", "*");
	window_shows(101, 0, "  *bcd", "...");
	window_shows(400, 10, "  abcd", "...");
	window_shows(400, 200, "  ...", "...");
	window_shows(400, 399, "  ...", "*");
	window_shows(400, 360, "  ...", "j");
}

/* Kernels before 5.2 have no log. These are texts of RHEL 8's. */
static void without_a_log_the_reason_is_beside(void **state)
{
	static const char filter[] = "prev_pidd == 1\n         ^\nparse_error: Field not found\n";
	static const char hist[] = "# event histogram\n#\n\nERROR: Couldn't find field: foo\n"
				   "  Last command: keys=foo\n";
	char *words;

	(void)state;
	words = dkt__errorlog_in_filter(filter, "prev_pidd == 1");
	assert_string_equal(words, "Field not found\n  prev_pidd == 1\n           ^");
	free(words);
	assert_null(dkt__errorlog_in_filter(filter, "prev_pid == 1"));
	assert_null(dkt__errorlog_in_filter("none\n", "none"));
	assert_null(dkt__errorlog_in_filter("^\nparse_error: x\n", ""));
	words = dkt__errorlog_in_hist(hist, "hist:keys=foo");
	assert_string_equal(words, "Couldn't find field: foo");
	free(words);
	assert_null(dkt__errorlog_in_hist(hist, "hist:keys=bar"));
	assert_null(dkt__errorlog_in_hist("# event histogram\n", "hist:keys=foo"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_log_has_no_message),
		cmocka_unit_test(the_last_entry_is_split),
		cmocka_unit_test(caret_stays_within_the_command),
		cmocka_unit_test(a_message_has_a_caret),
		cmocka_unit_test(control_characters_keep_the_caret_in_line),
		cmocka_unit_test(entries_of_other_commands_are_skipped),
		cmocka_unit_test(spaces_do_not_matter),
		cmocka_unit_test(a_truncated_command_is_known_by_its_beginning),
		cmocka_unit_test(long_commands_are_shortened_around_the_caret),
		cmocka_unit_test(without_a_log_the_reason_is_beside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
