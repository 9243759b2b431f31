/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines of Lustre's debug log: context, first record, gaps, places, messages of its own. */
#include "compat/lustre/style_legacy.h"
#include "lib/ctx.h"
#include "lib/inside.h"
#include "tests/helper/check.h"
#include "tests/helper/tree.h"

#define FIELD(type_name, offset, size, is_signed)                                                  \
	"\tfield:" type_name ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #is_signed ";\n"

static const char map_text[] = "classes:\n"
			       "  vfstrace: { about: a, entries: [ events: 'fs:*' ] }\n"
			       "  malloc: { about: a, entries: [ events: 'kmem:*' ] }\n"
			       "  trace: { about: a, entries: [ events: 'raw_syscalls:*' ] }\n"
			       "subsystems:\n"
			       "  llite: { about: a, entries: [ events: 'fs:*' ] }\n"
			       "messages:\n"
			       "  about: a\n"
			       "  entries: [ events: lustre_debug:lustre_debug_msg ]\n";

static char root[TREE_NAME];
static struct dkt_ctx *ctx;
static struct class_map *map;
static struct legacy_style *style;
static struct dkt_buf *buf;

static void plant(const char *system, const char *name, int id, const char *fields,
		  const char *print)
{
	assert_int_equal(tree_event(root, system, name, id, fields, print), 0);
}

static int setup(void **state)
{
	struct dkt_event *const *events;
	size_t n;

	(void)state;
	assert_int_equal(tree_make(root), 0);
	tree_text(root, "available_events",
		  "fs:open\nkmem:alloc\nraw_syscalls:sys_enter\nraw_syscalls:sys_exit\n"
		  "lustre_debug:lustre_debug_msg\n");
	tree_text(root, "kallsyms", "ffffffff81000000 T get_page\nffffffff81000100 T other\n");
	plant("fs", "open", 11, FIELD("int v", 8, 4, 1), "\"v=%d\", REC->v");
	plant("kmem", "alloc", 12, FIELD("unsigned long call_site", 8, 8, 0), "\"size=%d\", 5");
	plant("raw_syscalls", "sys_enter", 13, FIELD("long id", 8, 8, 1), "\"NR %ld\", REC->id");
	plant("raw_syscalls", "sys_exit", 14, FIELD("long id", 8, 8, 1) FIELD("long ret", 16, 8, 1),
	      "\"NR %ld\", REC->id");
	plant("ftrace", "print", 5,
	      FIELD("unsigned long ip", 8, 8, 0) FIELD("char buf[]", 16, 0, 0), "\"%s\", REC->buf");
	plant("lustre_debug", "lustre_debug_msg", 15,
	      FIELD("__data_loc char[] msg_file", 8, 4, 1) FIELD("__data_loc char[] msg_fn", 12, 4,
								 1)
		      FIELD("unsigned int msg_subsys", 16, 4, 0) FIELD("int msg_line", 20, 4, 1)
			      FIELD("unsigned int msg_mask", 24, 4, 0)
				      FIELD("__data_loc char[] msg", 28, 4, 1),
	      "\"%s\", __get_str(msg)");
	ctx = tree_ctx(root);
	assert_non_null(ctx);
	assert_ok(ctx, dkl_class_map_load_text(ctx, "map", map_text, strlen(map_text), &map));
	assert_ok(ctx, dkt_events(ctx, &events, &n));
	assert_int_equal(dkl_class_map_resolve(map, events, n), 0);
	assert_ok(ctx, dkl_legacy_style_new(ctx, map, NULL, &style));
	return dkt_buf_new(&buf);
}

static int teardown(void **state)
{
	(void)state;
	dkl_legacy_style_free(style);
	dkl_class_map_free(map);
	dkt_buf_free(buf);
	dkt_ctx_free(ctx);
	return tree_remove(root);
}

static const struct dkt_record record = { .ts = UINT64_C(5123456789), .cpu = 3, .pid = 14615 };

static void line_is(const struct dkt_record *rec, int64_t wall, const char *want)
{
	size_t len;
	const char *data;

	dkt_buf_reset(buf);
	dkl_legacy_style_line(style, rec, wall, buf);
	dkt__buf_add(buf, "", 1);
	data = dkt_buf_data(buf, &len);
	assert_string_equal(data, want);
}

/* The record with that event and those bytes after the common fields. */
static struct dkt_record with(const char *system, const char *name, void *data, uint32_t size)
{
	struct dkt_record rec = record;

	rec.event = dkt_event_find(ctx, system, name);
	assert_non_null(rec.event);
	rec.data = data;
	rec.size = size;
	return rec;
}

static void lines_have_the_context(void **state)
{
	static const struct {
		uint8_t flags;
		const char *type;
	} types[] = {
		{ 0, "0" },
		{ DKT_REC_IRQS_OFF | DKT_REC_NEED_RESCHED, "0" },
		{ DKT_REC_SOFTIRQ, "1" },
		{ DKT_REC_HARDIRQ, "2" },
		{ DKT_REC_HARDIRQ | DKT_REC_SOFTIRQ, "2" },
		{ DKT_REC_NMI, "2" },
	};
	uint32_t data[3] = { 11, 0, 77 };
	struct dkt_record rec = with("fs", "open", data, sizeof(data));
	char want[120];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		rec.flags = types[i].flags;
		snprintf(want, sizeof(want),
			 "00000080:00200000:3.%s:5.123456:0:14615:0:(fs:0:open()) v=77\n",
			 types[i].type);
		line_is(&rec, 0, want);
	}
	rec.flags = 0;
	rec.first = true;
	line_is(&rec, INT64_C(1495061251373239000),
		"00000080:00200000:3.0F:1495061256.496695:0:14615:0:(fs:0:open()) v=77\n");
	rec.first = false;
	rec.cpu = 128;
	rec.pid = 0;
	line_is(&rec, -INT64_C(5123456000),
		"00000080:00200000:128.0:0.000000:0:0:0:(fs:0:open()) v=77\n");
}

/* They share an entry of the style. */
static void defined_events_keep_their_own_lines(void **state)
{
	static const char format[] = "name: %s\nID: %d\nformat:\n" FIELD(
		"int v", 8, 4, 1) "\nprint fmt: \"v=%%d\", REC->v\n";
	uint32_t data[3] = { 11, 0, 77 };

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct dkt_record rec = record;
		char name[16], text[256], want[120];

		snprintf(name, sizeof(name), "e%d", i % 2);
		snprintf(text, sizeof(text), format, name, 20 + i % 2);
		assert_ok(ctx, dkt__event_define(ctx, "own", name, text, &rec.event));
		rec.data = data;
		rec.size = sizeof(data);
		snprintf(want, sizeof(want),
			 "00000001:00000000:3.0:5.123456:0:14615:0:(own:0:%s()) v=77\n", name);
		line_is(&rec, 0, want);
	}
}

static void a_gap_is_a_line(void **state)
{
	struct dkt_record rec = record;

	(void)state;
	rec.pid = 0;
	rec.lost = 12;
	line_is(&rec, 0,
		"00000001:02000400:3.0:5.123456:0:0:0:(ring_buffer:0:lost_events()) 12 records"
		" lost before this on CPU 3\n");
	rec.lost = DKT_LOST_UNKNOWN;
	line_is(&rec, 0,
		"00000001:02000400:3.0:5.123456:0:0:0:(ring_buffer:0:lost_events()) some records"
		" lost before this on CPU 3\n");
}

static void a_call_site_is_the_function(void **state)
{
	uint64_t data[2] = { 12, UINT64_C(0xffffffff81000010) };
	struct dkt_record rec = with("kmem", "alloc", data, sizeof(data));

	(void)state;
	line_is(&rec, 0,
		"00000001:00000010:3.0:5.123456:0:14615:0:(kmem:0:get_page()) alloc: size=5\n");
	data[1] = 5;
	line_is(&rec, 0, "00000001:00000010:3.0:5.123456:0:14615:0:(kmem:0:alloc()) size=5\n");
	/* A record too short for its field. */
	rec.size = 8;
	line_is(&rec, 0, "00000001:00000010:3.0:5.123456:0:14615:0:(kmem:0:alloc()) size=5\n");
}

static void system_calls_have_names(void **state)
{
	int64_t data[3] = { 13, 0, -2 };
	struct dkt_record rec = with("raw_syscalls", "sys_enter", data, 16);

	(void)state;
	for (data[1] = 0; strcmp(dkt_syscall_name(ctx, (int)data[1]) ?: "", "read"); data[1]++)
		;
	line_is(&rec, 0,
		"00000001:00000001:3.0:5.123456:0:14615:0:(raw_syscalls:0:sys_read()) Process"
		" entered\n");
	rec = with("raw_syscalls", "sys_exit", data, sizeof(data));
	line_is(&rec, 0,
		"00000001:00000001:3.0:5.123456:0:14615:0:(raw_syscalls:0:sys_read()) Process"
		" leaving (rc=18446744073709551614 : -2 : fffffffffffffffe)\n");
	data[2] = 17;
	line_is(&rec, 0,
		"00000001:00000001:3.0:5.123456:0:14615:0:(raw_syscalls:0:sys_read()) Process"
		" leaving (rc=17 : 17 : 11)\n");
	data[1] = 9999;
	line_is(&rec, 0,
		"00000001:00000001:3.0:5.123456:0:14615:0:(raw_syscalls:0:sys_9999()) Process"
		" leaving (rc=17 : 17 : 11)\n");
}

static void a_marker_is_a_line_of_lustre(void **state)
{
	struct {
		uint64_t common, ip;
		char text[24];
	} data = { .common = 5, .text = "DEBUG MARKER: hello\n" };
	struct dkt_record rec = with("ftrace", "print", &data, sizeof(data));

	(void)state;
	line_is(&rec, 0,
		"00000001:02000400:3.0:5.123456:0:14615:0:(ftrace:0:print()) DEBUG MARKER: hello\n");
	/* No end of the text, no newline at its end. */
	memset(data.text, 'x', sizeof(data.text));
	line_is(&rec, 0,
		"00000001:02000400:3.0:5.123456:0:14615:0:(ftrace:0:print())"
		" xxxxxxxxxxxxxxxxxxxxxxxx\n");
	rec.size = 8;
	line_is(&rec, 0, "00000001:02000400:3.0:5.123456:0:14615:0:(ftrace:0:print()) \n");
}

static void a_message_is_a_line_of_lustre(void **state)
{
	struct {
		uint64_t common;
		uint32_t file, fn, subsys;
		int32_t line;
		uint32_t mask, msg;
		char text[48];
	} data = { .common = 15,
		   .file = 32 | 9 << 16,
		   .fn = 41 | 8 << 16,
		   .subsys = 0x100,
		   .line = 1498,
		   .mask = 0x100000,
		   .msg = 49 | 12 << 16 };
	struct dkt_record rec = with("lustre_debug", "lustre_debug_msg", &data, sizeof(data));
	struct class_bits bits;

	(void)state;
	memcpy(data.text, "client.c\0send_it\0Sending RPC\n", 30);
	line_is(&rec, 0,
		"00000100:00100000:3.0:5.123456:0:14615:0:(client.c:1498:send_it()) Sending RPC\n");
	bits = dkl_legacy_style_bits(style, &rec);
	assert_int_equal(bits.classes, 0x100000);
	assert_int_equal(bits.subsystems, 0x100);
	/* Places that lie outside of the record. */
	data.file = data.fn = data.msg = 0xffffffff;
	line_is(&rec, 0, "00000100:00100000:3.0:5.123456:0:14615:0:(:1498:()) \n");
}

static void an_unparsable_event_prints_a_line(void **state)
{
	uint64_t data = 99;
	struct dkt_record rec = record;
	struct class_bits bits;

	(void)state;
	rec.data = &data;
	rec.size = sizeof(data);
	rec.event = dkt__event_by_id(ctx, 99);
	assert_non_null(rec.event);
	dkt_buf_reset(buf);
	dkl_legacy_style_line(style, &rec, 0, buf);
	assert_int_equal(strncmp(buf->data,
				 "00000001:00000000:3.0:5.123456:0:14615:0:(unknown:0:id_99())",
				 60),
			 0);
	assert_int_equal(buf->data[buf->len - 1], '\n');
	bits = dkl_legacy_style_bits(style, &rec);
	assert_int_equal(bits.classes, 0);
	rec.event = NULL;
	assert_int_equal(dkl_legacy_style_bits(style, &rec).classes, 0x02000400);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_have_the_context),
		cmocka_unit_test(defined_events_keep_their_own_lines),
		cmocka_unit_test(a_gap_is_a_line),
		cmocka_unit_test(a_call_site_is_the_function),
		cmocka_unit_test(system_calls_have_names),
		cmocka_unit_test(a_marker_is_a_line_of_lustre),
		cmocka_unit_test(a_message_is_a_line_of_lustre),
		cmocka_unit_test(an_unparsable_event_prints_a_line),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
