/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files of Lustre's debug log as sources of records, beside those that the library knows. */
#pragma once

#include <dktrace/dktrace.h>

/*
 * As dkt_source_open(), and of a text as dk prints it and of a binary log, whose records are of the
 * event libcfs:libcfs_debug_msg, in order of time.
 */
int log_source_open(struct dkt_ctx *ctx, const char *path, const struct dkt_source_opts *opts,
		    struct dkt_source **source);

/* Whether the source is such a file. */
bool log_source_is(const struct dkt_source *source);
