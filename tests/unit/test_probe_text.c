/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Definitions as text: the kernels' lists, joined with their profiles. */
#include "lib/inside.h"
#include "lib/probe.h"
#include "tests/helper/check.h"
#include "tests/helper/probe_tree.h"

/* Text to a probe and back. */
static void definitions_read_back(void **state)
{
	static const struct {
		const char *text;
		enum dkt_probe_kind kind;
		bool on_return;
		const char *group, *name, *place, *fields, *back; /* NULL: as it was */
	} cases[] = {
		/* clang-format off */
		{ "p:dktrace/vfs_read vfs_read count=$arg3:u64", DKT_PROBE_KPROBE, false, "dktrace", "vfs_read", "vfs_read", "count=$arg3:u64", NULL },
		{ "r8:g/n mod:f+4", DKT_PROBE_KPROBE, true, "g", "n", "mod:f+4", "", "r:g/n mod:f+4" },
		{ "p:g/n f%return ret=$retval", DKT_PROBE_KPROBE, true, "g", "n", "f", "ret=$retval", "r:g/n f ret=$retval" },
		{ "p:uprobes/p_sh /bin/sh:0x0000000000001234 a=%di", DKT_PROBE_UPROBE, false, "uprobes", "p_sh", "/bin/sh:0x0000000000001234", "a=%di", NULL },
		{ "f:g/n f%return ret=$retval", DKT_PROBE_FPROBE, true, "g", "n", "f", "ret=$retval", NULL },
		{ "t:g/n sched_switch", DKT_PROBE_TRACEPOINT, false, "g", "n", "sched_switch", "", NULL },
		{ "e:g/n sched.sched_switch pid=$next_pid:s32", DKT_PROBE_EVENT, false, "g", "n", "sched.sched_switch", "pid=$next_pid:s32", NULL },
		{ "s:synthetic/lat\tu64 lat; pid_t pid", DKT_PROBE_SYNTHETIC, false, "synthetic", "lat", "", "u64 lat; pid_t pid", "s:synthetic/lat u64 lat; pid_t pid" },
		/* clang-format on */
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct dkt_probes *probes;
		const struct dkt_probe *probe;
		char *text;

		assert_ok(*state, dkt__probe_from_text(*state, cases[i].text, &probes));
		probe = dkt_probes_at(probes, 0);
		assert_int_equal(probe->kind, cases[i].kind);
		assert_int_equal(probe->on_return, cases[i].on_return);
		assert_string_equal(probe->group, cases[i].group);
		assert_string_equal(probe->name, cases[i].name);
		assert_string_equal(probe->place, cases[i].place);
		assert_string_equal(probe->fields, cases[i].fields);
		assert_ptr_equal(dkt__probes_find(probes, probe->group, probe->name), probe);
		assert_null(dkt__probes_find(probes, "other", probe->name));
		assert_null(dkt_probes_at(probes, 1));
		assert_ok(*state, dkt__probe_text(*state, probe, &text));
		assert_string_equal(text, cases[i].back ? cases[i].back : cases[i].text);
		free(text);
		dkt_probes_free(probes);
	}
}

static void an_empty_list_has_no_probes(void **state)
{
	static const char *const texts[] = { "",      " ",         "p",         "p:",     "p:g/n",
					     "p:n f", "x:g/n f",   "p:/n f",    "p:g/ f", "p:g/9 f",
					     "-:g/n", "p-8:g/n f", "!lat u64 x" };
	struct dkt_probes *probes;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		assert_int_equal(dkt__probe_from_text(*state, texts[i], &probes), -EINVAL);
		assert_has(dkt_error(*state), "defines no probe");
		assert_null(probes);
	}
}

static bool same(struct dkt_ctx *ctx, const char *a, const char *b)
{
	struct dkt_probes *x, *y;
	bool is_same;

	assert_ok(ctx, dkt__probe_from_text(ctx, a, &x));
	assert_ok(ctx, dkt__probe_from_text(ctx, b, &y));
	is_same = dkt__probe_same(dkt_probes_at(x, 0), dkt_probes_at(y, 0));
	dkt_probes_free(x);
	dkt_probes_free(y);
	return is_same;
}

static void equal_probes_are_recognised(void **state)
{
	assert_true(same(*state, "p:g/n /b:0x12 a=%di", "p:g/n /b:0x0000000000000012  a=%di"));
	assert_true(same(*state, "p:g/n f", "p:g/n f+0"));
	assert_true(same(*state, "s:synthetic/l u64 a; int b", "s:synthetic/l\tu64 a;int b;"));
	assert_true(same(*state, "s:synthetic/l char a[16]; u64 b",
			 "s:synthetic/l\tchar[16] a; u64 b"));
	assert_false(same(*state, "s:synthetic/l char a[16]; u64 b",
			  "s:synthetic/l\tchar[17] a; u64 b"));
	assert_false(same(*state, "s:synthetic/l char a[]; u64 b", "s:synthetic/l\tchar[] a"));
	assert_false(same(*state, "p:g/n /b:0x12", "p:g/n /b:0x13"));
	assert_false(same(*state, "p:g/n /b:0x12", "p:g/n /c:0x12"));
	assert_false(same(*state, "p:g/n f", "r:g/n f"));
	assert_false(same(*state, "p:g/n f", "p:g/m f"));
	assert_false(same(*state, "p:g/n f", "p:h/n f"));
	assert_false(same(*state, "p:g/n f a=%di", "p:g/n f a=%si"));
	assert_false(same(*state, "p:g/n f", "f:g/n f"));
}

/* Two groups have the same name: only the order tells whose hits they are. */
static void hits_are_joined_with_probes(void **state)
{
	static const char events[] = "p:a/read vfs_read\np:u/sh /bin/s h:0x12\nr4:b/read vfs_read\n"
				     "e:c/x sched.sched_switch\nnonsense\np:u/go /bin/sh:0x34\n";
	static const char kprobes[] =
		"  read                                                       7               1\n"
		"  read                                                       9               0\n";
	static const char uprobes[] =
		"  /bin/sh                                         sh            3\n"
		"  /bin/sh                                         go           18446744073709551614\n";
	struct dkt_probes *probes;

	assert_int_equal(tree_text(probe_dir, "dynamic_events", events), 0);
	assert_int_equal(tree_text(probe_dir, "kprobe_profile", kprobes), 0);
	assert_int_equal(tree_text(probe_dir, "uprobe_profile", uprobes), 0);
	assert_ok(*state, dkt_probes_read(*state, &probes));
	assert_int_equal(dkt__probes_find(probes, "a", "read")->hits, 7);
	assert_int_equal(dkt__probes_find(probes, "a", "read")->missed, 1);
	assert_int_equal(dkt__probes_find(probes, "b", "read")->hits, 9);
	assert_true(dkt__probes_find(probes, "u", "sh")->hits == 3);
	assert_true(dkt__probes_find(probes, "u", "go")->hits == UINT64_MAX - 1);
	assert_true(dkt__probes_find(probes, "u", "go")->missed == DKT_PROBE_UNKNOWN);
	assert_true(dkt__probes_find(probes, "c", "x")->hits == DKT_PROBE_UNKNOWN);
	dkt_probes_free(probes);
}

/* Kernels before 5.14 have a function that counts them. */
static void addresses_that_cannot_be_read_are_no_misses(void **state)
{
	struct dkt_probes *probes;

	assert_true(dkt__probes_missed(*state) == 1);
	assert_int_equal(tree_text(probe_dir, "kallsyms",
				   "ffffffff81000000 T _text\n"
				   "ffffffff81000010 t aggr_fault_handler\n"),
			 0);
	assert_true(dkt__probes_missed(*state) == 0);
	assert_ok(*state, dkt_probes_read(*state, &probes));
	assert_int_equal(dkt__probes_find(probes, "a", "read")->hits, 7);
	assert_true(dkt__probes_find(probes, "a", "read")->missed == DKT_PROBE_UNKNOWN);
	assert_true(dkt__probes_find(probes, "b", "read")->missed == 0);
	dkt_probes_free(probes);
	assert_int_equal(tree_text(probe_dir, "kallsyms", "ffffffff81000000 T _text\n"), 0);
}

/* A probe was removed between reading the two files: it gets no hits of another one. */
static void hits_of_other_probes_are_skipped(void **state)
{
	static const char kprobes[] = "  gone 1 1\n  read 9 0\n";
	struct dkt_probes *probes;

	assert_int_equal(tree_text(probe_dir, "kprobe_profile", kprobes), 0);
	assert_ok(*state, dkt_probes_read(*state, &probes));
	assert_true(dkt__probes_find(probes, "a", "read")->hits == DKT_PROBE_UNKNOWN);
	assert_true(dkt__probes_find(probes, "b", "read")->hits == DKT_PROBE_UNKNOWN);
	dkt_probes_free(probes);
}

static void definitions_are_written_and_invalid_ones_refused(void **state)
{
	DKT_OPTS(dkt_probe, probe, .kind = DKT_PROBE_KPROBE, .group = "g", .name = "n",
		 .place = "f");
	char *many = malloc(6000), text[64] = "";
	FILE *f;

	memset(many, 'x', 5999);
	many[5999] = '\0';
	assert_ok(*state, dkt_probe_create(*state, &probe));
	f = fopen((snprintf(text, sizeof(text), "%s/kprobe_events", probe_dir), text), "r");
	assert_non_null(fgets(text, sizeof(text), f));
	fclose(f);
	assert_string_equal(text, "p:g/n f");
	probe.fields = many;
	assert_int_equal(dkt_probe_create(*state, &probe), -E2BIG);
	probe.fields = "a=%di\np:g/other f";
	assert_int_equal(dkt_probe_create(*state, &probe), -EINVAL);
	probe.kind = 77;
	assert_int_equal(dkt_probe_create(*state, &probe), -EINVAL);
	assert_fails(*state, -ENOENT, "there is no probe g:nosuch",
		     dkt_probe_remove(*state, "g", "nosuch"));
	free(many);
}

/* Writing to a file of the tree does not empty it, as the kernel's would. */
static void assert_file(const char *name, const char *want)
{
	char text[256] = "", path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", probe_dir, name);
	f = fopen(path, "r");
	assert_non_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	assert_string_equal(text, want);
}

/* RHEL 8's kernel has no dynamic_events. */
static void synthetic_events_have_a_file_of_their_own(void **state)
{
	DKT_OPTS(dkt_probe, probe, .kind = DKT_PROBE_SYNTHETIC, .group = "synthetic",
		 .name = "slow", .fields = "u64 lat; pid_t pid");
	struct dkt_probes *probes;
	char path[4096];

	snprintf(path, sizeof(path), "%s/dynamic_events", probe_dir);
	unlink(path);
	assert_int_equal(tree_text(probe_dir, "kprobe_events", "p:a/read vfs_read\n"), 0);
	assert_int_equal(tree_text(probe_dir, "synthetic_events", ""), 0);
	assert_ok(*state, dkt_probe_create(*state, &probe));
	assert_file("synthetic_events", "slow u64 lat; pid_t pid");
	assert_int_equal(tree_text(probe_dir, "synthetic_events", "slow\tu64 lat; pid_t pid\n"), 0);
	assert_ok(*state, dkt_probes_read(*state, &probes));
	assert_true(dkt__probe_same(dkt__probes_find(probes, "synthetic", "slow"), &probe));
	assert_non_null(dkt__probes_find(probes, "a", "read"));
	dkt_probes_free(probes);
	assert_ok(*state, dkt_probe_remove(*state, "synthetic", "slow"));
	assert_file("synthetic_events", "slow\tu64 lat; pid_t pid\n!slow");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(definitions_read_back, probe_setup, probe_teardown),
		cmocka_unit_test_setup_teardown(an_empty_list_has_no_probes, probe_setup,
						probe_teardown),
		cmocka_unit_test_setup_teardown(equal_probes_are_recognised, probe_setup,
						probe_teardown),
		cmocka_unit_test_setup_teardown(hits_are_joined_with_probes, probe_setup,
						probe_teardown),
		cmocka_unit_test_setup_teardown(addresses_that_cannot_be_read_are_no_misses,
						probe_setup, probe_teardown),
		cmocka_unit_test_setup_teardown(hits_of_other_probes_are_skipped, probe_setup,
						probe_teardown),
		cmocka_unit_test_setup_teardown(definitions_are_written_and_invalid_ones_refused,
						probe_setup, probe_teardown),
		cmocka_unit_test_setup_teardown(synthetic_events_have_a_file_of_their_own,
						probe_setup, probe_teardown),
	};

	return cmocka_run_group_tests(tests, probe_make_tree, probe_remove_tree);
}
