/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Remembers the IDs of events from capture to capture. */
#pragma once

#include "lib/ctx.h"

/* Reads the IDs that an earlier capture stored in the directory, if any. */
void dkt__ids_load(struct dkt_ctx *ctx, int dirfd);

/* Writes the known IDs. If that fails, they are looked up again next time. */
void dkt__ids_save(struct dkt_ctx *ctx, int dirfd);
