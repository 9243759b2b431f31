/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Removes temporary instances and probes that killed commands left. */
#pragma once

#include <dktrace/dktrace.h>

/* Returns the i-th command that creates them: "latency" for LOG-latency-PID-TIME; NULL at the end. */
const char *dkl_leftover_kind(size_t i);

/* Removes all leftovers of the log. Events that were looked up before are no longer valid. */
int dkl_leftovers_remove(struct dkt_ctx *ctx, const char *log);

/* Lists them as "dktrace-latency-12-345 (128.0 MB)", separated by ", "; NULL: none. */
int dkl_leftovers_list(struct dkt_ctx *ctx, const char *log, char **list);
