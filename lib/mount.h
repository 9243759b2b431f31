/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where tracefs is mounted. */
#pragma once

#include "lib/ctx.h"

#define TRACEFS_PLACE "/sys/kernel/tracing"

/* True if dir is a mounted tracefs, not a copy of one. */
bool dkt__mount_is(const char *dir);

/* Returns where tracefs is mounted, or the context's root; NULL: nowhere. The caller frees it. */
char *dkt__mount_where(const struct dkt_ctx *ctx);

/*
 * The same, but with DKT_MOUNT mounts tracefs if necessary. -EOPNOTSUPP: the kernel has no tracefs;
 * -ENOENT: it is not mounted.
 */
int dkt__mount_find(struct dkt_ctx *ctx, unsigned int flags, char **dir);
