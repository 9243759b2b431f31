/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SQL: the results of statements, and the errors of wrong ones. */
#include "lib/inside.h"
#include "tests/helper/check.h"
#include "tests/helper/sql_tree.h"

struct tree {
	char root[TREE_NAME];
	struct dkt_ctx *ctx;
};

static int setup(void **state)
{
	struct tree *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	assert_int_equal(sql_tree_make(t->root), 0);
	t->ctx = tree_ctx(t->root);
	assert_non_null(t->ctx);
	*state = t;
	return 0;
}

static int teardown(void **state)
{
	struct tree *t = *state;

	dkt_ctx_free(t->ctx);
	assert_int_equal(tree_remove(t->root), 0);
	free(t);
	return 0;
}

static void assert_text(const char *have, const char *want)
{
	if (!want)
		assert_null(have);
	else
		assert_string_equal(have, want);
}

/* ---- histograms ---- */

static void test_a_statement_without_join_is_a_histogram(void **state)
{
	static const struct {
		const char *text;
		const char *event, *keys, *vals, *filter;
	} cases[] = {
		/* clang-format off */
		{ "SELECT pid FROM begin", "made:begin", "pid", NULL, NULL },
		{ "select pid, comm from made.begin", "made:begin", "pid,comm", NULL, NULL },
		{ "select b.pid from begin as b", "made:begin", "pid", NULL, NULL },
		{ "select begin.pid from begin b", "made:begin", "pid", NULL, NULL },
		{ "select made.begin.pid\n\tfrom made.begin", "made:begin", "pid", NULL, NULL },
		{ "select pid from other.twice", "other:twice", "pid", NULL, NULL },
		{ "select CAST(common_pid AS comm), cast(prio as hex) from begin", "made:begin", "common_pid.execname,prio.hex", NULL, NULL },
		{ "select cast(pid as log2), cast(count as _COUNTER_) from begin", "made:begin", "pid.log2", "count", NULL },
		{ "select cast(count as sym-offset) from begin", "made:begin", "count.sym-offset", NULL, NULL },
		{ "select \\from from begin", "made:begin", "from", NULL, NULL },
		{ "select pid from begin where prio < 100", "made:begin", "pid", NULL, "prio < 100" },
		{ "select pid from begin where prio < 100 && comm ~ \"d*\", count & 0x10", "made:begin", "pid", NULL,
		  "prio < 100&&(comm~\"d*\")&&(count & 16)" },
		{ "select pid from begin where (pid == 1 || prio > 2 && prio < 5) && begin.COMM == \"it's > if x\"", "made:begin", "pid", NULL,
		  "(pid == 1||prio > 2&&prio < 5)&&(COMM == \"it's > if x\")" },
		/* clang-format on */
	};
	struct tree *t = *state;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct dkt__sql *sql;

		assert_ok(t->ctx, dkt__sql_new(t->ctx, cases[i].text, NULL, &sql));
		assert_string_equal(sql->event, cases[i].event);
		assert_string_equal(sql->keys, cases[i].keys);
		assert_text(sql->vals, cases[i].vals);
		assert_text(sql->filter, cases[i].filter);
		assert_null(sql->end);
		assert_null(sql->fields);
		dkt__sql_free(sql);
	}
}

/* ---- events ---- */

#define JOIN " FROM begin AS start JOIN end AS stop ON start.pid = stop.next_pid"

static void test_a_statement_with_join_is_an_event(void **state)
{
	static const struct {
		const char *text;
		const char *fields, *begin, *end;
	} cases[] = {
		{ "SELECT start.pid, (stop.TIMESTAMP_USECS - start.TIMESTAMP_USECS) AS lat" JOIN,
		  "pid_t pid; u64 lat",
		  "hist:keys=pid:__from_e_0=common_pid:__arg_e_2=pid,"
		  "__arg_e_3=common_timestamp.usecs",
		  "hist:keys=next_pid:__join_e_0=common_pid-$__from_e_0:__pid_e_1=$__arg_e_2,"
		  "__lat_e_4=common_timestamp.usecs-$__arg_e_3:onmatch(made.begin).e("
		  "$__pid_e_1,$__lat_e_4)" },
		{ "SELECT stop.next_comm AS name, start.path" JOIN
		  " WHERE start.prio < 100 && (stop.ret > 0 || stop.next_comm == \"x' >> y\")",
		  "char name[16]; char path[]",
		  "hist:keys=pid:__from_e_0=common_pid:__arg_e_3=path if prio < 100",
		  "hist:keys=next_pid:__join_e_0=common_pid-$__from_e_0:__name_e_1=next_comm,"
		  "__path_e_2=$__arg_e_3:onmatch(made.begin).e($__name_e_1,$__path_e_2)"
		  " if (ret > 0||next_comm == \"x' >> y\")" },
		{ "SELECT stop.ret" JOIN, "s64 ret", "hist:keys=pid:__from_e_0=common_pid",
		  "hist:keys=next_pid:__join_e_0=common_pid-$__from_e_0:__arg_e_1=ret:"
		  "onmatch(made.begin).e($__arg_e_1)" },
	};
	struct tree *t = *state;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct dkt__sql *sql;
		int err = dkt__sql_new(t->ctx, cases[i].text, "e", &sql);

		if (err == -ENODEV) {
			print_message("%s\n", dkt_error(t->ctx));
			skip();
		}
		assert_ok(t->ctx, err);
		assert_string_equal(sql->event, "made:begin");
		assert_string_equal(sql->end, "made:end");
		assert_string_equal(sql->fields, cases[i].fields);
		assert_string_equal(sql->begin_trigger, cases[i].begin);
		assert_string_equal(sql->end_trigger, cases[i].end);
		assert_null(sql->keys);
		dkt__sql_free(sql);
	}
}

/* ---- errors ---- */

static void test_a_wrong_statement_is_refused_with_its_place(void **state)
{
	static const struct {
		const char *text;
		const char *words; /* and the byte that the caret is under */
		int at;
	} cases[] = {
		/* clang-format off */
		{ "", "expected SELECT before the end", 0 },
		{ "insert", "expected SELECT before 'insert'", 0 },
		{ "select", "expected a field before the end", 6 },
		{ "select pid", "expected FROM before the end", 10 },
		{ "select from from begin", "expected a field before 'from'", 7 },
		{ "select pid from", "expected an event before the end", 15 },
		{ "select pid from begin from end", "expected JOIN, WHERE or the end before 'from'", 22 },
		{ "select pid from begin where", "syntax error", 27 },
		{ "select pid from begin where pid", "syntax error", 31 },
		{ "select pid from begn", "there is no event 'begn'; did you mean begin?", 16 },
		{ "select pid from twice", "2 systems have an event 'twice'; write it as SYSTEM.twice", 16 },
		{ "select prioo from begin", "event made:begin has no field 'prioo'; did you mean prio?", 7 },
		{ "select x.pid from begin", "the statement has no event 'x'", 7 },
		{ "select pid.hex from begin", "the statement has no event 'pid'", 7 },
		{ "select pid, pid from begin", "'pid' is selected twice", 12 },
		{ "select cast(pid as hex), pid from begin", "'pid' is selected twice", 25 },
		{ "select pid as x, prio as x from begin", "two fields have the name 'x'", 25 },
		{ "select pid as prio, prio as x from begin", "'prio' has two meanings in this statement", 14 },
		{ "select pid from begin as pid", "'pid' has two meanings in this statement", 25 },
		{ "select pid as b from begin as b", "'b' has two meanings in this statement", 14 },
		{ "select pid as __x from begin", "'__x' cannot be the name of a field", 14 },
		{ "select cast(comm as _COUNTER_) from begin", "only numbers can be summed", 12 },
		{ "select cast(count as _COUNTER_), pid from begin", "put the keys first, then the sums", 12 },
		{ "select cast(begin.TIMESTAMP as hex) as t from begin", "'begin.TIMESTAMP' cannot be cast", 12 },
		{ "select cast(pid as what) from begin", "Cast of 'pid' to unknown type 'what'", 12 },
		{ "select cast(comm as hex) from begin", "Field 'comm' cast to 'hex' but is of type string", 12 },
		{ "select pid - prio as x from begin", "a calculation needs two events: JOIN", 13 },
		{ "select COMM from begin", "COMM is for WHERE; as a key write CAST(common_pid AS comm)", 7 },
		{ "select begin.COMM from begin", "COMM is for WHERE; as a key write CAST(common_pid AS comm)", 7 },
		{ "select pid from begin where comm < 3", "Field 'comm' is not compatible to be compared with the given value", 28 },
		{ "select pid from begin where pid = 12ab", "'12ab' is not a number", 34 },
		{ "select pid from begin where pid = 010", "'010' is not a number", 34 },
		{ "select pid from begin where pid = 99999999999999999999", "the number is too large", 34 },
		{ "select pid from begin where comm = \"x", "the string has no end", 35 },
		{ "select pid from begin where comm = \"\303\244\"", "only printable ASCII is allowed", 36 },
		{ "select pid\001 from begin", "only printable ASCII is allowed", 10 },
		{ "select pid; from begin", "this character has no meaning here", 10 },
		{ "select pid from begin where pid = 1 && prio = 2 || prio = 3", "&& and || beside each other need parentheses", 48 },
		{ "select pid from begin join end on begin.pid = end.next_pid", "a statement with JOIN is an event, not a histogram", 27 },
		/* clang-format on */
	};
	struct tree *t = *state;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct dkt__sql *sql;
		size_t words = strlen("sql: ") + strlen(cases[i].words);
		const char *error, *caret;

		/* Another system may have an event or a field that this one lacks. */
		const bool lacks = strstr(cases[i].words, "there is no event") ||
				   strstr(cases[i].words, "has no field");

		assert_fails(t->ctx, lacks ? -ENOENT : -EINVAL, NULL,
			     dkt__sql_new(t->ctx, cases[i].text, NULL, &sql));
		assert_null(sql);
		error = dkt_error(t->ctx);
		caret = strrchr(error, '\n');
		assert_non_null(caret);
		if (strncmp(error, "sql: ", 5) || strncmp(error + 5, cases[i].words, words - 5) ||
		    error[words] != '\n')
			assert_string_equal(error, cases[i].words);
		if (strlen(cases[i].text) <= 100)
			assert_int_equal(strlen(caret + 1) - 3, cases[i].at);
	}
}

static void test_an_event_of_two_is_refused_with_its_place(void **state)
{
	static const struct {
		const char *text;
		const char *words;
	} cases[] = {
		/* clang-format off */
		{ "select pid from begin", "a statement without JOIN is a histogram, not an event" },
		{ "select start.pid from begin start join end stop", "expected ON before the end" },
		{ "select start.pid from begin start join end stop on", "expected a field before the end" },
		{ "select start.pid from begin start join end stop on start.pid", "expected '=' before the end" },
		{ "select pid" JOIN, "'pid' needs its event: write EVENT.pid" },
		{ "select start.pid from begin start join end start on start.pid = end.next_pid", "'start' has two meanings in this statement" },
		{ "select a.pid from begin a join begin on a.pid = begin.prio", "an event that is joined to itself needs two names: AS name" },
		{ "select a.pid from begin a join begin b on a.pid = b.pid", "each record would be joined to itself: the fields after ON must differ" },
		{ "select a.pid from begin a join begin b on b.pid = a.prio", "the field of FROM's event is on the left" },
		{ "select start.pid from begin start join end stop on start.pid = start.prio", "'start.pid' and 'start.prio' must be a field for each event: 'end' and 'begin'" },
		{ "select start.pid from begin start join end stop on start.comm = stop.next_pid", "Field 'start.comm' is not compatible to match field 'stop.next_pid'" },
		{ "select start.pid, cast(start.prio as hex)" JOIN, "CAST is for histograms, which have no JOIN" },
		{ "select (start.TIMESTAMP - stop.TIMESTAMP) as x" JOIN, "in a calculation, put the field of JOIN's event first and the one of FROM's second" },
		{ "select stop.TIMESTAMP - start.TIMESTAMP" JOIN, "a calculation needs a name: AS name" },
		{ "select start.TIMESTAMP" JOIN, "a time needs a name: AS name" },
		{ "select stop.COMM as c" JOIN, "COMM is for WHERE" },
		{ "select start.pid" JOIN " where start.pid = 1 || stop.ret = 2", "what is between two && can be about one event only" },
		{ "select start.pid" JOIN ", start.pid = stop.next_pid, start.pid = stop.next_pid, start.pid = stop.next_pid", "the kernel's limit is 3 fields" },
		/* clang-format on */
	};
	struct tree *t = *state;
	const struct dkt__sql *sql;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_fails(t->ctx, -EINVAL, NULL, dkt__sql_new(t->ctx, cases[i].text, "e", &sql));
		if (strncmp(dkt_error(t->ctx) + 5, cases[i].words, strlen(cases[i].words)) != 0)
			assert_string_equal(dkt_error(t->ctx), cases[i].words);
	}
	assert_fails(t->ctx, -EINVAL, "sql: 'a b' cannot be the name of an event",
		     dkt__sql_new(t->ctx, "select start.pid" JOIN, "a b", &sql));
}

static void test_a_long_statement_is_refused(void **state)
{
	struct tree *t = *state;
	const struct dkt__sql *sql;
	char *text = malloc(65537);

	assert_non_null(text);
	memset(text, '(', 65536);
	text[65536] = '\0';
	assert_fails(t->ctx, -E2BIG, "sql: the statement has 65536 bytes; the limit is 4095",
		     dkt__sql_new(t->ctx, text, NULL, &sql));
	text[4095] = '\0';
	assert_int_equal(dkt__sql_new(t->ctx, text, NULL, &sql), -EINVAL);
	/* As deep as a condition can be. */
	memcpy(text, "select pid from begin where ", 28);
	memset(text + 28, '!', 4000);
	assert_int_equal(dkt__sql_new(t->ctx, text, NULL, &sql), -EINVAL);
	free(text);
}

static void test_a_context_without_events_says_so(void **state)
{
	const struct dkt__sql *sql;
	struct dkt_ctx *ctx;

	(void)state;
	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	assert_true(dkt__sql_new(ctx, "select pid from begin", NULL, &sql) < 0);
	assert_null(sql);
	dkt__sql_free(sql);
	dkt_ctx_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_statement_without_join_is_a_histogram, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_a_statement_with_join_is_an_event, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_a_wrong_statement_is_refused_with_its_place,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_an_event_of_two_is_refused_with_its_place,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_long_statement_is_refused, setup, teardown),
		cmocka_unit_test(test_a_context_without_events_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
