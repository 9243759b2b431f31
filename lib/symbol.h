/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernel addresses to names: the calls that are not public. */
#pragma once

#include "base/compress.h"
#include "ctx.h"

/* Takes the names from that file, in the form of /proc/kallsyms, in place of any before. */
int dkt__symbols_read(struct dkt_ctx *ctx, const char *path);

/* A text as a file holds it; its bytes live as long as the context. */
struct dkt__symbol_text {
	const void *bytes; /* NULL: it has none */
	size_t n;
	const struct dkt__codec *codec; /* they are compressed by that; NULL: they are not */
	size_t size; /* uncompressed */
	size_t skip; /* uncompressed bytes before the text */
};

/*
 * A file's kallsyms and printk_formats. They are most of what a short file holds, and are looked at
 * when the first name is asked for.
 */
int dkt__symbols_given(struct dkt_ctx *ctx, const struct dkt__symbol_text *kallsyms,
		       const struct dkt__symbol_text *printk_formats);

/*
 * An address for a name of which only the text is known: "f", "f+0x1c/0x40", "f [module]". The name is
 * that of the address from then on. 0: there is no memory, or no room for more names.
 */
uint64_t dkt__symbol_make(struct dkt_ctx *ctx, const char *text, size_t len);

/* The same for a name that is all of the text, whatever it looks like. */
uint64_t dkt__symbol_make_whole(struct dkt_ctx *ctx, const char *text, size_t len);

/* Appends all of them in the form of /proc/kallsyms. -ENOMEM. */
int dkt__symbols_text(struct dkt_ctx *ctx, struct dkt_buf *buf);

/* The text of printk_formats; the caller frees it. -ENOENT: there is none. */
int dkt__kernel_strings(struct dkt_ctx *ctx, char **text);

/* Where an address lies. */
struct dkt__place {
	const char *name;
	uint64_t offset; /* in the function */
	uint64_t size; /* of the function, 0: unknown */
	const char *module; /* NULL: none */
};

/* -ENOENT: nowhere; -ENODATA: no symbols can be read. */
int dkt__symbol_place(struct dkt_ctx *ctx, uint64_t address, struct dkt__place *place);

struct dkt__symbol {
	const char *name;
	const char *module; /* NULL: of the kernel itself */
	uint64_t address; /* 0: it is hidden (kptr_restrict) */
};

typedef int (*dkt__symbol_fn)(void *data, const struct dkt__symbol *symbol);

/* All code, read anew. Anything but 0 ends the walk and is what it returns. -ENODATA: no symbols. */
int dkt__symbols_each(struct dkt_ctx *ctx, dkt__symbol_fn fn, void *data);

/* A constant string of the kernel at that address (printk_formats), NULL if it is none. */
const char *dkt__kernel_string(struct dkt_ctx *ctx, uint64_t address);
