/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Probes on a made-up kernel: places, expressions by BTF, errors. */
#include "lib/debuginfo/abi.h"
#include "lib/debuginfo/btf.h"
#include "lib/inside.h"
#include "tests/helper/check.h"
#include "tests/helper/probe_tree.h"

/* Names of this machine: of the registers of the first and the third argument, and those that a message shows. */
#ifdef __aarch64__
#define FIRST "%x0"
#define THIRD "%x2"
#define NAMES "%x0, %sp, %pc"
#else
#define FIRST "%di"
#define THIRD "%dx"
#define NAMES "%di, %ax, %r8, %sp"
#endif

/* Returns the definition or the error message. The caller frees it. */
static char *define(struct dkt_ctx *ctx, enum dkt_probe_kind kind, const char *place,
		    const char *args)
{
	DKT_OPTS(dkt_probe_opts, opts, .kind = kind, .max = 3);
	struct dkt_probes *probes;
	char *text = NULL, *all = strdup("");
	size_t i;

	if (dkt_probe_define(ctx, place, &args, *args ? 1 : 0, &opts, &probes)) {
		free(all);
		return strdup(dkt_error(ctx));
	}
	for (i = 0; dkt_probes_at(probes, i); i++) {
		char *more;

		assert_ok(ctx, dkt__probe_text(ctx, dkt_probes_at(probes, i), &text));
		assert_true(asprintf(&more, "%s%s%s", all, i ? "\n" : "", text) >= 0);
		free(text);
		free(all);
		all = more;
	}
	dkt_probes_free(probes);
	return all;
}

static void expect(struct dkt_ctx *ctx, enum dkt_probe_kind kind, const char *place,
		   const char *args, const char *want)
{
	char *got __cleanup(free) = define(ctx, kind, place, args);

	assert_string_equal(got, want);
}

static void expect_field(struct dkt_ctx *ctx, const char *function, const char *args,
			 const char *want)
{
	char *whole __cleanup(free) = NULL;

	assert_true(asprintf(&whole, "p:dktrace/%s %s %s", function, function, want) >= 0);
	expect(ctx, DKT_PROBE_ANY, function, args, whole);
}

/* Those that the manual has, as they are written there. */
static void names_become_definitions(void **state)
{
	struct dkt_ctx *ctx = *state;
	static const char *const args[] = { "lock->l_resource->lr_refcount.counter",
					    "name=lock->l_resource->lr_name.name[0]:x64" };
	DKT_OPTS(dkt_probe_opts, opts, .group = "mine", .name = "conflict");
	struct dkt_probes *probes;
	char *text;

	expect_field(ctx, "vfs_read", "count pos=*pos", "count=$arg3:u64 pos=+0($arg4):s64");
	expect(ctx, DKT_PROBE_ANY, "vfs_read%return", "ret=$retval:s32",
	       "r:dktrace/vfs_read__return vfs_read ret=$retval:s32");
	assert_int_equal(dkt_probe_define(ctx, "ptlrpc:ldlm_handle_conflict_lock", args, 2, &opts,
					  &probes),
			 -ENOENT);
	/* A module's types are in a file of its own, which is missing: use registers. */
	assert_has(dkt_error(ctx), "btf/ptlrpc: No such file or directory");
	assert_ok(ctx, dkt_probe_define(ctx, "ptlrpc:ldlm_handle_conflict_lock", &args[1], 0, &opts,
					&probes));
	assert_ok(ctx, dkt__probe_text(ctx, dkt_probes_at(probes, 0), &text));
	assert_string_equal(text, "p:mine/conflict ptlrpc:ldlm_handle_conflict_lock");
	free(text);
	dkt_probes_free(probes);
}

/* A module's types stand on those of the kernel. */
static void functions_of_modules_are_found(void **state)
{
	struct btf *base = probe_btf(), *split = btf__new_empty_split(base);
	struct dkt_ctx *ctx = *state;
	int id, proto;
	const void *data;
	uint32_t size;

	id = btf__find_by_name_kind(base, "ldlm_lock", BTF_KIND_STRUCT);
	assert_true(id > 0);
	id = btf__add_ptr(split, id);
	proto = btf__add_func_proto(split, 0);
	btf__add_func_param(split, "lock", id);
	btf__add_func(split, "ldlm_handle_conflict_lock", BTF_FUNC_STATIC, proto);
	data = btf__raw_data(split, &size);
	assert_int_equal(tree_write(probe_dir, "btf/ptlrpc", data, size), 0);
	btf__free(split);
	btf__free(base);
	expect(ctx, DKT_PROBE_ANY, "ldlm_handle_conflict_lock",
	       "lock->l_resource->lr_refcount.counter name=lock->l_resource->lr_name.name[0]:x64",
	       "p:dktrace/ldlm_handle_conflict_lock ptlrpc:ldlm_handle_conflict_lock"
	       " counter=+32(+24($arg1)):s32 name=+40(+24($arg1)):x64");
	expect(ctx, DKT_PROBE_ANY, "ptlrpc:ldlm_handle_conflict_lock", "lock->l_resource->lr_nam",
	       "argument 'lock->l_resource->lr_nam': struct ldlm_resource has no member 'lr_nam';"
	       " did you mean lr_name?");
}

/* Types are chosen from the declaration. */
static void members_have_the_types_of_btf(void **state)
{
	static const struct {
		const char *argument, *want;
	} cases[] = {
		/* clang-format off */
		{ "file", "file=$arg1:x64" },
		{ "file->f_inode->i_ino", "i_ino=+0(+0($arg1)):u64" },
		{ "file->f_name", "f_name=+0(+8($arg1)):string" },
		{ "file->f_comm", "f_comm=+16($arg1):string" },
		{ "file->f_comm[2]", "f_comm_2=+18($arg1):char" },
		{ "file->f_ids", "f_ids=+32($arg1):u32[4]" },
		{ "file->f_ids[3]", "f_ids_3=+44($arg1):u32" },
		{ "file->f_mode", "f_mode=+48($arg1):u32" },
		{ "file->one file->other", "one=+56($arg1):u32 other=+56($arg1):u64" },
		{ "file->f_done", "f_done=+64($arg1):symbol" },
		{ "file->f_tail", "f_tail=+1672($arg1):string" },
		{ "file->f_user", "f_user=+0(+1680($arg1)):ustring" },
		{ "*file->f_user", "f_user=+u0(+1680($arg1)):char" },
		{ "buf", "buf=+0($arg2):ustring" },
		{ "buf:x64", "buf=$arg2:x64" },
		{ "count:x32", "count=$arg3:x32" },
		{ "file->f_inode->i_flags", "i_flags=+8(+0($arg1)):b3@0/8" },
		{ "file->f_inode->i_state", "i_state=+8(+0($arg1)):b13@3/16" },
		{ "file->f_inode->i_wide", "i_wide=+16(+0($arg1)):b40@0/64" },
		{ "(*file).f_mode", "f_mode=+48($arg1):u32" },
		{ "*file->f_inode:x64", "f_inode=+0(+0($arg1)):x64" },
		{ "((struct inode *)file->f_private)->i_ino", "i_ino=+0(+1688($arg1)):u64" },
		{ "((struct file *)$arg2)->f_mode", "f_mode=+48($arg2):u32" },
		{ "file->f_many:u64[64]", "f_many=+72($arg1):u64[64]" },
		{ "file->f_ids[0] file->f_ids[0]", "f_ids_0=+32($arg1):u32 f_ids_0_2=+32($arg1):u32" },
		{ "arg3", "arg3=$arg3:u64" },
		{ "$arg3 %sp @jiffies $stack2 $comm", "arg3=$arg3:u64 sp=%sp jiffies=@jiffies stack2=$stack2 comm=$comm" },
		{ "x=+8(+0($arg1)):x32 y=@some_text:string", "x=+8(+0($arg1)):x32 y=@some_text:string" },
		{ "name=" FIRST ":string", "name=+0(" FIRST "):string" },
		{ "\\42:u8 t=\\\"a b\"", "constant=\\42:u8 t=\\\"a b\"" },
		{ " count\tpos ", "count=$arg3:u64 pos=$arg4:x64" },
		/* clang-format on */
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		expect_field(*state, "vfs_read", cases[i].argument, cases[i].want);
}

static void invalid_arguments_are_refused(void **state)
{
	static const struct {
		const char *argument, *want;
	} cases[] = {
		/* clang-format off */
		{ "cuont", "vfs_read has no variable 'cuont'; did you mean count?" },
		{ "file->f_inod", "struct file has no member 'f_inod'; did you mean f_inode?" },
		{ "file->zz", "struct file has no member 'zz'; it has f_inode, f_name, f_comm, f_ids, f_mode, one, other, f_done, f_many, f_tail, f_user, f_private, f_real" },
		{ "*file", "it is struct file; choose a member: f_inode, f_name, f_comm, f_ids, f_mode, one, other, f_done, f_many, f_tail, f_user, f_private, f_real" },
		{ "file.f_mode", "'file' is a pointer, which has no members (use -> to follow the pointer)" },
		{ "count->x", "-> needs a pointer; 'count' is long unsigned int" },
		{ "*count", "* needs a pointer; '*count' is long unsigned int" },
		{ "file->f_ids[4]", "[4] is beyond its 4 elements" },
		{ "file->f_many", "it has 200 elements; the kernel's limit is 64; :u64[64] records the first ones" },
		{ "file->f_real", "it is a floating point number; :x64 or :x32 records its bits" },
		{ "file->f_private->x", "'file->f_private' is void, which has no members" },
		{ "count:u7", "unknown type ':u7'; the types are s8..s64, u8..u64, x8..x64, char, string, ustring, symbol, bWIDTH@OFFSET/SIZE, and TYPE[COUNT] up to 64" },
		{ "count:u8[65]", "unknown type ':u8[65]'; the types are s8..s64, u8..u64, x8..x64, char, string, ustring, symbol, bWIDTH@OFFSET/SIZE, and TYPE[COUNT] up to 64" },
		{ "file->f_inode->i_flags:x32", "a bit-field is recorded as one: leave ':x32' out" },
		{ "$retval", "vfs_read has a $retval only on return: vfs_read%return" },
		{ "$nosuch", "there is no $nosuch; use $retval, $arg1, $stack, $stack0 or $comm" },
		{ "%dii", "there is no register %dii; use the kernel's names: " NAMES },
		{ "count pos=count)", "unexpected ')'" },
		{ "file->", "a name is missing before ''" },
		{ "*", "a value is missing at the end" },
		{ "file->f_ids[x]", "a number is missing before 'x]'" },
		{ "file->f_ids[99999999999999999999]", "a number is too large" },
		{ "((struct nosuch *)file)->x", "there is no struct 'nosuch'" },
		{ "((struct inode **)file)->x", "a cast must be to a pointer: (struct inode *)" },
		{ "a=count a=count", "the name 'a' is used twice" },
		{ "common_pid=count", "the name 'common_pid' is the kernel's own" },
		{ "9a=count", "the name '9a' is invalid" },
		{ "a_name_that_is_longer_than_31_chars=count", "the name has 35 characters; the kernel's limit is 31" },
		{ "+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0($arg1)))))))))))))", "+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0($arg1))))))))))))) has 57 characters; the kernel's limit is 63" },
		/* clang-format on */
	};
	size_t i;

	for (i = 0; i + 1 < ARRAY_SIZE(cases); i++) {
		char *got __cleanup(free) =
			define(*state, DKT_PROBE_ANY, "vfs_read", cases[i].argument);
		const char *words = strstr(got, "': ");

		assert_non_null(words);
		/* The argument itself may have that. */
		while (strstr(words + 3, "': ") && strcmp(words + 3, cases[i].want))
			words = strstr(words + 3, "': ");
		assert_string_equal(words + 3, cases[i].want);
	}
}

static void definitions_that_are_too_long_are_refused(void **state)
{
	char deep[400] = "", *got;
	int i;

	for (i = 0; i < 15; i++)
		strncat(deep, "+0(", 4);
	strncat(deep, "$arg1", 6);
	for (i = 0; i < 15; i++)
		strncat(deep, ")", 2);
	got = define(*state, DKT_PROBE_ANY, "vfs_read", deep);
	assert_has(got, "characters; the kernel's limit is 63");
	free(got);
	memset(deep, '*', sizeof(deep) - 1);
	got = define(*state, DKT_PROBE_ANY, "vfs_read", deep);
	assert_has(got, "it is nested too deep");
	free(got);
}

static void too_many_probes_are_refused(void **state)
{
	char all[129 * 6 + 1] = "", *got;
	int i;

	for (i = 0; i < 129; i++)
		strncat(all, "count ", 7);
	got = define(*state, DKT_PROBE_ANY, "vfs_read", all);
	assert_string_equal(got, "there are more arguments than the kernel's limit of 128");
	free(got);
	all[128 * 6] = '\0';
	got = define(*state, DKT_PROBE_ANY, "vfs_read", all);
	assert_has(got, " count_128=$arg3:u64");
	free(got);
}

static void unusual_arguments_are_understood(void **state)
{
	struct dkt_ctx *ctx = *state;

	/* Floating point takes no register of the others, a struct of 8 bytes takes one. */
	expect_field(ctx, "odd_arguments", "small.x small.y", "x=$arg1:s32 y=$arg1:b32@32/64");
#ifdef __aarch64__
	/* A struct that is too large has its address in a register. */
	expect_field(ctx, "odd_arguments", "large.first large.last flag letter byte a5 a6 a7",
		     "first=+0($arg2):u64 last=+16($arg2):u64 flag=$arg3:u8 letter=$arg4:char"
		     " byte=$arg5:u8 a5=$arg6:u32 a6=$arg7:u32 a7=$arg8:u32");
#else
	/* A struct that is too large is on the stack after the return address, and so are later ones. */
	expect_field(ctx, "odd_arguments", "flag letter byte a5 large.first large.last a6 a7",
		     "flag=$arg2:u8 letter=$arg3:char byte=$arg4:u8 a5=$arg5:u32 first=+8(%sp):u64"
		     " last=+24(%sp):u64 a6=$arg6:u32 a7=+32(%sp):u32");
#endif
	expect(ctx, DKT_PROBE_ANY, "odd_arguments", "real",
	       "argument 'real' of odd_arguments: it is a floating point number, in a register that"
	       " the kernel cannot fetch");
	expect(ctx, DKT_PROBE_ANY, "odd_arguments%return", "$retval",
	       "r:dktrace/odd_arguments__return odd_arguments ret=$retval:u8");
}

/* arm64 passes large structs by address, and eight values in registers. */
static void other_machines_have_other_registers(void **state)
{
	static const struct {
		const char *fetch;
		bool memory;
		int64_t offset;
	} want[] = { { "", false, 0 },    { "%x0", false, 0 }, { "%x1", true, 0 },
		     { "%x2", false, 0 }, { "%x3", false, 0 }, { "%x4", false, 0 },
		     { "%x5", false, 0 }, { "%x6", false, 0 }, { "%x7", false, 0 } };
	struct abi_place places[9], word;
	struct ctype_param param;
	struct dkt__btf *btf;
	uint32_t types[9], id;
	size_t i;

	assert_ok(*state, dkt__btf_load(*state, NULL, &btf));
	assert_int_equal(dkt__btf_function(btf, "odd_arguments", &id), 0);
	for (i = 0; !dkt__btf_param(btf, id, i, &param); i++)
		types[i] = param.type;
	assert_int_equal(i, ARRAY_SIZE(types));
	dkt__abi_arguments(DKT__ARM64, false, dkt__btf_types(btf), types, i, places);
	assert_non_null(places[0].trouble);
	for (i = 1; i < ARRAY_SIZE(want); i++) {
		assert_string_equal(places[i].fetch, want[i].fetch);
		assert_int_equal(places[i].memory, want[i].memory);
		assert_int_equal(places[i].offset, want[i].offset);
		assert_null(places[i].trouble);
	}
	dkt__abi_word(DKT__ARM64, false, 8, &word);
	assert_string_equal(word.fetch, "%sp");
	assert_true(word.memory && !word.offset);
	dkt__abi_word(DKT__X86_64, false, 6, &word);
	assert_true(word.memory && word.offset == 8);
	dkt__abi_word(DKT__OTHER, false, 0, &word);
	assert_non_null(word.trouble);
	dkt__btf_free(btf);
}

static void places_are_found(void **state)
{
	struct dkt_ctx *ctx = *state;

	expect(ctx, DKT_PROBE_ANY, "vfs_read+16", "%sp",
	       "p:dktrace/vfs_read_16 vfs_read+16 sp=%sp");
	expect(ctx, DKT_PROBE_ANY, "vfs_*", "",
	       "p:dktrace/vfs_read vfs_read\np:dktrace/vfs_table vfs_table\n"
	       "p:dktrace/vfs_write vfs_write");
	expect(ctx, DKT_PROBE_ANY, "*", "", "'*' matches 11 functions; the limit is 3");
	expect(ctx, DKT_PROBE_ANY, "xx*", "", "no function of the kernel matches");
	expect(ctx, DKT_PROBE_ANY, "ptlrpc:*", "",
	       "p:dktrace/both ptlrpc:both\n"
	       "p:dktrace/ldlm_handle_conflict_lock ptlrpc:ldlm_handle_conflict_lock");
	expect(ctx, DKT_PROBE_ANY, "0xffffffff81000300", "", "p:dktrace/t_show 0xffffffff81000300");
	expect(ctx, DKT_PROBE_ANY, "vfs_raed", "",
	       "this kernel has no function 'vfs_raed'; did you mean vfs_read?");
	expect(ctx, DKT_PROBE_ANY, "vfs_data", "", "this kernel has no function 'vfs_data'");
	expect(ctx, DKT_PROBE_ANY, "nfsd:vfs_read", "",
	       "module nfsd is not loaded, or has no functions");
	expect(ctx, DKT_PROBE_ANY, "ptlrpc:vfs_read", "",
	       "module ptlrpc has no function 'vfs_read'");
	expect(ctx, DKT_PROBE_ANY, "t_show", "",
	       "this kernel has 2 functions 't_show'; choose by module or address:"
	       " 0xffffffff81000200, 0xffffffff81000300");
	expect(ctx, DKT_PROBE_ANY, "both", "",
	       "this kernel has 2 functions 'both'; choose by module or address: ptlrpc:both,"
	       " lustre:both");
	expect(ctx, DKT_PROBE_ANY, "lustre:both", "", "p:dktrace/both lustre:both");
	expect(ctx, DKT_PROBE_ANY, "split_it", "",
	       "split_it exists only as a copy made by the compiler, perhaps with other arguments;"
	       " name it split_it.isra.0");
	expect(ctx, DKT_PROBE_ANY, "split_it.isra.0", "",
	       "p:dktrace/split_it_isra_0 split_it.isra.0");
	expect(ctx, DKT_PROBE_ANY, "inlined_away", "",
	       "inlined_away is known to this kernel, but has no code of its own: it was inlined, or"
	       " belongs to a module that is not loaded");
	expect(ctx, DKT_PROBE_ANY,
	       "a_function_with_a_name_that_is_longer_than_any_event_can_have_in_it", "",
	       "the event's name"
	       " 'a_function_with_a_name_that_is_longer_than_any_event_can_have_in_it' has 67"
	       " characters; the kernel's limit is 63; choose another with --name");
	expect(ctx, DKT_PROBE_ANY, "vfs_read:12", "",
	       "a source line needs debug information: no file with debug information of the kernel"
	       " was found");
}

static void invalid_places_are_refused(void **state)
{
	struct dkt_ctx *ctx = *state;

	expect(ctx, DKT_PROBE_ANY, "", "", "place '': a function's name is missing");
	expect(ctx, DKT_PROBE_ANY, "vfs_read\np:x/y z", "",
	       "place 'vfs_read\\np:x/y z': it has an invalid character");
	expect(ctx, DKT_PROBE_ANY, "vfs_read%retrun", "",
	       "place 'vfs_read%retrun': after % only 'return' is possible");
	expect(ctx, DKT_PROBE_ANY, "vfs_read+4%return", "",
	       "place 'vfs_read+4%return': a function's return is FUNCTION%return");
	expect(ctx, DKT_PROBE_ANY, "vfs_read+x", "",
	       "place 'vfs_read+x': an offset is a number: FUNCTION+0x10");
	expect(ctx, DKT_PROBE_ANY, "vfs_*+4", "",
	       "place 'vfs_*+4': a glob cannot have an offset or a line");
	expect(ctx, DKT_PROBE_ANY, "a:b:c", "", "place 'a:b:c': it is not MODULE:FUNCTION");
	expect(ctx, DKT_PROBE_ANY, "12x", "", "place '12x': an address is a number: 0x1234");
	expect(ctx, DKT_PROBE_ANY, "file.c:0", "",
	       "place 'file.c:0': lines of a file are counted from 1");
	expect(ctx, DKT_PROBE_ANY, "vfs_read", "count\nx",
	       "an argument has the invalid character \\x0a");
}

static void other_kinds_of_probes_are_defined(void **state)
{
	struct dkt_ctx *ctx = *state;

	expect(ctx, DKT_PROBE_FPROBE, "vfs_read", "count",
	       "f:dktrace/vfs_read vfs_read count=$arg3:u64");
	expect(ctx, DKT_PROBE_FPROBE, "vfs_read%return", "$retval",
	       "f:dktrace/vfs_read__return vfs_read%return ret=$retval:s64");
	expect(ctx, DKT_PROBE_FPROBE, "vfs_read+8", "",
	       "a function probe can only be at the entry or return of a function");
	expect(ctx, DKT_PROBE_TRACEPOINT, "vfs_seen", "file->f_mode",
	       "t:dktrace/vfs_seen vfs_seen f_mode=+48($arg1):u32");
	expect(ctx, DKT_PROBE_TRACEPOINT, "vfs_sen", "", "this kernel has no tracepoint 'vfs_sen'");
	expect(ctx, DKT_PROBE_SYNTHETIC, "slow", "u64 lat; pid_t pid",
	       "s:synthetic/slow u64 lat; pid_t pid");
	expect(ctx, DKT_PROBE_SYNTHETIC, "slow", "",
	       "a synthetic event needs fields: 'u64 lat' 'pid_t pid'");
	expect(ctx, DKT_PROBE_EVENT, "sched:nosuch", "", "there is no event sched:nosuch");
	expect(ctx, DKT_PROBE_EVENT, "sched", "", "write the event as SYSTEM:EVENT");
}

/* The debug information below describes this function in place of the kernel's. */
__attribute__((noinline, used)) static long vfs_read(int file, char *buf, size_t count)
{
	__asm__ volatile("" ::: "memory");
	return file + (long)count + *buf;
}

static void retval_is_for_returns_with_a_debug_file_too(void **state)
{
	DKT_OPTS(dkt_probe_opts, opts, .debug_file = "/proc/self/exe");
	static const char *const args[] = { "$retval" };
	struct dkt_ctx *ctx = *state;
	struct dkt_probes *probes;

	assert_int_equal(dkt_probe_define(ctx, "vfs_read", args, 1, &opts, &probes), -EINVAL);
	assert_string_equal(dkt_error(ctx), "argument '$retval': vfs_read has a $retval only on"
					    " return: vfs_read%return");
	assert_ok(ctx, dkt_probe_define(ctx, "vfs_read%return", args, 1, &opts, &probes));
	assert_string_equal(dkt_probes_at(probes, 0)->fields, "ret=$retval:s64");
	dkt_probes_free(probes);
}

/* Debug information knows where a variable is at the function's entry, not where it is on return. */
static void variables_of_a_debug_file_are_refused_on_return(void **state)
{
	DKT_OPTS(dkt_probe_opts, opts, .debug_file = "/proc/self/exe");
	static const char *const variable[] = { "count" }, *const numbered[] = { "$arg3" };
	struct dkt_ctx *ctx = *state;
	struct dkt_probes *probes;

	assert_ok(ctx, dkt_probe_define(ctx, "vfs_read", variable, 1, &opts, &probes));
	dkt_probes_free(probes);
	assert_int_equal(dkt_probe_define(ctx, "vfs_read%return", variable, 1, &opts, &probes),
			 -EINVAL);
	assert_string_equal(dkt_error(ctx), "'count' is not available on return, only $retval is;"
					    " probe the entry to record count");
	assert_ok(ctx, dkt_probe_define(ctx, "vfs_read%return", numbered, 1, &opts, &probes));
	assert_string_equal(dkt_probes_at(probes, 0)->fields, "arg3=$arg3");
	dkt_probes_free(probes);
}

/* A README that knows less. */
static void older_kernels_get_other_definitions(void **state)
{
	static const char readme[] = "place: [<module>:]<symbol>[+<offset>]\n $stack<index>\n";
	struct dkt_ctx *ctx = *state;

	assert_int_equal(tree_write(probe_dir, "README", readme, sizeof(readme) - 1), 0);
	expect_field(ctx, "vfs_read", "count file->f_done",
		     "count=" THIRD ":u64 f_done=+64(" FIRST "):x64");
	expect(ctx, DKT_PROBE_ANY, "vfs_read%return", "count",
	       "'count' is not available on return, only $retval is; probe the"
	       " entry to record count");
	expect(ctx, DKT_PROBE_ANY, "vfs_read%return", "$arg1",
	       "'$arg1' is not available on return, only $retval is; probe the"
	       " entry to record $arg1");
	expect(ctx, DKT_PROBE_ANY, "vfs_read", "file->f_ids",
	       "argument 'file->f_ids': this kernel records no arrays");
	expect(ctx, DKT_PROBE_FPROBE, "vfs_read", "",
	       "this kernel has no function probes (6.5 brought them)");
	expect(ctx, DKT_PROBE_EVENT, "a:b", "",
	       "this kernel has no probes on events (5.15 brought them)");
	assert_int_equal(tree_write(probe_dir, "README", PROBE_README, sizeof(PROBE_README) - 1),
			 0);
}

/* BTF truncated at any length is refused or used as far as possible. */
static void truncated_btf_is_refused(void **state)
{
	struct btf *whole = probe_btf();
	const char *data;
	uint32_t size, n;

	data = btf__raw_data(whole, &size);
	for (n = 0; n < size; n++) {
		struct dkt__btf *btf;
		void *copy = malloc(n + 1);

		memcpy(copy, data, n);
		assert_int_equal(dkt__btf_parse(*state, copy, n, NULL, &btf), -EINVAL);
		free(copy);
	}
	assert_int_equal(tree_write(probe_dir, "btf/vmlinux", data, size / 2), 0);
	expect(*state, DKT_PROBE_ANY, "vfs_read", "$arg1",
	       "p:dktrace/vfs_read vfs_read arg1=$arg1");
	{
		char *got __cleanup(free) = define(*state, DKT_PROBE_ANY, "vfs_read", "count");

		assert_has(got, "is truncated or invalid");
	}
	assert_int_equal(tree_write(probe_dir, "btf/vmlinux", data, size), 0);
	btf__free(whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(names_become_definitions, probe_setup,
						probe_teardown),
		cmocka_unit_test_setup_teardown(functions_of_modules_are_found, probe_setup,
						probe_teardown),
		cmocka_unit_test_setup_teardown(members_have_the_types_of_btf, probe_setup,
						probe_teardown),
		cmocka_unit_test_setup_teardown(invalid_arguments_are_refused, probe_setup,
						probe_teardown),
		cmocka_unit_test_setup_teardown(definitions_that_are_too_long_are_refused,
						probe_setup, probe_teardown),
		cmocka_unit_test_setup_teardown(too_many_probes_are_refused, probe_setup,
						probe_teardown),
		cmocka_unit_test_setup_teardown(unusual_arguments_are_understood, probe_setup,
						probe_teardown),
		cmocka_unit_test_setup_teardown(other_machines_have_other_registers, probe_setup,
						probe_teardown),
		cmocka_unit_test_setup_teardown(places_are_found, probe_setup, probe_teardown),
		cmocka_unit_test_setup_teardown(invalid_places_are_refused, probe_setup,
						probe_teardown),
		cmocka_unit_test_setup_teardown(other_kinds_of_probes_are_defined, probe_setup,
						probe_teardown),
		cmocka_unit_test_setup_teardown(variables_of_a_debug_file_are_refused_on_return,
						probe_setup, probe_teardown),
		cmocka_unit_test_setup_teardown(retval_is_for_returns_with_a_debug_file_too,
						probe_setup, probe_teardown),
		cmocka_unit_test_setup_teardown(older_kernels_get_other_definitions, probe_setup,
						probe_teardown),
		cmocka_unit_test_setup_teardown(truncated_btf_is_refused, probe_setup,
						probe_teardown),
	};

	return cmocka_run_group_tests(tests, probe_make_tree, probe_remove_tree);
}
