/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A made-up kernel for probes: README, symbols and types in a directory. */
#ifndef DKT_PROBE_TREE_H
#define DKT_PROBE_TREE_H

#include <sys/stat.h>

#include "lib/ctx.h"
#include "tests/helper/btf.h"
#include "tests/helper/tree.h"

/* The README of kernel 6.12, as far as it is about probes. */
#define PROBE_README                                                                               \
	"  dynamic_events\t\t- Create/append/remove/show the generic dynamic events\n"             \
	"\t  accepts: event-definitions (one definition per line)\n"                               \
	"\t   Format: p[:[<group>/][<event>]] <place> [<args>]\n"                                  \
	"\t           r[maxactive][:[<group>/][<event>]] <place> [<args>]\n"                       \
	"\t           f[:[<group>/][<event>]] <func-name>[%return] [<args>]\n"                     \
	"\t           t[:[<group>/][<event>]] <tracepoint> [<args>]\n"                             \
	"\t           e[:[<group>/][<event>]] <attached-group>.<attached-event> [<args>]\n"        \
	"\t fetcharg: (%<register>|$<efield>), @<address>, @<symbol>[+|-<offset>],\n"              \
	"\t           $stack<index>, $stack, $retval, $comm, $arg<N>,\n"                           \
	"\t           +|-[u]<offset>(<fetcharg>), \\imm-value, \\\"imm-string\"\n"                 \
	"\t     type: s8/16/32/64, u8/16/32/64, x8/16/32/64, char, string, symbol,\n"              \
	"\t           b<bit-width>@<bit-offset>/<container-size>, ustring,\n"                      \
	"\t           symstr, %pd/%pD, <type>\\[<array-size>\\]\n"

#define PROBE_KALLSYMS                                                                             \
	"ffffffff81000000 T vfs_read\n"                                                            \
	"ffffffff81000100 T vfs_write\n"                                                           \
	"ffffffff81000200 t t_show\n"                                                              \
	"ffffffff81000300 t t_show\n"                                                              \
	"ffffffff81000400 t split_it.isra.0\n"                                                     \
	"ffffffff81000480 t split_it.cold\n"                                                       \
	"ffffffff81000500 T vfs_table\n"                                                           \
	"ffffffff81000600 D vfs_data\n"                                                            \
	"ffffffff81000700 T odd_arguments\n"                                                       \
	"ffffffff81000800 T a_function_with_a_name_that_is_longer_than_any_event_can_have_in_it\n" \
	"ffffffffc0000000 t ldlm_handle_conflict_lock\t[ptlrpc]\n"                                 \
	"ffffffffc0000100 t both\t[ptlrpc]\n"                                                      \
	"ffffffffc0001000 t both\t[lustre]\n"

/* Numbers of the types that are made below; the plain ones first. */
struct probe_types {
	int s32, u32, s64, u64, u8, c, boolean, f64;
	int text; /* const char * */
	int chars, numbers, many, open, callback; /* arrays, and a pointer to a function */
};

static inline void probe_numbers(struct btf *btf, struct probe_types *t)
{
	t->s32 = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	t->u32 = btf__add_int(btf, "unsigned int", 4, 0);
	t->s64 = btf__add_int(btf, "long long int", 8, BTF_INT_SIGNED);
	t->u64 = btf__add_int(btf, "long unsigned int", 8, 0);
	t->u8 = btf__add_int(btf, "unsigned char", 1, 0);
	t->c = btf__add_int(btf, "char", 1, BTF_INT_SIGNED);
	t->boolean = btf__add_int(btf, "_Bool", 1, BTF_INT_BOOL);
	t->f64 = btf__add_float(btf, "double", 8);
	t->text = btf__add_ptr(btf, btf__add_const(btf, t->c));
	t->chars = btf__add_array(btf, t->s32, t->c, 16);
	t->numbers = btf__add_array(btf, t->s32, t->u32, 4);
	t->many = btf__add_array(btf, t->s32, t->u64, 200);
	t->open = btf__add_array(btf, t->s32, t->c, 0);
	t->callback = btf__add_ptr(btf, btf__add_func_proto(btf, t->s32));
}

static inline void probe_function(struct btf *btf, const char *name, int proto)
{
	btf__add_func(btf, name, BTF_FUNC_GLOBAL, proto);
}

/* struct file, struct inode; vfs_read(file, buf, count, pos), and a tracepoint vfs_seen(file). */
static inline void probe_vfs(struct btf *btf, const struct probe_types *t)
{
	int inode, mode, either, user, file, pos, proto, anything = btf__add_ptr(btf, 0);

	inode = btf__add_struct(btf, "inode", 64);
	btf__add_field(btf, "i_ino", t->u64, 0, 0);
	btf__add_field(btf, "i_flags", t->u32, 64, 3);
	btf__add_field(btf, "i_state", t->u32, 67, 13);
	btf__add_field(btf, "i_wide", t->u64, 128, 40);
	inode = btf__add_ptr(btf, inode);
	mode = btf__add_enum(btf, "mode", 4);
	btf__add_enum_value(btf, "MODE_A", 1);
	either = btf__add_union(btf, NULL, 8);
	btf__add_field(btf, "one", t->u32, 0, 0);
	btf__add_field(btf, "other", t->u64, 0, 0);
	user = btf__add_ptr(btf, btf__add_type_tag(btf, "user", t->c));
	file = btf__add_struct(btf, "file", 4096);
	btf__add_field(btf, "f_inode", inode, 0, 0);
	btf__add_field(btf, "f_name", t->text, 64, 0);
	btf__add_field(btf, "f_comm", t->chars, 128, 0);
	btf__add_field(btf, "f_ids", t->numbers, 256, 0);
	btf__add_field(btf, "f_mode", mode, 384, 0);
	btf__add_field(btf, "", either, 448, 0);
	btf__add_field(btf, "f_done", t->callback, 512, 0);
	btf__add_field(btf, "f_many", t->many, 576, 0);
	btf__add_field(btf, "f_tail", t->open, 576 + 12800, 0);
	btf__add_field(btf, "f_user", user, 13440, 0);
	btf__add_field(btf, "f_private", anything, 13504, 0);
	btf__add_field(btf, "f_real", t->f64, 13568, 0);
	file = btf__add_ptr(btf, file);
	pos = btf__add_ptr(btf, btf__add_typedef(btf, "loff_t", t->s64));
	proto = btf__add_func_proto(btf, t->s64);
	btf__add_func_param(btf, "file", file);
	btf__add_func_param(btf, "buf", user);
	btf__add_func_param(btf, "count", t->u64);
	btf__add_func_param(btf, "pos", pos);
	probe_function(btf, "vfs_read", proto);
	probe_function(btf, "inlined_away", proto);
	proto = btf__add_func_proto(btf, 0);
	btf__add_func_param(btf, "__data", anything);
	btf__add_func_param(btf, "file", file);
	btf__add_typedef(btf, "btf_trace_vfs_seen", btf__add_ptr(btf, proto));
}

/* As Lustre has it: lock->l_resource->lr_name.name[0] */
static inline void probe_ldlm(struct btf *btf, const struct probe_types *t)
{
	int atomic, names, id, resource, lock, flags, proto;

	atomic = btf__add_struct(btf, "atomic", 4);
	btf__add_field(btf, "counter", t->s32, 0, 0);
	names = btf__add_array(btf, t->s32, t->u64, 4);
	id = btf__add_struct(btf, "ldlm_res_id", 32);
	btf__add_field(btf, "name", names, 0, 0);
	resource = btf__add_struct(btf, "ldlm_resource", 128);
	btf__add_field(btf, "lr_refcount", atomic, 256, 0);
	btf__add_field(btf, "lr_name", id, 320, 0);
	resource = btf__add_ptr(btf, resource);
	lock = btf__add_struct(btf, "ldlm_lock", 256);
	btf__add_field(btf, "l_resource", resource, 192, 0);
	lock = btf__add_ptr(btf, lock);
	flags = btf__add_ptr(btf, t->u64);
	proto = btf__add_func_proto(btf, t->s32);
	btf__add_func_param(btf, "lock", lock);
	btf__add_func_param(btf, "flags", flags);
	probe_function(btf, "ldlm_handle_conflict_lock", proto);
}

/* Structs by value, floating point, more arguments than registers. */
static inline void probe_odd(struct btf *btf, const struct probe_types *t)
{
	int small, large, proto;

	small = btf__add_struct(btf, "small", 8);
	btf__add_field(btf, "x", t->s32, 0, 0);
	btf__add_field(btf, "y", t->s32, 32, 0);
	large = btf__add_struct(btf, "large", 24);
	btf__add_field(btf, "first", t->u64, 0, 0);
	btf__add_field(btf, "last", t->u64, 128, 0);
	proto = btf__add_func_proto(btf, t->boolean);
	btf__add_func_param(btf, "real", t->f64);
	btf__add_func_param(btf, "small", small);
	btf__add_func_param(btf, "large", large);
	btf__add_func_param(btf, "flag", t->boolean);
	btf__add_func_param(btf, "letter", t->c);
	btf__add_func_param(btf, "byte", t->u8);
	btf__add_func_param(btf, "a5", t->u32);
	btf__add_func_param(btf, "a6", t->u32);
	btf__add_func_param(btf, "a7", t->u32);
	probe_function(btf, "odd_arguments", proto);
}

static inline struct btf *probe_btf(void)
{
	struct btf *btf = btf__new_empty();
	struct probe_types t;

	probe_numbers(btf, &t);
	probe_vfs(btf, &t);
	probe_odd(btf, &t);
	probe_ldlm(btf, &t);
	return btf;
}

/* Makes it in a directory that is there. */
static inline int probe_tree_make(const char *dir)
{
	static const char *const empty[] = { "dynamic_events", "kprobe_events", "uprobe_events",
					     "available_events", "trace_clock" };
	static const char *const dirs[] = { "btf", "events", "instances", "kprobes" };
	struct btf *btf = probe_btf();
	const void *data;
	uint32_t size;
	size_t i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(dirs); i++) {
		char *path __cleanup(free) = NULL;

		if (asprintf(&path, "%s/%s", dir, dirs[i]) < 0 || mkdir(path, 0755))
			return -EIO;
	}
	for (i = 0; i < ARRAY_SIZE(empty); i++)
		err |= tree_text(dir, empty[i], "");
	data = btf__raw_data(btf, &size);
	err |= tree_write(dir, "btf/vmlinux", data, size);
	btf__free(btf);
	err |= tree_text(dir, "README", PROBE_README);
	err |= tree_text(dir, "kallsyms", PROBE_KALLSYMS);
	return err;
}

/* ---- for cmocka: one tree for all tests, a context for each ---- */

static char probe_dir[TREE_NAME];

static inline int probe_make_tree(void **state)
{
	(void)state;
	return tree_make(probe_dir) ? -1 : probe_tree_make(probe_dir);
}

static inline int probe_remove_tree(void **state)
{
	(void)state;
	return tree_remove(probe_dir);
}

static inline int probe_setup(void **state)
{
	*state = tree_ctx(probe_dir);
	return *state ? 0 : -1;
}

static inline int probe_teardown(void **state)
{
	dkt_ctx_free(*state);
	return 0;
}

#endif
