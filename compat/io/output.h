/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opens an output file safely in a directory where other users can replace files. */
#pragma once

#include <sys/stat.h>

#include <dktrace/dktrace.h>

enum output_flags {
	OUTPUT_READ = 1, /* it is also read */
	OUTPUT_EMPTY = 2, /* it is emptied */
	OUTPUT_GO_ON = 4, /* what is in it counts: another user's is refused, not replaced */
};

/*
 * Opens path for writing. A new file has mode 0600. One of this user keeps its mode, without setuid
 * and the like; one of another user is replaced by a new one. A terminal, a pipe or a device is
 * opened as it is. In a sticky directory (/tmp) links and pipes of other users are refused, as with
 * fs.protected_symlinks. Capabilities that the program's file gave do not count. Returns the
 * descriptor or -errno; dkt_error() is the reason alone.
 */
int output_open(struct dkt_ctx *ctx, const char *path, unsigned int flags);

/* For what will take the place of path: refuses the same links. What is not there is no failure. */
int output_check(struct dkt_ctx *ctx, const char *path);

/*
 * Adds DKT_KEEP_OUTPUT to keep if a file at path (NULL: none), or one in $TMPDIR, cannot be made or
 * replaced without capabilities: its directory belongs to another user.
 */
int output_keep(struct dkt_ctx *ctx, const char *path, unsigned int *keep);

/* The mode for what takes the place of path: as a file of this user has it, else that of a new one. */
mode_t output_mode(const char *path, mode_t fresh);
