/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An output file, which is complete or absent if the caller wants that. */
#pragma once

#include <dktrace/dktrace.h>

#include "compat/pipeline/placer.h"

struct outfile {
	struct dkt_ctx *ctx;
	const char *path;
	const struct placer *placer; /* in: writes path for this process; NULL: this one can */
	char *dir; /* the directory of the file */
	char *temp; /* the temporary name; NULL: none */
	char *target; /* of the link that was named; NULL: path is as the caller named it */
	char *kept; /* the name that an earlier file got; NULL: there was none */
	int fd;
	bool in_place; /* writes take effect at once: path is not a regular file, or it began */
	bool is_dir; /* a directory, until it is complete */
	bool waits; /* for dkl_outfile_begin() */
	bool fresh; /* there was no file of this name, or it has another one */
	bool only_copy; /* the caller says: what is written is nowhere else, so that a part of it counts */
	bool same; /* the caller says: it has the records of the earlier file, and stays its owner's */
};

#define OUTFILE_INIT                                                                               \
	{                                                                                          \
		.fd = -1                                                                           \
	}

/*
 * These functions keep out->placer, and let it do what they do, unless path is standard output, or a
 * directory that the writer creates.
 *
 * Opens a file for writing; path does not change before dkl_outfile_commit(). "-" or NULL is standard
 * output. A terminal, pipe or device is written directly; with whole that is an error, -EINVAL.
 */
int dkl_outfile_open(struct dkt_ctx *ctx, const char *path, bool whole, struct outfile *out);

/*
 * dkl_outfile_open(), but writes take effect at once, and the writer calls dkl_outfile_begin() before the first.
 * With dir, path is a directory that the writer creates.
 */
int dkl_outfile_open_now(struct dkt_ctx *ctx, const char *path, bool dir, struct outfile *out);

/*
 * There is something to write: the file gets its name, and an earlier one the name path.old. Without it
 * the earlier file stays.
 */
int dkl_outfile_begin(struct outfile *out);

/*
 * Writing failed: an incomplete file loses its name, and an earlier one gets it back, unless the file is the
 * only copy.
 */
void dkl_outfile_withdraw(struct outfile *out);

/* The caller failed: a file that has nothing yet loses its name, too. */
void dkl_outfile_drop_empty(struct outfile *out);

/* dkl_outfile_open() for a directory, which is out->temp until the commit; -EEXIST if path exists. */
int dkl_outfile_open_dir(struct dkt_ctx *ctx, const char *path, struct outfile *out);

/*
 * Creates a file without a name beside an output that is complete or absent, for what is to be written there.
 * Returns its descriptor, which the caller closes, or -errno.
 */
int dkl_outfile_spare(const struct outfile *out);

/* Returns -EINVAL if the output would replace the file input. */
int dkl_outfile_check_input(const struct outfile *out, const char *input);

/* Moves the complete file to path. An earlier file there is renamed to path.old, which is replaced. */
int dkl_outfile_commit(struct outfile *out);

/* Closes the output, and removes an uncommitted file. */
void dkl_outfile_close(struct outfile *out);
