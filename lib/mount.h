/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where tracefs is mounted. */
#pragma once

#include "ctx.h"

#define TRACEFS_PLACE "/sys/kernel/tracing"

/* False: it is no directory, or a copy of one. */
bool dkt__mount_is(const char *dir);

/* Where tracefs is mounted, or the context's root; NULL if nowhere. The caller frees it. */
char *dkt__mount_where(const struct dkt_ctx *ctx);

/* The same; with DKT_MOUNT it is mounted if need be. -EOPNOTSUPP, -ENOENT: it is nowhere. */
int dkt__mount_find(struct dkt_ctx *ctx, unsigned int flags, char **dir);
