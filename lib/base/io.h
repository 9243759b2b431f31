/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads and writes whole files, and creates files without a name. All calls retry after a signal.
 */
#pragma once

#include "base/util.h"

/*
 * Reads to the end, whatever size the file says it has: the kernel's have none. A NUL that does not count stands
 * behind the data; the caller frees it. -EFBIG: it is more than most bytes.
 */
int dkt__read_fd(int fd, size_t most, char **data, size_t *len);
int dkt__read_file(const char *path, size_t most, char **data, size_t *len);

/* Reads len bytes from a place in a file, fewer where it ends or fails: how many, or -errno if none. */
ssize_t dkt__pread_all(int fd, void *bytes, size_t len, uint64_t at);

/* Writes all: where the file is, or at a place in it. */
int dkt__write_all(int fd, const void *bytes, size_t len);
int dkt__pwrite_all(int fd, const void *bytes, size_t len, uint64_t at);

/* Where files that others need not see go: $TMPDIR, else /tmp. */
const char *dkt__temporary_dir(void);

/* A file without a name in the directory, to be read and written: its descriptor, or -errno. */
int dkt__unnamed_file(const char *dir);

/*
 * Ends a text that open_memstream() began; f is NULL if it could not. After a failure, this one's or err,
 * the text is NULL; otherwise the caller frees it.
 */
int dkt__text_end(FILE *f, int err, char **text);

/* The same; a text of nothing becomes NULL too. */
int dkt__text_end_some(FILE *f, int err, char **text);
