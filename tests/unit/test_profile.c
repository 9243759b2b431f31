/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Profiles: the tree of call stacks, the functions in it, and the records that it is made of. */
#include "answers/profile/profile.h"
#include "lib/event.h"
#include "lib/inside.h"
#include "lib/source/own_format.h"
#include "tests/helper/check.h"

/* ---- trees ---- */

/* Adds a stack of names, which are single digits from the outermost on. */
static void add(struct profile_tree *tree, enum profile_side side, const char *stack,
		uint64_t weight)
{
	const struct profile_value value = { 1, weight };
	uint32_t at = 0;

	for (; *stack; stack++)
		assert_true(profile_tree_down(tree, &at, (uint32_t)(*stack - '0')) >= 0);
	profile_value_add(&tree->nodes[at].self[side], &value);
}

static int by_number(void *data, const struct profile_node *a, const struct profile_node *b)
{
	(void)data;
	return a->name < b->name ? -1 : a->name > b->name;
}

/* Sets text to "NAMES SELF/TOTAL" of all nodes, in order of their names. */
static const char *text_of(struct profile_tree *tree, enum profile_side side)
{
	static char text[1024];
	size_t len = 0;

	text[0] = '\0';
	assert_int_equal(profile_tree_link(tree, by_number, NULL), 0);
	for (uint32_t i = 0; (i = profile_tree_next(tree, 0, i, true));) {
		char names[16] = "";
		uint32_t n = profile_tree_depth(tree, i);

		for (uint32_t node = i; n; node = tree->nodes[node].parent)
			names[--n] = (char)('0' + tree->nodes[node].name);
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s %d/%d",
					len ? ", " : "", names,
					(int)tree->nodes[i].self[side].weight,
					(int)tree->nodes[i].total[side].weight);
	}
	return text;
}

static void make(struct profile_tree *tree)
{
	assert_int_equal(profile_tree_init(tree, 100), 0);
	add(tree, PROFILE_NOW, "12", 5);
	add(tree, PROFILE_NOW, "123", 7);
	add(tree, PROFILE_NOW, "143", 2);
	add(tree, PROFILE_NOW, "12", 1);
	profile_tree_sum(tree);
}

static void a_node_has_the_weight_of_all_stacks_through_it(void **state)
{
	struct profile_tree tree;

	(void)state;
	make(&tree);
	assert_string_equal(text_of(&tree, PROFILE_NOW),
			    "1 0/15, 12 6/13, 123 7/7, 14 0/2, 143 2/2");
	assert_int_equal(tree.nodes[0].total[PROFILE_NOW].samples, 4);
	profile_tree_clear(&tree);
}

static void a_tree_of_callers_has_the_same_totals(void **state)
{
	struct profile_tree tree, callers;

	(void)state;
	make(&tree);
	assert_int_equal(profile_tree_init(&callers, 100), 0);
	assert_int_equal(profile_tree_callers(&tree, &callers), 0);
	assert_string_equal(text_of(&callers, PROFILE_NOW),
			    "2 0/6, 21 6/6, 3 0/9, 32 0/7, 321 7/7, 34 0/2, 341 2/2");
	assert_memory_equal(callers.nodes[0].total, tree.nodes[0].total,
			    sizeof(tree.nodes[0].total));
	profile_tree_clear(&callers);
	profile_tree_clear(&tree);
}

static uint32_t four_is_two(void *data, const struct profile_tree *tree, uint32_t node)
{
	(void)data;
	return tree->nodes[node].name == 4 ? 2 : tree->nodes[node].name;
}

static uint32_t without_two(void *data, const struct profile_tree *tree, uint32_t node)
{
	const uint32_t *instead = data;

	return tree->nodes[node].name == 2 ? *instead : tree->nodes[node].name;
}

static void renamed_nodes_are_merged_left_out_or_the_last_ones(void **state)
{
	uint32_t instead = PROFILE_SKIP;
	struct profile_tree tree, other;

	(void)state;
	make(&tree);
	assert_int_equal(profile_tree_init(&other, 100), 0);
	assert_int_equal(profile_tree_rename(&tree, four_is_two, NULL, &other, NULL), 0);
	assert_string_equal(text_of(&other, PROFILE_NOW), "1 0/15, 12 6/15, 123 9/9");
	profile_tree_clear(&other);

	assert_int_equal(profile_tree_init(&other, 100), 0);
	assert_int_equal(profile_tree_rename(&tree, without_two, &instead, &other, NULL), 0);
	assert_string_equal(text_of(&other, PROFILE_NOW), "1 6/15, 13 7/7, 14 0/2, 143 2/2");
	profile_tree_clear(&other);

	instead = PROFILE_STOP;
	assert_int_equal(profile_tree_init(&other, 100), 0);
	assert_int_equal(profile_tree_rename(&tree, without_two, &instead, &other, NULL), 0);
	assert_string_equal(text_of(&other, PROFILE_NOW), "1 13/15, 14 0/2, 143 2/2");
	profile_tree_clear(&other);
	profile_tree_clear(&tree);
}

static void both_sides_share_the_nodes(void **state)
{
	struct profile_tree tree;

	(void)state;
	make(&tree);
	add(&tree, PROFILE_BEFORE, "14", 10);
	add(&tree, PROFILE_BEFORE, "15", 10);
	profile_tree_sum(&tree);
	assert_string_equal(text_of(&tree, PROFILE_NOW),
			    "1 0/15, 12 6/13, 123 7/7, 14 0/2, 143 2/2, 15 0/0");
	assert_string_equal(text_of(&tree, PROFILE_BEFORE),
			    "1 0/20, 12 0/0, 123 0/0, 14 10/10, 143 0/0, 15 10/10");
	profile_tree_clear(&tree);
}

static void a_full_tree_keeps_what_it_has(void **state)
{
	struct profile_tree tree;
	uint32_t at = 0, same;

	(void)state;
	assert_int_equal(profile_tree_init(&tree, 3), 0);
	assert_int_equal(profile_tree_down(&tree, &at, 1), 0);
	assert_int_equal(profile_tree_down(&tree, &at, 2), 0);
	same = at;
	assert_int_equal(profile_tree_down(&tree, &at, 3), 1);
	assert_int_equal(at, same);
	at = 0;
	assert_int_equal(profile_tree_down(&tree, &at, 1), 0);
	assert_int_equal(at, 1);
	profile_tree_clear(&tree);
}

/* ---- profiles of records ---- */

static const char record_text[] = "  a-1 [000] 10.000000: made: x\n"
				  " => f1\n => f2\n"
				  "  a-1 [001] 10.020000: made: x\n"
				  " => f1\n => f2\n"
				  "  a-1 [000] 10.040000: made: without a stack\n"
				  "  b-2 [001] 11.500000: sys_enter: NR 1 (0, 0, 0, 0, 0, 0)\n"
				  " => f3\n => f2\n => f3\n"
				  "  b-2 [000] 11.500001: made: x\n"
				  " => f1\n => do [mod]\n => /lib/lib.so[+0x10]\n => 0x401000\n";

/* Adds the records of a text. */
static void read_text(struct profile *profile, enum profile_side side, const char *text)
{
	char path[] = "/tmp/dkt-profile-XXXXXX";
	const int fd = mkstemp(path);
	struct dkt_source *source = NULL;
	struct dkt_ctx *ctx = NULL;
	struct dkt_record record;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	assert_ok(ctx, dkt_source_open(ctx, path, NULL, &source));
	profile->side = side;
	while (!dkt_source_next(source, &record))
		assert_int_equal(profile_add(profile, ctx, 0, source, &record), 0);
	assert_int_equal(profile_end(profile), 0);
	dkt_source_close(source);
	dkt_ctx_free(ctx);
	close(fd);
	unlink(path);
}

/* Returns "COMM;NAME;... SAMPLES" of all stacks of a side, in order of their names. */
static const char *stacks_of(struct profile *profile, enum profile_side side)
{
	static char text[2048];
	struct profile_tree *tree = &profile->tree;
	size_t len = 0;

	text[0] = '\0';
	assert_int_equal(profile_tree_link(tree, profile_by_name, profile), 0);
	for (uint32_t i = 0; (i = profile_tree_next(tree, 0, i, true));) {
		uint32_t path[16], n = profile_tree_depth(tree, i);

		if (!tree->nodes[i].self[side].samples)
			continue;
		assert_true(n <= 16);
		for (uint32_t node = i, j = n; j; node = tree->nodes[node].parent)
			path[--j] = node;
		for (uint32_t j = 0; j < n; j++)
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s",
						j   ? ";" :
						len ? ", " :
						      "",
						profile_names_text(&profile->names,
								   tree->nodes[path[j]].name));
		len += (size_t)snprintf(text + len, sizeof(text) - len, " %d",
					(int)tree->nodes[i].self[side].samples);
	}
	return text;
}

static void begin(struct profile *profile, unsigned int by)
{
	const struct profile_opts opts = { .by = by };

	assert_int_equal(profile_init(profile, &opts), 0);
}

static void records_with_stacks_are_samples(void **state)
{
	struct profile profile;

	(void)state;
	begin(&profile, PROFILE_BY_COMM);
	read_text(&profile, PROFILE_NOW, record_text);
	assert_string_equal(stacks_of(&profile, PROFILE_NOW),
			    "a;f2;f1 2, b;[unknown];[lib.so];do;f1 1, b;f3;f2;f3 1");
	assert_int_equal(profile.facts[PROFILE_NOW].all.samples, 4);
	assert_int_equal(profile.facts[PROFILE_NOW].cpus, 2);
	assert_int_equal(profile.facts[PROFILE_NOW].last - profile.facts[PROFILE_NOW].first,
			 1500001000);
	assert_int_equal(profile.n_events, 2);
	assert_int_equal(profile_unknown(&profile), 0);
	profile_clear(&profile);
}

static void stacks_are_grouped_by_what_is_asked_for(void **state)
{
	struct profile profile;

	(void)state;
	begin(&profile, PROFILE_BY_EVENT | PROFILE_BY_TID | PROFILE_BY_CPU);
	read_text(&profile, PROFILE_NOW, record_text);
	assert_string_equal(stacks_of(&profile, PROFILE_NOW),
			    "raw_syscalls:sys_enter;tid 2;cpu 1;f3;f2;f3 1, "
			    "text:made;tid 1;cpu 0;f2;f1 1, text:made;tid 1;cpu 1;f2;f1 1, "
			    "text:made;tid 2;cpu 0;[unknown];[lib.so];do;f1 1");
	profile_clear(&profile);
}

static void a_function_counts_once_in_a_stack(void **state)
{
	struct profile profile;
	struct profile_sum *sums;
	size_t n, found = 0;

	(void)state;
	begin(&profile, 0);
	read_text(&profile, PROFILE_NOW, record_text);
	assert_string_equal(stacks_of(&profile, PROFILE_NOW),
			    "[unknown];[lib.so];do;f1 1, f2;f1 2, f3;f2;f3 1");
	assert_int_equal(profile_sums(&profile, &sums, &n), 0);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(profile_names_text(&profile.names, sums[i].name), "f3") != 0)
			continue;
		found++;
		assert_int_equal(sums[i].self[PROFILE_NOW].samples, 1);
		assert_int_equal(sums[i].total[PROFILE_NOW].samples, 1);
	}
	assert_int_equal(found, 1);
	assert_int_equal(n, 6);
	free(sums);
	profile_clear(&profile);
}

static void modules_and_libraries_are_known(void **state)
{
	struct profile profile;
	size_t found = 0;

	(void)state;
	begin(&profile, 0);
	read_text(&profile, PROFILE_NOW, record_text);
	for (uint32_t i = 0; i < profile.names.n; i++) {
		const char *text = profile_names_text(&profile.names, i),
			   *where = profile_names_where(&profile.names, i);

		if (!strcmp(text, "do")) {
			assert_string_equal(where, "mod");
			assert_int_equal(profile.names.list[i].kind, PROFILE_KERNEL);
			found++;
		} else if (!strcmp(text, "[lib.so]")) {
			assert_string_equal(where, "lib.so");
			assert_int_equal(profile.names.list[i].kind, PROFILE_USER);
			found++;
		} else if (!strcmp(text, "f1")) {
			assert_string_equal(where, "kernel");
			found++;
		}
	}
	assert_int_equal(found, 3);
	profile_clear(&profile);
}

static void functions_that_record_the_event_are_left_out(void **state)
{
	struct profile profile;

	(void)state;
	begin(&profile, 0);
	read_text(
		&profile, PROFILE_NOW,
		"# tracer: nop\n"
		"  a-1 [000] 10.000000: made: x\n"
		"  a-1 [000] 10.000000: <stack trace>\n"
		" => trace_event_raw_event_made\n => __traceiter_made\n => f1\n => trace_event_f\n"
		"  a-1 [000] 10.000001: made: x\n"
		"  a-1 [000] 10.000001: <stack trace>\n"
		" => trace_event_raw_event_made\n"
		/* Perf's own stacks are as it has them. */
		"  a-1 [000] 10.000002: made: x\n"
		" => __traceiter_made\n => f2\n");
	assert_string_equal(
		stacks_of(&profile, PROFILE_NOW),
		"f2;__traceiter_made 1, trace_event_f;f1 1, trace_event_raw_event_made 1");
	profile_clear(&profile);
}

static void an_earlier_profile_has_the_same_functions(void **state)
{
	struct profile profile;

	(void)state;
	begin(&profile, PROFILE_BY_COMM);
	read_text(&profile, PROFILE_NOW, record_text);
	read_text(&profile, PROFILE_BEFORE,
		  "  a-9 [003] 99.000000: made: x\n => f1\n => f2\n"
		  "  c-9 [003] 99.000001: made: x\n => f4\n");
	assert_string_equal(stacks_of(&profile, PROFILE_BEFORE), "a;f2;f1 1, c;f4 1");
	assert_string_equal(stacks_of(&profile, PROFILE_NOW),
			    "a;f2;f1 2, b;[unknown];[lib.so];do;f1 1, b;f3;f2;f3 1");
	assert_int_equal(profile.facts[PROFILE_BEFORE].all.samples, 2);
	profile_clear(&profile);
}

static void a_heat_map_has_the_fiftieths_of_seconds(void **state)
{
	struct profile_cell cell;
	struct profile profile;

	(void)state;
	begin(&profile, 0);
	read_text(&profile, PROFILE_NOW, record_text);
	assert_int_equal(profile.heat.seconds, 2);
	assert_int_equal(profile.heat.most, 2);
	assert_int_equal(profile_heat_cell(&profile.heat, 1, &cell), 0);
	assert_int_equal(cell.second, 0);
	assert_int_equal(cell.row, 1);
	assert_int_equal(profile_heat_cell(&profile.heat, 2, &cell), 0);
	assert_int_equal(cell.second, 1);
	assert_int_equal(cell.row, 25);
	assert_int_equal(cell.samples, 2);
	assert_int_equal(profile_heat_cell(&profile.heat, 3, &cell), 1);
	profile_clear(&profile);
}

/* ---- samples of counters ---- */

/* The records of a made-up file of perf. */
struct counters {
	struct dkt_ctx *ctx;
	struct dkt_source *source;
	struct dkt_event *clock, *cycles, *point, *stack;
	struct profile profile;
};

static int no_next(void *data, struct dkt_record *record)
{
	(void)data;
	(void)record;
	return DKT_NEXT_END;
}

static const char *comm_of(void *data, const struct dkt_record *record)
{
	(void)data;
	(void)record;
	return "a";
}

#define PERIOD_FORMAT(name, id)                                                                    \
	"name: " name "\nID: " id "\n" DKT__FORMAT_COMMON                                          \
	"\tfield:u64 period;\toffset:8;\tsize:8;\tsigned:0;\n\nprint fmt: \"\"\n"

static void open_counters(struct counters *room, const struct profile_opts *opts)
{
	const DKT_OPTS(dkt__source_calls, calls, .next = no_next, .comm = comm_of);

	assert_int_equal(dkt_ctx_new(NULL, &room->ctx), 0);
	assert_ok(room->ctx, dkt__source_make(room->ctx, &calls, NULL, NULL, NULL, &room->source));
	assert_ok(room->ctx, dkt__event_define(room->ctx, "perf", "cpu_clock",
					       PERIOD_FORMAT("cpu_clock", "100"), &room->clock));
	assert_ok(room->ctx, dkt__event_define(room->ctx, "perf", "cycles",
					       PERIOD_FORMAT("cycles", "101"), &room->cycles));
	assert_ok(room->ctx, dkt__event_define(room->ctx, "sched", "point",
					       PERIOD_FORMAT("point", "102"), &room->point));
	assert_ok(room->ctx, dkt__event_define(room->ctx, "ftrace", "kernel_stack",
					       DKT__FORMAT_KERNEL_STACK, &room->stack));
	assert_int_equal(profile_init(&room->profile, opts), 0);
}

static void close_counters(struct counters *room)
{
	profile_clear(&room->profile);
	dkt_source_close(room->source);
	dkt_ctx_free(room->ctx);
}

/* Adds a sample with a stack of one address, which it carries. */
static void add_counter(struct counters *room, struct dkt_event *event, uint64_t period)
{
	const uint64_t data[] = { 0, period },
		       stack_data[] = { 0, 1, UINT64_C(0xffffffff81000000) };
	const struct dkt_stack stack = { .event = room->stack,
					 .data = stack_data,
					 .size = sizeof(stack_data) };
	const struct dkt_record record = { .ts = 1000,
					   .event = event,
					   .data = data,
					   .size = sizeof(data),
					   .pid = 1,
					   .stacks = &stack };

	assert_int_equal(profile_add(&room->profile, room->ctx, 0, room->source, &record), 0);
}

static void samples_weigh_as_much_as_their_periods(void **state)
{
	const struct profile_opts opts = { .by = PROFILE_BY_COMM };
	struct counters room;

	(void)state;
	open_counters(&room, &opts);
	add_counter(&room, room.clock, 1000);
	add_counter(&room, room.clock, 30);
	assert_int_equal(profile_end(&room.profile), 0);
	assert_string_equal(stacks_of(&room.profile, PROFILE_NOW), "a;[unknown] 2");
	assert_int_equal(room.profile.facts[PROFILE_NOW].all.weight, 1030);
	assert_true(room.profile.weighs && room.profile.is_time);
	assert_int_equal(profile_unknown(&room.profile), 2);
	close_counters(&room);
}

static void samples_can_count_one_each(void **state)
{
	const struct profile_opts opts = { .weigh = PROFILE_BY_COUNT };
	struct counters room;

	(void)state;
	open_counters(&room, &opts);
	add_counter(&room, room.clock, 1000);
	add_counter(&room, room.clock, 30);
	assert_int_equal(profile_end(&room.profile), 0);
	assert_int_equal(room.profile.facts[PROFILE_NOW].all.weight, 2);
	assert_false(room.profile.weighs);
	close_counters(&room);
}

static void different_counters_are_not_added_up(void **state)
{
	const struct profile_opts opts = { .by = PROFILE_BY_COMM },
				  each = { .by = PROFILE_BY_EVENT };
	struct counters room;

	(void)state;
	open_counters(&room, &opts);
	add_counter(&room, room.cycles, 7);
	add_counter(&room, room.clock, 1000);
	add_counter(&room, room.point, 1000);
	assert_int_equal(profile_end(&room.profile), 0);
	assert_int_equal(room.profile.facts[PROFILE_NOW].all.weight, 7);
	assert_false(room.profile.is_time);
	assert_int_equal(room.profile.n_events, 3);
	assert_string_equal(room.profile.events[1]->name, "cpu_clock");
	assert_false(room.profile.events[1]->shown);
	assert_int_equal(room.profile.events[1]->samples[PROFILE_NOW], 1);
	close_counters(&room);

	open_counters(&room, &each);
	add_counter(&room, room.cycles, 7);
	add_counter(&room, room.clock, 1000);
	assert_int_equal(profile_end(&room.profile), 0);
	assert_string_equal(stacks_of(&room.profile, PROFILE_NOW),
			    "cpu_clock;[unknown] 1, cycles;[unknown] 1");
	close_counters(&room);
}

static void a_stack_that_is_too_deep_is_cut_and_counted(void **state)
{
	const struct profile_opts opts = { .by = PROFILE_BY_COMM };
	static uint64_t addresses[2 + 1030];
	struct counters room;
	struct dkt_stack stack = { .data = addresses, .size = sizeof(addresses) };
	struct dkt_record record = { .ts = 1000, .pid = 1, .stacks = &stack };

	(void)state;
	for (size_t i = 0; i < 1030; i++)
		addresses[2 + i] = UINT64_C(0xffffffff81000000) + i;
	open_counters(&room, &opts);
	stack.event = room.stack;
	record.event = room.point;
	for (int i = 0; i < 2; i++)
		assert_int_equal(profile_add(&room.profile, room.ctx, 0, room.source, &record), 0);
	assert_int_equal(profile_end(&room.profile), 0);
	assert_int_equal(room.profile.tree.n, 1 + 1 + 1024);
	assert_int_equal(room.profile.facts[PROFILE_NOW].cut, 2);
	assert_int_equal(room.profile.facts[PROFILE_NOW].all.samples, 2);
	close_counters(&room);
}

static void tracepoints_count_one_whatever_fields_they_have(void **state)
{
	const struct profile_opts opts = { .by = PROFILE_BY_COMM };
	struct counters room;

	(void)state;
	open_counters(&room, &opts);
	add_counter(&room, room.point, 1000);
	add_counter(&room, room.clock, 1000);
	assert_int_equal(profile_end(&room.profile), 0);
	assert_int_equal(room.profile.facts[PROFILE_NOW].all.weight, 1);
	assert_false(room.profile.events[1]->shown);
	close_counters(&room);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_node_has_the_weight_of_all_stacks_through_it),
		cmocka_unit_test(a_tree_of_callers_has_the_same_totals),
		cmocka_unit_test(renamed_nodes_are_merged_left_out_or_the_last_ones),
		cmocka_unit_test(both_sides_share_the_nodes),
		cmocka_unit_test(a_full_tree_keeps_what_it_has),
		cmocka_unit_test(records_with_stacks_are_samples),
		cmocka_unit_test(stacks_are_grouped_by_what_is_asked_for),
		cmocka_unit_test(a_function_counts_once_in_a_stack),
		cmocka_unit_test(modules_and_libraries_are_known),
		cmocka_unit_test(functions_that_record_the_event_are_left_out),
		cmocka_unit_test(an_earlier_profile_has_the_same_functions),
		cmocka_unit_test(a_heat_map_has_the_fiftieths_of_seconds),
		cmocka_unit_test(samples_weigh_as_much_as_their_periods),
		cmocka_unit_test(samples_can_count_one_each),
		cmocka_unit_test(different_counters_are_not_added_up),
		cmocka_unit_test(a_stack_that_is_too_deep_is_cut_and_counted),
		cmocka_unit_test(tracepoints_count_one_whatever_fields_they_have),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
