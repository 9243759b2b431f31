/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernel addresses to names: the calls that are not public. */
#pragma once

#include "lib/base/compress.h"
#include "lib/ctx.h"

/* Replaces the names by those in a file in the format of /proc/kallsyms. */
int dkt__symbols_read(struct dkt_ctx *ctx, const char *path);

/* A text in a file; its bytes live as long as the context. */
struct dkt__symbol_text {
	const void *bytes; /* NULL: none */
	size_t n;
	const struct dkt__codec *codec; /* of the compressed bytes; NULL: uncompressed */
	size_t size; /* uncompressed */
	size_t skip; /* uncompressed bytes before the text */
};

/*
 * Sets *bytes to the bytes of a text, uncompressed, with a NUL after them, which the caller frees.
 * -ENOENT: none; -EBADMSG: they cannot be unpacked.
 */
int dkt__symbol_text_unpack(const struct dkt__symbol_text *text, char **bytes, size_t *n);

/*
 * Sets a file's kallsyms and printk_formats. They are most of a short file, so they are parsed only
 * when the first name is needed.
 */
int dkt__symbols_given(struct dkt_ctx *ctx, const struct dkt__symbol_text *kallsyms,
		       const struct dkt__symbol_text *printk_formats);

/*
 * Returns an address that stands for a name given as text: "f", "f+0x1c/0x40", "f [module]". The
 * address has that name from then on. 0: no memory, or too many names.
 */
uint64_t dkt__symbol_create(struct dkt_ctx *ctx, const char *text, size_t len);

/* The same, but takes all of the text as the name. */
uint64_t dkt__symbol_create_whole(struct dkt_ctx *ctx, const char *text, size_t len);

/*
 * Returns an address that stands for a place in a file whose function is unknown: its name is
 * "[libc.so.6]", the offset is in the file. 0: no memory, too many names, or an offset of 4 GB or more.
 */
uint64_t dkt__symbol_create_file(struct dkt_ctx *ctx, const char *name, size_t len,
				 uint64_t offset);

/* Appends all names in the format of /proc/kallsyms. -ENOMEM. */
int dkt__symbols_text(struct dkt_ctx *ctx, struct dkt_buf *buf);

/* Returns the text of printk_formats, which the caller frees. -ENOENT: the kernel does not have it. */
int dkt__kernel_strings(struct dkt_ctx *ctx, char **text);

/* The function that contains an address. */
struct dkt__place {
	const char *name;
	uint64_t offset; /* in the function */
	uint64_t size; /* of the function, 0: unknown */
	const char *module; /* NULL: none */
};

/* True for the name of a file, which stands for a function without a name: there the offset is needed. */
static inline bool dkt__symbol_is_file(const char *name)
{
	return name[0] == '[';
}

/* Finds the function of an address. -ENOENT: none; -ENODATA: the symbols cannot be read. */
int dkt__symbol_place(struct dkt_ctx *ctx, uint64_t address, struct dkt__place *place);

struct dkt__symbol {
	const char *name;
	const char *module; /* NULL: of the kernel itself */
	uint64_t address; /* 0: hidden by kptr_restrict */
};

typedef int (*dkt__symbol_fn)(void *data, const struct dkt__symbol *symbol);

/*
 * Calls fn for all functions, read again. A result of fn other than 0 ends the walk and is
 * returned. -ENODATA: no symbols.
 */
int dkt__symbols_each(struct dkt_ctx *ctx, dkt__symbol_fn fn, void *data);

/*
 * Sets *address to the address under which a symbol is to be found. False: leave its name out. The
 * names live as long as the context.
 */
typedef bool (*dkt__symbol_move_fn)(void *data, const struct dkt__symbol *symbol, bool is_code,
				    uint64_t *address);

/* Gives the symbols other addresses: those at which they were when records were written. */
int dkt__symbols_move(struct dkt_ctx *ctx, dkt__symbol_move_fn fn, void *data);

/*
 * Shifts the symbols of the kernel itself so that the named one is at the address, for the list of another boot of
 * the same kernel, and drops those of modules, whose addresses are others. -ENOENT: there is no such symbol.
 */
int dkt__symbols_shift(struct dkt_ctx *ctx, const char *name, uint64_t address);

/* Returns the kernel's constant string at that address (printk_formats), or NULL. */
const char *dkt__kernel_string(struct dkt_ctx *ctx, uint64_t address);
