/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events of perf_event_open(2) by name: kinds, modifiers, PMUs, suggestions. */
#include "lib/base/util.h"
#include "lib/perf_event.h"
#include "tests/helper/check.h"
#include "tests/helper/tree.h"

#define CACHE(cache, op, result)                                                                   \
	PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 |                           \
		PERF_COUNT_HW_CACHE_RESULT_##result << 16

struct test {
	char dir[TREE_NAME], pmus[TREE_NAME];
	struct dkt_ctx *ctx;
};

static void make_pmus(const char *dir)
{
	assert_int_equal(tree_text(dir, "cpu/type", "4\n"), 0);
	assert_int_equal(tree_text(dir, "cpu/format/event", "config:0-7,32-35\n"), 0);
	assert_int_equal(tree_text(dir, "cpu/format/umask", "config:8-15\n"), 0);
	assert_int_equal(tree_text(dir, "cpu/format/edge", "config:18\n"), 0);
	assert_int_equal(tree_text(dir, "cpu/format/ldlat", "config1:0-15\n"), 0);
	assert_int_equal(tree_text(dir, "cpu/format/whole", "config2:0-63\n"), 0);
	assert_int_equal(tree_text(dir, "cpu/format/odd", "config7:0\n"), 0);
	assert_int_equal(tree_text(dir, "cpu/format/worse", "config:9-3\n"), 0);
	assert_int_equal(tree_text(dir, "cpu/format/empty", ""), 0);
	assert_int_equal(tree_text(dir, "cpu/events/loads", "event=0xcd,umask=0x1,ldlat=3\n"), 0);
	assert_int_equal(tree_text(dir, "cpu/events/needs", "event=?\n"), 0);
	assert_int_equal(tree_text(dir, "power/type", "12\n"), 0);
	assert_int_equal(tree_text(dir, "power/cpumask", "0,8\n"), 0);
	assert_int_equal(tree_text(dir, "power/format/event", "config:0-7\n"), 0);
	assert_int_equal(tree_text(dir, "power/events/energy-pkg", "event=0x02\n"), 0);
	assert_int_equal(tree_text(dir, "power/events/energy-pkg.scale", "2.5e-10\n"), 0);
	assert_int_equal(tree_text(dir, "power/events/energy-pkg.unit", "Joules\n"), 0);
}

static int setup(void **state)
{
	struct test *test = calloc(1, sizeof(*test));

	*state = test;
	assert_int_equal(tree_make(test->dir), 0);
	assert_int_equal(tree_make(test->pmus), 0);
	assert_int_equal(tree_text(test->dir, "available_events",
				   "sched:switch\nsched:wakeup\ntask:switch\n"),
			 0);
	assert_int_equal(tree_event(test->dir, "sched", "switch", 17, "", "\"\""), 0);
	assert_int_equal(tree_event(test->dir, "sched", "wakeup", 18, "", "\"\""), 0);
	assert_int_equal(tree_event(test->dir, "task", "switch", 19, "", "\"\""), 0);
	make_pmus(test->pmus);
	test->ctx = tree_ctx(test->dir);
	return test->ctx ? 0 : -1;
}

static int teardown(void **state)
{
	struct test *test = *state;

	dkt_ctx_free(test->ctx);
	tree_remove(test->dir);
	tree_remove(test->pmus);
	free(test);
	return 0;
}

/* ---- names ---- */

static void a_name_is_a_type_and_a_number(void **state)
{
	static const struct {
		const char *name;
		uint32_t type;
		uint64_t config;
	} names[] = {
		{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
		{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
		{ "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
		{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
		{ "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
		{ "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
		{ "minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN },
		{ "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
		{ "alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS },
		{ "emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS },
		{ "dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY },
		{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
		{ "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
		{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
		{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
		{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
		{ "idle-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
		{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
		{ "r1a8", PERF_TYPE_RAW, 0x1a8 },
		{ "rFFFFFFFFFFFFFFFF", PERF_TYPE_RAW, UINT64_MAX },
		{ "L1-dcache-loads", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, ACCESS) },
		{ "L1-dcache", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, ACCESS) },
		{ "l1d-load-misses", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, MISS) },
		{ "L1-icache-misses", PERF_TYPE_HW_CACHE, CACHE(L1I, READ, MISS) },
		{ "LLC-store-misses", PERF_TYPE_HW_CACHE, CACHE(LL, WRITE, MISS) },
		{ "LLC-prefetches", PERF_TYPE_HW_CACHE, CACHE(LL, PREFETCH, ACCESS) },
		{ "dTLB-speculative-read-misses", PERF_TYPE_HW_CACHE, CACHE(DTLB, PREFETCH, MISS) },
		{ "iTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE(ITLB, READ, MISS) },
		{ "branch-load-misses", PERF_TYPE_HW_CACHE, CACHE(BPU, READ, MISS) },
		{ "node-stores", PERF_TYPE_HW_CACHE, CACHE(NODE, WRITE, ACCESS) },
		{ "sched:switch", PERF_TYPE_TRACEPOINT, 17 },
		{ "task:switch", PERF_TYPE_TRACEPOINT, 19 },
		{ "wakeup", PERF_TYPE_TRACEPOINT, 18 },
	};
	struct test *test = *state;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct perf_event_attr attr;

		assert_ok(test->ctx, dkt__perf_event_named(test->ctx, names[i].name, &attr));
		assert_int_equal(attr.type, names[i].type);
		assert_true(attr.config == names[i].config);
		assert_false(attr.exclude_user || attr.exclude_kernel || attr.exclude_hv);
	}
}

static void other_names_are_unknown(void **state)
{
	static const char *const names[] = {
		"L1-icache-stores",
		"iTLB-prefetches",
		"branch-stores",
		"L1-dcacheloads",
		"LLC-",
		"LLC-loads-",
		"LLC-load-misses-misses",
		"LLC-misses-load-refs",
		"r1a8x",
		"r",
		"r11112222333344445",
		"x:y:z",
		"nothing",
		"cycles:x",
		"cycles:",
		":u",
		"",
	};
	struct test *test = *state;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct perf_event_attr attr;

		assert_fails(test->ctx, -ENOENT, NULL,
			     dkt__perf_event_named(test->ctx, names[i], &attr));
		assert_int_equal(attr.config, 0);
	}
}

static void a_misspelt_name_gets_a_suggestion(void **state)
{
	struct test *test = *state;
	struct perf_event_attr attr;

	assert_fails(test->ctx, -ENOENT, "there is no event 'cycels'; did you mean cycles?",
		     dkt__perf_event_named(test->ctx, "cycels:u", &attr));
	assert_fails(test->ctx, -ENOENT,
		     "there is no event 'LLC-load-mises'; did you mean LLC-load-misses?",
		     dkt__perf_event_named(test->ctx, "LLC-load-mises", &attr));
	assert_fails(test->ctx, -ENOENT,
		     "there is no event sched:swich; did you mean sched:switch?",
		     dkt__perf_event_named(test->ctx, "sched:swich", &attr));
	assert_fails(test->ctx, -ENOTUNIQ,
		     "'switch' is an event of several systems; write SYSTEM:switch",
		     dkt__perf_event_named(test->ctx, "switch", &attr));
}

static void a_clock_counts_nanoseconds(void **state)
{
	struct test *test = *state;
	struct dkt__perf_event event;

	assert_ok(test->ctx, dkt__perf_event_find(test->ctx, "task-clock:u", &event));
	assert_string_equal(event.unit, "ns");
	assert_ok(test->ctx, dkt__perf_event_find(test->ctx, "cycles", &event));
	assert_string_equal(event.unit, "");
	assert_true(event.scale >= 1 && event.scale <= 1);
}

static void try_it(void *data, const char *name)
{
	struct test *test = data;
	struct dkt__perf_event event;

	assert_ok(test->ctx, dkt__perf_event_fixed(test->ctx, name, &event));
}

static void each_name_that_is_offered_is_found(void **state)
{
	dkt__perf_event_names(try_it, *state);
}

/* ---- modifiers ---- */

static void modifiers_exclude_what_they_do_not_name(void **state)
{
	static const struct {
		const char *name;
		bool user, kernel, hv, host, guest; /* excluded */
		unsigned int precise;
	} names[] = {
		{ "cycles:u", false, true, true, false, false, 0 },
		{ "cycles:k", true, false, true, false, false, 0 },
		{ "cycles:h", true, true, false, false, false, 0 },
		{ "cycles:uk", false, false, true, false, false, 0 },
		{ "cycles:khu", false, false, false, false, false, 0 },
		{ "cycles:G", false, false, false, true, false, 0 },
		{ "cycles:Hk", true, false, true, false, true, 0 },
		{ "cycles:ppp", false, false, false, false, false, 3 },
		{ "sched:switch:k", true, false, true, false, false, 0 },
		{ "wakeup:u", false, true, true, false, false, 0 },
		{ "r1a8:u", false, true, true, false, false, 0 },
		{ "LLC-loads:u", false, true, true, false, false, 0 },
	};
	struct test *test = *state;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct perf_event_attr attr;

		assert_ok(test->ctx, dkt__perf_event_named(test->ctx, names[i].name, &attr));
		assert_int_equal(attr.exclude_user, names[i].user);
		assert_int_equal(attr.exclude_kernel, names[i].kernel);
		assert_int_equal(attr.exclude_hv, names[i].hv);
		assert_int_equal(attr.exclude_host, names[i].host);
		assert_int_equal(attr.exclude_guest, names[i].guest);
		assert_int_equal(attr.precise_ip, names[i].precise);
	}
}

/* ---- PMUs ---- */

static int find(struct test *test, const char *name, struct dkt__perf_event *event)
{
	*event = (struct dkt__perf_event){ .scale = 1 };
	return dkt__pmu_find(test->ctx, test->pmus, name, event);
}

static void fields_of_a_pmu_are_put_where_its_format_says(void **state)
{
	struct test *test = *state;
	struct dkt__perf_event event;

	assert_ok(test->ctx, find(test, "cpu/event=0xabc,umask=7,edge/", &event));
	assert_int_equal(event.attr.type, 4);
	assert_true(event.attr.config == 0xa000407bcULL);
	assert_ok(test->ctx, find(test, "cpu/loads/", &event));
	assert_true(event.attr.config == 0x1cd);
	assert_true(event.attr.config1 == 3);
	assert_ok(test->ctx, find(test, "cpu/loads,ldlat=30,umask=2/u", &event));
	assert_true(event.attr.config == 0x2cd);
	assert_true(event.attr.config1 == 30);
	assert_true(event.attr.exclude_kernel && !event.attr.exclude_user);
	assert_ok(test->ctx, find(test, "cpu/whole=0xffffffffffffffff/:k", &event));
	assert_true(event.attr.config2 == UINT64_MAX && event.attr.exclude_user);
	assert_ok(test->ctx, find(test, "cpu/config=0x5,config1=6/", &event));
	assert_true(event.attr.config == 5 && event.attr.config1 == 6);
	assert_ok(test->ctx, find(test, "cpu//", &event));
	assert_int_equal(event.attr.type, 4);
}

static void an_event_of_a_pmu_has_its_unit_and_cpus(void **state)
{
	struct test *test = *state;
	struct dkt__perf_event event;

	assert_ok(test->ctx, find(test, "power/energy-pkg/", &event));
	assert_int_equal(event.attr.type, 12);
	assert_true(event.attr.config == 2);
	assert_true(event.scale > 2.4e-10 && event.scale < 2.6e-10);
	assert_string_equal(event.unit, "Joules");
	assert_string_equal(event.cpus, "0,8");
}

static void bad_terms_of_a_pmu_are_refused(void **state)
{
	static const struct {
		const char *name;
		int err;
		const char *words;
	} bad[] = {
		{ "cpu/event=1", -EINVAL, "'cpu/event=1' has no second slash; write PMU/EVENT/" },
		{ "cpu/event=1/x", -EINVAL,
		  "cpu/event=1/x: 'x' are not modifiers; these are u, k and h" },
		{ "cpv/event=1/", -ENOENT,
		  "cpv/event=1/: this machine has no PMU 'cpv'; did you mean cpu?" },
		{ "../event=1/", -ENOENT, NULL },
		{ "/event=1/", -ENOENT, NULL },
		{ "cpu/evnt=1/", -ENOENT,
		  "cpu/evnt=1/: the PMU cpu has no event or field 'evnt'; did you mean event?" },
		{ "cpu/load/", -ENOENT,
		  "cpu/load/: the PMU cpu has no event or field 'load'; did you mean loads?" },
		{ "cpu/../type=1/", -EINVAL, NULL },
		{ "cpu/,/", -ENOENT, NULL },
		{ "cpu/event=/", -EINVAL, "cpu/event=/: '' is not a number for 'event'" },
		{ "cpu/event=-1/", -EINVAL, NULL },
		{ "cpu/event=0x1000/", -ERANGE,
		  "cpu/event=0x1000/: 0x1000 is too large for 'event'" },
		{ "cpu/edge=2/", -ERANGE, NULL },
		{ "cpu/odd=1/", -EINVAL,
		  "cpu/odd=1/: the format of 'odd' is not known: 'config7:0'" },
		{ "cpu/worse=1/", -EINVAL, NULL },
		{ "cpu/empty=1/", -EINVAL, NULL },
		{ "cpu/needs/", -EINVAL, NULL },
	};
	struct test *test = *state;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct dkt__perf_event event;

		assert_fails(test->ctx, bad[i].err, bad[i].words, find(test, bad[i].name, &event));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_name_is_a_type_and_a_number, setup, teardown),
		cmocka_unit_test_setup_teardown(other_names_are_unknown, setup, teardown),
		cmocka_unit_test_setup_teardown(a_misspelt_name_gets_a_suggestion, setup, teardown),
		cmocka_unit_test_setup_teardown(a_clock_counts_nanoseconds, setup, teardown),
		cmocka_unit_test_setup_teardown(each_name_that_is_offered_is_found, setup,
						teardown),
		cmocka_unit_test_setup_teardown(modifiers_exclude_what_they_do_not_name, setup,
						teardown),
		cmocka_unit_test_setup_teardown(fields_of_a_pmu_are_put_where_its_format_says,
						setup, teardown),
		cmocka_unit_test_setup_teardown(an_event_of_a_pmu_has_its_unit_and_cpus, setup,
						teardown),
		cmocka_unit_test_setup_teardown(bad_terms_of_a_pmu_are_refused, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
