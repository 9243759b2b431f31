/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes a tar file that gzip has compressed. */
#pragma once

#include <stdint.h>
#include <time.h>
#include <zlib.h>

struct tar {
	gzFile out;
	int err; /* the first failure: -errno */
};

/* Begins to write to a copy of the descriptor. Returns 0 or -errno; end it in either case. */
int tar_begin(struct tar *tar, int fd);

/* Add a file, whose bytes tar_write() then gives, exactly size of them, or a symbolic link. */
void tar_file(struct tar *tar, const char *name, uint64_t size, time_t changed);
void tar_link(struct tar *tar, const char *name, const char *target);
void tar_write(struct tar *tar, const void *bytes, size_t n);

/* Fills up the last block of a file of that size. */
void tar_file_end(struct tar *tar, uint64_t size);

/* Ends the file. Returns the first failure since tar_begin(). */
int tar_end(struct tar *tar);
