/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A kernel in memory: its VMCOREINFO, symbols and types. */
#pragma once

#include "lib/debuginfo/btf.h"
#include "lib/vmcore/image.h"

struct vm_core {
	struct dkt_ctx *ctx;
	const char *name; /* of the dump, for messages */
	struct vm_image *image; /* NULL: the memory is from elsewhere */
	struct vm_memory *memory;
	const char *info; /* VMCOREINFO: lines KEY=VALUE */
	struct dkt_buf symbols; /* in the format of /proc/kallsyms */
	struct dkt__btf *btf; /* of the dump or of the kernel's file; NULL: none */
	struct dkt__binary *binary; /* the kernel's file, opened for its DWARF; NULL: not needed */
	struct ctype_source *types; /* of one of the two */
};

/*
 * Opens the file of a dump, and finds symbols and types in it, or in the kernel's file vmlinux, which
 * may be NULL. A file of another kernel is refused. The caller clears core, also after an error.
 */
int dkt__vm_core_open(struct vm_core *core, struct dkt_ctx *ctx, const struct dkt__file *file,
		      const char *vmlinux);

/* Frees what the struct holds. */
void dkt__vm_core_clear(struct vm_core *core);

/* True if the file is shorter than it says. */
bool dkt__vm_core_cut(const struct vm_core *core);

/* Adds to the message of an error that the file is truncated, if it is. Returns err. */
int dkt__vm_core_fail_in(const struct vm_core *core, const struct dkt__file *file, int err);

/* ---- VMCOREINFO ---- */

/* Copies the value of a line, "" if there is none; false: none, or it is too long. */
bool dkt__vm_info(const char *info, const char *key, char *value, size_t size);

/* Gets the number in such a line. */
bool dkt__vm_info_number(const char *info, const char *key, unsigned int base, uint64_t *number);

/* Gets the address from a line SYMBOL(name)=. */
bool dkt__vm_info_symbol(const char *info, const char *name, uint64_t *address);

/* ---- symbols ---- */

/* Gets the address of a symbol of the kernel itself. -ENOENT: it has none. */
int dkt__vm_symbol(const struct vm_core *core, const char *name, uint64_t *address);

/* The same of a module, after dkt__vm_module_symbols(). */
int dkt__vm_module_symbol(const struct vm_core *core, const char *module, const char *name,
			  uint64_t *address);

/* The most bytes of symbols that are believed; those of a kernel have about 10 MB. */
#define DKT__VM_SYMBOLS_MAX (128u << 20)

/* vmcore/kallsyms.c: appends the kernel's own symbols. -ENOENT: VMCOREINFO does not name them. */
int dkt__vm_kallsyms(struct vm_core *core);

/* vmcore/modules.c: appends the symbols of the modules. */
int dkt__vm_module_symbols(struct vm_core *core);

/* ---- values ---- */

/* A variable of the kernel. */
struct vm_place {
	uint64_t at;
	uint32_t type;
	uint8_t bit, bits; /* of a bit-field: its first bit at the address, and how many; else 0 */
};

/* Finds a struct by its name. */
int dkt__vm_struct(const struct vm_core *core, const char *name, uint32_t *type);

/*
 * Goes from a variable to a part of it, or to another that it points at: "array_buffer.buffer",
 * "class->system". Of alternatives "a|b", the first that the kernel has is taken.
 */
int dkt__vm_go(const struct vm_core *core, struct vm_place from, const char *path,
	       struct vm_place *to);

/* Gets the offset of a member: "list.next". */
int dkt__vm_offset(const struct vm_core *core, uint32_t type, const char *path, uint64_t *offset);

/* Begins a walk through the list of the structs' member "list" whose head is the symbol; *entry gets their type. */
int dkt__vm_walk(const struct vm_core *core, const char *symbol, const char *name,
		 struct vm_place *entry, struct vm_list *list);

/* Reads a number or a pointer at the end of a path; "" is the variable itself. */
int dkt__vm_get(const struct vm_core *core, struct vm_place from, const char *path,
		uint64_t *value);

/* The same for n paths. */
struct vm_wanted {
	const char *path;
	uint64_t *value;
};
int dkt__vm_get_all(const struct vm_core *core, struct vm_place from,
		    const struct vm_wanted *wanted, size_t n);

/* Reads the string that a pointer or an array at the end of the path holds; the caller frees it. */
int dkt__vm_text(const struct vm_core *core, struct vm_place from, const char *path, size_t most,
		 char **text);

/* Gets the size of a type; 0: unknown. */
uint64_t dkt__vm_size(const struct vm_core *core, uint32_t type);
