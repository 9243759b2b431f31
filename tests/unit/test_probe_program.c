/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Probes on programs: this one with its own debug information, and invalid files. */
#include <limits.h>

#include "compat/set/probes/probe_words.h"
#include "lib/debuginfo/binary.h"
#include "tests/helper/check.h"
#include "tests/helper/probe_target.h"
#include "tests/helper/probe_tree.h"

struct small {
	int x, y;
};

/* Never called: it is there to be looked at. */
__attribute__((noinline, used)) static int
probe_target(const char *name, int number, struct outer *outer, double real, struct small small,
	     int64_t *pos, void (*fn)(void), long last, const char *more)
{
	__asm__ volatile("" ::: "memory");
	return number + outer->in->one + (int)*pos + small.x + (int)real + !!fn + (int)last +
	       *more + *name;
}

#ifdef __x86_64__
/* An instruction of 10 bytes, one of 1 byte, and bytes that are no instruction. */
__asm__(".text\n.globl decoded_target\n.type decoded_target, @function\n"
	"decoded_target: .byte 0x48, 0xb8\n.quad 0x9090909090909090\nret\n"
	".byte 0x06, 0x06, 0x06\n.size decoded_target, . - decoded_target\n");
#endif

#ifdef __x86_64__
/* The symbol of a function that is patched is 8 bytes before what gcc describes as the function on arm64. */
__asm__(".section .text.patched,\"ax\"\n.balign 16, 0x90\n.skip 8, 0x90\n.globl patched_target\n"
	".type patched_target, @function\npatched_target: .skip 8, 0x90\n"
	".size patched_target, 16\n.text\n");

__attribute__((noinline, used, section(".text.patched"), aligned(16))) static int
after_patch(int number, const char *name)
{
	__asm__ volatile("" ::: "memory");
	return number + *name;
}
#endif

/* Returns the fields or the error message. The caller frees it. */
static char *fields(struct dkt_ctx *ctx, const char *exec, const char *place, const char *args)
{
	DKT_OPTS(dkt_probe_opts, opts, .exec = exec);
	struct dkt_probes *probes;
	char *text;

	if (dkt_probe_define(ctx, place, &args, *args ? 1 : 0, &opts, &probes))
		return strdup(dkt_error(ctx));
	text = strdup(dkt_probes_at(probes, 0)->fields);
	dkt_probes_free(probes);
	return text;
}

#ifdef __x86_64__
static void expect(struct dkt_ctx *ctx, const char *args, const char *want)
{
	char *got __cleanup(free) = fields(ctx, "/proc/self/exe", "probe_target", args);

	assert_string_equal(got, want);
}
#endif

static void arguments_of_a_patched_function_are_found(void **state)
{
#ifdef __x86_64__
	char *got __cleanup(free) =
		fields(*state, "/proc/self/exe", "patched_target", "number name");

	assert_string_equal(got, "number=%di:s32 name=+0(%si):string");
#else
	(void)state;
#endif
}

static void arguments_are_found_by_name(void **state)
{
#ifdef __x86_64__
	expect(*state, "name number", "name=+0(%di):string number=%si:s32");
	expect(*state, "outer->in->text outer->in->low outer->in->high outer->in->one",
	       "text=+0(+0(%dx)):string low=+16(+0(%dx)):b3@0/8 high=+16(+0(%dx)):b13@3/16"
	       " one=+20(+0(%dx)):s32");
	expect(*state, "outer->name outer->list[1].text outer->grid[1][2] outer->grid[1]",
	       "name=+0(+8(%dx)):string text=+40(%dx):string grid_1_2=+108(%dx):s32"
	       " grid_1=+100(%dx):s32[3]");
	expect(*state, "outer->colour small.x small.y *pos",
	       "colour=+112(%dx):s32 x=%cx:s32 y=%cx:b32@32/64 pos=+0(%r8):s64");
	expect(*state, "fn last more", "fn=%r9:x64 last=+8(%sp):s64 more=+0(+16(%sp)):string");
	expect(*state, "arg1 $arg2 arg9:x64", "arg1=+0(%di):string arg2=%si:s32 arg9=+16(%sp):x64");
#else
	(void)state;
	skip();
#endif
}

static void invalid_arguments_are_refused(void **state)
{
	static const struct {
		const char *place, *args, *want;
	} cases[] = {
		/* clang-format off */
		{ "probe_target", "nmae", "argument 'nmae': probe_target has no variable 'nmae'; did you mean name?" },
		{ "probe_target", "outer->in->texd", "argument 'outer->in->texd': struct inner has no member 'texd'; did you mean text?" },
		{ "probe_target", "outer->grid", "argument 'outer->grid': it is an array of arrays; choose an element and a member: [0]" },
		{ "probe_target", "outer->list", "argument 'outer->list': it is an array of structs; choose an element and a member: [0]" },
		{ "probe_target", "outer->grid[2]", "argument 'outer->grid[2]': [2] is beyond its 2 elements" },
		{ "probe_target", "$retval", "argument '$retval': probe_target has a $retval only on return: probe_target%return" },
		{ "probe_target%return", "name", "'name' is not available on return, only $retval is; probe the entry to record name" },
		{ "probe_target", "arg10", "probe_target has 9 arguments" },
		{ "test_probe_program.c:99999", "", "there is no code at line 99999 of test_probe_program.c or after it" },
		/* clang-format on */
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		char *got __cleanup(free) =
			fields(*state, "/proc/self/exe", cases[i].place, cases[i].args);

		assert_string_equal(got, cases[i].want);
	}
}

static void return_probes_have_the_value(void **state)
{
	char *got __cleanup(free) =
		fields(*state, "/proc/self/exe", "probe_target%return", "ret=$retval");

	assert_string_equal(got, "ret=$retval:s32");
}

static void places_inside_an_instruction_are_refused(void **state)
{
#ifdef __x86_64__
	DKT_OPTS(dkt_probe_opts, opts, .exec = "/proc/self/exe");
	DKT_OPTS(dkt_probe_opts, inside, .exec = "/proc/self/exe", .inside = true);
	struct dkt_probes *probes;
	uint64_t offset;
	char place[32];

	assert_ok(*state, dkt_probe_define(*state, "decoded_target+10", NULL, 0, &opts, &probes));
	offset = strtoull(strrchr(dkt_probes_at(probes, 0)->place, ':') + 1, NULL, 16);
	dkt_probes_free(probes);
	assert_int_equal(dkt_probe_define(*state, "decoded_target+3", NULL, 0, &opts, &probes),
			 -EILSEQ);
	assert_has(dkt_error(*state), "decoded_target+3 of /");
	assert_has(dkt_error(*state), " is inside an instruction, and a probe there would crash the"
				      " program; instructions begin at decoded_target+0 and"
				      " decoded_target+10");
	assert_ok(*state, dkt_probe_define(*state, "decoded_target+3", NULL, 0, &inside, &probes));
	dkt_probes_free(probes);
	snprintf(place, sizeof(place), "0x%llx", (unsigned long long)offset - 1);
	assert_int_equal(dkt_probe_define(*state, place, NULL, 0, &opts, &probes), -EILSEQ);
	snprintf(place, sizeof(place), " and 0x%llx", (unsigned long long)offset);
	assert_has(dkt_error(*state), place);
	/* Where the code before is unknown, nothing is refused. */
	assert_ok(*state, dkt_probe_define(*state, "decoded_target+13", NULL, 0, &opts, &probes));
	dkt_probes_free(probes);
#else
	(void)state;
	skip();
#endif
}

/* As a file of settings has it that was saved before the program was changed. */
static void a_definition_inside_an_instruction_is_refused(void **state)
{
#ifdef __x86_64__
	DKT_OPTS(dkt_probe_opts, opts, .exec = "/proc/self/exe");
	static const char *const behind[] = { "", " --off", " --force", " --force --off" };
	struct dkt_probes *probes;
	char definition[PATH_MAX];
	const char *place;

	assert_ok(*state, dkt_probe_define(*state, "decoded_target+10", NULL, 0, &opts, &probes));
	place = dkt_probes_at(probes, 0)->place;
	for (size_t i = 0; i < ARRAY_SIZE(behind); i++) {
		const char *colon = strrchr(place, ':');
		struct probe_words words;
		struct dkt_probes *again = NULL;

		snprintf(definition, sizeof(definition), "p:dktrace/a %.*s:0x%llx%s",
			 (int)(colon - place), place, strtoull(colon + 1, NULL, 16) - 1, behind[i]);
		assert_ok(*state, dkl_probe_words_read(*state, definition, &words));
		assert_int_equal(dkl_probe_words_define(*state, &words, &again),
				 i < 2 ? -EILSEQ : 0);
		assert_int_equal(words.off, i & 1);
		dkt_probes_free(again);
		dkl_probe_words_clear(&words);
	}
	dkt_probes_free(probes);
#else
	(void)state;
	skip();
#endif
}

/* A place by name, by line and by offset in the file are one place. */
static void places_are_found(void **state)
{
	DKT_OPTS(dkt_probe_opts, opts, .exec = "/proc/self/exe");
	struct dkt_probes *probes;
	char *offset;
	const char *again;

	assert_ok(*state, dkt_probe_define(*state, "probe_target", NULL, 0, &opts, &probes));
	offset = strdup(strrchr(dkt_probes_at(probes, 0)->place, ':') + 1);
	dkt_probes_free(probes);
	assert_ok(*state, dkt_probe_define(*state, offset, NULL, 0, &opts, &probes));
	again = strrchr(dkt_probes_at(probes, 0)->place, ':') + 1;
	assert_string_equal(offset, again);
	dkt_probes_free(probes);
	assert_ok(*state, dkt_probe_define(*state, "probe_target:0", NULL, 0, &opts, &probes));
	again = strrchr(dkt_probes_at(probes, 0)->place, ':') + 1;
	assert_string_equal(offset, again);
	assert_string_equal(dkt_probes_at(probes, 0)->name, "probe_target_L0");
	dkt_probes_free(probes);
	free(offset);
	assert_int_equal(dkt_probe_define(*state, "probe_target+100000000", NULL, 0, &opts,
					  &probes),
			 -ERANGE);
	assert_int_equal(dkt_probe_define(*state, "0x7ffffffff", NULL, 0, &opts, &probes), -ERANGE);
	assert_ok(*state, dkt_probe_define(*state, "probe_targ*", NULL, 0, &opts, &probes));
	dkt_probes_free(probes);
}

/* Files that are no programs, or half of one. */
static void files_that_are_not_programs_are_refused(void **state)
{
	char *path __cleanup(free) = NULL, *got;
	char half[4096];
	FILE *f = fopen("/proc/self/exe", "r");
	size_t n = fread(half, 1, sizeof(half), f);

	fclose(f);
	assert_true(asprintf(&path, "%s/half", probe_dir) > 0);
	got = fields(*state, path, "f", "");
	assert_has(got, "No such file or directory");
	free(got);
	assert_int_equal(tree_write(probe_dir, "half", half, n), 0);
	got = fields(*state, path, "f", "");
	assert_true(strstr(got, "is not a program") || strstr(got, "has no symbols of functions"));
	free(got);
	assert_int_equal(tree_write(probe_dir, "half", "#!/bin/sh\n", 10), 0);
	got = fields(*state, path, "f", "");
	assert_has(got, "is not a program: not a valid ELF file");
	free(got);
	got = fields(*state, probe_dir, "f", "");
	assert_has(got, "is not a program: not a regular file");
	free(got);
}

/* A file whose headers were changed: each byte of the first ones in turn. */
static void a_damaged_program_does_no_harm(void **state)
{
	char *path __cleanup(free) = NULL;
	FILE *f = fopen("/bin/true", "r");
	static char data[1 << 20];
	size_t n, i;

	assert_non_null(f);
	n = fread(data, 1, sizeof(data), f);
	fclose(f);
	assert_true(asprintf(&path, "%s/liar", probe_dir) > 0);
	for (i = 0; i < 64 + 56 * 4; i++) {
		char *got, was = data[i];

		data[i] = (char)(was ^ 0xff);
		assert_int_equal(tree_write(probe_dir, "liar", data, n), 0);
		got = fields(*state, path, "main", "arg1:string");
		assert_non_null(got);
		free(got);
		got = fields(*state, path, "0x3000", "%di");
		assert_non_null(got);
		free(got);
		data[i] = was;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(arguments_are_found_by_name, probe_setup,
						probe_teardown),
		cmocka_unit_test_setup_teardown(arguments_of_a_patched_function_are_found,
						probe_setup, probe_teardown),
		cmocka_unit_test_setup_teardown(invalid_arguments_are_refused, probe_setup,
						probe_teardown),
		cmocka_unit_test_setup_teardown(return_probes_have_the_value, probe_setup,
						probe_teardown),
		cmocka_unit_test_setup_teardown(places_inside_an_instruction_are_refused,
						probe_setup, probe_teardown),
		cmocka_unit_test_setup_teardown(a_definition_inside_an_instruction_is_refused,
						probe_setup, probe_teardown),
		cmocka_unit_test_setup_teardown(places_are_found, probe_setup, probe_teardown),
		cmocka_unit_test_setup_teardown(files_that_are_not_programs_are_refused,
						probe_setup, probe_teardown),
		cmocka_unit_test_setup_teardown(a_damaged_program_does_no_harm, probe_setup,
						probe_teardown),
	};

	return cmocka_run_group_tests(tests, probe_make_tree, probe_remove_tree);
}
