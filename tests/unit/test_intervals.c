/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pairs of records: keys, groups, nesting, gaps; and the data structures below. */
#include "lib/base/intern.h"
#include "lib/base/keymap.h"
#include "lib/intervals.h"
#include "tests/helper/intervals.h"
#include "tests/helper/pages.h"

#define ID_BEGIN 7
#define ID_END   8

#define FIELD_ID "\tfield:u32 id;\toffset:8;\tsize:4;\tsigned:0;\n"

struct tree {
	char root[TREE_NAME];
	struct dkt_ctx *ctx;
	struct dkt_event *begin, *end;
	struct dkt_intervals *pairs;
};

/* struct trace_entry, then what both events have. */
struct entry {
	uint16_t type;
	uint8_t flags, preempt;
	int32_t pid;
	uint32_t id;
};

static int setup(void **state)
{
	struct tree *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	assert_int_equal(tree_make(t->root), 0);
	tree_event(t->root, "made", "begin", ID_BEGIN,
		   FIELD_ID "\tfield:char name[8];\toffset:12;\tsize:8;\tsigned:0;\n",
		   "\"%u\", REC->id");
	tree_event(t->root, "made", "end", ID_END, FIELD_ID, "\"%u\", REC->id");
	tree_text(t->root, "available_events", "made:begin\nmade:end\n");
	t->ctx = tree_ctx(t->root);
	assert_non_null(t->ctx);
	t->begin = dkt_event_find(t->ctx, "made", "begin");
	t->end = dkt_event_find(t->ctx, "made", "end");
	assert_non_null(t->begin);
	assert_non_null(t->end);
	*state = t;
	return 0;
}

static int teardown(void **state)
{
	struct tree *t = *state;

	dkt_intervals_free(t->pairs);
	dkt_ctx_free(t->ctx);
	assert_int_equal(tree_remove(t->root), 0);
	free(t);
	return 0;
}

static void start(struct tree *t, const char *key, const char *by)
{
	DKT_OPTS(dkt_intervals_opts, opts, .key = key, .by = by, .slowest = 2);

	assert_ok(t->ctx, dkt_intervals_new(t->ctx, &opts, &t->pairs));
	assert_int_equal(dkt_intervals_event(t->pairs, t->begin, DKT_INTERVAL_BEGIN), 0);
	assert_int_equal(dkt_intervals_event(t->pairs, t->end, DKT_INTERVAL_END), 0);
}

static void add(struct tree *t, bool begin, uint64_t ts, uint32_t cpu, int32_t pid, uint32_t id)
{
	struct entry entry = { .type = begin ? ID_BEGIN : ID_END, .pid = pid, .id = id };
	uint8_t bytes[20] = { 0 };
	struct dkt_record record = { .ts = ts,
				     .event = begin ? t->begin : t->end,
				     .data = bytes,
				     .size = begin ? 20 : 12,
				     .cpu = cpu,
				     .pid = pid };

	memcpy(bytes, &entry, sizeof(entry));
	snprintf((char *)bytes + 12, 8, "n%u", id);
	assert_int_equal(dkt_intervals_add(t->pairs, NULL, &record), 0);
}

static void lose(struct tree *t, uint64_t ts, uint32_t cpu)
{
	struct dkt_record record = { .ts = ts, .cpu = cpu, .lost = 3 };

	assert_int_equal(dkt_intervals_add(t->pairs, NULL, &record), 0);
}

/* Events that the kernel does not have are told apart. */
static void defined_events_pair(void **state)
{
	static const char format[] = "name: %s\nID: 8\nformat:\n" FIELD_ID "\nprint fmt: \"\"\n";
	struct tree *t = *state;
	char text[256];

	snprintf(text, sizeof(text), format, "begin");
	assert_ok(t->ctx, dkt__event_define(t->ctx, "own", "begin", text, &t->begin));
	snprintf(text, sizeof(text), format, "end");
	assert_ok(t->ctx, dkt__event_define(t->ctx, "own", "end", text, &t->end));
	start(t, "id", NULL);
	add(t, true, 1000, 0, 1, 5);
	add(t, false, 4000, 0, 1, 5);
	assert_int_equal(all_of(t->pairs).count, 1);
	assert_int_equal(all_of(t->pairs).max, 3000);
	/* If the two were one event, the second record would begin another pair. */
	assert_int_equal(info_of(t->pairs).open, 0);
}

static void pairs_by_key(void **state)
{
	struct tree *t = *state;
	struct dkt_latency latency;
	struct dkt_slow slow;

	start(t, "common_pid,id", NULL);
	add(t, true, 100, 0, 1, 5);
	add(t, true, 110, 1, 2, 5);
	add(t, true, 120, 0, 1, 6);
	add(t, false, 150, 0, 1, 6); /* 30 */
	add(t, false, 200, 1, 1, 5); /* 100 */
	add(t, false, 210, 1, 3, 5); /* nobody's */
	latency = all_of(t->pairs);
	assert_int_equal(latency.count, 2);
	assert_int_equal(latency.min, 30);
	assert_int_equal(latency.max, 100);
	assert_int_equal(latency.sum, 130);
	assert_int_equal(dkt_intervals_quantile(t->pairs, DKT_INTERVALS_ALL, 0.5), 30);
	assert_int_equal(dkt_intervals_quantile(t->pairs, DKT_INTERVALS_ALL, 0.51), 100);
	assert_int_equal(dkt_intervals_power(t->pairs, DKT_INTERVALS_ALL, 4), 1);
	assert_int_equal(dkt_intervals_power(t->pairs, DKT_INTERVALS_ALL, 6), 1);
	assert_int_equal(info_of(t->pairs).unmatched_ends, 1);
	assert_int_equal(info_of(t->pairs).open, 1);
	/* Their records are as they were. */
	assert_int_equal(dkt_intervals_slow(t->pairs, 0, &slow, sizeof(slow)), 0);
	assert_int_equal(slow.ns, 100);
	assert_int_equal(slow.begin.ts, 100);
	assert_int_equal(dkt_record_int(&slow.begin, dkt_event_field(t->begin, "id")), 5);
	assert_int_equal(slow.end.cpu, 1);
	assert_int_equal(dkt_intervals_slow(t->pairs, 1, &slow, sizeof(slow)), 0);
	assert_int_equal(slow.ns, 30);
	assert_int_equal(dkt_intervals_slow(t->pairs, 2, &slow, sizeof(slow)), 1);
}

static void the_later_beginning_counts(void **state)
{
	struct tree *t = *state;

	start(t, "common_pid", NULL);
	add(t, true, 100, 0, 1, 0);
	add(t, true, 200, 0, 1, 0);
	add(t, false, 210, 0, 1, 0);
	add(t, false, 300, 0, 1, 0);
	assert_int_equal(all_of(t->pairs).count, 1);
	assert_int_equal(all_of(t->pairs).sum, 10);
	assert_int_equal(info_of(t->pairs).nested, 1);
	assert_int_equal(info_of(t->pairs).unmatched_ends, 1);
}

static void pairs_are_grouped_by_name(void **state)
{
	struct tree *t = *state;
	struct dkt_latency latency;

	start(t, "common_pid", "name");
	add(t, true, 100, 0, 1, 3);
	add(t, false, 110, 0, 1, 3);
	add(t, true, 200, 0, 1, 4);
	add(t, false, 230, 0, 1, 9);
	add(t, true, 300, 0, 1, 3);
	add(t, false, 320, 0, 1, 3);
	assert_int_equal(dkt_intervals_group(t->pairs, 0, &latency, sizeof(latency)), 0);
	assert_string_equal(latency.name, "n3");
	assert_int_equal(latency.count, 2);
	assert_int_equal(dkt_intervals_group(t->pairs, 1, &latency, sizeof(latency)), 0);
	assert_string_equal(latency.name, "n4");
	assert_int_equal(latency.sum, 30);
	assert_false(latency.is_number);
	assert_int_equal(dkt_intervals_group(t->pairs, 2, &latency, sizeof(latency)), 1);
	assert_int_equal(all_of(t->pairs).count, 3);
}

static void pairs_are_grouped_by_number(void **state)
{
	struct tree *t = *state;
	struct dkt_latency latency;

	start(t, "common_pid", "common_pid");
	add(t, true, 100, 0, 7, 3);
	add(t, false, 110, 0, 7, 3);
	assert_int_equal(dkt_intervals_group(t->pairs, 0, &latency, sizeof(latency)), 0);
	assert_string_equal(latency.name, "7");
	assert_true(latency.is_number && latency.is_signed);
	assert_int_equal(latency.number, 7);
	dkt_intervals_group(t->pairs, DKT_INTERVALS_ALL, &latency, sizeof(latency));
	assert_false(latency.is_number);
}

static void no_pair_spans_a_gap(void **state)
{
	struct tree *t = *state;
	struct dkt_slow slow;

	start(t, "common_pid", NULL);
	add(t, true, 100, 0, 1, 0);
	add(t, false, 110, 0, 1, 0); /* before it: counts */
	add(t, true, 120, 0, 2, 0);
	add(t, true, 130, 1, 3, 0);
	add(t, false, 900, 1, 3, 0); /* while CPU 0 may have lost what lay between */
	lose(t, 1000, 0);
	add(t, false, 1010, 0, 2, 0);
	add(t, true, 1020, 0, 2, 0);
	add(t, false, 1025, 0, 2, 0); /* after it: counts */
	assert_int_equal(all_of(t->pairs).count, 2);
	assert_int_equal(all_of(t->pairs).sum, 15);
	assert_int_equal(all_of(t->pairs).max, 10);
	assert_int_equal(info_of(t->pairs).spanned, 2);
	assert_int_equal(info_of(t->pairs).gaps, 1);
	assert_int_equal(info_of(t->pairs).unmatched_ends, 1);
	assert_int_equal(dkt_intervals_slow(t->pairs, 0, &slow, sizeof(slow)), 0);
	assert_int_equal(slow.ns, 10);
	assert_int_equal(dkt_intervals_slow(t->pairs, 2, &slow, sizeof(slow)), 1);
}

struct told {
	uint64_t count, sum, last;
};

static int tell(void *data, uint64_t end, uint64_t ns, bool cancelled)
{
	struct told *told = data;

	told->count += cancelled ? -UINT64_C(1) : 1;
	told->sum += cancelled ? -ns : ns;
	told->last = end;
	return ns == 13 ? -ENOSPC : 0;
}

static void each_pair_is_told_and_taken_back_by_a_gap(void **state)
{
	struct tree *t = *state;
	struct told told = { 0 };
	struct dkt_record end = {
		.ts = 1113, .event = t->end, .data = (uint8_t[12]){ ID_END }, .size = 12
	};
	DKT_OPTS(dkt_intervals_opts, opts, .key = "id", .pair = tell, .data = &told);

	assert_ok(t->ctx, dkt_intervals_new(t->ctx, &opts, &t->pairs));
	assert_int_equal(dkt_intervals_event(t->pairs, t->begin, DKT_INTERVAL_BEGIN), 0);
	assert_int_equal(dkt_intervals_event(t->pairs, t->end, DKT_INTERVAL_END), 0);
	add(t, true, 100, 0, 1, 1);
	add(t, false, 110, 0, 1, 1);
	add(t, true, 130, 1, 3, 3);
	add(t, false, 900, 1, 3, 3);
	assert_int_equal(told.count, 2);
	assert_int_equal(told.sum, 780);
	lose(t, 1000, 0);
	assert_int_equal(told.count, all_of(t->pairs).count);
	assert_int_equal(told.sum, all_of(t->pairs).sum);
	assert_int_equal(told.last, 900);
	/* Its error ends the call. */
	add(t, true, 1100, 0, 1, 0);
	assert_int_equal(dkt_intervals_add(t->pairs, NULL, &end), -ENOSPC);
}

/* One event can begin and end: each record ends the pair that the one before began. */
static void one_event_can_begin_and_end(void **state)
{
	struct tree *t = *state;
	DKT_OPTS(dkt_intervals_opts, opts, .key = "common_pid");

	assert_ok(t->ctx, dkt_intervals_new(t->ctx, &opts, &t->pairs));
	assert_int_equal(
		dkt_intervals_event(t->pairs, t->begin, DKT_INTERVAL_BEGIN | DKT_INTERVAL_END), 0);
	add(t, true, 100, 0, 1, 0);
	add(t, true, 150, 0, 1, 0);
	add(t, true, 250, 0, 1, 0);
	assert_int_equal(all_of(t->pairs).count, 2);
	assert_int_equal(all_of(t->pairs).sum, 150);
	assert_int_equal(info_of(t->pairs).nested, 0);
}

static void invalid_keys_are_refused(void **state)
{
	static const struct {
		const char *key, *by, *words;
	} bad[] = {
		{ "", NULL, "key: a field's name is expected here\n  \n  ^" },
		{ "a,,b", NULL, "key: a field's name is expected here\n  a,,b\n    ^" },
		{ "a=b=c", NULL,
		  "key: a comma, a modifier or the end is expected here\n  a=b=c\n     ^" },
		{ "a,b,c,d", NULL, "key: more than 3 fields\n  a,b,c,d\n        ^" },
		{ "a.hex", NULL, "key: a key cannot have a modifier\n  a.hex\n    ^" },
		{ "id", "id.buckets=0",
		  "by: buckets needs the width of a bucket: buckets=100\n  id.buckets=0\n             ^" },
		{ "idd", NULL, "made:begin has no field 'idd'; did you mean id?" },
		{ "id", "nane", "made:end has no field 'nane'" },
		{ "id", "common_pid.usecs",
		  "made:begin: .usecs works with common_timestamp only, and 'common_pid' is none" },
	};
	struct tree *t = *state;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		DKT_OPTS(dkt_intervals_opts, opts, .key = bad[i].key, .by = bad[i].by);
		int err = dkt_intervals_new(t->ctx, &opts, &t->pairs);

		if (!err)
			err = dkt_intervals_event(t->pairs, t->begin, DKT_INTERVAL_BEGIN);
		if (!err)
			err = dkt_intervals_event(t->pairs, t->end, DKT_INTERVAL_END);
		assert_true(err == -EINVAL || err == -ENOENT);
		assert_string_equal(dkt_error(t->ctx), bad[i].words);
		dkt_intervals_free(t->pairs);
		t->pairs = NULL;
	}
}

/* ---- data structures ---- */

static int cmp_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void quantiles_are_those_of_sorted_values(void **state)
{
	static const double parts[] = { 0, 0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 1 };
	struct dkt__dist dist = { 0 }, other = { 0 };
	static uint64_t values[20000];
	uint64_t powers[64] = { 0 };
	size_t i, n = ARRAY_SIZE(values);

	(void)state;
	srand(4711);
	for (i = 0; i < n; i++) {
		values[i] = ((uint64_t)rand() << 31 | (uint64_t)rand()) >> rand() % 62;
		powers[values[i] < 2 ? 0 : 63 - __builtin_clzll(values[i])]++;
		assert_int_equal(dkt__dist_add(i % 2 ? &dist : &other, values[i]), 0);
	}
	assert_int_equal(dkt__dist_merge(&dist, &other), 0);
	for (i = 0; i < 64; i++)
		assert_int_equal(dkt__dist_power(&dist, (unsigned int)i), powers[i]);
	qsort(values, n, sizeof(*values), cmp_u64);
	assert_int_equal(dist.min, values[0]);
	assert_int_equal(dist.max, values[n - 1]);
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		size_t rank = (size_t)(parts[i] * (double)n + 0.999999);
		uint64_t want = values[rank ? rank - 1 : 0];
		uint64_t have = dkt__dist_quantile(&dist, parts[i]);
		double off = (double)have / (double)(want ? want : 1);

		assert_true(want < 128 ? have == want : off > 0.996 && off < 1.004);
	}
	/* Removed values leave nothing, and the maximum moves. */
	for (i = n; i-- > 2;)
		dkt__dist_remove(&dist, values[i]);
	assert_int_equal(dist.count, 2);
	assert_true(dist.max <= values[1] + values[1] / 128);
	dkt__dist_remove(&dist, values[0]);
	dkt__dist_remove(&dist, values[1]);
	assert_int_equal(dist.sum, 0);
	dkt__dist_clear(&dist);
	dkt__dist_clear(&other);
}

/* Beside a plain array, with keys that come, go and collide. */
static void a_keymap_agrees_with_an_array(void **state)
{
	struct dkt__keymap map = { .n_words = 2 };
	static uint32_t entries[512];
	uint32_t i, n = 0;
	bool added;

	(void)state;
	memset(entries, 0xff, sizeof(entries));
	srand(42);
	for (i = 0; i < 200000; i++) {
		uint32_t k = (uint32_t)rand() % 512;
		const uint64_t key[2] = { k / 7, (uint64_t)k << 32 };

		assert_int_equal(dkt__keymap_find(&map, key), entries[k]);
		if (rand() % 2) {
			uint32_t entry = dkt__keymap_add(&map, key, &added);

			assert_int_equal(added, entries[k] == UINT32_MAX);
			assert_true(added || entry == entries[k]);
			entries[k] = entry;
			n += added;
		} else {
			dkt__keymap_remove(&map, key);
			n -= entries[k] != UINT32_MAX;
			entries[k] = UINT32_MAX;
		}
		assert_int_equal(map.n, n);
	}
	assert_true(map.used <= 512);
	dkt__keymap_clear(&map);
}

static void equal_strings_get_one_number(void **state)
{
	struct dkt__intern in = { 0 };
	char text[24];
	uint32_t i, len;

	(void)state;
	for (i = 0; i < 5000; i++) {
		snprintf(text, sizeof(text), "string %u", i % 1000);
		assert_int_equal(dkt__intern(&in, text, (uint32_t)strlen(text)), i % 1000);
	}
	assert_string_equal(dkt__interned(&in, 999, &len), "string 999");
	assert_int_equal(len, 10);
	assert_string_equal(dkt__interned(&in, 1000, &len), "");
	dkt__intern_clear(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(defined_events_pair, setup, teardown),
		cmocka_unit_test_setup_teardown(pairs_by_key, setup, teardown),
		cmocka_unit_test_setup_teardown(the_later_beginning_counts, setup, teardown),
		cmocka_unit_test_setup_teardown(pairs_are_grouped_by_name, setup, teardown),
		cmocka_unit_test_setup_teardown(pairs_are_grouped_by_number, setup, teardown),
		cmocka_unit_test_setup_teardown(no_pair_spans_a_gap, setup, teardown),
		cmocka_unit_test_setup_teardown(each_pair_is_told_and_taken_back_by_a_gap, setup,
						teardown),
		cmocka_unit_test_setup_teardown(one_event_can_begin_and_end, setup, teardown),
		cmocka_unit_test_setup_teardown(invalid_keys_are_refused, setup, teardown),
		cmocka_unit_test(quantiles_are_those_of_sorted_values),
		cmocka_unit_test(a_keymap_agrees_with_an_array),
		cmocka_unit_test(equal_strings_get_one_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
