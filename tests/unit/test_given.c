/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events, symbols and names of processes that a file contains. */
#include "lib/event.h"
#include "lib/inside.h"
#include "lib/source/comms.h"
#include "lib/source/file.h"
#include "lib/symbol.h"
#include "tests/helper/check.h"
#include "tests/helper/pages.h"

#define FORMAT(name, id)                                                                           \
	"name: " name "\nID: " id "\n" TREE_COMMON                                                 \
	"\tfield:u64 value;\toffset:8;\tsize:8;\tsigned:0;\n\nprint fmt: \"v=%lu\", REC->value\n"

#define GIVEN(system, text)                                                                        \
	{                                                                                          \
		system, text, sizeof(text) - 1                                                     \
	}

static const struct dkt__given given[] = {
	/* clang-format off */
	GIVEN("ftrace", FORMAT("print", "5")),
	GIVEN("sched", FORMAT("sched_switch", "300")),
	GIVEN("block", FORMAT("block_rq", "301")),
	GIVEN("bad", "no format at all\n"),
	GIVEN("bad", "name: of_no_number\nID: x\n"),
	GIVEN("bad", "name: of_a_number_too_high\nID: 70000\n"),
	GIVEN("bad", "name: unparsable\nID: 302\nformat:\n\tfield:;\n"),
	GIVEN("bad", ""),
	/* clang-format on */
};

static int setup(void **state)
{
	struct dkt_ctx *ctx;

	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	assert_ok(ctx, dkt__events_given(ctx, given, ARRAY_SIZE(given)));
	*state = ctx;
	return 0;
}

static int teardown(void **state)
{
	dkt_ctx_free(*state);
	return 0;
}

static void a_file_brings_events(void **state)
{
	struct dkt_ctx *ctx = *state;
	struct dkt_event *const *events;
	struct dkt_event *event;
	size_t n;

	assert_ok(ctx, dkt_events(ctx, &events, &n));
	assert_int_equal(n, 3);
	assert_string_equal(dkt_event_name(events[0]), "unparsable");
	assert_string_equal(dkt_event_name(events[2]), "sched_switch");
	assert_ptr_equal(dkt__event_by_id(ctx, 300), events[2]);
	event = dkt_event_find(ctx, "ftrace", "print");
	assert_ptr_equal(dkt__event_by_id(ctx, 5), event);
	assert_int_equal(dkt_event_id(event), 5);
	assert_null(dkt_event_find(ctx, "bad", "of_no_number"));
	/* A number that no format has is an event all the same. */
	assert_string_equal(dkt_event_name(dkt__event_by_id(ctx, 999)), "id_999");
}

static void a_file_brings_formats(void **state)
{
	struct dkt_ctx *ctx = *state;
	struct made_record bytes = { .type = 300, .value = 77 };
	struct dkt_record record = { .data = &bytes, .size = sizeof(bytes) };
	struct dkt_event *event = dkt__event_by_id(ctx, 300);
	struct dkt_buf *buf;

	assert_null(event->tep);
	record.event = event;
	assert_int_equal(dkt_buf_new(&buf), 0);
	dkt_record_text(&record, buf);
	assert_int_equal(buf->len, 4);
	assert_memory_equal(buf->data, "v=77", 4);
	dkt_buf_free(buf);
	assert_non_null(dkt_event_field(event, "value"));
	assert_null(dkt_event_field(dkt__event_by_id(ctx, 302), "value"));
}

/* The running kernel is not asked: it has neither the events nor the names of the file. */
static void the_running_kernel_is_not_asked(void **state)
{
	struct dkt_ctx *ctx = *state;
	uint64_t offset;

	dkt_events_forget(ctx);
	assert_non_null(dkt_event_find(ctx, "sched", "sched_switch"));
	assert_null(dkt_event_find(ctx, "raw_syscalls", "sys_enter"));
	assert_null(dkt_symbol_name(ctx, UINT64_C(0xffffffff81000010), &offset));
	assert_null(dkt__kernel_string(ctx, 0x1000));
}

static void a_file_brings_symbols(void **state)
{
	struct dkt_ctx *ctx = *state;
	static const char kallsyms[] = "1000 T first\n2000 T second\n3000 T end\nrest";
	static const char strings[] = "0x5000 : \"words\"\nrest";
	struct dkt__symbol_text functions = { .bytes = kallsyms, .n = strlen(kallsyms) - 4 };
	struct dkt__symbol_text constants = { .bytes = strings, .n = strlen(strings) - 4 };
	uint64_t offset;

	assert_ok(ctx, dkt__symbols_given(ctx, &functions, &constants));
	assert_string_equal(dkt_symbol_name(ctx, 0x2010, &offset), "second");
	assert_int_equal(offset, 0x10);
	assert_string_equal(dkt__kernel_string(ctx, 0x5000), "words");
}

static void a_file_brings_names_of_processes(void **state)
{
	static const char text[] =
		"1 init\n22 name with blanks\nrubbish\n-3 x\n99999999999 x\n4 cut";
	struct dkt__comms comms = { 0 };
	char name[32];
	int32_t pid;

	(void)state;
	assert_null(dkt__comms_get(&comms, 1));
	assert_int_equal(dkt__comms_parse(&comms, text, strlen(text)), 0);
	assert_int_equal(comms.n, 3);
	assert_string_equal(dkt__comms_get(&comms, 22), "name with blank");
	assert_string_equal(dkt__comms_get(&comms, 4), "cut");
	assert_null(dkt__comms_get(&comms, 3));
	for (pid = 0; pid < 5000; pid++) {
		snprintf(name, sizeof(name), "p%d", pid);
		assert_int_equal(dkt__comms_set(&comms, pid * 64, name, strlen(name)), 0);
	}
	assert_string_equal(dkt__comms_get(&comms, 4999 * 64), "p4999");
	assert_int_equal(comms.n, 5003);
	dkt__comms_clear(&comms);
}

static void a_cursor_stays_within_the_bytes(void **state)
{
	static const uint8_t bytes[] = { 1, 0, 2, 0, 0, 0, 'a', 0, 'b' };
	struct dkt__cursor cur = { .p = bytes,
				   .end = bytes + sizeof(bytes),
				   .swap = DKT__BIG_ENDIAN };

	(void)state;
	assert_int_equal(dkt__cursor_number(&cur, 2), 1);
	cur.swap = !DKT__BIG_ENDIAN;
	assert_int_equal(dkt__cursor_number(&cur, 4), 0x02000000);
	assert_string_equal(dkt__cursor_string(&cur), "a");
	assert_string_equal(dkt__cursor_string(&cur), "");
	assert_true(cur.bad);
	cur.bad = false;
	assert_null(dkt__cursor_bytes(&cur, UINT64_MAX));
	assert_int_equal(dkt__cursor_number(&cur, 1), 0);
}

static void files_that_are_not_recordings_are_refused(void **state)
{
	struct dkt_ctx *ctx = *state;
	struct dkt_source *source;

	assert_int_equal(dkt_source_open(ctx, "/dev/null", NULL, &source), -EBUSY);
	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	assert_fails(ctx, -ENOENT, "open /nowhere: No such file or directory",
		     dkt_source_open(ctx, "/nowhere", NULL, &source));
	assert_fails(ctx, -EINVAL, "open /dev/null: not a regular file",
		     dkt_source_open(ctx, "/dev/null", NULL, &source));
	assert_int_equal(dkt_source_open(ctx, "/proc/self/exe", NULL, &source), -EINVAL);
	assert_null(source);
	assert_fails(ctx, -EINVAL,
		     "open /usr: the directory has no recordings (*.dat), and is neither a saved"
		     " tracefs tree nor a directory of perf record",
		     dkt_source_open(ctx, "/usr", NULL, &source));
	assert_null(source);
	dkt_ctx_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_file_brings_events, setup, teardown),
		cmocka_unit_test_setup_teardown(a_file_brings_formats, setup, teardown),
		cmocka_unit_test_setup_teardown(the_running_kernel_is_not_asked, setup, teardown),
		cmocka_unit_test_setup_teardown(a_file_brings_symbols, setup, teardown),
		cmocka_unit_test(a_file_brings_names_of_processes),
		cmocka_unit_test(a_cursor_stays_within_the_bytes),
		cmocka_unit_test_setup_teardown(files_that_are_not_recordings_are_refused, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
