/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Texts of records: special events, lines of the trace style, damaged records. */

#include "tests/helper/plan_tree.h"

/* ---- special events ---- */

static void events_of_ftrace_print(void **state)
{
	static const struct {
		uint64_t ip;
		char text[8];
	} print = { UINT64_C(0xffffffff81000100), "hello\n" };
	static const uint64_t stack[] = { 2, UINT64_C(0xffffffff81000100),
					  UINT64_C(0xffffffffc0000001), UINT64_MAX, 1 };

	(void)state;
	expect_of("ftrace", "print",
		  FIELD("unsigned long ip", 8, 8, 0) FIELD("char buf[]", 16, 0, 0),
		  "\"%ps: %s\", (void *)REC->ip, REC->buf", &print, sizeof(print), "second: hello");
	expect_of("ftrace", "kernel_stack",
		  FIELD("int size", 8, 4, 1) FIELD("unsigned long caller[8]", 16, 64, 0),
		  "\"\\t=> %ps\\n\", (void *)REC->caller[0]", stack, sizeof(stack),
		  "<stack> => second => in_module");
}

/* As kernels 6.1 and 6.12 record them. */
static void function_graph_prints(void **state)
{
	static const struct {
		uint64_t func;
		int32_t depth;
	} entry = { UINT64_C(0xffffffff81000100), 2 }, deep = { 0x1234, INT32_MAX };
	struct {
		uint64_t func;
		int32_t depth;
		uint32_t overrun;
		uint64_t calltime, rettime;
	} leave = { UINT64_C(0xffffffffc0000000), 0, 0, 1000000, 1001234 };
	static const char func[] = FIELD("unsigned long func", 8, 8, 0)
		FIELD("int depth", 16, 4, 1);
	static const char times[] = FIELD("unsigned long func", 8, 8, 0)
		FIELD("int depth", 16, 4, 1) FIELD("unsigned int overrun", 20, 4, 0)
			FIELD("u64 calltime", 24, 8, 0) FIELD("u64 rettime", 32, 8, 0);
	char *text __cleanup(free) = NULL;

	(void)state;
	expect_of("ftrace", "funcgraph_entry", func, "\"--> %ps (%d)\", REC->func, REC->depth",
		  &entry, sizeof(entry), "                   |      second() {");
	assert_true(asprintf(&text, "%18s |  %400s0x1234() {", "", "") > 0);
	expect_of("ftrace", "funcgraph_entry", func, "\"\"", &deep, sizeof(deep), text);
	expect_of("ftrace", "funcgraph_exit", times, "\"\"", &leave, sizeof(leave),
		  "          1.234 us |  } /* in_module */");
	leave.depth = 1;
	leave.rettime = 1000000 + 12345678;
	expect_of("ftrace", "funcgraph_exit", times, "\"\"", &leave, sizeof(leave),
		  "*     12345.678 us |    } /* in_module */");
	/* Times of a damaged file; with the sanitizers, no sum of them overflows. */
	leave.calltime = UINT64_C(1) << 63;
	leave.rettime = 1;
	expect_of("ftrace", "funcgraph_exit", times, "\"\"", &leave, sizeof(leave),
		  "$ 9223372036854775.809 us |    } /* in_module */");
	/* Cut off, its times read as they can. */
	leave.depth = -5;
	expect_of("ftrace", "funcgraph_exit", times, "\"\"", &leave, 16,
		  "          0.000 us |  } /* in_module */");
}

/* Packed as vbin_printf() does: shorts and longs aligned, texts as they come. */
static void trace_printk_prints(void **state)
{
	static const char fields[] = FIELD("unsigned long ip", 8, 8, 0)
		FIELD("const char * fmt", 16, 8, 0) FIELD("u32 buf[]", 24, 0, 0);
	struct __attribute__((packed)) {
		uint64_t ip, fmt;
		char name[5], pad1;
		int16_t part;
		int32_t width;
		uint64_t of;
		char a, b, ip4[10];
		uint64_t where;
	} body = { UINT64_C(0xffffffff81000100),
		   UINT64_C(0xffffffff82000020),
		   "disk",
		   0,
		   -3,
		   4,
		   7,
		   'x',
		   'y',
		   "127.0.0.1",
		   UINT64_C(0xffffffff81000000) };
	char *wide __cleanup(free) = NULL;

	(void)state;
	expect_of("ftrace", "bprint", fields, "\"%ps: %s\"", &body, sizeof(body),
		  "second: disk: -3 of    7, xy 127.0.0.1 100% first");
	/* A record truncated anywhere shows which values are missing. */
	expect_of("ftrace", "bprint", fields, "\"%ps: %s\"", &body, 16 + 12,
		  "second: disk: -3 of <%*lu>, <%c><%c> <%pI4> 100% <%ps>");
	expect_of("ftrace", "bprint", fields, "\"%ps: %s\"", &body, 16 + 2,
		  "second: di...: <%hd> of <%*lu>, <%c><%c> <%pI4> 100% <%ps>");
	body.fmt = 0x1234;
	expect_of("ftrace", "bprint", fields, "\"%ps: %s\"", &body, sizeof(body),
		  "second: (NO FORMAT FOUND at 1234)");
	body.fmt = UINT64_C(0xffffffff82000030);
	expect_of("ftrace", "bprint", fields, "\"%ps: %s\"", &body, 16, "second: a <%d> b ");
	body.fmt = UINT64_C(0xffffffff82000040);
	assert_true(asprintf(&wide, "second: %4096s|", "disk") > 0);
	expect_of("ftrace", "bprint", fields, "\"%ps: %s\"", &body, 16 + 6, wide);
	/* Any system may call an event so, and give it other fields. */
	expect_of("other", "bprint", INT, "\"%ps: %s\"", &(int){ -2130706176 }, 4, "v=-2130706176");
}

/* As Linux 3.x recorded and described them. */
static void trace_printk_of_older_kernels_prints(void **state)
{
	static const char fields[] = FIELD("unsigned long ip", 8, 8, 0)
		FIELD("const char * fmt", 16, 8, 0) FIELD("u32 buf", 24, 0, 0);
	struct __attribute__((packed)) {
		uint64_t ip, fmt, at, none;
		int32_t width;
		uint64_t unfollowed;
		char name[5];
	} body = { UINT64_C(0xffffffff81000100),
		   UINT64_C(0xffffffff82000050),
		   UINT64_C(0xffffffc97fed2f68),
		   0,
		   42,
		   UINT64_C(0xffffff8881000001),
		   "disk" };

	(void)state;
	expect_of("ftrace", "bprint", fields, "\"%pf: %s\", (void *)REC->ip, REC->fmt", &body,
		  sizeof(body),
		  "second: at 0xffffffc97fed2f68 (nil)       42 <%pM 0xffffff8881000001> disk");
	expect_of("ftrace", "print", FIELD("unsigned long ip", 8, 8, 0) FIELD("char buf", 16, 0, 0),
		  "\"%pf: %s\", (void *)REC->ip, REC->buf", &(struct {
			  uint64_t ip;
			  char buf[8];
		  }){ UINT64_C(0xffffffff81000100), "marked\n" },
		  16, "second: marked");
}

static void an_array_at_the_end_of_older_kernels_is_read(void **state)
{
	static const char body[] = "\0\0\0\0\0\0\0\0marked";
	struct dkt_record record = { .data = body, .size = sizeof(body) };
	struct tree tree = { .system = "ftrace", .name = "print" };
	const struct dkt_field *buf;
	size_t len;

	(void)state;
	record.event = plant(&tree, FIELD("unsigned long ip", 0, 8, 0) FIELD("char buf", 8, 0, 0),
			     "\"%s\", REC->buf");
	buf = dkt_event_field(record.event, "buf");
	assert_non_null(buf);
	assert_int_equal(buf->flags, DKT_FIELD_ARRAY | DKT_FIELD_STRING);
	assert_string_equal(dkt_record_bytes(&record, buf, &len), "marked");
	assert_int_equal(len, 7);
	uproot(&tree);
}

static void functions_of_older_kernels_print(void **state)
{
	static const char fields[] = FIELD("unsigned long ip", 8, 8, 0)
		FIELD("unsigned long parent_ip", 16, 8, 0);
	static const char print[] = "\" %lx <-- %lx\", REC->ip, REC->parent_ip";
	uint64_t body[] = { UINT64_C(0xffffffff81000100), UINT64_C(0xffffffff81000004) };

	(void)state;
	expect_of("ftrace", "function", fields, print, body, sizeof(body), " second <-- first");
	expect_of("other", "function", fields, print, body, sizeof(body),
		  " ffffffff81000100 <-- ffffffff81000004");
}

/* ---- the trace style ---- */

static void expect_line(const struct dkt_record *record, const char *comm, const char *expected)
{
	struct dkt_buf *buf;
	const char *p;
	size_t n;

	assert_int_equal(dkt_buf_new(&buf), 0);
	dkt_style_trace(record, comm, buf);
	p = dkt_buf_data(buf, &n);
	assert_int_equal(n, strlen(expected));
	assert_memory_equal(p, expected, n);
	dkt_buf_free(buf);
}

/* As trace-cmd report 3.1.6 prints them, which rounds to microseconds. */
static void lines_are_those_of_the_trace_file(void **state)
{
	struct tree tree = { .system = "test", .name = "event" };
	static const int32_t data[3] = { 7, 0, 42 };
	struct dkt_record record = {
		.event = plant(&tree, INT, "\"v=%d\\n\", REC->v"),
		.data = data,
		.size = sizeof(data),
		.ts = UINT64_C(612817159500),
		.cpu = 2,
		.pid = 14615,
	};
	struct dkt_record gap = { .cpu = 3, .lost = 12 };

	(void)state;
	expect_line(&record, "ll_ost00_003",
		    "    ll_ost00_003-14615 [002]   612.817160: event:                v=42\n");
	record.ts = UINT64_C(1234567000000999);
	record.cpu = 1023;
	record.pid = 1;
	expect_line(
		&record, "a name of 20 letters",
		"a name of 20 letters-1     [1023] 1234567.000001: event:                v=42\n");
	expect_line(&gap, "", "CPU:3 [12 EVENTS DROPPED]\n");
	gap.lost = DKT_LOST_UNKNOWN;
	expect_line(&gap, "", "CPU:3 [EVENTS DROPPED]\n");
	uproot(&tree);
}

/* ---- the last resort ---- */

static void formats_without_a_plan_print_fields(void **state)
{
	(void)state;
	/* An unknown function, no format, fewer arguments than conversions. */
	expect_int(INT FIELD("u32 w", 12, 4, 0), "\"%d\", some_function(REC->v)", -5 & 0xffffffff,
		   "v=-5 w=0");
	expect_int(INT, "\"\"", 3, "v=3");
	expect_int(INT, "\"%d %d\", REC->v", 3, "v=3");
}

static void endless_formats_get_no_plan(void **state)
{
	static const char *const pieces[] = { "!", "(", "(int)", "-", "1+", "1?2:", "REC->v[" };
	size_t i, n = 100000, len;
	char *print;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(pieces); i++) {
		struct dkt__plan *plan = calloc(1, sizeof(*plan));
		struct tep_print_fmt fmt;
		struct tep_event tep = { 0 };

		len = strlen(pieces[i]);
		print = malloc(n * len + 16);
		assert_non_null(print);
		memcpy(print, "\"%d\", ", 6);
		for (size_t j = 0; j < n; j++)
			memcpy(print + 6 + j * len, pieces[i], len);
		memcpy(print + 6 + n * len, "1", 2);
		assert_int_equal(dkt__plan_parse(plan, &tep, print, &fmt), -EOPNOTSUPP);
		dkt__plan_free(plan);
		free(print);
	}
}

static int parse(struct dkt__plan *plan, const char *piece, size_t n, struct tep_print_fmt *fmt)
{
	struct tep_event tep = { 0 };
	char *print = NULL;
	size_t size;
	FILE *f = open_memstream(&print, &size);
	int err;

	assert_non_null(f);
	fputs("\"\"", f);
	while (n--)
		fputs(piece, f);
	assert_int_equal(fclose(f), 0);
	err = dkt__plan_parse(plan, &tep, print, fmt);
	free(print);
	return err;
}

static void literals_are_joined_at_once(void **state)
{
	struct dkt__plan *plan = calloc(1, sizeof(*plan));
	struct tep_print_fmt fmt;
	size_t n = 10000;

	(void)state;
	assert_int_equal(parse(plan, " \"ab\"", n, &fmt), 0);
	assert_int_equal(strlen(fmt.format), 2 * n);
	/* No literal is kept beside the text that it is a part of. */
	assert_true(plan->bytes < 2 * n + 256);
	dkt__plan_free(plan);
}

static void too_large_plans_are_refused(void **state)
{
	struct dkt__plan *plan = calloc(1, sizeof(*plan));
	struct tep_print_fmt fmt;

	(void)state;
	assert_int_equal(parse(plan, ", 1", 500000, &fmt), -EOPNOTSUPP);
	assert_true(plan->full);
	assert_true(plan->bytes <= DKT__PLAN_MAX + 4096);
	dkt__plan_free(plan);
}

/* Plans of many events together, too. */
static void plans_beyond_the_limit(void **state)
{
	struct tree tree = { .system = "test", .name = "event" };
	static const uint32_t v = 3;
	struct dkt_event *event = plant(&tree, INT, "\"number %d\", REC->v");
	char *text;

	(void)state;
	tree.ctx->plan_bytes = DKT__PLANS_MAX + 1;
	text = text_of(event, &v, sizeof(v));
	assert_string_equal(text, "v=3");
	free(text);
	uproot(&tree);
}

/* ---- records that lie ---- */

static void short_records_read_as_zeros(void **state)
{
	(void)state;
	expect(ULONG, "\"%lx.\", REC->v", "\1\2", 2, DKT__BIG_ENDIAN ? "102000000000000." : "201.");
	expect(ULONG, "\"%lx.\", REC->v", "", 0, "0.");
	expect(STRING, "\"<%s>\", __get_str(s)", "", 0, "<>");
	expect(FIELD("char s[16]", 8, 16, 0), "\"<%s>\", REC->s", "abc", 3, "<abc>");
}

static void places_outside_of_the_record_print_nothing(void **state)
{
	static const struct dynamic beyond = { 0xffff | 0xffffU << 16, 0, "secret" };
	static const struct dynamic across = { 18 | 0xffffU << 16,
					       0,
					       { '0', '1', '2', '3', '4', '5', '6', '7', '8', '9',
						 'a', 'b', 'c', 'd', 'e', 'f' } };
	static const uint64_t index = UINT64_MAX;

	(void)state;
	expect(STRING, "\"<%s>\", __get_str(s)", &beyond, sizeof(beyond), "<>");
	expect(STRING, "\"<%s>\", __get_str(s)", &across, sizeof(across), "<23456789abcdef>");
	expect(FIELD("__data_loc u8[] a", 8, 4, 0),
	       "\"<%s>\", __print_hex(__get_dynamic_array(a), 1000000)", &beyond, sizeof(beyond),
	       "<>");
	expect(FIELD("unsigned long v", 8, 8, 0) FIELD("u32 a[2]", 8, 8, 0),
	       "\"%d\", REC->a[REC->v]", &index, sizeof(index), "0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_of_ftrace_print),
		cmocka_unit_test(function_graph_prints),
		cmocka_unit_test(trace_printk_prints),
		cmocka_unit_test(trace_printk_of_older_kernels_prints),
		cmocka_unit_test(an_array_at_the_end_of_older_kernels_is_read),
		cmocka_unit_test(functions_of_older_kernels_print),
		cmocka_unit_test(lines_are_those_of_the_trace_file),
		cmocka_unit_test(formats_without_a_plan_print_fields),
		cmocka_unit_test(endless_formats_get_no_plan),
		cmocka_unit_test(literals_are_joined_at_once),
		cmocka_unit_test(too_large_plans_are_refused),
		cmocka_unit_test(plans_beyond_the_limit),
		cmocka_unit_test(short_records_read_as_zeros),
		cmocka_unit_test(places_outside_of_the_record_print_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
