/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lustre's own debug buffer: asks the kernel to dump it to a file, which also empties it. */
#pragma once

#include <dktrace/dktrace.h>

#include "compat/lustre/log_source.h"

/*
 * Writes the path of a file to the parameter; the kernel creates the file, which must not exist.
 * The error messages are lctl's.
 */
int dkl_libcfs_dump_to(struct dkt_ctx *ctx, const char *param, const char *file);

/*
 * Dumps into a file in $TMPDIR or /tmp that only this process can open. It disappears when the
 * descriptor is closed, however the process ends (except by SIGKILL while the kernel writes). *fd
 * is -1 if the kernel created no file. The buffer may be too large for /run.
 */
int dkl_libcfs_dump(struct dkt_ctx *ctx, const char *param, int *fd);

#define LIBCFS_LOG_NAME "Lustre's buffer"

/*
 * Dumps and sorts, with the options of dkl_record_sort_new(). *log is NULL if the kernel created no
 * file.
 */
int dkl_libcfs_log_take(struct dkt_ctx *ctx, const char *param, const struct record_sort_opts *opts,
			struct log_source **log);
