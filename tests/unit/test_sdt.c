/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Static markers: operands of the assembler, markers of a program that has them. */
#include "lib/debuginfo/sdt.h"
#include "lib/inside.h"
#include "tests/helper/check.h"

static void expect(enum dkt__machine machine, const char *args, const char *const *want,
		   unsigned int n)
{
	char got[64];
	unsigned int i;

	assert_int_equal(dkt__sdt_args(args), n);
	for (i = 0; i < n; i++) {
		struct sdt_arg arg;

		assert_null(dkt__sdt_arg(machine, args, i + 1, &arg));
		snprintf(got, sizeof(got), "%s %s", arg.fetch, arg.type);
		assert_string_equal(got, want[i]);
	}
}

static void x86_operands(void **state)
{
	static const char *const want[] = { "%di s32", "\\5 u64",      "-20(%bp) s32", "%ax u8",
					    "%r8 u16", "+0(%ax) u64",  "\\-16 s64",    "%sp u32",
					    "%si u8",  "+8(%r15) u64", "%r10 u32",     "%bx " };

	(void)state;
	expect(DKT__X86_64,
	       "-4@%edi 8@$5 -4@-20(%rbp) 1@%al  2@%r8w 8@(%rax) -8@$-0x10 4@%esp 1@%sil"
	       " 8@8(%r15) 4@%r10d %rbx",
	       want, ARRAY_SIZE(want));
}

static void arm64_operands(void **state)
{
	static const char *const want[] = { "%x0 s32", "+16(%sp) u64", "+0(%x19) u64", "\\5 s32",
					    "\\0 u64", "-4(%x29) u32", "%x30 u64",     "\\-1 s64" };

	(void)state;
	expect(DKT__ARM64, "-4@w0 8@[sp, 16] 8@[x19] -4@5 8@xzr 4@[x29, -4] 8@x30 -8@-1", want,
	       ARRAY_SIZE(want));
}

static void operands_that_the_kernel_cannot_fetch_are_refused(void **state)
{
	static const struct {
		enum dkt__machine machine;
		const char *args;
	} cases[] = {
		{ DKT__X86_64, "" },
		{ DKT__X86_64, "8@8(%rax,%rbx,4)" },
		{ DKT__X86_64, "8@counter(%rip)" },
		{ DKT__X86_64, "8@8(%rip)" },
		{ DKT__X86_64, "8f@%xmm0" },
		{ DKT__X86_64, "8@%xmm0" },
		{ DKT__X86_64, "1@%ah" },
		{ DKT__X86_64, "3@%eax" },
		{ DKT__X86_64, "16@%rax" },
		{ DKT__X86_64, "8@%rxx" },
		{ DKT__X86_64, "8@%r16" },
		{ DKT__X86_64, "8@%r8x" },
		{ DKT__X86_64, "8@%" },
		{ DKT__X86_64, "8@" },
		{ DKT__X86_64, "@" },
		{ DKT__X86_64, "@%eax" },
		{ DKT__X86_64, "-@%eax" },
		{ DKT__X86_64, "8@$" },
		{ DKT__X86_64, "8@$name" },
		{ DKT__X86_64, "8@(" },
		{ DKT__X86_64, "8@(%rax" },
		{ DKT__X86_64, "8@(%rax)x" },
		{ DKT__X86_64, "8@%fs:8(%rax)" },
		{ DKT__X86_64, "8@99999999999999999999(%rax)" },
		{ DKT__ARM64, "8@[x0, x1]" },
		{ DKT__ARM64, "8@[x0, x1, lsl 3]" },
		{ DKT__ARM64, "8@[x0, 8" },
		{ DKT__ARM64, "8@[" },
		{ DKT__ARM64, "8@x31" },
		{ DKT__ARM64, "8@[xzr]" },
		{ DKT__ARM64, "8@d0" },
		{ DKT__OTHER, "8@r3" },
	};
	struct sdt_arg arg;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		assert_non_null(dkt__sdt_arg(cases[i].machine, cases[i].args, 1, &arg));
	assert_non_null(dkt__sdt_arg(DKT__X86_64, "4@%eax", 2, &arg));
	assert_non_null(dkt__sdt_arg(DKT__X86_64, "4@%eax", 0, &arg));
}

/* ---- a program ---- */

struct found {
	unsigned int n, with_counter;
	uint64_t offset; /* of the first */
};

static int one_marker(void *data, const struct dkt__marker *marker)
{
	struct found *found = data;

	assert_string_equal(marker->provider, "target");
	assert_true(marker->offset);
	if (!found->n++)
		found->offset = marker->offset;
	if (!marker->semaphore)
		return 0;
	assert_string_equal(marker->name, "guarded");
	found->with_counter++;
	return 0;
}

static const char *target(char path[512])
{
	const char *build = getenv("DKT_BUILD");

	snprintf(path, 512, "%s/tests/tools/marker-target", build ? build : "build");
	return path;
}

static void markers_of_a_program(void **state)
{
	struct found found = { 0 };
	char path[512];

	assert_ok(*state, dkt__markers(*state, target(path), one_marker, &found));
	assert_int_equal(found.n, 6);
	assert_int_equal(found.with_counter, 1);
	/* This one has none. */
	found = (struct found){ 0 };
	assert_ok(*state, dkt__markers(*state, "/proc/self/exe", one_marker, &found));
	assert_int_equal(found.n, 0);
	assert_int_equal(dkt__markers(*state, "/proc/self/status", one_marker, &found), -ENOEXEC);
	assert_int_equal(dkt__markers(*state, "/nonexistent", one_marker, &found), -ENOENT);
}

static void probes_on_markers(void **state)
{
	char path[512];
	const struct {
		const char *place, *args;
		int err;
		const char *words;
	} cases[] = {
		{ "target:twice", NULL, 0, "" },
		{ "target:[en]*", "$comm", 0, "" },
		{ "target:guarded", "arg1:x8", 0, "" },
		{ "target:entry", "s=arg2:string number", 0, "" },
		{ "target:entry", "arg4", -EINVAL,
		  "argument 4 of target:entry cannot be fetched: there is no argument of that number" },
		{ "target:small", NULL, -EINVAL, "floating point" },
		{ "target:entri", NULL, -ENOENT, "did you mean target:entry?" },
		{ "target:entry+4", NULL, -EINVAL, "without offset" },
		{ "target:entry%return", NULL, -EINVAL, "without offset, line or return" },
		{ "target:entry:5", NULL, -EINVAL, "write a marker as" },
	};
	DKT_OPTS(dkt_probe_opts, opts, .exec = target(path), .max = 10);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct dkt_probes *probes;
		int err = dkt_probe_define(*state, cases[i].place, &cases[i].args,
					   cases[i].args ? 1 : 0, &opts, &probes);

		if (err != cases[i].err || (err && !strstr(dkt_error(*state), cases[i].words)))
			fail_msg("%s: %d %s", cases[i].place, err, dkt_error(*state));
		dkt_probes_free(probes);
	}
	opts.exec = "/proc/self/exe";
	assert_int_equal(dkt_probe_define(*state, "mod:main", NULL, 0, &opts,
					  &(struct dkt_probes *){ NULL }),
			 -ENOENT);
	assert_has(dkt_error(*state),
		   "has no static markers, and functions of a program have no module");
	opts.exec = path;
	opts.max = 1;
	assert_int_equal(dkt_probe_define(*state, "target:twice", NULL, 0, &opts,
					  &(struct dkt_probes *){ NULL }),
			 -E2BIG);
}

/* The counter's offset is a part of the place, and comes back. */
static void a_semaphore_is_a_part_of_the_definition(void **state)
{
	DKT_OPTS(dkt_probe_opts, opts);
	struct dkt_probes *probes, *again;
	char path[512], *text;

	opts.exec = target(path);
	assert_ok(*state, dkt_probe_define(*state, "target:guarded", NULL, 0, &opts, &probes));
	assert_ok(*state, dkt__probe_text(*state, dkt_probes_at(probes, 0), &text));
	assert_has(text, "(0x");
	assert_ok(*state, dkt__probe_from_text(*state, text, &again));
	assert_true(dkt__probe_same(dkt_probes_at(probes, 0), dkt_probes_at(again, 0)));
	assert_int_equal(dkt_probes_at(again, 0)->kind, DKT_PROBE_UPROBE);
	dkt_probes_free(probes);
	dkt_probes_free(again);
	free(text);
}

static int setup(void **state)
{
	struct dkt_ctx *ctx;

	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	*state = ctx;
	return 0;
}

static int teardown(void **state)
{
	dkt_ctx_free(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(x86_operands),
		cmocka_unit_test(arm64_operands),
		cmocka_unit_test(operands_that_the_kernel_cannot_fetch_are_refused),
		cmocka_unit_test_setup_teardown(markers_of_a_program, setup, teardown),
		cmocka_unit_test_setup_teardown(probes_on_markers, setup, teardown),
		cmocka_unit_test_setup_teardown(a_semaphore_is_a_part_of_the_definition, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
