/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lustre's messages in the dump of a kernel. */
#pragma once

#include "compat/lustre/binary/spill.h"

/* True if the file is a dump, and libcfs was loaded. */
bool dkl_dump_log_exists(const char *path, const struct dkt_source_opts *opts);

/*
 * Copies the binary records that libcfs kept to the spill, CPU after CPU. *damage: what could not be
 * read, which the caller frees; NULL: nothing. -EINVAL: the file is not a dump; -ENOENT: libcfs was
 * not loaded; -EOPNOTSUPP: its buffer is not as Lustre 2 has it.
 */
int dkl_dump_log_read(struct dkt_ctx *ctx, const char *path, const struct dkt_source_opts *opts,
		      struct spill *spill, char **damage);
