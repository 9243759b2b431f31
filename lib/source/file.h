/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Maps a file into memory, and reads numbers in the file's byte order. */
#pragma once

#include "ctx.h"

struct dkt__file {
	const char *name; /* for words */
	const uint8_t *data; /* read-only mapping */
	size_t size;
	int fd;
};

/*
 * Opens path, or with fd_plus_1 a copy of that descriptor. Words call it by that name. It lives as long as the context: formats and symbols are looked at
 * where they are in the file when they are asked for.
 */
int dkt__file_open(struct dkt_ctx *ctx, const char *path, const char *name, int fd_plus_1,
		   struct dkt__file *file);

/*
 * So many bytes may be unpacked out of a file of that size, or stand for it in memory: a small file
 * must not fill the machine. What a kernel recorded packs to a tenth, seldom to a fiftieth.
 */
static inline uint64_t dkt__unpack_limit(uint64_t size)
{
	const uint64_t least = UINT64_C(64) << 20;

	return size > (UINT64_MAX - least) / 100 ? UINT64_MAX : least + 100 * size;
}

/* A stretch of bytes that is read from its start on. */
struct dkt__cursor {
	const uint8_t *p;
	const uint8_t *end;
	bool swap; /* numbers are in the other byte order */
	bool bad; /* something was asked for beyond the end: all that followed is 0 */
};

static inline size_t dkt__cursor_left(const struct dkt__cursor *cur)
{
	return (size_t)(cur->end - cur->p);
}

/* The next n bytes, NULL if there are not so many. */
const uint8_t *dkt__cursor_bytes(struct dkt__cursor *cur, uint64_t n);

/* The next n bytes as a number, n 1, 2, 4 or 8. */
uint64_t dkt__cursor_number(struct dkt__cursor *cur, unsigned int n);

/* The next string, which ends in a NUL; "" if it does not. */
const char *dkt__cursor_string(struct dkt__cursor *cur);
