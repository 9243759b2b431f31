/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ready-made pairs of latency as definitions of periods. */
#pragma once

#include <dktrace/dktrace.h>

/*
 * Gets the definition of the ready-made pair of that name, the first one whose events the kernel that
 * recorded has. The caller frees it. -EINVAL: there is no such pair; the context has the message.
 */
int period_pair_text(struct dkt_ctx *ctx, const char *name, char **text);
