/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads and writes files in tracefs, at printf-like paths. Errors name the path, value and reason.
 */
#pragma once

#include "lib/base/strings.h"
#include "lib/ctx.h"

/* Returns an open descriptor (O_CLOEXEC), or -errno. */
int dkt__tfs_open(struct dkt_ctx *ctx, int flags, const char *fmt, ...) DKT_PRINTF(3, 4);

/* Reads the whole file as a string, which the caller frees. len may be NULL. */
int dkt__tfs_read(struct dkt_ctx *ctx, char **text, size_t *len, const char *fmt, ...)
	DKT_PRINTF(4, 5);

/* Reads the file as a decimal number. */
int dkt__tfs_read_u64(struct dkt_ctx *ctx, uint64_t *value, const char *fmt, ...) DKT_PRINTF(3, 4);

/* Replaces the file's content in one write (O_TRUNC, which alone empties lists). */
int dkt__tfs_set(struct dkt_ctx *ctx, const char *value, const char *fmt, ...) DKT_PRINTF(3, 4);

/* Appends to the file in one write (O_APPEND). */
int dkt__tfs_add(struct dkt_ctx *ctx, const char *value, const char *fmt, ...) DKT_PRINTF(3, 4);

/* Appends many words. The kernel accepts one per write; what: the task, for dkt__progress(). */
int dkt__tfs_add_words(struct dkt_ctx *ctx, const char *what, const char *words, const char *fmt,
		       ...) DKT_PRINTF(4, 5);

int dkt__tfs_mkdir(struct dkt_ctx *ctx, const char *fmt, ...) DKT_PRINTF(2, 3);
int dkt__tfs_rmdir(struct dkt_ctx *ctx, const char *fmt, ...) DKT_PRINTF(2, 3);
bool dkt__tfs_exists(struct dkt_ctx *ctx, const char *fmt, ...) DKT_PRINTF(2, 3);

/* Lists a directory's entries, sorted, without those that begin with a dot. */
int dkt__tfs_list(struct dkt_ctx *ctx, struct dkt__strings *names, const char *fmt, ...)
	DKT_PRINTF(3, 4);
