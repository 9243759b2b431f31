/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* last_boot_info: where the kernel was in memory when it wrote the records that survived a reboot. */
#pragma once

#include "lib/ctx.h"

struct dkt__last_module {
	char *name;
	uint64_t address;
};

struct dkt__last_boot {
	bool current; /* the buffers hold records of this boot */
	bool has_delta; /* as kernel 6.12 tells: how far the kernel has moved since */
	int64_t text_delta, data_delta;
	uint64_t text; /* later kernels: the address of _text then; 0: not told */
	struct dkt__last_module *modules; /* where the modules were, as later kernels tell */
	size_t n_modules;
};

/* Reads the text of the file. -EINVAL: not of a known form; -ENOMEM. */
int dkt__last_boot_parse(const char *text, struct dkt__last_boot *boot);
void dkt__last_boot_clear(struct dkt__last_boot *boot);

/* Returns how far the kernel has moved in memory since; 0 if that cannot be told. */
int64_t dkt__last_boot_moved(struct dkt_ctx *ctx, const struct dkt__last_boot *boot);

/*
 * Gives the context the names of functions and strings at the addresses that they had then. modules:
 * the text of /proc/modules since, NULL: unknown. The names of a module whose place is unknown are left
 * out.
 */
int dkt__last_boot_symbols(struct dkt_ctx *ctx, const struct dkt__last_boot *boot,
			   const char *modules);
