/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Periods: the grammar of definitions, and what made-up records begin and end. */
#include "answers/analyze/period_def.h"
#include "answers/analyze/period_kind.h"
#include "tests/helper/check.h"
#include "tests/helper/tree.h"

#define FIELDS                                                                                     \
	"\tfield:int fd;\toffset:8;\tsize:4;\tsigned:1;\n"                                         \
	"\tfield:unsigned int n;\toffset:12;\tsize:4;\tsigned:0;\n"                                \
	"\tfield:char name[16];\toffset:16;\tsize:16;\tsigned:0;\n"

struct test {
	char dir[TREE_NAME];
	struct dkt_ctx *ctx;
	struct period_run *run;
	struct analyze *analyze;
	uint64_t least, most; /* durations to take */
	char rows[4096]; /* "KEY=VALUE KEY=VALUE\n" of each row */
};

/* The bytes of a record. */
struct data {
	uint8_t common[8];
	int32_t fd;
	uint32_t n;
	char name[16];
};

static int setup(void **state)
{
	static const char *const names[] = { "enter", "exit", "tick" };
	struct test *test = calloc(1, sizeof(*test));

	*state = test;
	assert_int_equal(tree_make(test->dir), 0);
	assert_int_equal(tree_text(test->dir, "available_events",
				   "s:enter\ns:exit\ns:tick\ntask:task_newtask\n"),
			 0);
	assert_int_equal(tree_event(test->dir, "task", "task_newtask", 4,
				    "\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n", "\"\""),
			 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(tree_event(test->dir, "s", names[i], i + 1, FIELDS, "\"\""), 0);
	test->ctx = tree_ctx(test->dir);
	return test->ctx ? 0 : -1;
}

static void stop_run(struct test *test)
{
	analyze_free(test->analyze);
	period_run_free(test->run);
	test->analyze = NULL;
	test->run = NULL;
	test->rows[0] = '\0';
}

static int teardown(void **state)
{
	struct test *test = *state;

	stop_run(test);
	dkt_ctx_free(test->ctx);
	tree_remove(test->dir);
	free(test);
	return 0;
}

static int take_row(void *data, const struct result_table *table, const struct result_cell *cells)
{
	struct test *test = data;

	for (size_t i = 0; i < table->n; i++) {
		char *at = test->rows + strlen(test->rows);
		size_t room = sizeof(test->rows) - (size_t)(at - test->rows);
		enum result_type type = table->columns[i].type;
		const char *between = i + 1 < table->n ? " " : "\n";

		if (!cells[i].known)
			snprintf(at, room, "%s=-%s", table->columns[i].key, between);
		else if (cells[i].text)
			snprintf(at, room, "%s=%s%s", table->columns[i].key, cells[i].text,
				 between);
		else if (type == RESULT_REAL || type == RESULT_SHARE)
			snprintf(at, room, "%s=%.4g%s", table->columns[i].key, cells[i].real,
				 between);
		else
			snprintf(at, room, "%s=%lld%s", table->columns[i].key,
				 (long long)cells[i].number, between);
	}
	return 0;
}

static void start(struct test *test, const char *analysis, const char *group_by, const char *text)
{
	struct analyze_opts opts = { .row = take_row,
				     .data = test,
				     .group_by = group_by,
				     .least = test->least,
				     .most = test->most };

	stop_run(test);
	assert_ok(test->ctx, period_run_new(test->ctx, analysis_find(analysis), text, &test->run));
	assert_ok(test->ctx, period_run_check(test->run));
	assert_ok(test->ctx,
		  analyze_new(test->ctx, period_run_analysis(test->run), &opts, &test->analyze));
}

static void put(struct test *test, const char *event, uint64_t ts, uint32_t cpu, struct data data)
{
	struct dkt_record record = { .ts = ts, .cpu = cpu, .pid = 7, .size = sizeof(data) };
	const int32_t pid = 7;

	memcpy(data.common + 4, &pid, sizeof(pid));

	if (event)
		record.event = dkt_event_find(test->ctx,
					      strcmp(event, "task_newtask") ? "s" : "task", event);
	record.data = &data;
	assert_ok(test->ctx, analyze_record(test->analyze, NULL, &record));
}

static void enter(struct test *test, uint64_t ts, int fd, uint32_t n, const char *name)
{
	struct data data = { .fd = fd, .n = n };

	snprintf(data.name, sizeof(data.name), "%s", name);
	put(test, "enter", ts, 0, data);
}

static void leave(struct test *test, uint64_t ts, int fd, uint32_t n)
{
	put(test, "exit", ts, 0, (struct data){ .fd = fd, .n = n, .name = "x" });
}

static void tick(struct test *test, uint64_t ts, int fd, uint32_t n)
{
	put(test, "tick", ts, 0, (struct data){ .fd = fd, .n = n });
}

static void expect_rows(struct test *test, const char *rows)
{
	assert_ok(test->ctx, analyze_end(test->analyze));
	assert_string_equal(test->rows, rows);
}

/* ---- grammar ---- */

static void each_error_says_where_and_what_to_do(void **state)
{
	static const struct {
		const char *text, *words;
	} rows[] = {
		{ "x",
		  "'x' is not a ready-made pair, which 'dktrace latency' lists, nor a definition:"
		  " NAME: begin EVENTS; end EVENTS" },
		{ "syscal",
		  "'syscal' is not a ready-made pair, which 'dktrace latency' lists, nor a definition:"
		  " NAME: begin EVENTS; end EVENTS; did you mean syscall?" },
		{ "a-b: begin enter", "a: expected a ':' after the name, not '-b:'" },
		{ ": begin enter", "'' is not a name of letters, digits and _; write NAME: begin"
				   " EVENTS; end EVENTS" },
		{ "a:", "a: expected 'begin EVENTS'" },
		{ "a: start enter", "a: expected 'begin EVENTS', not 'start'" },
		{ "a: begin enter", "a: expected 'end EVENTS'" },
		{ "a: begin enter; stop exit", "a: expected 'end EVENTS', not 'stop'" },
		{ "a: begin ; end exit", "a: no event after 'begin'" },
		{ "a: begin enter; end exit; fd",
		  "a: expected 'show FIELDS' or nothing, not 'fd'" },
		{ "a: begin enter; end exit; show", "a: no field after 'show'" },
		{ "a: begin enter; end exit; show fd; n",
		  "a: 'n' is behind the end of the definition" },
		{ "a: begin enter; end exit; show $x",
		  "a: show: '$x' is not FIELD, $begin.FIELD or $parent.begin.FIELD" },
		{ "a: begin enter; end exit; show $parent.begin.fd",
		  "a: show $parent.begin.fd: the period has no parent" },
		{ "a: begin enter; end exit; show fd,$begin.fd",
		  "a: show: a column 'fd' is there already; write NAME=$begin.fd for another name" },
		{ "a: begin enter; end exit; show end=fd",
		  "a: show: a column 'end' is there already; write NAME=fd for another name" },
		{ "a: begin enter; end exit; show 1=fd,2=fd,3=fd,4=fd,5=fd,6=fd,7=fd,8=fd",
		  "a: show: more than 7 fields" },
		{ "a: begin enter; end exit; show -=fd",
		  "a: show: '-' is not a name for a column" },
		{ "b(a): begin enter; end exit", "b: no period 'a' is defined before it" },
		{ "abc: begin enter; end exit\037b(abd): begin enter; end exit",
		  "b: no period 'abd' is defined before it; did you mean abc?" },
		{ "a: begin enter; end exit\037b(a: begin enter; end exit",
		  "b: the parent 'a' has no ')' behind it" },
		{ "a: begin enter; end exit\037a: begin enter; end exit",
		  "there are two periods 'a'" },
		{ "a: begin enter[fd == $begin.fd]; end exit",
		  "a: begin: enter: filter: this record begins the period; only the end has $begin\n"
		  "  fd == $begin.fd\n        ^" },
		{ "a: begin enter; end exit[fd == $parent.begin.fd]",
		  "a: end: exit: filter: the period has no parent; write 'a(PARENT):' to give it one\n"
		  "  fd == $parent.begin.fd\n        ^" },
		{ "a: begin enter; end exit[fd == $fd]",
		  "a: end: exit: filter: '$fd' is not $begin.FIELD or $parent.begin.FIELD\n"
		  "  fd == $fd\n        ^" },
		{ "a: begin enter; end exit[fd == 1",
		  "a: end: exit: the filter has no ']' at its end: [fd == 1" },
		{ "a: begin enter; end exi", "a: no event matches 'exi'; did you mean s:exit?" },
		{ "a: begin enter; end exit[fd == $begin.df]",
		  "a: no event after 'begin' has a field 'df'; did you mean fd?" },
		{ "a: begin enter; end exit; show nam",
		  "a: no event after 'end' has a field 'nam'; did you mean name?" },
	};
	struct test *test = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct period_defs defs = { 0 };
		int err = period_defs_read(test->ctx, rows[i].text, &defs);

		if (!err)
			err = period_defs_check(test->ctx, &defs);
		period_defs_clear(&defs);
		assert_true(err < 0);
		assert_memory_equal(dkt_error(test->ctx), "--period: ", 10);
		assert_string_equal(dkt_error(test->ctx) + 10, rows[i].words);
	}
}

static void a_definition_has_its_parts(void **state)
{
	struct test *test = *state;
	struct period_defs defs = { 0 };
	const struct period_def *def;

	assert_ok(test->ctx,
		  period_defs_read(
			  test->ctx,
			  "io:begin s:enter[name == \"a;b]\"] , s:tick;end exit[$begin.fd == fd]"
			  " ;show x=$begin.n ret, $begin.NR.syscall;\037"
			  "part ( io ) : begin tick[fd == $parent.begin.fd]; end tick",
			  &defs));
	assert_int_equal(defs.n, 2);
	def = defs.list[0];
	assert_string_equal(def->name, "io");
	assert_int_equal(def->begin.n, 2);
	assert_string_equal(def->begin.list[0].filter, "name == \"a;b]\"");
	assert_int_equal(def->n_columns, 3);
	assert_string_equal(def->columns[0].key, "x");
	assert_int_equal(def->columns[0].side, PERIOD_BEGIN);
	assert_string_equal(def->columns[1].key, "ret");
	assert_int_equal(def->columns[1].side, PERIOD_END);
	assert_string_equal(def->columns[2].key, "NR");
	assert_int_equal(def->columns[2].names, PERIOD_SYSCALL);
	assert_ptr_equal(defs.list[1]->parent, def);
	period_defs_clear(&defs);
}

static void a_ready_made_pair_is_a_definition(void **state)
{
	struct test *test = *state;
	struct period_defs defs = { 0 };

	assert_ok(test->ctx, period_defs_read(test->ctx, "block-queue\037wakeup", &defs));
	assert_string_equal(defs.list[0]->name, "block_queue");
	assert_true(defs.list[0]->requests);
	assert_null(defs.list[0]->end.list[0].filter);
	assert_string_equal(defs.list[1]->end.list[0].filter, "next_pid == $begin.pid");
	period_defs_clear(&defs);
}

/* ---- records ---- */

static void an_end_finds_the_begin_with_equal_fields(void **state)
{
	struct test *test = *state;

	start(test, "periodlog", NULL,
	      "io: begin enter; end exit[fd == $begin.fd]; show fd,name=$begin.name,n");
	enter(test, 100, 1, 0, "one");
	enter(test, 110, 2, 0, "two");
	tick(test, 120, 1, 0);
	leave(test, 130, 3, 9);
	leave(test, 140, 1, 5);
	leave(test, 150, 1, 6);
	leave(test, 160, 2, 7);
	enter(test, 170, 4, 0, "open");
	expect_rows(test, "begin=100 end=140 duration=40 fd=1 name=one n=5\n"
			  "begin=110 end=160 duration=50 fd=2 name=two n=7\n");
	assert_int_equal(analyze_missed(test->analyze)->open, 1);
	assert_int_equal(analyze_missed(test->analyze)->endless, 0);
}

static void the_later_of_two_equal_begins_counts(void **state)
{
	struct test *test = *state;

	start(test, "periodlog", NULL,
	      "io: begin enter; end exit[fd == $begin.fd && n > $begin.n]");
	enter(test, 100, 1, 3, "");
	enter(test, 110, 1, 3, ""); /* no end can tell it from the first */
	enter(test, 120, 1, 8, "");
	leave(test, 130, 1, 3);
	leave(test, 140, 1, 5);
	leave(test, 150, 1, 9);
	expect_rows(test, "begin=110 end=140 duration=30\nbegin=120 end=150 duration=30\n");
	assert_int_equal(analyze_missed(test->analyze)->endless, 1);
}

static void durations_choose_periods(void **state)
{
	struct test *test = *state;

	test->least = 20;
	test->most = 30;
	start(test, "periodlog", NULL, "io: begin enter; end exit[fd == $begin.fd]; show fd");
	for (int i = 0; i < 5; i++)
		enter(test, 100, i, 0, "");
	leave(test, 119, 0, 0);
	leave(test, 120, 1, 0);
	leave(test, 130, 2, 0);
	leave(test, 131, 3, 0);
	expect_rows(test, "begin=100 end=120 duration=20 fd=1\n"
			  "begin=100 end=130 duration=30 fd=2\n");
	assert_int_equal(analyze_missed(test->analyze)->open, 1);
}

static void an_end_without_begin_ends_all(void **state)
{
	struct test *test = *state;

	start(test, "periodstats", NULL, "io: begin enter[n != 1]; end exit,tick[fd > $begin.fd]");
	enter(test, 100, 1, 0, "");
	enter(test, 105, 1, 1, "");
	enter(test, 110, 2, 0, "");
	tick(test, 115, 2, 0);
	leave(test, 130, 0, 0);
	expect_rows(test, "all=io count=2 min=15 mean=17 p50=15 p90=20 p99=20 p99.9=20 max=20"
			  " total=35\n");
}

static void children_are_counted_in_their_parents(void **state)
{
	struct test *test = *state;

	start(test, "periodstats", "fd",
	      "call: begin enter; end exit[fd == $begin.fd]; show fd\037"
	      "part(call): begin tick[fd == $parent.begin.fd]; end tick[fd == $begin.fd && n == 1];"
	      " show fd=$parent.begin.fd");
	tick(test, 90, 1, 0); /* no parent */
	enter(test, 100, 1, 0, "");
	enter(test, 100, 2, 0, "");
	tick(test, 110, 1, 0);
	tick(test, 120, 1, 1); /* ends one, and begins another */
	tick(test, 150, 1, 1);
	leave(test, 200, 1, 0); /* cuts the last one off */
	leave(test, 300, 2, 0);
	expect_rows(
		test,
		"fd=1 count=1 min=100 mean=100 p50=100 p90=100 p99=100 p99.9=100 max=100 total=100\n"
		"fd=2 count=1 min=200 mean=200 p50=200 p90=200 p99=200 p99.9=200 max=200 total=200\n"
		"all=call count=2 min=100 mean=150 p50=100 p90=200 p99=200 p99.9=200 max=200 total=300\n"
		"fd=1 count=2 min=10 mean=20 p50=10 p90=30 p99=30 p99.9=30 max=30 total=40\n"
		"all=part count=2 min=10 mean=20 p50=10 p90=30 p99=30 p99.9=30 max=30 total=40\n"
		"parent=call period=part parents=2 with=1 count=2 mean=2 most=2 total=40"
		" share=0.1333 min_share=0.4 max_share=0.4\n");
	assert_int_equal(analyze_missed(test->analyze)->cut, 1);
}

static void a_record_ends_and_begins_parent_and_child(void **state)
{
	struct test *test = *state;

	start(test, "periodlog", NULL,
	      "a: begin tick; end tick\037b(a): begin tick; end tick\037c(b): begin tick; end tick");
	tick(test, 100, 0, 0);
	tick(test, 110, 0, 0);
	expect_rows(test, "begin=100 end=110 duration=10 parent_begin=100\n"
			  "begin=100 end=110 duration=10 parent_begin=100\n"
			  "begin=100 end=110 duration=10\n");
	assert_int_equal(analyze_missed(test->analyze)->open, 3);
}

static void a_thread_id_that_is_used_again_ends_no_period_of_before(void **state)
{
	struct test *test = *state;

	/* All records are of thread 7. */
	start(test, "periodlog", NULL,
	      "io: begin enter; end exit[PID == $begin.PID && fd == $begin.fd]; show fd");
	enter(test, 100, 1, 0, "");
	put(test, "task_newtask", 110, 0, (struct data){ .fd = 8 });
	leave(test, 120, 1, 0);
	enter(test, 130, 1, 0, "");
	enter(test, 131, 2, 0, "");
	put(test, "task_newtask", 140, 0, (struct data){ .fd = 7 });
	leave(test, 150, 1, 0);
	enter(test, 160, 1, 0, "");
	leave(test, 170, 1, 0);
	expect_rows(test, "begin=100 end=120 duration=20 fd=1\n"
			  "begin=160 end=170 duration=10 fd=1\n");
	assert_int_equal(analyze_missed(test->analyze)->endless, 1);
	assert_int_equal(analyze_missed(test->analyze)->open, 1);
	/* It can end in another thread. */
	start(test, "periodlog", NULL, "io: begin enter; end exit[fd == $begin.fd]; show fd");
	enter(test, 200, 1, 0, "");
	put(test, "task_newtask", 210, 0, (struct data){ .fd = 7 });
	leave(test, 220, 1, 0);
	expect_rows(test, "begin=200 end=220 duration=20 fd=1\n");
}

static void no_period_crosses_a_loss(void **state)
{
	struct test *test = *state;

	start(test, "periodstats", NULL,
	      "io: begin enter; end exit[fd == $begin.fd]\037"
	      "in(io): begin tick; end tick");
	put(test, "enter", 100, 1, (struct data){ .fd = 9 });
	enter(test, 100, 1, 0, "");
	tick(test, 110, 0, 0);
	leave(test, 140, 1, 0); /* after the last record of CPU 1 */
	enter(test, 150, 2, 0, "");
	put(test, NULL, 160, 1, (struct data){ 0 });
	leave(test, 170, 2, 0);
	enter(test, 180, 2, 0, "");
	leave(test, 190, 2, 0);
	expect_rows(test, "all=io count=1 min=10 mean=10 p50=10 p90=10 p99=10 p99.9=10 max=10"
			  " total=10\n");
	/* One ended during the loss, and two, of which one has a child, were open. */
	assert_int_equal(analyze_missed(test->analyze)->lost, 4);
	assert_int_equal(analyze_missed(test->analyze)->cut, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_error_says_where_and_what_to_do, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_definition_has_its_parts, setup, teardown),
		cmocka_unit_test_setup_teardown(a_ready_made_pair_is_a_definition, setup, teardown),
		cmocka_unit_test_setup_teardown(an_end_finds_the_begin_with_equal_fields, setup,
						teardown),
		cmocka_unit_test_setup_teardown(the_later_of_two_equal_begins_counts, setup,
						teardown),
		cmocka_unit_test_setup_teardown(durations_choose_periods, setup, teardown),
		cmocka_unit_test_setup_teardown(an_end_without_begin_ends_all, setup, teardown),
		cmocka_unit_test_setup_teardown(children_are_counted_in_their_parents, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_record_ends_and_begins_parent_and_child, setup,
						teardown),
		cmocka_unit_test_setup_teardown(
			a_thread_id_that_is_used_again_ends_no_period_of_before, setup, teardown),
		cmocka_unit_test_setup_teardown(no_period_crosses_a_loss, setup, teardown),
	};

	return cmocka_run_group_tests_name("periods", tests, NULL, NULL);
}
