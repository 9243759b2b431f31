/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opens an output file safely in a directory where other users can replace files. */
#pragma once

#include <sys/stat.h>

#include <dktrace/dktrace.h>

enum output_flags {
	OUTPUT_READ = 1, /* open for reading, too */
	OUTPUT_EMPTY = 2, /* empty the file */
	OUTPUT_GO_ON = 4, /* keep the content: refuse another user's file, do not replace it */
	OUTPUT_SAY = 8, /* report that it waits, if path is a pipe that no process reads */
};

/*
 * Opens path for writing. A new file has mode 0600. A file of this user keeps its mode, without the
 * setuid, setgid and sticky bits; a file of another user is replaced. Terminals, pipes and devices
 * are opened as they are. In a sticky directory (/tmp), links and pipes of other users are refused,
 * as with fs.protected_symlinks. Does not use capabilities of the program's file. Returns the
 * descriptor or -errno; dkt_error() holds the reason alone.
 */
int dkl_output_open(struct dkt_ctx *ctx, const char *path, unsigned int flags);

/* Before path is replaced: refuses the same links. A missing file is not an error. */
int dkl_output_check(struct dkt_ctx *ctx, const char *path);

/*
 * Before path is replaced by a file of other content: a regular file that is not empty gets the name
 * path.old, in place of an older one. It keeps its first name, too, until the new file takes it, if the
 * file system can do that. Sets *kept to the name path.old, which the caller frees, or to NULL.
 */
int dkl_output_keep_old(struct dkt_ctx *ctx, const char *path, char **kept);

/*
 * Adds DKT__KEEP_OUTPUT to keep if a file at path (NULL: none) or in $TMPDIR cannot be created or
 * replaced without capabilities, because the directory belongs to another user.
 */
int dkl_output_keep(struct dkt_ctx *ctx, const char *path, unsigned int *keep);

/*
 * Returns the mode for a file that replaces path: that of a file of this user, but not writable for
 * everybody, otherwise fresh.
 */
mode_t dkl_output_mode(const char *path, mode_t fresh);

/* The links that lead to an output, at most: the kernel follows no more either. */
#define OUTPUT_LINKS 40

/*
 * Returns the path that a link names, which need not exist; a relative one is in the directory of the link.
 * NULL: path is no link. The caller frees it.
 */
char *dkl_output_link(const char *path);

/* Sets the message "write PATH: REASON", and what to do if path cannot grow. Returns err. */
int dkl_full_fail(struct dkt_ctx *ctx, int err, const char *path);

/* Adds what to do to the message, which names the file, if that cannot grow. Returns err. */
int dkl_full_advise(struct dkt_ctx *ctx, int err);
