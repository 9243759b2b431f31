/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads and writes files in tracefs, at printf-like paths. Errors name the path, value and reason.
 */
#pragma once

#include "ctx.h"

/* An open descriptor (O_CLOEXEC), or a negative errno value. */
int dkt__tfs_open(struct dkt_ctx *ctx, int flags, const char *fmt, ...) DKT_PRINTF(3, 4);

/* The whole file, terminated; the caller frees it. len may be NULL. */
int dkt__tfs_read(struct dkt_ctx *ctx, char **text, size_t *len, const char *fmt, ...)
	DKT_PRINTF(4, 5);

/* The file as a decimal number. */
int dkt__tfs_read_u64(struct dkt_ctx *ctx, uint64_t *value, const char *fmt, ...) DKT_PRINTF(3, 4);

/* Replaces what the file says (O_TRUNC, which by itself empties lists), in one write. */
int dkt__tfs_set(struct dkt_ctx *ctx, const char *value, const char *fmt, ...) DKT_PRINTF(3, 4);

/* Adds to what the file says (O_APPEND), in one write. */
int dkt__tfs_add(struct dkt_ctx *ctx, const char *value, const char *fmt, ...) DKT_PRINTF(3, 4);

/* The same for many words, of which the kernel takes one with each write; what: of dkt_progress(). */
int dkt__tfs_add_words(struct dkt_ctx *ctx, const char *what, const char *words, const char *fmt,
		       ...) DKT_PRINTF(4, 5);

int dkt__tfs_mkdir(struct dkt_ctx *ctx, const char *fmt, ...) DKT_PRINTF(2, 3);
int dkt__tfs_rmdir(struct dkt_ctx *ctx, const char *fmt, ...) DKT_PRINTF(2, 3);
bool dkt__tfs_exists(struct dkt_ctx *ctx, const char *fmt, ...) DKT_PRINTF(2, 3);

/* A directory's entries but those that begin with a dot, sorted; the caller frees each and all. */
int dkt__tfs_list(struct dkt_ctx *ctx, char ***names, size_t *n, const char *fmt, ...)
	DKT_PRINTF(4, 5);
void dkt__names_free(char **names, size_t n);
