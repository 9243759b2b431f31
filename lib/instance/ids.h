/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Remembers the IDs of events from capture to capture. */
#pragma once

#include "ctx.h"

/* Reads what an earlier capture found out, if there is such a file in the directory. */
void dkt__ids_load(struct dkt_ctx *ctx, int dirfd);

/* Writes what is known now. What cannot be written is looked up again next time. */
void dkt__ids_save(struct dkt_ctx *ctx, int dirfd);
