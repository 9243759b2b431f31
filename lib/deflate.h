/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compression by the algorithms that a trace.dat file may name. */
#ifndef DKT_DEFLATE_H
#define DKT_DEFLATE_H

#include "internal.h"

struct dkt__deflate;

/* name: "zstd" or "zlib". -EINVAL: another one. */
int dkt__deflate_new(struct dkt_ctx *ctx, const char *name, struct dkt__deflate **out);
void dkt__deflate_free(struct dkt__deflate *deflate);

/* As the file's head has them. */
const char *dkt__deflate_name(const struct dkt__deflate *deflate);
const char *dkt__deflate_version(const struct dkt__deflate *deflate);

/* Compresses the bytes; *out is valid until the next call. -ENOMEM. */
int dkt__deflate_run(struct dkt__deflate *deflate, const void *bytes, size_t len, const void **out,
		     size_t *out_len);

#endif
