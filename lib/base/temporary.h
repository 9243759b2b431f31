/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A temporary file, with the error message. */
#pragma once

#include <dktrace/dktrace.h>

#include "lib/base/io.h"

/*
 * Creates a file without a name in the directory, for reading and writing. Returns its descriptor,
 * or -errno with an error message.
 */
static inline int dkt__temporary_file(struct dkt_ctx *ctx, const char *dir)
{
	int fd = dkt__unnamed_file(dir);

	return fd < 0 ? dkt_fail(ctx, fd, "create a file in %s: %s", dir, strerror(-fd)) : fd;
}
