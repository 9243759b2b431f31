/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Programs, libraries and kernel modules as files: symbols, offsets, debug information. */
#pragma once

#include <elfutils/libdwfl.h>

#include "debuginfo/abi.h"
#include "expr.h"

struct binary_die; /* debuginfo/dwarf_type.c */

struct dkt__binary {
	struct ctype_source types; /* first: the callbacks get its address */
	struct dkt_ctx *ctx;
	char *path;
	char *debug_file; /* where its debug information is, NULL: to be found */
	char *debug_path; /* directories to look in, in dwfl's own form */
	Dwfl_Callbacks callbacks;
	Dwfl *dwfl;
	Dwfl_Module *module;
	Elf *elf;
	GElf_Addr bias; /* what dwfl adds to the addresses in elf */
	enum dkt__machine machine;
	int n_symbols;
	/* Types that were met, by their number. */
	struct binary_die *dies;
	size_t n_dies;
};

/*
 * Opens the file. debug_file may be NULL; root is the directory that its path is below as a
 * process sees it ("/proc/12/root"), NULL for this one's. -ENOEXEC: it is no ELF file.
 */
int dkt__binary_open(struct dkt_ctx *ctx, const char *path, const char *debug_file,
		     const char *root, struct dkt__binary **binary);
void dkt__binary_close(struct dkt__binary *binary);

struct binary_symbol {
	const char *name; /* valid as long as the binary */
	uint64_t address; /* in dwfl's counting */
	uint64_t size;
	bool chosen_late; /* STT_GNU_IFUNC: it only finds out which function serves */
};

/* All functions, in no order. Anything but 0 ends the walk and is what it returns. */
int dkt__binary_functions(struct dkt__binary *binary,
			  int (*fn)(void *data, const struct binary_symbol *symbol), void *data);

/* -ENOENT: there is none, with words; -ENXIO: only what the compiler made of it; -ENOTUNIQ: several, with their offsets in words. */
int dkt__binary_function(struct dkt__binary *binary, const char *name,
			 struct binary_symbol *symbol);

/* The function that holds the address, NULL name: none. */
void dkt__binary_at(struct dkt__binary *binary, uint64_t address, struct binary_symbol *symbol);

/* Where code of that address is in the file; and back. -ERANGE: it is no code of the file. */
int dkt__binary_offset(struct dkt__binary *binary, uint64_t address, uint64_t *offset);
int dkt__binary_address(struct dkt__binary *binary, uint64_t offset, uint64_t *address);

/* Where data of that address is in the file. -ERANGE: nowhere. */
int dkt__binary_data_offset(struct dkt__binary *binary, uint64_t address, uint64_t *offset);

/* ---- debug information ---- */

/* NULL, with words why, if there is none. */
Dwarf *dkt__binary_dwarf(struct dkt__binary *binary, uint64_t *bias);

/* The number of the type of a DIE that has one; 0: void. */
int dkt__dwarf_type(struct dkt__binary *binary, Dwarf_Die *die, uint32_t *id);
void dkt__dwarf_types_init(struct dkt__binary *binary);
