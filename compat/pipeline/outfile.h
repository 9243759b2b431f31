/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An output file, which is complete or absent if the caller wants that. */
#pragma once

#include <dktrace/dktrace.h>

struct outfile {
	struct dkt_ctx *ctx;
	const char *path;
	char *dir; /* the directory that it is to be in */
	char *temp; /* the name that it has until then, NULL: none */
	int fd;
	bool in_place; /* path is no regular file: what is written is there at once */
};

#define OUTFILE_INIT                                                                               \
	{                                                                                          \
		.fd = -1                                                                           \
	}

/*
 * Opens it for writing; nothing at path changes before outfile_commit(). "-" or NULL is standard output. A
 * terminal, a pipe or a device is written to as it is; with whole -EINVAL if path is one.
 */
int outfile_open(struct dkt_ctx *ctx, const char *path, bool whole, struct outfile *out);

/*
 * The same, and what is written is there at once. With dir path is that of a directory, which the writer
 * makes.
 */
int outfile_open_now(struct dkt_ctx *ctx, const char *path, bool dir, struct outfile *out);

/* As outfile_open() for a directory, which is out->temp until then; -EEXIST if there is anything at path. */
int outfile_open_dir(struct dkt_ctx *ctx, const char *path, struct outfile *out);

/* -EINVAL if it would take the place of the file input. */
int outfile_check_input(const struct outfile *out, const char *input);

/* It is complete: it takes the place of what was at path. */
int outfile_commit(struct outfile *out);

/* Forgets what was not committed. */
void outfile_close(struct outfile *out);
