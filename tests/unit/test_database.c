/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Databases: names of tables and columns, and values, from files that nobody can trust. */
#include "lib/inside.h"
#include "tests/helper/check.h"

#include <sqlite3.h>

#include "answers/sql/database.h"
#include "answers/tables/schema.h"
#include "lib/base/buf.h"
#include "lib/base/util.h"
#include "tests/helper/order.h"

#define COMMON                                                                                     \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                     \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

struct room {
	struct dkt_ctx *ctx[2];
	struct dkt_source *source[2];
	struct pipeline_part parts[2];
	size_t part_of[2];
	struct pipeline pipeline;
	struct database *db;
	char *answer; /* of ask() */
	int ids; /* of events, so far */
};

static int no_record(void *data, struct dkt_record *record)
{
	(void)data, (void)record;
	return DKT_NEXT_END;
}

static int set_up(void **state)
{
	const struct dkt__source_calls calls = { .sz = sizeof(calls), .next = no_record };
	struct room *room = calloc(1, sizeof(*room));

	assert_non_null(room);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(dkt_ctx_new(NULL, &room->ctx[i]), 0);
		assert_ok(room->ctx[i], dkt__source_make(room->ctx[i], &calls, NULL, NULL, NULL,
							 &room->source[i]));
	}
	*state = room;
	return 0;
}

static int tear_down(void **state)
{
	struct room *room = *state;

	database_free(room->db);
	for (int i = 0; i < 2; i++) {
		dkt_source_close(room->source[i]);
		dkt_ctx_free(room->ctx[i]);
	}
	free(room->answer);
	free(room);
	return 0;
}

static void open_database(struct room *room)
{
	static const char *const names[] = { "a.dat", "b.dat" };
	const struct database_opts opts = { 0 };

	for (size_t i = 0; i < 2; i++) {
		room->parts[i] = (struct pipeline_part){ .name = names[i],
							 .ctx = room->ctx[i],
							 .source = room->source[i] };
		room->part_of[i] = i;
	}
	room->pipeline = (struct pipeline){ .ctx = room->ctx[0],
					    .parts = room->parts,
					    .n = 2,
					    .source = room->source[0],
					    .part_of = room->part_of,
					    .n_streams = 2 };
	assert_ok(room->ctx[0], database_new(&room->pipeline, &opts, &room->db));
}

static struct dkt_event *event_of(struct room *room, int file, const char *system, const char *name,
				  const char *fields)
{
	char *format = dkt__format("name: %s\nID: %d\nformat:\n" COMMON "%s\nprint fmt: \"\"\n",
				   name, ++room->ids, fields);
	struct dkt_event *event;

	assert_non_null(format);
	assert_ok(room->ctx[file],
		  dkt__event_define(room->ctx[file], system, name, format, &event));
	free(format);
	return event;
}

static void add(struct room *room, int file, struct dkt_event *event, const void *data, size_t size)
{
	const struct dkt_record record = { .ts = 5,
					   .event = event,
					   .data = data,
					   .size = (uint32_t)size,
					   .cpu = 1,
					   .pid = 42,
					   .stream = (uint32_t)file };

	assert_ok(room->ctx[0], database_add(room->db, &record));
}

/* Returns the first value of the statement's first row as SQLite quotes it. */
static const char *ask(struct room *room, const char *statement)
{
	char *text = dkt__format("SELECT quote((%s))", statement);
	sqlite3_stmt *query;

	assert_non_null(text);
	if (sqlite3_prepare_v2(database_handle(room->db), text, -1, &query, NULL))
		fail_msg("%s: %s", text, sqlite3_errmsg(database_handle(room->db)));
	assert_int_equal(sqlite3_step(query), SQLITE_ROW);
	free(room->answer);
	room->answer = strdup((const char *)sqlite3_column_text(query, 0));
	sqlite3_finalize(query);
	free(text);
	return room->answer;
}

static const char *columns_of(struct room *room, const char *table)
{
	static char text[256];

	snprintf(text, sizeof(text),
		 "SELECT group_concat(name, ' ') FROM pragma_table_info('%s') WHERE cid > 6",
		 table);
	return ask(room, text);
}

static void names_differ_in_any_letter_case(void **state)
{
	struct room *room = *state;
	const struct {
		const char *system, *name, *table;
	} rows[] = {
		{ "a", "open", "open" },
		{ "b", "Open", "b_Open" },
		{ "a", "HOSTS", "a_HOSTS" },
		{ "a", "syscallstats", "a_syscallstats" },
		{ "a", "sqlite_x", "a_sqlite_x" },
		{ "sqlite_a", "x", "x" },
		{ "sqlite_a", "X", "event_sqlite_a_X_2" },
		{ "a", "blocktop_device", "a_blocktop_device" },
	};
	char text[128];

	open_database(room);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		add(room, 0, event_of(room, 0, rows[i].system, rows[i].name, ""),
		    own_order((char[8]){ "\7\0\0\0*\0\0" }, "2114"), 8);
	assert_ok(room->ctx[0], database_finish(room->db));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		snprintf(text, sizeof(text),
			 "SELECT name FROM events WHERE system = '%s' AND event = '%s'",
			 rows[i].system, rows[i].name);
		assert_has(ask(room, text), rows[i].table);
		assert_int_equal(strlen(rows[i].table) + 2, strlen(room->answer));
	}
	assert_string_equal(ask(room, "SELECT common_pid FROM b_Open"), "42");
}

static void fields_have_columns_of_their_own(void **state)
{
	struct room *room = *state;
	struct dkt_event *event = event_of(room, 0, "s", "e",
					   "\tfield:int ts;\toffset:8;\tsize:4;\tsigned:1;\n"
					   "\tfield:int Seq;\toffset:12;\tsize:4;\tsigned:1;\n"
					   "\tfield:u8 a;\toffset:16;\tsize:1;\tsigned:0;\n"
					   "\tfield:s8 A;\toffset:17;\tsize:1;\tsigned:1;\n");

	open_database(room);
	add(room, 0, event,
	    own_order((char[19]){ "\7\0\0\0*\0\0\0\1\0\0\0\2\0\0\0\xff\xff" }, "211444"), 18);
	assert_ok(room->ctx[0], database_finish(room->db));
	assert_string_equal(columns_of(room, "e"), "'ts_2 Seq_2 a A_2'");
	assert_string_equal(ask(room, "SELECT ts || ' ' || ts_2 || ' ' || Seq_2 || ' ' || a || ' '"
				      " || A_2 || ' ' || common_cpu FROM e"),
			    "'5 1 2 255 -1 1'");
}

static void an_event_of_two_files_has_the_fields_of_both(void **state)
{
	struct room *room = *state;
	struct dkt_event *a = event_of(room, 0, "s", "e",
				       "\tfield:int x;\toffset:8;\tsize:4;\tsigned:1;\n"
				       "\tfield:char y[4];\toffset:12;\tsize:4;\tsigned:0;\n");
	struct dkt_event *b = event_of(room, 1, "s", "e",
				       "\tfield:int y;\toffset:8;\tsize:4;\tsigned:1;\n"
				       "\tfield:long x;\toffset:16;\tsize:8;\tsigned:1;\n"
				       "\tfield:int z;\toffset:12;\tsize:4;\tsigned:1;\n");
	char one[] = "\7\0\0\0*\0\0\0\1\0\0\0abc",
	     two[] = "\7\0\0\0*\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0\0\0\0";

	own_order(one, "21144");
	own_order(two, "2114448");
	open_database(room);
	add(room, 0, a, one, 16);
	add(room, 1, b, two, 24);
	add(room, 0, a, one, 16);
	assert_ok(room->ctx[0], database_finish(room->db));
	assert_string_equal(columns_of(room, "e"), "'x y y_2 z'");
	assert_string_equal(ask(room, "SELECT group_concat(host || ':' || x || ':' ||"
				      " ifnull(y, '-') || ':' || ifnull(y_2, '-') || ':' ||"
				      " ifnull(z, '-'), ' ') FROM e"),
			    "'1:1:abc:-:- 2:4:-:2:3 1:1:abc:-:-'");
}

static void values_lose_nothing(void **state)
{
	struct room *room = *state;
	struct dkt_event *event =
		event_of(room, 0, "s", "e",
			 "\tfield:u64 big;\toffset:8;\tsize:8;\tsigned:0;\n"
			 "\tfield:char bad[4];\toffset:16;\tsize:4;\tsigned:0;\n"
			 "\tfield:char nul[4];\toffset:20;\tsize:4;\tsigned:0;\n"
			 "\tfield:s32 list[2];\toffset:24;\tsize:8;\tsigned:1;\n"
			 "\tfield:u8 raw[2];\toffset:32;\tsize:2;\tsigned:0;\n"
			 "\tfield:__data_loc char[] dyn;\toffset:36;\tsize:4;\tsigned:0;\n");
	char data[44] = "\7\0\0\0*\0\0\0\377\377\377\377\377\377\377\377a\377b\0a\0b\0"
			"\377\377\377\377\2\0\0\0\1\2\0\0\50\0\4\0x\xc3\xa9";

	own_order(data, "21148111111114411114");
	open_database(room);
	add(room, 0, event, data, sizeof(data));
	/* A record that ends early has no values for some columns. */
	add(room, 0, event, data, 18);
	assert_ok(room->ctx[0], database_finish(room->db));
	/* A number of 2^63 or more has its bits, and printf() shows it. */
	assert_string_equal(ask(room, "SELECT big || printf(' %u', big) FROM e"),
			    "'-1 18446744073709551615'");
	assert_string_equal(ask(room, "SELECT bad FROM e"), "X'61FF62'");
	assert_string_equal(ask(room, "SELECT nul FROM e"), "'a'");
	assert_string_equal(ask(room, "SELECT list FROM e"), "'[-1,2]'");
	assert_string_equal(ask(room, "SELECT list->>1 FROM e"), "2");
	assert_string_equal(ask(room, "SELECT raw FROM e"), "X'0102'");
	assert_string_equal(ask(room, "SELECT dyn FROM e"), "'x\xc3\xa9'");
	assert_string_equal(ask(room, "SELECT big IS NOT NULL AND bad IS NULL AND dyn IS NULL"
				      " FROM e WHERE seq = 2"),
			    "1");
}

/* Rows go into the tables many at a time, which nobody sees. */
static void rows_of_many_batches_keep_their_order(void **state)
{
	struct room *room = *state;
	struct dkt_event *one = event_of(room, 0, "s", "one",
					 "\tfield:u32 x;\toffset:8;\tsize:4;\tsigned:0;\n"
					 "\tfield:char y[4];\toffset:12;\tsize:4;\tsigned:0;\n");
	struct dkt_event *two = event_of(room, 0, "s", "two", "");
	struct dkt_event *wider =
		event_of(room, 1, "s", "two", "\tfield:u32 z;\toffset:8;\tsize:4;\tsigned:0;\n");
	char data[16] = "\7\0\0\0*\0\0\0";

	own_order(data, "2114");
	open_database(room);
	for (uint32_t i = 0; i < 3000; i++) {
		memcpy(data + 8, &i, sizeof(i));
		snprintf(data + 12, 4, "%u", i % 1000);
		add(room, 0, one, data, sizeof(data));
		if (i % 3 == 0)
			add(room, i > 2000, i > 2000 ? wider : two, data, i > 2000 ? 12 : 8);
	}
	assert_ok(room->ctx[0], database_finish(room->db));
	assert_string_equal(ask(room,
				"SELECT count(*) || ' ' || sum(x) || ' ' || min(seq) || ' ' ||"
				" max(seq) || ' ' || sum(y = x % 1000) FROM one"),
			    "'3000 4498500 1 4000 3000'");
	assert_string_equal(ask(room,
				"SELECT sum(a.x >= b.x) FROM one a JOIN one b ON b.seq > a.seq"
				" AND b.seq < a.seq + 3"),
			    "0");
	assert_string_equal(ask(room,
				"SELECT count(*) || ' ' || count(z) || ' ' || min(z) FROM two"),
			    "'1000 333 2001'");
	assert_string_equal(ask(room, "SELECT records FROM events WHERE name = 'two'"), "1000");
}

/* Each of two files has as many fields as the library takes. */
static void a_table_has_no_more_columns_than_sqlite_takes(void **state)
{
	struct room *room = *state;

	open_database(room);
	for (int file = 0; file < 2; file++) {
		char *fields = NULL;
		size_t size;
		FILE *f = open_memstream(&fields, &size);

		for (int i = 0; i < 1020; i++)
			fprintf(f, "\tfield:u8 f%d_%d;\toffset:%d;\tsize:1;\tsigned:0;\n", file, i,
				8 + i);
		fclose(f);
		add(room, file, event_of(room, file, "s", "e", fields),
		    own_order((char[10]){ "\7\0\0\0*\0\0\0\11" }, "2114"), 9);
		free(fields);
	}
	assert_string_equal(ask(room, "SELECT count(*) FROM pragma_table_info('e')"), "1900");
	assert_string_equal(ask(room, "SELECT f0_0 FROM e"), "9");
	assert_string_equal(ask(room, "SELECT f1_0 FROM e WHERE host = 2"), "9");
}

static void a_name_is_quoted(void **state)
{
	struct dkt_buf *buf;
	size_t len;

	(void)state;
	assert_int_equal(dkt_buf_new(&buf), 0);
	database_quote(buf, "a\"; DROP");
	dkt__buf_add(buf, "", 1);
	assert_string_equal(dkt_buf_data(buf, &len), "\"a\"\"; DROP\"");
	dkt_buf_free(buf);
}

static void a_gap_is_a_row_of_losses(void **state)
{
	struct room *room = *state;
	const struct dkt_record lost = { .ts = 9, .cpu = 3, .lost = 12, .stream = 1 },
				unknown = { .ts = 10, .lost = DKT_LOST_UNKNOWN, .paused = true };

	open_database(room);
	assert_ok(room->ctx[0], database_add(room->db, &lost));
	assert_ok(room->ctx[0], database_add(room->db, &unknown));
	assert_ok(room->ctx[0], database_finish(room->db));
	assert_string_equal(ask(room, "SELECT group_concat(ts || ' ' || host || ' ' || file || ' '"
				      " || cpu || ' ' || ifnull(lost, '?') || ' ' || paused, ', ')"
				      " FROM losses"),
			    "'9 2 2 3 12 0, 10 1 1 0 ? 1'");
	assert_string_equal(ask(room, "SELECT path FROM files WHERE file = 2"), "'b.dat'");
	assert_string_equal(ask(room, "SELECT class FROM classes WHERE mask = 0x100000"),
			    "'rpctrace'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(names_differ_in_any_letter_case, set_up, tear_down),
		cmocka_unit_test_setup_teardown(fields_have_columns_of_their_own, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(an_event_of_two_files_has_the_fields_of_both,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(values_lose_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(rows_of_many_batches_keep_their_order, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_table_has_no_more_columns_than_sqlite_takes,
						set_up, tear_down),
		cmocka_unit_test(a_name_is_quoted),
		cmocka_unit_test_setup_teardown(a_gap_is_a_row_of_losses, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
