/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Completes a recording: makes it a finished trace.dat file, in the place of the recording. */
#pragma once

#include <dktrace/dktrace.h>

#include "compat/pipeline/outfile.h"

/*
 * Writes the recording path, which is open for reading as fd, as a finished file beside it, which then
 * takes its name. compression: as for dkt__tracedat_seal(). Returns 1 if it is finished already. After a
 * failure the recording is as it was; -ENOSPC: there is no room for a second file.
 */
int capture_complete(struct dkt_ctx *ctx, const char *path, int fd, const char *compression);

/*
 * The same for a recording that has ended in order. -EBADMSG: it has damage, because the file system could
 * not keep what it had taken. It stays as it is, so that whoever reads it sees the damage.
 */
int capture_complete_ended(struct dkt_ctx *ctx, const char *path, int fd, const char *compression);

/* The same into another file, whose name is to. The caller closes out, which says where an earlier file is now. */
int capture_complete_as(struct dkt_ctx *ctx, const char *path, int fd, const char *to,
			const char *compression, struct outfile *out);
