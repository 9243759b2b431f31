/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads BTF: the kernel's own description of its functions and types. */
#pragma once

#include "lib/debuginfo/c_type.h"

struct dkt__btf;

/*
 * Loads the BTF of the running kernel or of one of its modules; for a saved tree from its
 * btf/vmlinux and btf/MODULE. -ENOENT: the kernel has no BTF of it; -EINVAL: it is invalid.
 */
int dkt__btf_load(struct dkt_ctx *ctx, const char *module, struct dkt__btf **btf);

/* Reads the bytes of the running kernel's BTF, or a saved tree's, which the caller frees. */
int dkt__btf_read(struct dkt_ctx *ctx, char **data, size_t *size);

/* Loads it from bytes; base, the BTF it extends, or NULL, is taken over. */
int dkt__btf_parse(struct dkt_ctx *ctx, const void *data, size_t size, struct dkt__btf *base,
		   struct dkt__btf **btf);
void dkt__btf_free(struct dkt__btf *btf);

struct ctype_source *dkt__btf_types(struct dkt__btf *btf);

/* Gets the type of a function by its name. -ENOENT: not found. */
int dkt__btf_function(struct dkt__btf *btf, const char *name, uint32_t *id);

/*
 * Gets the type of the function that a tracepoint calls; its first parameter is the tracer's own.
 */
int dkt__btf_tracepoint(struct dkt__btf *btf, const char *name, uint32_t *id);

/*
 * Gets parameter i of the function type. Returns 1 after the last; -EOPNOTSUPP: variable arguments.
 */
int dkt__btf_param(struct dkt__btf *btf, uint32_t id, size_t i, struct ctype_param *param);

/* Gets the type that a function returns. */
int dkt__btf_returns(struct dkt__btf *btf, uint32_t id, uint32_t *type);
