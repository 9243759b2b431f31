/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Histograms: names of numbers, by the event's print format, of devices and processes. */
#include "lib/hist.h"
#include "lib/inside.h"
#include "tests/helper/check.h"
#include "tests/helper/pages.h"

#define ID_ONE 7
#define ID_TWO 8

struct tree {
	char root[TREE_NAME];
	struct dkt_ctx *ctx;
	struct dkt_event *one, *two;
};

struct entry {
	uint16_t type;
	uint8_t flags, preempt;
	int32_t pid;
	uint32_t vec;
	uint32_t dev;
	uint64_t mask;
	int32_t next_pid;
	char next_comm[16];
	int32_t part;
} __attribute__((packed));

#define FIELDS                                                                                     \
	"\tfield:unsigned int vec;\toffset:8;\tsize:4;\tsigned:0;\n"                               \
	"\tfield:dev_t dev;\toffset:12;\tsize:4;\tsigned:0;\n"                                     \
	"\tfield:unsigned long mask;\toffset:16;\tsize:8;\tsigned:0;\n"                            \
	"\tfield:pid_t next_pid;\toffset:24;\tsize:4;\tsigned:1;\n"                                \
	"\tfield:char next_comm[16];\toffset:28;\tsize:16;\tsigned:0;\n"                           \
	"\tfield:int part;\toffset:44;\tsize:4;\tsigned:1;\n"

static int setup(void **state)
{
	struct tree *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	assert_int_equal(tree_make(t->root), 0);
	tree_event(
		t->root, "made", "one", ID_ONE, FIELDS,
		"\"vec=%u [%s] %s %s\", REC->vec, __print_symbolic(REC->vec, { 0, \"HI\" }, { 1,"
		" \"TIMER\" }), __print_flags(REC->mask, \"|\", { 1UL, \"READ\" }, { 4UL,"
		" \"SYNC\" }), __print_symbolic(REC->part & 1, { 0, \"even\" }, { 1, \"odd\" })");
	tree_event(t->root, "made", "two", ID_TWO, FIELDS,
		   "\"%s\", __print_symbolic(REC->vec, { 0, \"LOW\" }, { 1, \"TIMER\" })");
	tree_text(t->root, "available_events", "made:one\nmade:two\n");
	t->ctx = tree_ctx(t->root);
	assert_non_null(t->ctx);
	t->one = dkt_event_find(t->ctx, "made", "one");
	t->two = dkt_event_find(t->ctx, "made", "two");
	assert_true(t->one && t->two);
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

static void add(struct dkt_hist *hist, struct dkt_event *event, const struct entry *entry)
{
	struct dkt_record record = {
		.event = event, .data = entry, .size = sizeof(*entry), .pid = 42
	};

	assert_int_equal(dkt_hist_add(hist, NULL, &record), 0);
}

static const struct entry entries[] = {
	{ .vec = 1, .dev = 254 << 20 | 3, .mask = 5, .next_pid = 7, .next_comm = "seven", .part = 3 },
	{ .vec = 0,
	  .dev = 8 << 20 | 0xfffff,
	  .mask = 0x10,
	  .next_pid = 0,
	  .next_comm = "swapper/0" },
	{ .vec = 9,
	  .dev = 0,
	  .mask = 0,
	  .next_pid = -1,
	  .next_comm = { '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e',
			 'f' },
	  .part = 2 },
};

/* Texts of the rows, in order of the key. */
static void expect(struct tree *t, const char *keys, struct dkt_event *second, bool named,
		   const char *rows)
{
	DKT_OPTS(dkt_hist_opts, opts, .keys = keys);
	const struct dkt_table_info *info;
	struct dkt_table *table;
	struct dkt_hist *hist;
	struct dkt_buf *buf;
	size_t i, len;

	assert_ok(t->ctx, dkt_hist_new(t->ctx, &opts, &hist));
	assert_int_equal(dkt_hist_event(hist, t->one), 0);
	if (second)
		assert_int_equal(dkt_hist_event(hist, second), 0);
	for (i = 0; i < ARRAY_SIZE(entries); i++)
		add(hist, second && i ? second : t->one, &entries[i]);
	assert_int_equal(dkt_hist_read(hist, NULL, &table), 0);
	info = dkt_table_info(table);
	assert_int_equal(info->columns[0]->is_named, named);
	assert_int_equal(dkt_table_sort(table, info->columns[0]->name), 0);
	assert_int_equal(dkt_buf_new(&buf), 0);
	for (i = 0; i < info->n_rows; i++) {
		dkt_buf_str(buf, i ? " " : "");
		dkt_table_text(table, i, 0, buf);
	}
	dkt__buf_add(buf, "", 1);
	assert_string_equal(dkt_buf_data(buf, &len), rows);
	dkt_buf_free(buf);
	dkt_table_free(table);
	dkt_hist_free(hist);
}

static void the_print_format_names_numbers(void **state)
{
	expect(*state, "vec", NULL, true, "HI TIMER 0x9");
	expect(*state, "vec.dec", NULL, false, "0 1 9");
	expect(*state, "vec.hex", NULL, false, "0x0 0x1 0x9");
	expect(*state, "mask", NULL, true, "0 READ|SYNC 0x10");
}

/* A part of a field would give two numbers one name. */
static void a_part_of_a_field_has_no_names(void **state)
{
	expect(*state, "part", NULL, false, "0 2 3");
}

static void events_with_different_names_show_numbers(void **state)
{
	struct tree *t = *state;

	expect(t, "vec", t->two, false, "0 1 9");
	expect(t, "vec", t->one, true, "HI TIMER 0x9");
}

/* A tree is of another machine, so its numbers are not devices of this one. */
static void device_numbers_of_a_tree_stay_numbers(void **state)
{
	expect(*state, "dev", NULL, true, "0,0 8,1048575 254,3");
	expect(*state, "dev.dec", NULL, false, "0 9437183 266338307");
}

static void process_ids_have_names(void **state)
{
	struct tree *t = *state;
	DKT_OPTS(dkt_hist_opts, opts, .keys = "next_pid.execname,part.execname");
	struct dkt_hist *hist;

	expect(t, "next_pid.execname", NULL, false, "0123456789abcdef[-1] swapper/0[0] seven[7]");
	expect(t, "next_pid", NULL, false, "-1 0 7");
	assert_int_equal(dkt_hist_new(t->ctx, &opts, &hist), -EINVAL);
	assert_has(dkt_error(t->ctx), "only one key can have execname");
	opts.keys = "part.execname";
	assert_ok(t->ctx, dkt_hist_new(t->ctx, &opts, &hist));
	assert_fails(t->ctx, -EINVAL,
		     "made:one: .execname works with a process ID only"
		     ", and 'part' is none",
		     dkt_hist_event(hist, t->one));
	dkt_hist_free(hist);
}

/* The kernel gets only modifiers that it knows. */
static void the_kernel_gets_modifiers_that_it_knows(void **state)
{
	struct tree *t = *state;
	DKT_OPTS(dkt_hist_opts, opts, .keys = "vec.dec,mask.hex");
	struct dkt_hist *hist;
	char *text;

	assert_ok(t->ctx, dkt_hist_new(t->ctx, &opts, &hist));
	assert_int_equal(dkt_hist_event(hist, t->one), 0);
	assert_int_equal(dkt__hist_trigger(hist, t->one, &text), 0);
	assert_string_equal(text, "hist:keys=vec,mask.hex:size=2048");
	free(text);
	dkt_hist_free(hist);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_print_format_names_numbers, setup, teardown),
		cmocka_unit_test_setup_teardown(a_part_of_a_field_has_no_names, setup, teardown),
		cmocka_unit_test_setup_teardown(events_with_different_names_show_numbers, setup,
						teardown),
		cmocka_unit_test_setup_teardown(device_numbers_of_a_tree_stay_numbers, setup,
						teardown),
		cmocka_unit_test_setup_teardown(process_ids_have_names, setup, teardown),
		cmocka_unit_test_setup_teardown(the_kernel_gets_modifiers_that_it_knows, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
