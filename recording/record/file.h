/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The file of a recording while it is written: it can be read at any time, and leaves room for others. */
#pragma once

#include <dktrace/dktrace.h>

struct capture_file {
	struct dkt_ctx *ctx;
	const char *path; /* as the user named it */
	int fd;
	bool regular; /* a file on a disk; otherwise a pipe, socket or device */
	char *kept; /* the name that an earlier file got; NULL: there was none */
	char *target; /* of the link that path is; NULL: it is no link, or one to nothing */
	bool created; /* by capture_file_open() */
};

#define CAPTURE_FILE_INIT                                                                          \
	{                                                                                          \
		.fd = -1                                                                           \
	}

/*
 * Opens a new file. "-" is standard output, which must not be a terminal. A file that is there gets
 * the name path.old, in place of an older one, because a recording cannot be repeated. Locks the file
 * (flock(2)) as long as it is open. -EBUSY: another process records into it.
 */
int capture_file_open(struct dkt_ctx *ctx, const char *path, struct capture_file *file);

/*
 * The same for a name that nothing has yet, -EEXIST: the owner of the directory may have put a pipe or a link
 * there.
 */
int capture_file_create(struct dkt_ctx *ctx, const char *path, struct capture_file *file);

void capture_file_close(struct capture_file *file);

/*
 * Closes a file into which nothing was recorded. If it was created, it is removed, and an earlier file gets
 * its name back.
 */
void capture_file_discard(struct capture_file *file);

/*
 * Returns how many bytes the recording may still grow: what is free, without a part that is left to
 * the other programs of the machine, 5 % of the file system and at most 1 GiB. UINT64_MAX: unknown.
 */
uint64_t capture_file_room(const struct capture_file *file);

/* Puts the name of the file before the error message of a recorder, which does not know it. Returns err. */
int capture_file_in(const struct capture_file *file, int err);

/* Returns the size of the file system in bytes; 0: unknown. */
uint64_t capture_file_disk(const struct capture_file *file);

/*
 * Checks that the file, which has been written to, still is the recording. -ESTALE: it was removed, or
 * another process has overwritten it; its records cannot be read any more. Other errors: of reading, and
 * of a server that did not take all of it.
 */
int capture_file_check(const struct capture_file *file);

/* Returns the name that the file has now, which the caller frees. NULL: it has none that is known. */
char *capture_file_name(const struct capture_file *file);
