/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lustre's own debug buffer: asks the kernel to dump it to a file, which also empties it. */
#pragma once

#include <dktrace/dktrace.h>

#include "lustre/log_source.h"

/*
 * Writes the name of a file, which must not be there, to the parameter: the kernel makes it. In
 * dkt_error() are lctl's words.
 */
int libcfs_dump_to(struct dkt_ctx *ctx, const char *param, const char *file);

/*
 * Dumps into a file that nobody else sees and that is gone when the descriptor is closed, whatever
 * ends the process (but SIGKILL while the kernel writes). *fd is -1 if the kernel made no file. It is
 * below $TMPDIR or /tmp: the buffer may be larger than what /run takes.
 */
int libcfs_dump(struct dkt_ctx *ctx, const char *param, int *fd);

#define LIBCFS_LOG_NAME "Lustre's buffer"

/* Dumps and sorts. tell_bad and show are as of record_sort_new(). *log is NULL if nothing came. */
int libcfs_log_take(struct dkt_ctx *ctx, const char *param, const struct record_sort_opts *opts,
		    struct log_source **log);
