/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The probe on Lustre's messages: definitions within the kernel's limits, and their records as text. */
#include "compat/lustre/message.h"
#include "compat/lustre/message/cdebug.h"
#include "compat/lustre/message/reader.h"
#include "compat/lustre/message/words.h"
#include "lib/base/buf.h"
#include "lib/base/util.h"
#include "lib/inside.h"
#include "tests/helper/cdebug_event.h"
#include "tests/helper/check.h"
#include "tests/helper/order.h"

/* The kernel's: MAX_TRACE_ARGS, MAX_ARGSTR_LEN, MAX_ARG_NAME_LEN, a command less than a page. */
#define MAX_FIELDS     128
#define MAX_EXPRESSION 63
#define MAX_NAME       32
#define MAX_DEFINITION 4094

static void check_definition(enum cdebug_machine machine, enum cdebug_place place,
			     unsigned int tier)
{
	char *fields, *word, *save = NULL;
	unsigned int n = 0;

	assert_int_equal(dkl_cdebug_fields(machine, place, tier, 40, &fields), 0);
	assert_true(strlen(fields) + strlen("p:dktrace/cdebug libcfs:libcfs_debug_vmsg2 ") <
		    MAX_DEFINITION);
	for (word = strtok_r(fields, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		char *equals = strchr(word, '=');

		assert_non_null(equals);
		assert_true(equals - word < MAX_NAME);
		assert_true(strlen(equals + 1) <= MAX_EXPRESSION);
		n++;
	}
	assert_true(n <= MAX_FIELDS);
	free(fields);
}

static void definitions_fit_the_kernels_limits(void **state)
{
	unsigned int tier;
	char *fields;

	(void)state;
	for (tier = 0; !dkl_cdebug_fields(CDEBUG_ARM64, CDEBUG_MSG, tier, 40, &fields); tier++) {
		free(fields);
		check_definition(CDEBUG_X86_64, CDEBUG_MSG, tier);
		check_definition(CDEBUG_X86_64, CDEBUG_VMSG2, tier);
		check_definition(CDEBUG_ARM64, CDEBUG_MSG, tier);
		check_definition(CDEBUG_ARM64, CDEBUG_VMSG2, tier);
		check_definition(CDEBUG_X86_64, CDEBUG_CALL, tier);
		check_definition(CDEBUG_ARM64, CDEBUG_CALL, tier);
		check_definition(CDEBUG_X86_64, CDEBUG_CALL_THIRD, tier);
		check_definition(CDEBUG_ARM64, CDEBUG_CALL_THIRD, tier);
	}
	assert_true(tier > 1);
	for (tier = 0; !dkl_cdebug_fields(CDEBUG_ARM64, CDEBUG_WORDS, tier, 40, &fields); tier++) {
		free(fields);
		check_definition(CDEBUG_X86_64, CDEBUG_WORDS, tier);
		check_definition(CDEBUG_ARM64, CDEBUG_WORDS, tier);
		check_definition(CDEBUG_X86_64, CDEBUG_POINTEES, tier);
		check_definition(CDEBUG_ARM64, CDEBUG_POINTEES, tier);
	}
	assert_true(tier > 1);
	assert_int_equal(dkl_cdebug_fields(CDEBUG_OTHER, CDEBUG_MSG, 0, 40, &fields), -ENOENT);
	assert_null(fields);
}

static void has(const char *fields, const char *field)
{
	const char *p = strstr(fields, field);

	assert_non_null(p);
	assert_true(p == fields || p[-1] == ' ');
	assert_true(!p[strlen(field)] || p[strlen(field)] == ' ');
}

static void each_machine_has_its_argument_registers(void **state)
{
	char *fields;

	(void)state;
	assert_int_equal(dkl_cdebug_fields(CDEBUG_X86_64, CDEBUG_MSG, 0, 40, &fields), 0);
	has(fields, "a0=%dx");
	has(fields, "a3=%r9");
	/* $stack0 is the return address. */
	has(fields, "a4=$stack1");
	has(fields, "s4=+0($stack1):string");
	/* The NID of a lock, and the first word after the strings. */
	has(fields, "s21=+0($stack18):string");
	has(fields, "q22=+0($stack19):x64");
	has(fields, "v_fmt=+0(+0(%dx)):string");
	has(fields, "v_offset=+0(+8(%dx)):s32");
	has(fields, "v3=+24(+16(+8(%dx)))");
	has(fields, "v6=+0(+8(+8(%dx)))");
	free(fields);
	assert_int_equal(dkl_cdebug_fields(CDEBUG_ARM64, CDEBUG_MSG, 0, 40, &fields), 0);
	has(fields, "a5=%x7");
	has(fields, "a6=$stack0");
	has(fields, "v_offset=+24(+8(%x2)):s32");
	has(fields, "v3=-40(+8(+8(%x2)))");
	has(fields, "v8=+0(+0(+8(%x2)))");
	free(fields);
	assert_int_equal(dkl_cdebug_fields(CDEBUG_X86_64, CDEBUG_VMSG2, 0, 40, &fields), 0);
	has(fields, "fmt2=+0(%cx):string");
	has(fields, "a0=%r8");
	has(fields, "a2=$stack1");
	has(fields, "v3=+24(+16(%dx))");
	/* The arguments after the two of libcfs_debug_msg(). */
	has(fields, "n2=+0(+40(+16(+16(%dx)))):string");
	free(fields);
}

/* At the call nothing has been pushed yet, and registers have their names only. */
static void arguments_at_a_call_have_no_return_address(void **state)
{
	char *fields;

	(void)state;
	assert_int_equal(dkl_cdebug_fields(CDEBUG_X86_64, CDEBUG_CALL, 0, 40, &fields), 0);
	has(fields, "msg_file=+0(+0(%di)):string");
	has(fields, "fmt=+0(%si):string");
	has(fields, "sp=$stack");
	has(fields, "a0=%dx");
	has(fields, "a3=%r9");
	has(fields, "a4=$stack0");
	has(fields, "s4=+0($stack0):string");
	has(fields, "v_fmt=+0(+0(%dx)):string");
	has(fields, "v3=+24(+16(+8(%dx)))");
	free(fields);
	assert_int_equal(dkl_cdebug_fields(CDEBUG_ARM64, CDEBUG_CALL, 0, 40, &fields), 0);
	has(fields, "msg_mask=+24(%x0):x32");
	has(fields, "a5=%x7");
	has(fields, "a6=$stack0");
	free(fields);
	/* The nested format as the third argument. */
	assert_int_equal(dkl_cdebug_fields(CDEBUG_X86_64, CDEBUG_CALL_THIRD, 0, 40, &fields), 0);
	has(fields, "a0=%dx");
	has(fields, "v_fmt=+0(+0(%r8)):string");
	has(fields, "v3=+24(+16(+8(%r8)))");
	free(fields);
	assert_int_equal(dkl_cdebug_fields(CDEBUG_ARM64, CDEBUG_CALL_THIRD, 0, 40, &fields), 0);
	has(fields, "v_fmt=+0(+0(%x4)):string");
	free(fields);
	assert_int_equal(dkl_cdebug_fields(CDEBUG_X86_64, CDEBUG_WORDS, 0, 40, &fields), 0);
	has(fields, "a4=$stack1");
	assert_lacks(fields, " s0=");
	assert_lacks(fields, "v_fmt");
	free(fields);
	assert_int_equal(dkl_cdebug_fields(CDEBUG_X86_64, CDEBUG_POINTEES, 0, 40, &fields), 0);
	has(fields, "sp=$stack");
	has(fields, "s4=+0($stack1):string");
	has(fields, "q0=+0(%dx):x64");
	has(fields, "d0=+0(+40(%dx)):string");
	assert_lacks(fields, " a0=");
	/* A filter of the kernel compares it together with the strings. */
	has(fields, "fmt=+0(%si):string");
	free(fields);
	/* The place of a dentry's name is unknown. */
	assert_int_equal(dkl_cdebug_fields(CDEBUG_X86_64, CDEBUG_POINTEES, 0, 0, &fields), 0);
	assert_lacks(fields, " d0=");
	free(fields);
}

/* A string that grows while the kernel records it cuts those that follow. */
static void likely_strings_come_first(void **state)
{
	static const struct {
		enum cdebug_place place;
		const char *sooner, *later;
	} orders[] = {
		{ CDEBUG_MSG, " d0=", " s0=" },     { CDEBUG_MSG, " s0=", " v_fmt=" },
		{ CDEBUG_VMSG2, " fmt2=", " n2=" }, { CDEBUG_VMSG2, " n2=", " t2=" },
		{ CDEBUG_VMSG2, " t2=", " s0=" },   { CDEBUG_POINTEES, " d0=", " s0=" },
		{ CDEBUG_CALL, " v_fmt=", " s0=" }, { CDEBUG_CALL_THIRD, " v_fmt=", " s0=" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
		char *fields, *sooner, *later;

		assert_int_equal(dkl_cdebug_fields(CDEBUG_X86_64, orders[i].place, 0, 40, &fields),
				 0);
		sooner = strstr(fields, orders[i].sooner);
		later = strstr(fields, orders[i].later);
		assert_non_null(sooner);
		assert_non_null(later);
		assert_true(sooner < later);
		free(fields);
	}
}

/* ---- calls in machine code ---- */

static void calls_are_found_in_code(void **state)
{
	/* push %rbx; call +0x20; call -0x11; nop; a call that ends beyond the code */
	static const uint8_t x86_64[] = { 0x53, 0xe8, 0x20, 0,    0,    0,    0xe8, 0xef,
					  0xff, 0xff, 0xff, 0x90, 0xe8, 0x20, 0,    0 };
	/* bl +0x100; b +0x100; bl -0x8 */
	uint32_t arm64[] = { 0x94000040, 0x14000040, 0x97fffffe, 0xd503201f, 0 };
	uint32_t at[4];

	(void)state;
	own_order(arm64, "44444");
	assert_int_equal(dkl_call_sites_in(CDEBUG_X86_64, x86_64, sizeof(x86_64),
					   0xffffffffc0001000, 0xffffffffc0001026, at, 4),
			 1);
	assert_int_equal(at[0], 1);
	assert_int_equal(dkl_call_sites_in(CDEBUG_X86_64, x86_64, sizeof(x86_64),
					   0xffffffffc0001000, 0xffffffffc0000ffa, at, 4),
			 1);
	assert_int_equal(at[0], 6);
	assert_int_equal(dkl_call_sites_in(CDEBUG_X86_64, x86_64, sizeof(x86_64),
					   0xffffffffc0001000, 0xffffffffc0001026, at, 0),
			 0);
	assert_int_equal(dkl_call_sites_in(CDEBUG_X86_64, x86_64, 4, 0xffffffffc0001000,
					   0xffffffffc0001026, at, 4),
			 0);
	assert_int_equal(dkl_call_sites_in(CDEBUG_ARM64, (const uint8_t *)arm64, sizeof(arm64),
					   0xffff800001000000, 0xffff800001000100, at, 4),
			 1);
	assert_int_equal(at[0], 0);
	assert_int_equal(dkl_call_sites_in(CDEBUG_ARM64, (const uint8_t *)arm64, sizeof(arm64),
					   0xffff800001000000, 0xffff800001000000, at, 4),
			 1);
	assert_int_equal(at[0], 8);
}

/* ---- filters ---- */

static void filter_is(uint32_t debug, uint32_t subsystems, const char *want)
{
	char *filter;

	assert_int_equal(dkl_message_filter(debug, subsystems, &filter), 0);
	assert_string_equal(filter, want);
	free(filter);
}

static void masks_become_a_filter(void **state)
{
	(void)state;
	filter_is(UINT32_MAX, UINT32_MAX, "");
	filter_is(0, UINT32_MAX, "msg_mask & 0x2060400");
	filter_is(0x100000, 0, "msg_mask & 0x2060400");
	filter_is(0x100000, 0x10000,
		  "msg_mask & 0x2060400 || (msg_mask & 0x100000 && msg_subsys & 0x10000)");
}

/* ---- records of the probe as x86-64 makes them ---- */

static const char format[] =
	"name: cdebug\nID: 65530\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:__data_loc char[] msg_file;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc char[] msg_fn;\toffset:12;\tsize:4;\tsigned:1;\n"
	"\tfield:u32 msg_subsys;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:s32 msg_line;\toffset:20;\tsize:4;\tsigned:1;\n"
	"\tfield:u32 msg_mask;\toffset:24;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc char[] fmt;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:u64 a0;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 a1;\toffset:40;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] s0;\toffset:48;\tsize:4;\tsigned:1;\n"
	"\tfield:u64 q1;\toffset:52;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] v_fmt;\toffset:60;\tsize:4;\tsigned:1;\n"
	"\tfield:s32 v_offset;\toffset:64;\tsize:4;\tsigned:1;\n"
	"\tfield:u64 v0;\toffset:68;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 v1;\toffset:76;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] t1;\toffset:84;\tsize:4;\tsigned:1;\n"
	"\nprint fmt: \"\"\n";

struct raw {
	uint8_t data[2048];
	uint32_t size;
};

static void put(struct raw *raw, uint32_t at, uint64_t v, uint32_t size)
{
	memcpy(raw->data + at, &v, size);
}

static void put_text(struct raw *raw, uint32_t at, const char *text)
{
	uint32_t len = (uint32_t)strlen(text) + 1;

	put(raw, at, raw->size | (uint64_t)len << 16, 4);
	memcpy(raw->data + raw->size, text, len);
	raw->size += len;
}

static void line_is(const struct message *m, struct dkt_event *event, const struct raw *raw,
		    const char *want)
{
	struct dkt_record rec = { .event = event, .data = raw->data, .size = raw->size };
	struct dkt_buf *buf;
	const char *text;
	size_t len;

	assert_int_equal(dkt_buf_new(&buf), 0);
	dkl_message_line(m, &rec, "()) ", buf);
	dkt__buf_add(buf, "", 1);
	text = dkt_buf_data(buf, &len);
	assert_string_equal(text, want);
	dkt_buf_free(buf);
}

static void records_become_messages(void **state)
{
	DKT_OPTS(dkt_ctx_opts, opts, .machine = "x86_64");
	struct raw raw = { .size = 88 };
	struct dkt_event *event;
	struct dkt_ctx *ctx;
	struct message *m;

	(void)state;
	assert_int_equal(dkt_ctx_new(&opts, &ctx), 0);
	assert_ok(ctx, dkt__event_define(ctx, "test", "cdebug", format, &event));
	m = dkl_message_new(ctx, event, NULL);
	assert_non_null(m);
	put_text(&raw, 8, "lustre/ptlrpc/client.c");
	put_text(&raw, 12, "f");
	put(&raw, 20, 17, 4);
	put_text(&raw, 28, "%s is %s, %d");
	put(&raw, 32, 0xffff888100000000, 8);
	put(&raw, 40, 0xffff888100000100, 8);
	put_text(&raw, 48, "this");
	memcpy(raw.data + 52, "I\0garbag", 8);
	line_is(m, event, &raw, "(client.c:17:f()) this is I, <%d>");
	memcpy(raw.data + 52, "Interpre", 8);
	line_is(m, event, &raw, "(client.c:17:f()) this is Interpre..., <%d>");
	/* The bytes may lie in two pages. */
	put(&raw, 40, 0xffff888100000ffa, 8);
	line_is(m, event, &raw, "(client.c:17:f()) this is <%s 0xffff888100000ffa>, <%d>");

	put_text(&raw, 28, "%pV for %d");
	put(&raw, 40, 3, 8);
	put_text(&raw, 60, "### %s %d");
	put(&raw, 64, 8, 4);
	put(&raw, 76, 0xffff888100000000, 8);
	put_text(&raw, 84, "lock");
	line_is(m, event, &raw, "(client.c:17:f()) ### lock <%d> for 3");
	/* Invalid pointers are not followed. */
	put(&raw, 64, 7, 4);
	line_is(m, event, &raw, "(client.c:17:f()) <%pV 0xffff888100000000> for 3");
	put(&raw, 64, 0x7ffffff8, 4);
	line_is(m, event, &raw, "(client.c:17:f()) <%pV 0xffff888100000000> for 3");
	/* A record that ends early. */
	raw.size = 36;
	line_is(m, event, &raw, "(:17:()) ");
	raw.size = 0;
	line_is(m, event, &raw, "(:0:()) ");
	dkl_message_free(m);
	dkt_ctx_free(ctx);
}

/* ---- messages of several records ---- */

#define STACK  0xffffc90000001000
#define THREAD 7

/* Puts a field of an event of cdebug_event() into the record. */
static void put_field(struct raw *raw, struct dkt_event *event, const char *name, uint64_t v)
{
	const struct dkt_field *field = dkt_event_field(event, name);

	assert_non_null(field);
	put(raw, field->offset, v, field->size);
}

static void put_string(struct raw *raw, struct dkt_event *event, const char *name, const char *text)
{
	put_text(raw, dkt_event_field(event, name)->offset, text);
}

struct joined {
	struct dkt_ctx *ctx;
	enum cdebug_machine machine;
	struct dkt_event *strings, *main;
	struct raw of_strings, of_main; /* records of a message "name %s" with the string "OST1" */
	struct message_reader *reader;
};

static void joined_init(struct joined *j, enum cdebug_machine machine)
{
	DKT_OPTS(dkt_ctx_opts, opts, .machine = machine == CDEBUG_ARM64 ? "aarch64" : "x86_64");

	*j = (struct joined){ .machine = machine, .of_strings.size = 400, .of_main.size = 400 };
	assert_int_equal(dkt_ctx_new(&opts, &j->ctx), 0);
	j->strings = cdebug_event(j->ctx, "dktrace", 65001, CDEBUG_STRINGS, CDEBUG_POINTEES);
	j->main = cdebug_event(j->ctx, "dktrace", 65002, CDEBUG_NAME, CDEBUG_WORDS);
	put_field(&j->of_strings, j->strings, "sp", STACK);
	put_string(&j->of_strings, j->strings, "fmt", "name %s");
	put_string(&j->of_strings, j->strings, "s0", "OST1");
	put_field(&j->of_main, j->main, "sp", STACK);
	put_string(&j->of_main, j->main, "fmt", "name %s");
	put_field(&j->of_main, j->main, "a0", 0xffff888100000000);
	assert_ok(j->ctx, dkl_message_reader_new(j->ctx, &j->reader));
}

static void joined_clear(struct joined *j)
{
	dkl_message_reader_free(j->reader);
	dkt_ctx_free(j->ctx);
}

/* Gives the reader a record. Returns true if it is only a part. */
static bool keep(struct joined *j, bool strings, uint32_t cpu, uint64_t ts, struct dkt_record *rec)
{
	const struct raw *raw = strings ? &j->of_strings : &j->of_main;

	*rec = (struct dkt_record){ .event = strings ? j->strings : j->main,
				    .ts = ts,
				    .cpu = cpu,
				    .pid = THREAD,
				    .data = raw->data,
				    .size = raw->size };
	return dkl_message_reader_keep(j->reader, rec);
}

static void text_is(struct joined *j, const struct dkt_record *rec, const char *want)
{
	struct dkt_buf *buf;
	const char *text;
	size_t len;

	assert_int_equal(dkt_buf_new(&buf), 0);
	dkl_message_put_text(dkl_message_reader_get(j->reader, rec->event), rec, buf);
	dkt__buf_add(buf, "", 1);
	text = dkt_buf_data(buf, &len);
	assert_string_equal(text, want);
	dkt_buf_free(buf);
}

static void a_reader_joins_the_records_of_a_message(void **state)
{
	struct dkt_record rec, left;
	struct joined j;

	(void)state;
	joined_init(&j, CDEBUG_X86_64);
	assert_true(keep(&j, true, 0, 1000, &rec));
	assert_false(keep(&j, false, 0, 1001, &rec));
	text_is(&j, &rec, "name OST1");
	/* Whoever else reads the record asks again. */
	assert_false(dkl_message_reader_keep(j.reader, &rec));
	text_is(&j, &rec, "name OST1");
	assert_false(dkl_message_reader_left(j.reader, &left));
	/* The next one has no strings. */
	assert_false(keep(&j, false, 0, 1002, &rec));
	text_is(&j, &rec, "name <%s 0xffff888100000000>");
	joined_clear(&j);
}

/* ---- nested formats ---- */

/* Who passes a format on, and how the format begins. 2.12 has none: it passes two formats. */
static const struct {
	const char *file, *format, *since, *until;
	unsigned int argument;
	const char *text; /* up to the nested format, with other words of 0 */
} nesters[] = {
	{ "ldlm_lock.c", "%pV ns: %s lock: %p/%#llx", "2.14.0", "master", 0, "NESTED text" },
	{ "pack_generic.c", "%pV req@%p x%llu", "2.14.0", "master", 0, "NESTED text" },
	{ "qmt_entry.c", "%pV qmt:%s pool:%s-%s", "2.14.0", "master", 0, "NESTED text" },
	{ "qsd_entry.c", "%pV qsd:%s qtype:%s", "2.14.0", "master", 0, "NESTED text" },
	{ "gnilnd_debug.c", "%pV msg@0x%p", "2.14.0", "master", 0, "NESTED text" },
	{ "gnilnd_debug.c", "%pV conn@0x%p->%s:%s", "2.14.0", "master", 0, "NESTED text" },
	{ "gnilnd_debug.c", "%pV tx@0x%p->%s", "2.14.0", "master", 0, "NESTED text" },
	{ "gnilnd_debug.c", "%pV GNI API violated?", "2.14.0", "master", 0, "NESTED text" },
	{ "crypto.c", "llcrypt: %pV\n", "2.14.0", "master", 0, "llcrypt: NESTED text" },
	{ "crypto.c", "llcrypt (%s, inode %lu): %pV\n", "2.14.0", "2.17.0", 2,
	  "llcrypt (name, inode 0): NESTED text" },
	{ "crypto.c", "llcrypt (%s, inode %llu): %pV\n", "master", "master", 2,
	  "llcrypt (name, inode 0): NESTED text" },
	{ "nrs_tbf.c", "%pV: class@%p\n", "master", "master", 0, "NESTED text" },
	{ "nrs_tbf.c", "%s.%d NRS: %pV: class@%p", "master", "master", 2,
	  "name.0 NRS: NESTED text" },
};

/* Gives the reader a record of a call, whose nested format is "NESTED %s" of the string "text". */
static void add_call(struct joined *j, struct dkt_event *event, const char *outer,
		     const char *nested, uint64_t ts)
{
	struct raw raw = { .size = 1400 };
	struct dkt_record rec = { .event = event, .ts = ts, .pid = THREAD, .data = raw.data };

	put_field(&raw, event, "sp", STACK + dkl_cdebug_call_stack(j->machine));
	put_string(&raw, event, "fmt", outer);
	put_field(&raw, event, "a0", 0xffff888100000000);
	put_field(&raw, event, "a2", 0xffff888100000000);
	put_string(&raw, event, "s0", "name");
	put_string(&raw, event, "v_fmt", nested);
	/* Three registers have what the function names: of arm64 five are left, of 8 bytes before the end. */
	put_field(&raw, event, "v_offset", j->machine == CDEBUG_ARM64 ? (uint64_t)-40 : 24);
	put_field(&raw, event, "v3", 0xffff888100000000);
	put_string(&raw, event, "t3", "text");
	rec.size = raw.size;
	assert_true(dkl_message_reader_keep(j->reader, &rec));
}

/* Where the kernel records both arguments, the format tells which of them is the nested one. */
static void check_nested(enum cdebug_machine machine)
{
	struct dkt_event *first, *third;
	struct dkt_record rec;
	struct joined j;

	joined_init(&j, machine);
	first = cdebug_event(j.ctx, "dktrace", 65003, CDEBUG_NESTED, CDEBUG_CALL);
	third = cdebug_event(j.ctx, "dktrace", 65004, CDEBUG_NESTED_THIRD, CDEBUG_CALL_THIRD);
	for (size_t i = 0; i < 2 * ARRAY_SIZE(nesters); i++) {
		const bool is_third = nesters[i / 2].argument == CDEBUG_THIRD;
		const char *outer = nesters[i / 2].format, *at = strstr(outer, "%pV");
		char cut[64];
		uint64_t ts = 1000 + 10 * i;

		assert_int_equal(dkl_words_before(outer, at), nesters[i / 2].argument);
		snprintf(cut, sizeof(cut), "%.*s", (int)(at + 3 - outer), outer);
		for (unsigned int k = 0; k < 2; k++) {
			bool other = (i + k) % 2;

			add_call(&j, other ? third : first, cut,
				 other == is_third ? "NESTED %s" : "garbage", ts + k);
		}
		assert_false(keep(&j, false, 0, ts + 2, &rec));
		text_is(&j, &rec, nesters[i / 2].text);
	}
	joined_clear(&j);
}

static void a_nested_format_is_printed_wherever_it_is(void **state)
{
	(void)state;
	check_nested(CDEBUG_X86_64);
}

/* The machine that reads a recording may be another one. */
static void messages_are_read_as_the_machine_passes_them(void **state)
{
	(void)state;
	check_nested(CDEBUG_ARM64);
}

/* Messages of a few functions have a dentry as their fourth to ninth argument. */
static void late_dentries_have_their_names(void **state)
{
	static const struct {
		const char *format, *field, *text;
	} renames[] = {
		{ "%pd, [%#llx:%x:%x]/%u, %pd", "d5", "old, [0x0:0:0]/0, new" },
		{ "%.*s, [%#llx:%x:%x]/%u, %pd", "d6", "na, [0x0:0:0]/0, new" },
		{ "%d %d %d %d %d %d %d %d %pd", "d8", "0 0 0 0 0 0 0 0 new" },
		{ "%d %d %d %pd", "d3", "0 0 0 new" },
		{ "%d %d %d %d %pd", "d4", "0 0 0 0 new" },
		/* Other messages are as those of other functions. */
		{ "%s, %d", "d5", "name <%s 0xffff888100000000>" },
	};
	struct dkt_event *event;
	struct dkt_record rec;
	struct joined j;

	(void)state;
	joined_init(&j, CDEBUG_X86_64);
	event = cdebug_event(j.ctx, "dktrace", 65003, CDEBUG_NESTED, CDEBUG_CALL);
	for (size_t i = 0; i < ARRAY_SIZE(renames); i++) {
		struct raw raw = { .size = 1400 };

		put_field(&raw, event, "sp", STACK + dkl_cdebug_call_stack(CDEBUG_X86_64));
		put_string(&raw, event, "fmt", renames[i].format);
		if (i < 2 || i > 4) {
			put_field(&raw, event, "a0", i == 1 ? 2 : 0xffff888100000000);
			put_field(&raw, event, "a1", i == 1 ? 0xffff888100000000 : 0);
			put_field(&raw, event, "a5", 0xffff888100000000);
			put_field(&raw, event, "a6", 0xffff888100000000);
		}
		put_field(&raw, event, (char[]){ 'a', renames[i].field[1], '\0' },
			  0xffff888100000000);
		put_string(&raw, event, "s1", "name");
		put_string(&raw, event, "d0", "old");
		put_string(&raw, event, renames[i].field, "new");
		rec = (struct dkt_record){ .event = event,
					   .ts = 1000 + 10 * i,
					   .pid = THREAD,
					   .data = raw.data,
					   .size = raw.size };
		assert_true(dkl_message_reader_keep(j.reader, &rec));
		assert_false(keep(&j, false, 0, rec.ts + 1, &rec));
		text_is(&j, &rec, renames[i].text);
	}
	joined_clear(&j);
}

static void a_message_whose_end_is_missing_is_left_over(void **state)
{
	struct dkt_record rec, left;
	struct joined j;

	(void)state;
	joined_init(&j, CDEBUG_X86_64);
	assert_true(keep(&j, true, 1, 1000, &rec));
	assert_true(dkl_message_reader_left(j.reader, &left));
	assert_int_equal(left.ts, 1000);
	assert_false(dkl_message_reader_keep(j.reader, &left));
	text_is(&j, &left, "name OST1");
	assert_false(dkl_message_reader_left(j.reader, &left));

	/* A gap after it on the same CPU may have its end; one on another CPU has not. */
	assert_true(keep(&j, true, 1, 2000, &rec));
	rec = (struct dkt_record){ .ts = 2001, .cpu = 0 };
	assert_false(dkl_message_reader_keep(j.reader, &rec));
	assert_true(dkl_message_reader_left(j.reader, &left));
	assert_true(keep(&j, true, 1, 3000, &rec));
	rec = (struct dkt_record){ .ts = 3001, .cpu = 1 };
	assert_false(dkl_message_reader_keep(j.reader, &rec));
	assert_false(dkl_message_reader_left(j.reader, &left));
	joined_clear(&j);
}

/* Texts of a probe and of Lustre's buffer: the same message, or two of the same place. */
static void a_probes_text_matches_lustres(void **state)
{
	static const struct {
		const char *probe;
		const char *lustre;
		bool fits;
	} cases[] = {
		{ "", "", true },
		{ "flood 17 of 20\n", "flood 17 of 20\n", true },
		{ "flood 17 of 20\n", "flood 18 of 20\n", false },
		{ "without a newline", "without a newline\n", true },
		{ "two lines\nof it", "two lines\nof it\n", true },
		{ "flood 1", "flood 17", false },
		{ "flood 17", "flood 1", false },
		{ "flood", "", false },
		{ "", "flood", false },
		{ "lock ffff888100000000 x3", "lock 00000000c0ffee00 x3", true },
		{ "lock ffff888100000000 x3", "lock (____ptrval____) x3", true },
		{ "lock ffff888100000000 x3", "lock 00000000c0ffee00 x4", false },
		{ "lock ffff888100000000", "lock 0000", false },
		{ "at <%pIS 0xffff888100000000> rc 0\n", "at 10.0.2.15 rc 0\n", true },
		{ "at <%pIS 0xffff888100000000> rc 0\n", "at 10.0.2.15 rc 1\n", false },
		{ "<%s 0x1> and <%d>", " and and 7", true },
		{ "<%s 0x1>", "", true },
		{ "a < %d b", "a < %d b", true },
		{ "a <%d", "a <%d", true },
		{ "name: lustre-O... rc 0", "name: lustre-OST0001 rc 0", true },
		{ "name: lustre-O... rc 0", "name: lustre-MDT0001 rc 0", false },
		{ "wait...\n", "wait...\n", true },
	};
	char cut[3000];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		if (dkl_message_fits(cases[i].probe, strlen(cases[i].probe), cases[i].lustre,
				     strlen(cases[i].lustre)) != cases[i].fits)
			fail_msg("'%s' and '%s'", cases[i].probe, cases[i].lustre);
	memset(cut, 'l', sizeof(cut));
	assert_true(dkl_message_fits(cut, sizeof(cut), cut, sizeof(cut) - 1));
	assert_true(dkl_message_fits(cut, sizeof(cut) - 1, cut, sizeof(cut)));
	assert_false(dkl_message_fits(cut, 100, cut, sizeof(cut)));
	assert_false(dkl_message_fits(cut, sizeof(cut), cut, 100));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(definitions_fit_the_kernels_limits),
		cmocka_unit_test(each_machine_has_its_argument_registers),
		cmocka_unit_test(arguments_at_a_call_have_no_return_address),
		cmocka_unit_test(likely_strings_come_first),
		cmocka_unit_test(calls_are_found_in_code),
		cmocka_unit_test(masks_become_a_filter),
		cmocka_unit_test(records_become_messages),
		cmocka_unit_test(a_reader_joins_the_records_of_a_message),
		cmocka_unit_test(a_nested_format_is_printed_wherever_it_is),
		cmocka_unit_test(messages_are_read_as_the_machine_passes_them),
		cmocka_unit_test(late_dentries_have_their_names),
		cmocka_unit_test(a_message_whose_end_is_missing_is_left_over),
		cmocka_unit_test(a_probes_text_matches_lustres),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
