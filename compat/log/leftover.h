/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Removes temporary instances and probes that killed commands left. */
#pragma once

#include <dktrace/dktrace.h>

/* The i-th command that makes them: "latency" for LOG-latency-PID-TIME; NULL after the last one. */
const char *leftover_kind(size_t i);

/* Removes all of the log of that name. Events that were looked up before are no longer valid. */
int leftovers_remove(struct dkt_ctx *ctx, const char *log);

/* "dktrace-latency-12-345 (128.0 MB)", separated by ", "; NULL: there are none. */
int leftovers_list(struct dkt_ctx *ctx, const char *log, char **list);
