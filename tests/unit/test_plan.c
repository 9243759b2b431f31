/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Texts of records: conversions, expressions, names, strings, addresses. */
#include "tests/helper/order.h"
#include "tests/helper/plan_tree.h"

/* ---- integers ---- */

static void integers_of_all_sizes(void **state)
{
	static const struct {
		int8_t s8;
		uint8_t u8;
		int16_t s16;
		int32_t s32;
		int64_t s64;
		uint64_t u64;
	} body = { -1, 255, -2, -3, -4, UINT64_MAX };

	(void)state;
	expect(FIELD("s8 a", 8, 1, 1) FIELD("u8 b", 9, 1, 0) FIELD("s16 c", 10, 2, 1)
		       FIELD("s32 d", 12, 4, 1) FIELD("s64 e", 16, 8, 1) FIELD("u64 f", 24, 8, 0),
	       "\"%d %d %d %d %lld %llu %u %hhu %hx\", REC->a, REC->b, REC->c, REC->d, REC->e, "
	       "REC->f, REC->a, REC->a, REC->c",
	       &body, sizeof(body), "-1 255 -2 -3 -4 18446744073709551615 4294967295 255 fffe");
}

static void integers_with_width(void **state)
{
	(void)state;
	expect_int(LONG,
		   "\"[%5d] [%-5d] [%05d] [%+d] [% d] [%.3d]\", REC->v, REC->v, REC->v, "
		   "REC->v, REC->v, REC->v",
		   42, "[   42] [42   ] [00042] [+42] [ 42] [042]");
	expect_int(LONG, "\"[%5d] [%-5d] [%05d]\", REC->v, REC->v, REC->v", -42,
		   "[  -42] [-42  ] [-0042]");
	expect_int(LONG,
		   "\"%x %X %#x %08lx %#010lx %016llx %o %#o\", REC->v, REC->v, REC->v, "
		   "REC->v, REC->v, REC->v, REC->v, REC->v",
		   0xbeef, "beef BEEF 0xbeef 0000beef 0x0000beef 000000000000beef 137357 0137357");
	expect_int(LONG, "\"%*d|%-*d|\", 4, REC->v, 4, REC->v", 7, "   7|7   |");
	expect_int(ULONG, "\"%lx\", REC->v", -1, "ffffffffffffffff");
	expect_int(ULONG, "\"%x\", REC->v", -1, "ffffffff");
	expect_int(LONG, "\"100%% %d\\n\", REC->v", 1, "100% 1");
}

static void every_hex_length(void **state)
{
	char expected[20];
	uint64_t v = 1;
	int i;

	(void)state;
	for (i = 0; i < 16; i++, v = v << 4 | ((unsigned int)i & 15)) {
		snprintf(expected, sizeof(expected), "%llx", (unsigned long long)v);
		expect_int(ULONG, "\"%lx\", REC->v", (int64_t)v, expected);
	}
}

/* ---- expressions ---- */

static void arithmetic_has_types_of_c(void **state)
{
	(void)state;
	expect_int(INT, "\"%d %d %d\", REC->v + 2 * 3, (REC->v - 1) / 2, REC->v % 4", 9, "15 4 1");
	expect_int(INT, "\"%d\", REC->v / 2", -9, "-4");
	expect_int(UINT, "\"%u\", REC->v / 2", -1, "2147483647");
	expect_int(INT, "\"%d %d\", REC->v < 0, REC->v >= 0", -1, "1 0");
	expect_int(UINT, "\"%d\", REC->v > 5 && REC->v != 7 || REC->v == 3", -1, "1");
	expect_int(INT, "\"%lx\", (unsigned long)REC->v", -2, "fffffffffffffffe");
	expect_int(INT, "\"%lx\", (unsigned long)(unsigned int)REC->v", -2, "fffffffe");
	expect_int(ULONG,
		   "\"%u:%u\", (unsigned int)(REC->v >> 20), "
		   "(unsigned int)(REC->v & ((1U << 20) - 1))",
		   (8 << 20) | 17, "8:17");
	expect_int(LONG, "\"%ld %lx\", -REC->v, ~REC->v", 5, "-5 fffffffffffffffa");
	expect_int(INT, "\"%d\", REC->v ? REC->v > 3 ? 1 : 2 : 3", 4, "1");
	expect_int(INT, "\"%d\", 7 / REC->v", 0, "0");
	expect_int(LONG, "\"%ld\", (-9223372036854775807 - 1) / REC->v", -1,
		   "-9223372036854775808");
}

/* libtraceevent 1.7.1 prints these differently: see tests/live/test_plan_tep.c. */
static void texts_that_libtraceevent_gets_wrong(void **state)
{
	(void)state;
	expect_int(INT, "\"%s\", __print_symbolic(REC->v, { -11, \"EAGAIN\" }, { 0, \"ok\" })", -11,
		   "EAGAIN");
	expect_int(INT, "\"%s\", __print_symbolic(REC->v, { 0, \"ok\" })", -1,
		   "0xffffffffffffffff");
	expect_int(INT, "\"%s\", __print_symbolic(REC->v, { SOME_ENUM, \"x\" })", -1,
		   "0xffffffffffffffff");
	expect_int(INT, "\"%s\", __print_flags(REC->v, \"|\", { SOME_ENUM, \"x\" })", 0, "");
	expect_int(INT, "\"%s\", __print_flags(REC->v, \"|\", { 0, \"none\" }, { 1, \"a\" })", 1,
		   "none|a");
	expect_int(INT, "\"%lx\", (unsigned long)(1 << REC->v)", 31, "ffffffff80000000");
	expect_int(INT, "\"%d\", (bool)REC->v", 256, "1");
	expect_int(INT, "\"[%c%c]\", REC->v ? 'F' : ' ', REC->v", 'x', "[Fx]");
	expect_int(INT, "\"[%-8s]\", __print_symbolic(REC->v, { 1, \"one\" })", 2, "[0x2     ]");
	expect_int(INT, "\"[%8s]\", __print_symbolic(REC->v, { 1, \"one\" })", 1, "[     one]");
	expect_int(INT, "\"%.*s\", REC->v, \"text\"", -1, "text");
	expect_int(ULONG, "\"%*pbl %*pb\", 64, REC->v, 12, REC->v", 0xf5, "0,2,4-7 0f5");
	expect_int(INT, "\"%d %d\", REC->v, REC->v < 5", -5, "-5 1");
}

static void expressions_as_c_groups_them(void **state)
{
	(void)state;
	expect_int(INT, "\"%d\", REC->v & (1 | 2)", 4, "0");
	expect_int(INT, "\"%d\", REC->v * (2 + 3)", 2, "10");
	expect_int(INT, "\"%d %d\", 1 + 2 * REC->v, (1 + 2) * REC->v", 2, "5 6");
	expect_int(INT, "\"%d\", 10 - REC->v - 3", 2, "5");
	expect_int(INT, "\"%d\", 1 << 2 + REC->v", 1, "8");
	expect_int(INT, "\"%d\", REC->v == 2 & 1 ^ 1 | 4", 2, "4");
	expect_int(INT, "\"%s\", !REC->v ? \"none\" : REC->v == 1 ? \"one\" : \"more\"", 0, "none");
	expect_int(INT, "\"%s\", !REC->v ? \"none\" : REC->v == 1 ? \"one\" : \"more\"", 1, "one");
	expect_int(INT, "\"%d\", __builtin_expect(!!(REC->v > 3), 0)", 4, "1");
	expect_int(INT, "\"%d %d\", (int)sizeof(u64), ((s16)(REC->v))", 0x1ffff, "8 -1");
	expect_int(INT, "\"%d%s\" \" end\", (REC)->v, \"a\" \"b\"", 1, "1ab end");
	expect_int(INT, "\"%c%c\", '\\\\', REC->v == 1 ? '\\'' : '-'", 1, "\\'");
	expect(STRING, "\"%s\", __get_str(s)[0] ? \"some\" : \"empty\"",
	       &(const struct dynamic){ 16 | 1 << 16, 0, "" }, sizeof(struct dynamic), "empty");
	expect(FIELD("__data_loc u64[] a", 8, 4, 0), "\"%s\", __print_dynamic_array(a, 8)",
	       own_order(&(struct dynamic){ 16 | 16 << 16, 0, "\1\0\0\0\0\0\0\0\2" }, "1111111188"),
	       sizeof(struct dynamic), "{0x1,0x2}");
}

/* ---- names ---- */

#define MANY                                                                                       \
	"{ 9, \"nine\" }, { 1, \"one\" }, { 5, \"five\" }, { 1, \"again\" }, { 3, \"three\" }, "   \
	"{ 7, \"seven\" }, { 2ULL, \"two\" }, { 0x10, \"sixteen\" }"

static void symbols_and_flags_print(void **state)
{
	(void)state;
	expect_int(INT, "\"%s\", __print_symbolic(REC->v, " MANY ")", 1, "one");
	expect_int(INT, "\"%s\", __print_symbolic(REC->v, " MANY ")", 16, "sixteen");
	expect_int(INT, "\"%s\", __print_symbolic(REC->v, " MANY ")", 9, "nine");
	expect_int(INT, "\"%s\", __print_symbolic(REC->v, " MANY ")", 2, "two");
	expect_int(INT, "\"%s\", __print_symbolic(REC->v, " MANY ")", 4, "0x4");
	expect_int(INT, "\"%s\", __print_flags(REC->v, \"|\", { 3, \"ab\" }, { 1, \"a\" })", 7,
		   "ab|0x4");
	expect_int(INT, "\"%s\", __print_flags(REC->v, \"\", { 1, \"a\" }, { 2, \"b\" })", 3, "ab");
	expect_int(INT, "\"%s\", REC->v ? __print_flags(REC->v, \"|\", { 2, \"b\" }) : \"none\"", 0,
		   "none");
	expect_int(INT, "\"<%s%s>\", REC->v & 1 ? \"+\" : \"\", REC->v & 2 ? \"-\" : \"\"", 2,
		   "<->");
	expect_int(INT, "\"%s\", __print_symbolic(REC->v, { 3, \"NET_RX\" })", 3, "NET_RX");
	expect_int(INT, "\"%s\", __print_symbolic(REC->v, { HI_SOFTIRQ, \"HI\" })", 0, "HI");
}

/* ---- strings and arrays ---- */

static void strings_print(void **state)
{
	static const struct dynamic body = { 16 | 6 << 16, 0, "hello\0junk" };
	static const struct dynamic relative = { 4 | 6 << 16, 0, "world" };

	(void)state;
	expect(STRING, "\"%s\", __get_str(s)", &body, sizeof(body), "hello");
	expect(STRING, "\"[%8s] [%-8s] [%.2s]\", __get_str(s), __get_str(s), __get_str(s)", &body,
	       sizeof(body), "[   hello] [hello   ] [he]");
	expect(STRING, "\"[%.*s]\", 3, __get_str(s)", &body, sizeof(body), "[hel]");
	expect(FIELD("__rel_loc char[] s", 8, 4, 0), "\"%s\", __get_rel_str(s)", &relative,
	       sizeof(relative), "world");
	expect(FIELD("char s[4]", 8, 4, 0), "\"%s\", REC->s", "abcdef", 6, "abcd");
	expect(FIELD("char s[16]", 8, 16, 0), "\"%-16s|\", REC->s", "ab\0def_________", 16,
	       "ab              |");
}

static void pointers_to_strings_print(void **state)
{
	(void)state;
	expect_int(FIELD("const char * v", 8, 8, 0), "\"%s\", REC->v",
		   (int64_t)UINT64_C(0xffffffff82000000), "constant");
	expect_int(FIELD("const char * v", 8, 8, 0), "\"<%s>\", REC->v",
		   (int64_t)UINT64_C(0xffffffff82000010), "<line>");
	expect_int(FIELD("const char * v", 8, 8, 0), "\"%s\", REC->v", 0x1234, "1234");
}

static void arrays_print(void **state)
{
	static const struct dynamic body = { 16 | 8 << 16, 3, "\1\2\3\4\5\6\7\xff" };
	static const uint64_t args[3] = { 1, 0xabc, UINT64_MAX };
	struct dynamic mask = body;

	(void)state;
	expect(FIELD("__data_loc u8[] a", 8, 4, 0) FIELD("u32 n", 12, 4, 0),
	       "\"%s %s %d\", __print_hex(__get_dynamic_array(a), REC->n), "
	       "__print_hex_str(__get_dynamic_array(a), __get_dynamic_array_len(a)), "
	       "__get_dynamic_array_len(a)",
	       &body, sizeof(body), "01 02 03 01020304050607ff 8");
	expect(FIELD("__data_loc u8[] a", 8, 4, 0),
	       "\"%s\", __print_array(__get_dynamic_array(a), "
	       "__get_dynamic_array_len(a) / 2, 2)",
	       &body, sizeof(body),
	       DKT__BIG_ENDIAN ? "{0x102,0x304,0x506,0x7ff}" : "{0x201,0x403,0x605,0xff07}");
	expect(FIELD("unsigned long args[3]", 8, 24, 0),
	       "\"%lx %lx %lx\", REC->args[0], "
	       "REC->args[1], REC->args[2]",
	       args, sizeof(args), "1 abc ffffffffffffffff");
	/* As of a probe: without a length. */
	expect(FIELD("s32 a[]", 8, 8, 1) FIELD("u8 b[]", 16, 2, 0),
	       "\"{%d,%d} {0x%x,0x%x}\", REC->a[0], REC->a[1], REC->b[0], REC->b[1]",
	       own_order((char[11]){ "\xff\xff\xff\xff\2\0\0\0\3\4" }, "44"), 10,
	       "{-1,2} {0x3,0x4}");
	own_order(mask.text, "8");
	expect(FIELD("__data_loc unsigned long[] m", 8, 4, 0), "\"%s\", __get_bitmask(m)", &mask,
	       sizeof(mask), "ff070605,04030201");
	expect(FIELD("__data_loc cpumask_t m", 8, 4, 0), "\"%s\", __get_cpumask(m)", &mask,
	       sizeof(mask), "0,9,16-17,26,32,34,41-42,48-50,56-63");
}

/* ---- addresses ---- */

static void addresses_have_symbols(void **state)
{
	(void)state;
	expect_int(ULONG, "\"%ps %pS\", (void *)REC->v, (void *)REC->v",
		   (int64_t)UINT64_C(0xffffffff81000108), "second second+0x8");
	expect_int(ULONG, "\"%ps\", (void *)REC->v", (int64_t)UINT64_C(0xffffffff81000000),
		   "first");
	expect_int(ULONG, "\"%ps\", (void *)REC->v", (int64_t)UINT64_C(0xffffffffc0000010),
		   "in_module");
	expect_int(ULONG, "\"%ps\", (void *)REC->v", 0x1000, "0x1000");
	expect_int(ULONG, "\"%p %p\", REC->v, 0", 0x1234, "0x1234 (nil)");
	expect_int(ULONG, "\"%pK.\", REC->v", 0x1234, "0x1234.");
}

static void symbols_beyond_the_list(void **state)
{
	struct tree tree = { .system = "test", .name = "event" };
	uint64_t offset;

	(void)state;
	plant(&tree, INT, "\"%d\", REC->v");
	assert_string_equal(dkt_symbol_name(tree.ctx, UINT64_C(0xffffffffc0001000), &offset),
			    "last");
	assert_int_equal(offset, 0);
	assert_null(dkt_symbol_name(tree.ctx, UINT64_C(0xffffffffc0001001), &offset));
	/* Code between the kernel and its modules is not of the kernel's last function. */
	assert_string_equal(dkt_symbol_name(tree.ctx, UINT64_C(0xffffffff81001fff), &offset),
			    "second");
	assert_null(dkt_symbol_name(tree.ctx, UINT64_C(0xffffffff81002000), &offset));
	assert_null(dkt_symbol_name(tree.ctx, 1, &offset));
	assert_null(dkt_symbol_name(tree.ctx, 0, &offset));
	uproot(&tree);
}

static void hidden_addresses_name_nothing(void **state)
{
	struct tree tree = { .system = "test", .name = "event" };
	uint64_t offset;

	(void)state;
	plant(&tree, INT, "\"%d\", REC->v");
	assert_int_equal(tree_text(tree.root, "kallsyms",
				   "0000000000000000 T first\n0000000000000000 T second\n"),
			 0);
	assert_null(dkt_symbol_name(tree.ctx, UINT64_C(0xffffffff81000000), &offset));
	uproot(&tree);
}

static void network_addresses_print(void **state)
{
	static const uint8_t ip4[4] = { 10, 0, 200, 1 };
	static const uint8_t ip6[16] = { 0x20, 1, 0xd, 0xb8, [15] = 1 };
	static const uint8_t mapped[16] = { [10] = 0xff, 0xff, 192, 168, 0, 1 };
	static const uint8_t loopback[16] = { [15] = 1 };
	uint8_t sa4[28] = { 2, 0, 0x1f, 0x90, 127, 0, 0, 1 };
	uint8_t sa6[28] = { 10, 0, 0x1f, 0x90, [8] = 0xfe, 0x80, [23] = 1 };
	static const uint8_t uuid[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };

	(void)state;
	expect(FIELD("__u8 a[4]", 8, 4, 0), "\"%pI4 %pi4 %pI4l\", REC->a, REC->a, REC->a", ip4, 4,
	       "10.0.200.1 010.000.200.001 1.200.0.10");
	expect(FIELD("__u8 a[16]", 8, 16, 0), "\"%pI6c %pI6 %pi6\", REC->a, REC->a, REC->a", ip6,
	       16,
	       "2001:db8::1 2001:0db8:0000:0000:0000:0000:0000:0001 "
	       "20010db8000000000000000000000001");
	expect(FIELD("__u8 a[16]", 8, 16, 0), "\"%pI6c\", REC->a", mapped, 16,
	       "::ffff:192.168.0.1");
	expect(FIELD("__u8 a[16]", 8, 16, 0), "\"%pI6c\", REC->a", loopback, 16, "::1");
	own_order(sa4, "2");
	own_order(sa6, "2");
	expect(FIELD("__u8 a[28]", 8, 28, 0), "\"%pISpc\", REC->a", sa4, 28, "127.0.0.1:8080");
	expect(FIELD("__u8 a[28]", 8, 28, 0), "\"%pISpc\", REC->a", sa6, 28, "[fe80::1]:8080");
	expect(FIELD("__u8 a[6]", 8, 6, 0), "\"%pM %pm %pMF %pMR\", REC->a, REC->a, REC->a, REC->a",
	       uuid, 6, "00:01:02:03:04:05 000102030405 00-01-02-03-04-05 05:04:03:02:01:00");
	expect(FIELD("__u8 a[16]", 8, 16, 0), "\"%pU %pUL\", REC->a, REC->a", uuid, 16,
	       "00010203-0405-0607-0809-0a0b0c0d0e0f 03020100-0504-0706-0809-0A0B0C0D0E0F");
	expect(FIELD("__u8 a[4]", 8, 4, 0), "\"%pM %pI6\", REC->a, REC->a", ip4, 4,
	       "INVALIDMAC INVALIDIPv6");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_of_all_sizes),
		cmocka_unit_test(integers_with_width),
		cmocka_unit_test(every_hex_length),
		cmocka_unit_test(arithmetic_has_types_of_c),
		cmocka_unit_test(expressions_as_c_groups_them),
		cmocka_unit_test(texts_that_libtraceevent_gets_wrong),
		cmocka_unit_test(symbols_and_flags_print),
		cmocka_unit_test(strings_print),
		cmocka_unit_test(pointers_to_strings_print),
		cmocka_unit_test(arrays_print),
		cmocka_unit_test(addresses_have_symbols),
		cmocka_unit_test(symbols_beyond_the_list),
		cmocka_unit_test(hidden_addresses_name_nothing),
		cmocka_unit_test(network_addresses_print),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
