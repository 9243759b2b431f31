/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ready-made pairs of latency as definitions of periods. */
#pragma once

#include <dktrace/dktrace.h>

/*
 * Gets the definition of the ready-made pair of that name, the first one whose events the kernel that
 * recorded has. One within another follows the definition of that, after a PERIOD_SEPARATOR. The caller frees it. -EINVAL: there is no such pair; the context has the message.
 */
int period_pair_text(struct dkt_ctx *ctx, const char *name, char **text);

/*
 * The same for a table, which has the same columns whatever the kernel has: those of each way to measure. The
 * first n_groups columns are those by which the times are grouped. definitions: the context that has the pairs.
 */
int period_pair_table(struct dkt_ctx *ctx, struct dkt_ctx *definitions, const char *name,
		      char **text, size_t *n_groups);

/* Returns the name of the pair's periods, which has no '-'. The caller frees it. NULL: memory is out. */
char *period_pair_name(const char *name);
