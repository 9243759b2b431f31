/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The library's styles: every type of field, losses, and hostile records. */
#include <json.h>

#include "tests/helper/check.h"
#include "tests/helper/style_room.h"

/* ---- json ---- */

#define JSON_HEAD "{\"ts\":3682519727123,\"wall\":\"2026-11-20T11:49:56.331335123Z\",\"cpu\":3"

static void json_has_every_type_of_field(void **state)
{
	struct room room;

	(void)state;
	room_open(&room, "json", NULL, 0);
	assert_string_equal(styled(&room, "dd"), JSON_HEAD
			    ",\"pid\":4711,\"comm\":\"dd\",\"flags\":\"d.s2\","
			    "\"system\":\"styled\",\"event\":\"sample\",\"fields\":{\"i\":-5,"
			    "\"u\":4000000000,\"s64\":-9223372036854775808,"
			    "\"u64\":18446744073709551615,\"pointer\":\"0xffff888100a00000\","
			    "\"ip\":\"0xffffffff81000010\",\"name\":\"dd\",\"text\":\"some tex\","
			    "\"late\":\"later\",\"shorts\":[1,2,65535],\"mac\":\"000102abcdef\","
			    "\"longs\":[1,9007199254740993],\"tiny\":-1,\"yes\":1,"
			    "\"odd\":\"010203\"}}\n");
	room_close(&room);
}

static void json_prints_the_chosen_fields(void **state)
{
	static const char *const fields[] = { "u", "common_pid", "nothing", "cpu", "text" };
	static const char *const all[] = { "*", "COMM" };
	struct room room;

	(void)state;
	room_open(&room, "json", fields, ARRAY_SIZE(fields));
	assert_string_equal(
		styled(&room, "dd"),
		JSON_HEAD ",\"pid\":4711,\"comm\":\"dd\",\"flags\":\"d.s2\",\"system\":\"styled\","
			  "\"event\":\"sample\",\"fields\":{\"u\":4000000000,\"common_pid\":4711,"
			  "\"text\":\"some tex\"},\"text\":\"i=-5 ip=0xffffffff81000010 "
			  "text=some tex\"}\n");
	room_close(&room);
	room_open(&room, "json", all, ARRAY_SIZE(all));
	assert_has(styled(&room, "dd"), "\"odd\":\"010203\"}}\n");
	room_close(&room);
}

/* The name that the print format has for a value follows it; a name of two fields together is not used. */
static void json_adds_the_names_of_values(void **state)
{
	struct room room;

	(void)state;
	room_open(&room, "json", NULL, 0);
	room.record.event = styled_event_print(room.ctx, "styled", "names", 8, STYLED_NAMES);
	room.body.u = 0x107;
	assert_has(styled(&room, "dd"), "{\"i\":-5,\"i_str\":\"minus\",\"u\":263,"
					"\"u_str\":\"a|b\",\"s64\":");
	assert_lacks(styled(&room, "dd"), "tiny_str");
	assert_lacks(styled(&room, "dd"), "yes_str");
	room.body.i = 1;
	room.body.u = 0x100;
	assert_has(styled(&room, "dd"), "\"i_str\":\"o\\\"n\\\"e\",\"u\":256,"
					"\"u_str\":\"none\",");
	room.body.i = 77;
	room.body.u = 0xff;
	assert_has(styled(&room, "dd"), "\"i_str\":\"0x4d\",\"u\":255,"
					"\"u_str\":\"a|b|0xf8\",");
	room_close(&room);
}

static void json_prints_losses(void **state)
{
	struct room room;

	(void)state;
	room_open(&room, "json", NULL, 0);
	room.record.event = NULL;
	room.record.lost = 448;
	assert_string_equal(styled(&room, ""), JSON_HEAD ",\"lost\":448}\n");
	room.record.lost = DKT_LOST_UNKNOWN;
	room.record.stream = 2;
	assert_string_equal(styled(&room, ""), JSON_HEAD ",\"stream\":2,\"lost\":null}\n");
	room_close(&room);
}

/* Undoes what dktrace-styles(7) says of text that is not UTF-8. */
static size_t decode(const char *text, char *out)
{
	size_t n = 0;
	unsigned int byte;

	while (*text) {
		if (text[0] == '\\' && text[1] == 'x' && sscanf(text + 2, "%2x", &byte) == 1) {
			out[n++] = (char)byte;
			text += 4;
		} else {
			out[n++] = *text++;
		}
	}
	return n;
}

static const char *field_text(struct json_object *line, const char *name)
{
	struct json_object *fields, *field;

	assert_true(json_object_object_get_ex(line, "fields", &fields));
	assert_true(json_object_object_get_ex(fields, name, &field));
	return json_object_get_string(field);
}

/* Every byte reads back unchanged, also text that looks like an escape. */
static void json_keeps_every_byte(void **state)
{
	static const char *const hard[] = {
		"\\",
		"\\x",
		"\\x41",
		"\\\\x41",
		"\xff\\x",
		"\\\xff",
		"\"\n\t\x01\x7f",
		"\xc3\xa9\xe2\x82\xac",
		"\xed\xa0\x80",
		"\xf0\x9f\x98\x80",
		"\xf4\x90\x80",
		"\xc0\xaf",
		"ends\xe2\x82",
	};
	struct json_object *line;
	struct room room;
	char back[32];
	size_t i, n;

	(void)state;
	room_open(&room, "json", NULL, 0);
	for (i = 0; i < ARRAY_SIZE(hard) + 255; i++) {
		memset(room.body.name, 0, sizeof(room.body.name));
		if (i < ARRAY_SIZE(hard))
			memcpy(room.body.name, hard[i], strlen(hard[i]));
		else
			room.body.name[0] = (char)(i - ARRAY_SIZE(hard) + 1);
		line = json_tokener_parse(styled(&room, "dd"));
		assert_non_null(line);
		n = decode(field_text(line, "name"), back);
		assert_int_equal(n, strlen(room.body.name));
		assert_memory_equal(back, room.body.name, n);
		json_object_put(line);
	}
	room_close(&room);
}

/* ---- raw ---- */

static void raw_prints_names_and_values(void **state)
{
	struct room room;

	(void)state;
	room_open(&room, "raw", NULL, 0);
	memcpy(room.body.name, "a \"b\\c\xff\n", 9);
	assert_string_equal(
		styled(&room, "dd"),
		"              dd-4711  [003]  3682.519727: sample:               i=-5 u=4000000000 "
		"s64=-9223372036854775808 u64=18446744073709551615 pointer=0xffff888100a00000 "
		"ip=0xffffffff81000010 name=\"a \\\"b\\\\c\\xff\\x0a\" text=\"some tex\" late=later "
		"shorts=[1,2,65535] mac=000102abcdef longs=[1,9007199254740993] tiny=-1 yes=1 "
		"odd=010203\n");
	room.record.event = NULL;
	room.record.lost = 5;
	assert_string_equal(styled(&room, ""), "CPU:3 [5 EVENTS DROPPED]\n");
	room_close(&room);
}

/* ---- csv ---- */

#define CSV_HEADER                                                                                  \
	"system,event,ts,wall,cpu,pid,comm,flags,i,u,s64,u64,pointer,ip,name,text,late,shorts,mac," \
	"longs,tiny,yes,odd\r\n"
#define CSV_TIME "3682519727123,2026-11-20T11:49:56.331335123Z,3"
#define CSV_HEAD "styled,sample," CSV_TIME ",4711,dd,d.s2,"

static void csv_quotes_cells(void **state)
{
	struct room room;

	(void)state;
	room_open(&room, "csv", NULL, 0);
	memcpy(room.body.name, "a,\"b\"\\x\xff\n", 10);
	assert_string_equal(
		styled(&room, "dd"), CSV_HEADER CSV_HEAD
		"-5,4000000000,-9223372036854775808,18446744073709551615,0xffff888100a00000,"
		"0xffffffff81000010,\"a,\"\"b\"\"\\x5cx\\xff\\x0a\",some tex,later,1 2 65535,"
		"000102abcdef,1 9007199254740993,-1,1,010203\r\n");
	/* The header comes once. */
	assert_memory_equal(styled(&room, "dd"), CSV_HEAD, strlen(CSV_HEAD));
	room.record.event = NULL;
	room.record.lost = 9;
	assert_string_equal(styled(&room, ""),
			    "system,event,ts,wall,cpu,lost\r\n,lost," CSV_TIME ",9\r\n");
	room.record.lost = DKT_LOST_UNKNOWN;
	assert_string_equal(styled(&room, ""), ",lost," CSV_TIME ",\r\n");
	room_close(&room);
}

/* Texts that would drive a terminal, forge a line, or be a formula in a spreadsheet. */
#define EVIL       "=a\n\033[2J\xc2\x9b\xe2\x80\xae\x9b"
#define EVIL_SHOWN "=a\\n\\x1b[2J\\u009b\\u202e\\x9b"

/* One record as that style has it; the caller frees it. */
static char *evil(const char *style, bool raw_text)
{
	struct room room;
	char *text;

	room_open(&room, style, NULL, 0);
	dkt_style_free(room.style);
	DKT_OPTS(dkt_style_opts, opts, .raw_text = raw_text);
	assert_ok(room.ctx, dkt_style_new(room.ctx, style, &opts, &room.style));
	memcpy(room.body.name, EVIL, strlen(EVIL) + 1);
	text = memmem(&room.body, sizeof(room.body), "some", 4);
	assert_non_null(text);
	memcpy(text, "a\n\033b", 4);
	text = strdup(styled(&room, EVIL));
	assert_non_null(text);
	room_close(&room);
	return text;
}

static void evil_has(const char *style, bool raw_text, const char *part, unsigned int lines)
{
	char *text = evil(style, raw_text), *p;
	unsigned int n = 0;

	for (p = text; *p; p++)
		n += *p == '\n';
	if (!strstr(text, part) || n != lines)
		fail_msg("style %s, %u lines: %s", style, n, text);
	free(text);
}

static void text_cannot_drive_a_terminal(void **state)
{
	(void)state;
	evil_has("trace", false, EVIL_SHOWN "-", 1);
	evil_has("trace", false, " text=a\\n\\x1bb tex", 1);
	evil_has("trace", true, EVIL "-", 3);
	evil_has("raw", false, EVIL_SHOWN "-", 1);
	evil_has("raw", false, "name=\"=a\\x0a\\x1b[2J\\u009b\\u202e\\x9b\"", 1);
	evil_has("json", false, "\"name\":\"=a\\n\\u001b[2J\\u009b\\u202e\\\\x9b\"", 1);
	evil_has("csv", false, ",\"'=a\\x0a\\x1b[2J\\u009b\\u202e\\x9b\",", 2);
	evil_has("csv", true, ",\"" EVIL "\",", 5);
}

/* The chosen fields are the columns of every row. */
static void csv_has_the_chosen_fields_in_every_row(void **state)
{
	static const char *const fields[] = { "event", "u", "none", "COMM", "lost" };
	struct room room;

	(void)state;
	room_open(&room, "csv", fields, ARRAY_SIZE(fields));
	assert_int_equal(dkt_style_begin(room.style, room.buf), 0);
	assert_memory_equal(room.buf->data, "event,u,none,COMM,lost\r\n", room.buf->len);
	assert_string_equal(styled(&room, "d,d"), "sample,4000000000,,\"d,d\",\r\n");
	room.record.event = NULL;
	room.record.lost = 9;
	assert_string_equal(styled(&room, ""), "lost,,,,9\r\n");
	room_close(&room);
}

/* ---- folded ---- */

static void folded_prints_stacks(void **state)
{
	static const uint64_t kernel[] = { 0, 0, 0x30, 0x20, 0x10 }, user[] = { 0, 0, 0x99 };
	struct dkt_record record;
	struct room room;
	size_t len;
	int i;

	(void)state;
	room_open(&room, "folded", NULL, 0);
	record = room.record;
	for (i = 0; i < 3; i++) {
		room.record = record;
		styled(&room, "a b;c");
		room.record.event = styled_stack(room.ctx, "kernel_stack", 100);
		room.record.data = kernel;
		room.record.size = sizeof(kernel);
		styled(&room, "a b;c");
		room.record.event = styled_stack(room.ctx, "user_stack", 101);
		room.record.data = user;
		room.record.size = sizeof(user);
		if (i)
			styled(&room, "a b;c");
	}
	/* Another thread's stack is not of that event. */
	room.record.pid++;
	styled(&room, "other");
	room.record.event = NULL;
	room.record.lost = 7;
	styled(&room, "");
	dkt_buf_reset(room.buf);
	assert_int_equal(dkt_style_end(room.style, room.buf), 0);
	dkt__buf_add(room.buf, "", 1);
	assert_string_equal(dkt_buf_data(room.buf, &len), "-;other;0x99 1\n"
							  "[lost];cpu_3 7\n"
							  "sample;a_b_c;0x10;0x20;0x30 1\n"
							  "sample;a_b_c;0x99;0x10;0x20;0x30 2\n");
	room_close(&room);
}

/* ---- trace ---- */

static bool own_text(void *data, const struct dkt_record *record, struct dkt_buf *buf)
{
	(void)record;
	if (buf)
		dkt_buf_str(buf, data);
	return true;
}

static void trace_prints_lines(void **state)
{
	DKT_OPTS(dkt_source_info, source, .has_wall = true, .wall = WALL);
	struct room room;

	(void)state;
	room_open(&room, "trace", NULL, 0);
	assert_string_equal(styled(&room, "dd"),
			    "              dd-4711  [003]  3682.519727: sample:               i=-5 "
			    "ip=0xffffffff81000010 text=some tex\n");
	dkt_style_free(room.style);
	DKT_OPTS(dkt_style_opts, opts, .source = &source, .wall = true, .text = own_text,
		 .data = (void *)"a message\n\n");
	assert_ok(room.ctx, dkt_style_new(room.ctx, "trace", &opts, &room.style));
	assert_string_equal(styled(&room, "dd"), "              dd-4711  [003] 1795175396.331335: "
						 "sample:               a message\n");
	room_close(&room);
}

/* Times are rounded to microseconds, whatever line came before. */
static void trace_rounds_times_to_microseconds(void **state)
{
	static const struct {
		uint64_t ts;
		const char *text;
	} times[] = {
		{ 0, "    0.000000" },
		{ 499, "    0.000000" },
		{ 500, "    0.000001" },
		{ 999499, "    0.000999" },
		{ 999500, "    0.001000" },
		{ 999999, "    0.001000" },
		{ 1000000, "    0.001000" },
		{ 1000500, "    0.001001" },
		{ 1999499, "    0.001999" },
		{ 1999500, "    0.002000" },
		{ 1000499, "    0.001000" },
		{ UINT64_C(999999999499), "  999.999999" },
		{ UINT64_C(999999999500), " 1000.000000" },
		{ UINT64_C(99999999999500), "100000.000000" },
		{ UINT64_MAX, "18446744073.709552" },
		{ 499, "    0.000000" },
		{ UINT64_MAX - 116, "18446744073.709551" },
	};
	struct room room;
	size_t i;

	(void)state;
	room_open(&room, "trace", NULL, 0);
	for (i = 0; i < ARRAY_SIZE(times); i++) {
		const char *line, *at;

		room.record.ts = times[i].ts;
		line = styled(&room, "dd");
		at = strstr(line, "[003] ");
		assert_non_null(at);
		at += strlen("[003] ");
		assert_memory_equal(at, times[i].text, strlen(times[i].text));
		assert_int_equal(at[strlen(times[i].text)], ':');
	}
	room_close(&room);
}

/* Only the style makes colours; recorded text cannot. */
static void trace_colours_come_from_the_style_only(void **state)
{
	struct room room;

	(void)state;
	room_open(&room, "trace", NULL, 0);
	dkt_style_free(room.style);
	DKT_OPTS(dkt_style_opts, opts, .color = true, .text = own_text,
		 .data = (void *)"\033[2Jtext\n");
	assert_ok(room.ctx, dkt_style_new(room.ctx, "trace", &opts, &room.style));
	assert_string_equal(styled(&room, "d\033d"),
			    "             d\\x1bd-4711  [003]  3682.519727: "
			    "\033[36msample\033[0m:               \\x1b[2Jtext\n");
	room.record.event = NULL;
	room.record.lost = 5;
	assert_string_equal(styled(&room, ""), "\033[31mCPU:3 [5 EVENTS DROPPED]\033[0m\n");
	room_close(&room);
}

/* ---- every style ---- */

static void json_of_random_records_is_valid(void **state)
{
	uint32_t seed = 1;
	struct room room;
	int i;

	(void)state;
	room_open(&room, "json", NULL, 0);
	for (i = 0; i < 20000; i++) {
		uint8_t bytes[sizeof(struct styled)], *exact;
		struct json_object *line;

		randomize(&room, bytes, &seed);
		exact = malloc(room.record.size + 1);
		assert_non_null(exact);
		memcpy(exact, bytes, room.record.size);
		room.record.data = exact;
		line = json_tokener_parse(styled(&room, (const char *)"\xff\"x"));
		assert_non_null(line);
		json_object_put(line);
		free(exact);
	}
	room_close(&room);
}

static void every_style_survives_random_records(void **state)
{
	struct dkt_style_info info;
	struct room room;
	uint32_t seed = 7;
	size_t i;
	int j;

	(void)state;
	for (i = 0; !dkt_style_get(i, &info, sizeof(info)); i++) {
		if (info.traits & DKT_STYLE_FILES)
			continue;
		room_open(&room, info.name, NULL, 0);
		assert_int_equal(dkt_style_begin(room.style, room.buf), 0);
		for (j = 0; j < 2000; j++) {
			uint8_t bytes[sizeof(struct styled)];

			randomize(&room, bytes, &seed);
			styled(&room, "dd");
		}
		assert_int_equal(dkt__style_flush(room.style, room.buf), 0);
		assert_int_equal(dkt_style_end(room.style, room.buf), 0);
		room_close(&room);
	}
	assert_true(i >= 3);
}

static void styles_handle_many_events(void **state)
{
	struct room room;
	int i, round;

	(void)state;
	room_open(&room, "json", NULL, 0);
	for (round = 0; round < 2; round++)
		for (i = 0; i < 300; i++) {
			char name[16], wanted[32];

			snprintf(name, sizeof(name), "e%d", i);
			snprintf(wanted, sizeof(wanted), "\"event\":\"%s\"", name);
			room.record.event = styled_event(room.ctx, name, 100 + i);
			assert_has(styled(&room, "dd"), wanted);
		}
	room_close(&room);
}

static void an_unknown_style_is_refused(void **state)
{
	struct dkt_style *style;
	struct dkt_ctx *ctx;

	(void)state;
	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	assert_int_equal(dkt_style_new(ctx, "xml", NULL, &style), -ENOENT);
	assert_null(style);
	assert_string_equal(dkt_error(ctx), "there is no style 'xml'");
	dkt_ctx_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_has_every_type_of_field),
		cmocka_unit_test(json_prints_the_chosen_fields),
		cmocka_unit_test(json_adds_the_names_of_values),
		cmocka_unit_test(json_prints_losses),
		cmocka_unit_test(json_keeps_every_byte),
		cmocka_unit_test(csv_quotes_cells),
		cmocka_unit_test(text_cannot_drive_a_terminal),
		cmocka_unit_test(csv_has_the_chosen_fields_in_every_row),
		cmocka_unit_test(folded_prints_stacks),
		cmocka_unit_test(raw_prints_names_and_values),
		cmocka_unit_test(trace_prints_lines),
		cmocka_unit_test(trace_rounds_times_to_microseconds),
		cmocka_unit_test(trace_colours_come_from_the_style_only),
		cmocka_unit_test(json_of_random_records_is_valid),
		cmocka_unit_test(every_style_survives_random_records),
		cmocka_unit_test(styles_handle_many_events),
		cmocka_unit_test(an_unknown_style_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
