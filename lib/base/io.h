/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads, writes and replaces whole files, and creates files without a name. All calls retry after a signal.
 */
#pragma once

#include <sys/types.h>

#include "lib/base/strings.h"
#include "lib/base/util.h"

/*
 * Allocates a buffer to read pages or files into, which free() frees; NULL: no memory. It begins with a
 * cache line. malloc() gives large buffers that begin in the middle of one, and some CPUs take seven times
 * as long to copy a page there.
 */
void *dkt__read_buffer(size_t size);

/*
 * Reads to the end of the file; its size is ignored because the kernel's files report 0. A NUL
 * follows the len bytes of data; the caller frees them. -EFBIG: more than most bytes.
 */
int dkt__read_fd(int fd, size_t most, char **data, size_t *len);
int dkt__read_file(const char *path, size_t most, char **data, size_t *len);

/*
 * Reads len bytes at an offset. Returns how many were read, fewer at the end or at an error; -errno
 * if none.
 */
ssize_t dkt__pread_all(int fd, void *bytes, size_t len, uint64_t at);

/* Write all bytes: at the file's position, or at an offset. */
int dkt__write_all(int fd, const void *bytes, size_t len);
int dkt__pwrite_all(int fd, const void *bytes, size_t len, uint64_t at);

/*
 * Replaces a file, whose mode becomes 0600: a reader finds the old bytes or the new ones, all of them.
 * lasting: also after a power failure. The new file has that ending until it is complete. After an
 * error the old one is unchanged.
 */
#define DKT__NEW_FILE ".tmp"
int dkt__replace_file(const char *path, const void *bytes, size_t len, bool lasting);

/* The same, not lasting; the file gets that mode, whatever the umask. */
int dkt__replace_file_mode(const char *path, const void *bytes, size_t len, mode_t mode);

/*
 * Lists the names in a directory of dir, sorted, without those that begin with a dot. The caller clears them with
 * dkt__strings_clear(). Returns 0 or -errno, then without names. It is scandirat(), which only glibc has.
 */
int dkt__list_dir(int dir, const char *path, struct dkt__strings *names);

/* The directory for temporary files: $TMPDIR, otherwise /tmp. Files are created in this one of a process's own. */
#define DKT__OWN_DIR "DKTRACE_OWN_TMPDIR"
const char *dkt__temporary_dir(void);

/*
 * Creates a file without a name in the directory, for reading and writing. Returns its descriptor
 * or -errno.
 */
int dkt__unnamed_file(const char *dir);

/* Closes the n descriptors of the list that are open: those that are not are -1. */
void dkt__close_all(const int *fds, size_t n);

/* Closes all descriptors from first to last, as close_range(), which old kernels and C libraries lack. */
void dkt__close_range(unsigned int first, unsigned int last);

/*
 * Closes a text of open_memstream(); f is NULL if that call failed. Returns err, or the error of
 * closing; then the text is NULL. Otherwise the caller frees the text.
 */
int dkt__text_end(FILE *f, int err, char **text);

/* The same, but an empty text becomes NULL too. */
int dkt__text_end_some(FILE *f, int err, char **text);

/* Room for the ID of a boot of the machine. */
#define DKT__BOOT_SIZE 40

/* Gets the ID of this boot; "": unknown. */
void dkt__boot_id(char boot[DKT__BOOT_SIZE]);

/*
 * Returns "; " and what to do about -errno, for the end of a message about a file that cannot grow: the disk,
 * the quota or the limit of the process is reached. "": it can grow.
 */
const char *dkt__full_advice(int err);
