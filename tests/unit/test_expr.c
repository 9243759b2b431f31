/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Filter expressions: grammar, errors, text for the kernel, matching of made-up records. */
#include "lib/event.h"
#include "lib/expr.h"
#include "tests/helper/check.h"
#include "tests/helper/made_up.h"

#include "lib/base/banned.h"
#include "lib/inside.h"

struct fixture {
	struct dkt_ctx *ctx;
	struct dkt_event event;
	struct made_up data;
	struct dkt_record record;
};

static void put_text(struct made_up *data, uint32_t *word, uint32_t from, const char *text,
		     uint32_t at)
{
	memcpy(data->bytes + at, text, strlen(text) + 1);
	*word = (uint32_t)(strlen(text) + 1) << 16 | ((uint32_t)AT(bytes) + at - from);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	uint64_t cpus = 0x29;

	*state = f;
	assert_non_null(f);
	assert_int_equal(dkt_ctx_new(NULL, &f->ctx), 0);
	f->event.ctx = f->ctx;
	f->event.system = "test";
	f->event.name = "made_up";
	f->event.slot = 6;
	made_up_event(&f->event);
	f->data.common_pid = 4321;
	f->data.s8 = -8;
	f->data.u8 = 200;
	f->data.s16 = -16000;
	f->data.u16 = 60000;
	f->data.s32 = -2;
	f->data.u32 = 4000000000U;
	f->data.s64 = -64;
	f->data.u64 = 1ULL << 63;
	memcpy(f->data.name, "worker/1\0junk", 14);
	put_text(&f->data, &f->data.text, 0, "/etc/passwd", 0);
	put_text(&f->data, &f->data.late, AT(late) + 4, "8:16 write", 16);
	f->data.pointer = 0x1234;
	memcpy(f->data.bytes + 32, &cpus, sizeof(cpus));
	f->data.mask = 8u << 16 | (uint32_t)(AT(bytes) + 32);
	f->record = (struct dkt_record){
		.event = &f->event,
		.data = &f->data,
		.size = sizeof(f->data),
		.cpu = 3,
		.pid = 4321,
	};
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	dkt_ctx_free(f->ctx);
	free(f);
	return 0;
}

/* As the tool does for the classes and subsystems of Lustre. */
static int constant(void *data, const char *field, const char *word, uint64_t *value)
{
	(void)data;
	if (strcmp(field, "u32") != 0 || strcmp(word, "vfstrace") != 0)
		return -ENOENT;
	*value = 0x200000;
	return 0;
}

static struct dkt_expr *parse(struct fixture *f, const char *text)
{
	DKT_OPTS(dkt_expr_opts, opts, .constant = constant);
	struct dkt_expr *expr;
	int err = dkt_expr_new(f->ctx, text, &opts, &expr);

	if (err)
		print_error("%s\n", dkt_error(f->ctx));
	assert_int_equal(err, 0);
	return expr;
}

static bool match(struct fixture *f, const char *text)
{
	struct dkt_expr *expr = parse(f, text);
	bool hit;

	if (dkt_expr_check(expr, &f->event))
		print_error("%s\n", dkt_error(f->ctx));
	assert_int_equal(dkt_expr_check(expr, &f->event), 0);
	hit = dkt_expr_match(expr, &f->record, "dd");
	dkt_expr_free(expr);
	return hit;
}

/* Every text has the sign that is expected of it in front. */
static void match_all(struct fixture *f, const char *const *texts)
{
	for (; *texts; texts++)
		if (match(f, *texts + 1) != (**texts == '+'))
			fail_msg("'%s' should%s match", *texts + 1, **texts == '+' ? "" : " not");
}

static void numbers_compare_as_in_the_kernel(void **state)
{
	static const char *const texts[] = { "+s8 == -8",
					     "-s8 != -8",
					     "+s8 < 0",
					     "+s8 == 248",
					     "+s8 == 504",
					     "-s8 > 100",
					     "+u8 == 200",
					     "+u8 > 100",
					     "+u8 >= 200",
					     "-u8 < 200",
					     "+u8 <= 200",
					     "+s16 == -16000",
					     "+s16 <= -16000",
					     "+u16 == 60000",
					     "+u16 > 32768",
					     "+s32 == -2",
					     "+s32 == 0xfffffffe",
					     "+s32 < -1",
					     "-s32 > 0",
					     "+u32 == 4000000000",
					     "+u32 > 0x7fffffff",
					     "+s64 == -64",
					     "+s64 >= -0100",
					     "+s64 < 0",
					     "+u64 == 9223372036854775808",
					     "+u64 > 1",
					     "-u64 < 1",
					     "+u64 & 0x8000000000000000",
					     "-u64 & 1",
					     "+u8 & 8",
					     "-u8&7",
					     "+u8==0310",
					     "+common_pid == 4321",
					     "+  u8\t==\n200  ",
					     NULL };

	match_all(*state, texts);
}

static void operators_combine_comparisons(void **state)
{
	static const char *const texts[] = {
		"+u8 == 200 && s8 == -8",
		"-u8 == 200 && s8 == 8",
		"+u8 == 1 || s8 == -8",
		"+u8 == 200 || u8 == 1 && u8 == 2",
		"-(u8 == 200 || u8 == 1) && u8 == 2",
		"+!(u8 == 1)",
		"+!u8 == 1",
		"+!!u8 == 200",
		"-! ! !u8 == 200",
		"+!(u8 == 200 && s8 == 8) && !(u8 == 1 || s8 == 1)",
		"+((((u8 == 200))))",
		"+!(!(u8 == 200) || !(s8 == -8))",
		"-!((u8 == 200) && !(s8 == 5 || u16 == 1 && u32 == 2) || u8 == 9)",
		"+u8==1||u8==2||u8==200&&s8==-8||u8==3",
		"-!u8==1&&!u8==2&&!u8==200",
		NULL
	};

	match_all(*state, texts);
}

static void strings_compare_as_in_the_kernel(void **state)
{
	static const char *const texts[] = { "+name == \"worker/1\"",
					     "-name == 'worker'",
					     "+name != 'worker'",
					     "-name != 'worker/1'",
					     "+name ~ 'work*'",
					     "+name ~ '*er/1'",
					     "-name ~ '*junk'",
					     "-name ~ '*junk*'",
					     "+name ~ '*ork*'",
					     "+name ~ 'w?rker/[0-9]'",
					     "-name ~ 'w?rker/[!0-9]'",
					     "+name ~ '!*x'",
					     "-name ~ '!worker*'",
					     "+name ~ 'w*r*1'",
					     "+name ~ '*'",
					     "+name ~ '**'",
					     "-name ~ ''",
					     "-name == ''",
					     "+name == worker/1",
					     "+name ~ work*",
					     "+text == '/etc/passwd'",
					     "+text ~ '*passwd'",
					     "+text ~ '/etc/*'",
					     "+text ~ '*/[p]*'",
					     "-text == '/etc/passw'",
					     "-text == '/etc/passwd2'",
					     "+late == '8:16 write'",
					     "+late ~ '8:*'",
					     "+late ~ '8*w[q-s]ite'",
					     "+late ~ '*write'",
					     "+COMM == 'dd'",
					     "+comm ~ 'd*'",
					     "+COMM ~ '*d'",
					     "-comm == 'd'",
					     "+name.ustring == 'worker/1'",
					     NULL };

	match_all(*state, texts);
}

static void globs_match_strings(void **state)
{
	static const struct {
		const char *pattern;
		const char *str;
		bool hit;
	} rows[] = {
		{ "a?c", "abc", true },        { "a?c", "ac", false },
		{ "a[]b]c", "a]c", true },     { "a[b-]c", "a-c", true },
		{ "a[!b]c", "abc", false },    { "a[!b]c", "axc", true },
		{ "a[!b]", "a", false },       { "a[b", "a[b", true },
		{ "a[b-", "a[b-", true },      { "a\\*c", "a*c", true },
		{ "a\\*c", "abc", false },     { "a*b*c", "axxbyyc", true },
		{ "a*b*c", "axxbyyd", false }, { "*a?b*", "xxacbx", true },
		{ "*ab[c]", "ababc", true },   { "a\\", "a", true },
		{ "***x", "yyx", true },       { "[a-c][a-c]", "bc", true },
		{ "[z-a]x", "mx", false },     { "?*?", "a", false },
		{ "?*?", "ab", true },         { "*\\sh", "bash", true },
	};
	struct expr_pattern pattern;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		dkt__expr_pattern(&pattern, rows[i].pattern, strlen(rows[i].pattern), true);
		if (dkt__expr_pattern_match(&pattern, rows[i].str, strlen(rows[i].str)) !=
		    rows[i].hit)
			fail_msg("'%s' on '%s'", rows[i].pattern, rows[i].str);
	}
}

static void cpu_sets_match(void **state)
{
	static const char *const texts[] = { "+CPU == 3",
					     "+cpu >= 3",
					     "-common_cpu != 3",
					     "-CPU < 3",
					     "-CPU == -1",
					     "+CPU & CPUS{0-3,5}",
					     "-CPU & CPUS{4-7}",
					     "+CPU & CPUS{3}",
					     "+CPU == CPUS{3}",
					     "-CPU == CPUS{3,4}",
					     "+CPU != CPUS{3,4}",
					     "-CPU != CPUS{3}",
					     "+CPU & CPUS{1-7:1/2}",
					     "-CPU & CPUS{0-7:1/2}",
					     "-CPU & CPUS{,}",
					     "+mask & CPUS{5-9}",
					     "-mask & CPUS{1,2}",
					     "+mask == CPUS{0,3,5}",
					     "-mask == CPUS{0,3}",
					     "+mask != CPUS{3}",
					     "+u8 & CPUS{200}",
					     "+u8 & CPUS{190-210}",
					     "-s32 & CPUS{0-9}",
					     "-s32 != CPUS{0-9}",
					     NULL };

	match_all(*state, texts);
}

static void names_stand_for_numbers(void **state)
{
	static const char *const texts[] = {
		"+s32 == -ENOENT",   "-s32 == -EINTR",
		"+u32 & vfstrace",   "+u32 == 4000000000 && u32 & vfstrace|1",
		"-s32 == ENOENT",    "+u32 > 2G",
		"+u32 <= 4s",        "+u16 >= 58k",
		"+u32 < 4001ms",     "+u32 > 3999ms",
		"+s64 == -64ns",     "+u64 != -EIO",
		"+u8 & 0x80 | 0x01", NULL
	};

	match_all(*state, texts);
}

static void functions_become_addresses(void **state)
{
	struct fixture *f = *state;
	struct dkt_expr *expr = parse(f, "(u64.function == nothing.isra.0)||u8 == 1");
	char *text;

	assert_int_equal(dkt_expr_text(expr, &f->event, &text), 0);
	assert_string_equal(text, "(u64.function == nothing.isra.0 )||u8 == 1");
	free(text);
	assert_false(dkt_expr_match(expr, &f->record, "dd"));
	dkt_expr_free(expr);
	assert_true(match(f, "u64.function != nothing"));
}

static void pointers_to_strings_need_the_kernel(void **state)
{
	struct fixture *f = *state;
	struct dkt_expr *expr = parse(f, "!(pointer.ustring ~ '*passwd')");

	assert_int_equal(dkt_expr_check(expr, &f->event), 0);
	assert_fails(f->ctx, -EOPNOTSUPP,
		     "filter: test:made_up records only the address of 'pointer', so "
		     "only the kernel can test it\n"
		     "  !(pointer.ustring ~ '*passwd')\n"
		     "    ^",
		     dkt__expr_check_match(expr, &f->event));
	assert_false(dkt_expr_match(expr, &f->record, "dd"));
	dkt_expr_free(expr);
}

static void text_for_the_kernel_is_canonical(void **state)
{
	static const struct {
		const char *text;
		const char *kernel;
	} rows[] = {
		{ "u8==200&&(s8 == -0x8)", "u8==200&&(s8 == -0x8)" },
		{ "s32 == -ENOENT", "s32 == -2" },
		{ "s32 == -EWOULDBLOCK", "s32 == -11" }, /* a second name of EAGAIN */
		{ "s32 == -ERESTARTSYS", "s32 == -512" }, /* the C library does not know it */
		{ "u32 == -ENOENT", "u32 == 4294967294" },
		{ "u64 == -EIO", "u64 == 18446744073709551611" },
		{ "u32 & vfstrace && u32 == vfstrace", "u32 & 0x200000 && u32 == 2097152" },
		{ "u64 > 10ms", "u64 > 10000000" },
		{ "u64 > 4k || s64<-1s", "u64 > 4096 || s64<-1000000000" },
		{ "u8 & 1 | 2", "u8 & 0x3" },
		{ "name == worker", "name == \"worker\"" },
		{ "name == 'a\"b'", "name == 'a\"b'" },
		{ "u8 ==\n1", "u8 == 1" },
		/* Expressions that the kernel would evaluate wrongly. */
		{ "name ~ '*sh'", "name ~ '*\\sh'" },
		{ "COMM ~ \"*sh*\"", "COMM ~ \"*\\sh*\"" },
		{ "text ~ '*sh'", "text ~ '*sh'" },
		{ "text ~ '8:*'", "text ~ '\\8:*'" },
		{ "text ~ '!8:*x'", "text ~ '!\\8:*x'" },
		{ "text ~ '8'", "text ~ '8'" },
		{ "name ~ '*'", "name ~ '*'" },
		{ "name ~ 'a*'", "name ~ 'a*'" },
		{ "CPU & CPUS{0-3}", "CPU & CPUS{0-3}" },
	};
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct dkt_expr *expr = parse(f, rows[i].text);
		char *text;

		assert_int_equal(dkt_expr_text(expr, &f->event, &text), 0);
		assert_string_equal(text, rows[i].kernel);
		free(text);
		dkt_expr_free(expr);
	}
}

static void syntax_errors_show_their_place(void **state)
{
	static const struct {
		const char *text;
		const char *words;
	} rows[] = {
		{ "count 4096", "no operator after 'count'\n  count 4096\n        ^" },
		{ "count", "no operator after 'count'\n  count\n       ^" },
		{ "count = 1",
		  "no operator after 'count'; write == for equal\n  count = 1\n        ^" },
		{ "", "the expression is empty\n  \n  ^" },
		{ " \n ", "the expression is empty\n     \n  ^" },
		{ "a == 1 &&", "a comparison is missing here\n  a == 1 &&\n           ^" },
		{ "a == 1 || && b == 2",
		  "a comparison is missing here\n  a == 1 || && b == 2\n            ^" },
		{ "()", "a comparison is missing here\n  ()\n   ^" },
		{ "(a == 1", "this '(' is not closed\n  (a == 1\n  ^" },
		{ "a == 1)", "no '(' before this ')'\n  a == 1)\n        ^" },
		{ "a == 1 & b == 2",
		  "a single '&' here; did you mean &&?\n  a == 1 & b == 2\n         ^" },
		{ "a == 1 b == 2",
		  "&&, || or the end is expected here\n  a == 1 b == 2\n         ^" },
		{ "a ==", "no value after the operator\n  a ==\n      ^" },
		{ "a == 'x", "this quote is not closed\n  a == 'x\n       ^" },
		{ "a < 'x'", "compare strings with ==, != or ~\n  a < 'x'\n      ^" },
		{ "a == 08", "'08' is not a number\n  a == 08\n       ^" },
		{ "a == 0x", "'0x' is not a number\n  a == 0x\n       ^" },
		{ "a == 4q", "'4q' is not a number\n  a == 4q\n       ^" },
		{ "a == 18446744073709551616",
		  "'18446744073709551616' is too large\n  a == 18446744073709551616\n       ^" },
		{ "a == 1|-", "'-' is neither number nor name\n  a == 1|-\n         ^" },
		{ "a ~ 1", "~ takes a string in quotes\n  a ~ 1\n      ^" },
		{ "a.usting ~ 'x'",
		  "a field can have .ustring or .function, not .usting; did you mean ustring?\n"
		  "  a.usting ~ 'x'\n   ^" },
		{ "a < CPUS{1}", "compare CPUS{} with &, == or !=\n  a < CPUS{1}\n      ^" },
		{ "a & CPUS{}", "not a list of CPUs such as CPUS{0-3,5}\n  a & CPUS{}\n      ^" },
		{ "a & CPUS{3-1}",
		  "not a list of CPUs such as CPUS{0-3,5}\n  a & CPUS{3-1}\n      ^" },
		{ "a & CPUS{1", "this { is not closed\n  a & CPUS{1\n          ^" },
		{ "a.function < b",
		  "compare functions with == or !=\n  a.function < b\n               ^" },
		{ "a.function == 'b'", "compare .function with the name or address of a function\n"
				       "  a.function == 'b'\n                ^" },
		{ "a !~ 'x'",
		  "no operator after 'a'; write !(field ~ \"pattern\")\n  a !~ 'x'\n    ^" },
		{ "'a' == 1", "write the name of a field without quotes\n  'a' == 1\n  ^" },
		{ "a == 'x\ny'", "a control character in quotes\n  a == 'x y'\n         ^" },
		{ "a ~ b\x10", "&&, || or the end is expected here\n  a ~ b \n       ^" },
		{ "t\xc3\xb6r == 1", "no operator after 't'\n  t\xc3\xb6r == 1\n   ^" },
		{ "a == '\xc3\xb6\xc3\xb6' ?",
		  "&&, || or the end is expected here\n  a == '\xc3\xb6\xc3\xb6' ?\n            ^" },
	};
	struct fixture *f = *state;
	struct dkt_expr *expr;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(dkt_expr_new(f->ctx, rows[i].text, NULL, &expr), -EINVAL);
		assert_null(expr);
		assert_int_equal(strncmp(dkt_error(f->ctx), "filter: ", 8), 0);
		assert_string_equal(dkt_error(f->ctx) + 8, rows[i].words);
	}
}

static void errors_of_fields_name_the_event(void **state)
{
	static const struct {
		const char *text;
		int err;
		const char *words;
	} rows[] = {
		{ "u31 == 1", -ENOENT,
		  "test:made_up has no field 'u31'; did you mean u32?\n  u31 == 1\n  ^" },
		{ "u8 == 1 && pit == 3", -ENOENT,
		  "test:made_up has no field 'pit'\n"
		  "  u8 == 1 && pit == 3\n             ^" },
		{ "u8 == 'x' && nothing_like == 3", -ENOENT,
		  "test:made_up has no field 'nothing_like'\n"
		  "  u8 == 'x' && nothing_like == 3\n               ^" },
		{ "u8 == 'x'", -EINVAL, "u8 is not a string\n  u8 == 'x'\n        ^" },
		{ "name == 5", -EINVAL,
		  "name is a string: put its value in quotes\n  name == 5\n          ^" },
		{ "name < x", -EINVAL,
		  "name is a string: compare it with ==, != or ~\n  name < x\n         ^" },
		{ "u8 ~ x", -EINVAL, "u8 is a number: ~ is for strings\n  u8 ~ x\n       ^" },
		{ "u8 == -1", -EINVAL,
		  "u8 is unsigned: it cannot be compared with a negative number\n  u8 == -1\n        ^" },
		{ "s64 == 0x8000000000000000", -EINVAL,
		  "'0x8000000000000000' is too large\n  s64 == 0x8000000000000000\n         ^" },
		{ "s32 == -ENOETN", -EINVAL,
		  "ENOETN is not a number, nor the name of one for s32; did you mean ENOENT?\n"
		  "  s32 == -ENOETN\n         ^" },
		{ "u32 & vfstrace | dlmtrace", -EINVAL,
		  "dlmtrace is not a number, nor the name of one for u32\n"
		  "  u32 & vfstrace | dlmtrace\n                   ^" },
		{ "u32 > 4G", -EINVAL,
		  "'4G' is too large for the 4 bytes of u32\n  u32 > 4G\n        ^" },
		{ "wide == 1", -EINVAL,
		  "wide is not a number that can be compared\n  wide == 1\n          ^" },
		{ "stacktrace == 0", -EINVAL,
		  "stacktrace is not a number that can be compared\n  stacktrace == 0\n                ^" },
		{ "mask == 1", -EINVAL,
		  "mask is a set of CPUs: compare it with CPUS{list}\n  mask == 1\n          ^" },
		{ "CPU & 1", -EINVAL,
		  "CPU has no bits: write CPU & CPUS{list}\n  CPU & 1\n        ^" },
		{ "name & CPUS{1}", -EINVAL,
		  "name is neither a CPU nor a set of CPUs\n  name & CPUS{1}\n         ^" },
		{ "u32.function == x", -EINVAL,
		  "u32 is not as large as an address\n  u32.function == x\n                  ^" },
	};
	struct fixture *f = *state;
	char *text;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct dkt_expr *expr = parse(f, rows[i].text);

		assert_int_equal(dkt_expr_check(expr, &f->event), rows[i].err);
		assert_string_equal(dkt_error(f->ctx) + 8, rows[i].words);
		assert_int_equal(dkt_expr_text(expr, &f->event, &text), rows[i].err);
		assert_null(text);
		assert_false(dkt_expr_match(expr, &f->record, "dd"));
		dkt_expr_free(expr);
	}
}

/* An event's own comm is not the current process. */
static void an_events_own_field_comes_first(void **state)
{
	struct fixture *f = *state;
	struct dkt_field fields[] = {
		{ .name = "comm", .type = "char[16]", .offset = AT(name), .size = 16 },
		{ .name = "cpu", .type = "u8", .offset = AT(u8), .size = 1 },
	};
	const struct dkt_field *list[ARRAY_SIZE(fields)];

	made_up_give(&f->event, fields, ARRAY_SIZE(fields), list);
	assert_true(match(f, "comm == 'worker/1' && COMM == 'dd' && cpu == 200 && CPU == 3"));
}

/* No record is read beyond its end, however short or wrong it is. */
static void hostile_records(void **state)
{
	static const char *const texts[] = {
		"u8 == 1",        "name ~ '*x'",     "text ~ 'a*'",       "late ~ '*b*'",
		"mask & CPUS{1}", "text == 'abc'",   "late ~ '[a]?*'",    "u64.function == x",
		"s64 & CPUS{2}",  "common_pid == 3", "mask == CPUS{1-9}", "!(text ~ 'z*')",
	};
	static const uint32_t words[] = { 0, UINT32_MAX, 0xffff, 0xffff0000, 0x10000 | AT(bytes) };
	struct fixture *f = *state;
	size_t i, j, size;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		struct dkt_expr *expr = parse(f, texts[i]);

		for (j = 0; j < ARRAY_SIZE(words); j++)
			for (size = 0; size <= sizeof(f->data); size++) {
				void *exact = malloc(size ? size : 1);

				assert_non_null(exact);
				f->data.text = f->data.late = f->data.mask = words[j];
				memcpy(exact, &f->data, size);
				f->record.data = exact;
				f->record.size = (uint32_t)size;
				dkt_expr_match(expr, &f->record, NULL);
				free(exact);
			}
		dkt_expr_free(expr);
	}
}

static void limits_of_depth_and_length_hold(void **state)
{
	struct fixture *f = *state;
	char *text = malloc(EXPR_MAX_TEXT + 2);
	struct dkt_expr *expr;
	size_t i, n;

	assert_non_null(text);
	memset(text, '(', EXPR_MAX_TEXT + 1);
	text[EXPR_MAX_TEXT + 1] = '\0';
	assert_int_equal(dkt_expr_new(f->ctx, text, NULL, &expr), -EINVAL);
	text[EXPR_MAX_TEXT] = '\0';
	assert_int_equal(dkt_expr_new(f->ctx, text, NULL, &expr), -EINVAL);
	memset(text, '!', EXPR_MAX_TEXT);
	memcpy(text + EXPR_MAX_TEXT - 7, "u8==200", 7);
	assert_true(match(f, text));
	n = (EXPR_MAX_TEXT - 5) / 7;
	for (i = 0; i < n; i++)
		memcpy(text + i * 7, "u8==1||", 7);
	memcpy(text + n * 7, "u8>5", 5);
	expr = parse(f, text);
	assert_true(dkt_expr_match(expr, &f->record, "dd"));
	free(text);
	assert_int_equal(dkt_expr_text(expr, &f->event, &text), -E2BIG);
	dkt_expr_free(expr);
}

static void field_values_stay_within_the_record(void **state)
{
	struct fixture *f = *state;
	const struct dkt_field tail = {
		.name = "buf", .offset = AT(bytes), .size = 0, .flags = DKT_FIELD_ARRAY
	};
	struct dkt_field odd = made_up_fields[11];
	size_t len;

	assert_int_equal(dkt_record_int(&f->record, &made_up_fields[4]), -8);
	assert_int_equal(dkt_record_int(&f->record, &made_up_fields[5]), 200);
	odd.size = 3;
	assert_int_equal(dkt_record_int(&f->record, &odd), 0);
	assert_ptr_equal(dkt_record_bytes(&f->record, &made_up_fields[13], &len), f->data.bytes);
	assert_int_equal(len, sizeof("/etc/passwd"));
	assert_ptr_equal(dkt_record_bytes(&f->record, &made_up_fields[14], &len),
			 f->data.bytes + 16);
	assert_int_equal(len, sizeof("8:16 write"));
	assert_ptr_equal(dkt_record_bytes(&f->record, &tail, &len), f->data.bytes);
	assert_int_equal(len, f->record.size - AT(bytes));
	f->data.text = UINT32_MAX;
	dkt_record_bytes(&f->record, &made_up_fields[13], &len);
	assert_int_equal(len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(numbers_compare_as_in_the_kernel, setup, teardown),
		cmocka_unit_test_setup_teardown(operators_combine_comparisons, setup, teardown),
		cmocka_unit_test_setup_teardown(strings_compare_as_in_the_kernel, setup, teardown),
		cmocka_unit_test_setup_teardown(globs_match_strings, setup, teardown),
		cmocka_unit_test_setup_teardown(cpu_sets_match, setup, teardown),
		cmocka_unit_test_setup_teardown(names_stand_for_numbers, setup, teardown),
		cmocka_unit_test_setup_teardown(functions_become_addresses, setup, teardown),
		cmocka_unit_test_setup_teardown(pointers_to_strings_need_the_kernel, setup,
						teardown),
		cmocka_unit_test_setup_teardown(text_for_the_kernel_is_canonical, setup, teardown),
		cmocka_unit_test_setup_teardown(syntax_errors_show_their_place, setup, teardown),
		cmocka_unit_test_setup_teardown(errors_of_fields_name_the_event, setup, teardown),
		cmocka_unit_test_setup_teardown(an_events_own_field_comes_first, setup, teardown),
		cmocka_unit_test_setup_teardown(hostile_records, setup, teardown),
		cmocka_unit_test_setup_teardown(limits_of_depth_and_length_hold, setup, teardown),
		cmocka_unit_test_setup_teardown(field_values_stay_within_the_record, setup,
						teardown),
	};

	return cmocka_run_group_tests_name("expr", tests, NULL, NULL);
}
