/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Programs, libraries and kernel modules as files: symbols, offsets, debug information. */
#pragma once

#include <elfutils/libdwfl.h>

#include "lib/base/guess.h"
#include "lib/debuginfo/abi.h"

struct binary_die; /* debuginfo/dwarf_type.c */
struct dwarf_index; /* debuginfo/dwarf_index.c */

/* A function, by its address. */
struct binary_place {
	uint64_t address; /* as dwfl numbers addresses */
	uint32_t size;
	uint32_t index; /* of its symbol, or with BINARY_PLT of plt_names */
};

#define BINARY_PLT (UINT32_C(1) << 31)

struct dkt__binary {
	struct ctype_source types; /* first: the callbacks get its address */
	struct dkt_ctx *ctx;
	char *path;
	char *debug_file; /* the file of its debug information; NULL: to be found */
	char *debug_path; /* directories to search, in dwfl's syntax */
	Dwfl_Callbacks callbacks;
	Dwfl *dwfl;
	Dwfl_Module *module;
	Elf *elf;
	GElf_Addr bias; /* dwfl's addresses minus those in elf */
	enum dkt__machine machine;
	int n_symbols;
	struct binary_place *places; /* sorted; valid if places_read */
	size_t n_places;
	bool places_read;
	char **plt_names;
	size_t n_plt_names;
	/* Known types, by ID. */
	struct binary_die *dies;
	size_t n_dies;
	struct dwarf_index *index; /* NULL: not needed yet */
};

/*
 * Opens the file. debug_file may be NULL. root is the root directory of a process ("/proc/12/root")
 * to which the path is relative, or NULL. -ENOEXEC: not an ELF file.
 */
int dkt__binary_open(struct dkt_ctx *ctx, const char *path, const char *debug_file,
		     const char *root, struct dkt__binary **binary);
void dkt__binary_close(struct dkt__binary *binary);

/* True if the file has that build ID. */
bool dkt__binary_is_build(const struct dkt__binary *binary, const uint8_t *id, size_t n);

struct binary_symbol {
	const char *name; /* first: they are sorted by it; valid as long as the binary */
	uint64_t address; /* as dwfl numbers addresses */
	uint64_t size;
	bool chosen_late; /* STT_GNU_IFUNC: it only selects the function to use */
};

/*
 * Calls fn for all functions, unordered. A result of fn other than 0 ends the walk and is returned.
 */
int dkt__binary_functions(struct dkt__binary *binary,
			  int (*fn)(void *data, const struct binary_symbol *symbol), void *data);

/*
 * Finds a function. With an error message: -ENOENT: not found; -ENXIO: only variants by the
 * compiler; -ENOTUNIQ: several, with their offsets.
 */
int dkt__binary_function(struct dkt__binary *binary, const char *name,
			 struct binary_symbol *symbol);

/* Converts a code address to an offset in the file, and back. -ERANGE: not code of the file. */
int dkt__binary_offset(struct dkt__binary *binary, uint64_t address, uint64_t *offset);
int dkt__binary_address(struct dkt__binary *binary, uint64_t offset, uint64_t *address);

/* The same, without an error message. */
int dkt__binary_find_address(struct dkt__binary *binary, uint64_t offset, uint64_t *address);

/* Converts a data address to an offset in the file. -ERANGE: not in the file. */
int dkt__binary_data_offset(struct dkt__binary *binary, uint64_t address, uint64_t *offset);

/* ---- binary_at.c ---- */

/* Finds the function that contains the address; name NULL: none. */
void dkt__binary_at(struct dkt__binary *binary, uint64_t address, struct binary_symbol *symbol);

/* ---- plt.c ---- */

/* Appends the entries of the procedure linkage table to places. -ENOMEM. */
int dkt__binary_add_plt(struct dkt__binary *binary);

/* ---- debug information ---- */

/* Returns the path of the file that has its debug information. NULL: only the program has it. */
const char *dkt__binary_debug_path(struct dkt__binary *binary);

/* Returns NULL, with an error message, if the file has no DWARF. */
Dwarf *dkt__binary_dwarf(struct dkt__binary *binary, uint64_t *bias);

/* Gets the ID of a DIE's type; 0: void. */
int dkt__dwarf_type(struct dkt__binary *binary, Dwarf_Die *die, uint32_t *id);
void dkt__dwarf_types_init(struct dkt__binary *binary);
