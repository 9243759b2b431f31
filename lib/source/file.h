/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Maps a file into memory, and reads numbers in the file's byte order. */
#pragma once

#include "lib/ctx.h"

struct dkt__file {
	const char *name; /* for error messages */
	const uint8_t *data; /* read-only mapping */
	size_t size;
	uint64_t whole; /* the file's size, which is more for one that cannot be mapped: /proc/kcore */
	int fd;
};

/*
 * Opens path, or a copy of the descriptor fd_plus_1 - 1. Error messages use name. The mapping lives
 * as long as the context, because formats and symbols are read from it when they are needed.
 */
int dkt__file_open(struct dkt_ctx *ctx, const char *path, const char *name, int fd_plus_1,
		   struct dkt__file *file);

/*
 * Maps a file that will grow, and takes its descriptor over, also when it fails. file->size begins at
 * 0; the caller raises it up to file->whole, which is the size of the mapping, as it adds bytes.
 */
int dkt__file_grow(struct dkt_ctx *ctx, const char *name, int fd, uint64_t most,
		   struct dkt__file *file);

/* Bytes of a mapping: addresses, not memory. A process has 128 TiB of them. */
#define DKT__GROWN_PIPE (sizeof(void *) > 4 ? UINT64_C(1) << 44 : UINT64_C(1) << 30)
#define DKT__GROWN_FILE (sizeof(void *) > 4 ? UINT64_C(1) << 40 : UINT64_C(1) << 29)

/*
 * Frees the memory of bytes of the mapping, and of those that a page fault mapped around them. They are
 * read again when they are needed.
 */
void dkt__file_forget(const struct dkt__file *file, const uint8_t *from, const uint8_t *to);

/*
 * The memory limit for decompressing a file of that size: a small file must not fill the machine.
 * Recorded data compress to a tenth, seldom to a fiftieth.
 */
static inline uint64_t dkt__unpack_limit(uint64_t size)
{
	const uint64_t least = UINT64_C(64) << 20;

	return size > (UINT64_MAX - least) / 100 ? UINT64_MAX : least + 100 * size;
}

/* A range of bytes that is read from its start. */
struct dkt__cursor {
	const uint8_t *p;
	const uint8_t *end;
	bool swap; /* numbers are in the other byte order */
	bool bad; /* a read went beyond the end; it and all later ones give 0 */
};

static inline size_t dkt__cursor_left(const struct dkt__cursor *cur)
{
	return (size_t)(cur->end - cur->p);
}

/* Returns the next n bytes, or NULL if fewer are left. */
const uint8_t *dkt__cursor_bytes(struct dkt__cursor *cur, uint64_t n);

/* Returns the next n bytes as a number; n is 1, 2, 4 or 8. */
uint64_t dkt__cursor_number(struct dkt__cursor *cur, unsigned int n);

/* Returns the next string up to its NUL, or "" if there is no NUL. */
const char *dkt__cursor_string(struct dkt__cursor *cur);
