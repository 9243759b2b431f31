/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The inside of the text buffer, for code that writes into its free space. dktrace.h declares its
 * functions.
 */
#pragma once

#include <dktrace/dktrace.h>

#include "lib/base/util.h"

struct dkt_buf {
	char *data;
	size_t len;
	size_t size;
	int err;
};

char *dkt__buf_grow(struct dkt_buf *buf, size_t n);

/*
 * Returns free space for n more bytes; NULL if memory is out (stored in err). Does not change len.
 */
static inline char *dkt__buf_room(struct dkt_buf *buf, size_t n)
{
	if (dkt__unlikely(!buf))
		return NULL;
	if (dkt__likely(buf->size - buf->len >= n && buf->data))
		return buf->data + buf->len;
	return dkt__buf_grow(buf, n);
}

/*
 * For a buffer on the stack, which begins as zeroes: returns its text, which the caller frees, and empties it.
 * NULL: memory is out.
 */
char *dkt__buf_take(struct dkt_buf *buf);

/*
 * Like asprintf() and vasprintf(), but return the text, which the caller frees, or NULL if memory
 * is out.
 */
char *dkt__format(const char *fmt, ...) DKT_PRINTF(1, 2);
char *dkt__vformat(const char *fmt, va_list ap) DKT_PRINTF(1, 0);

/*
 * Append a number in decimal or in hexadecimal. pad fills it up to width, on the left.
 */
void dkt__buf_u64(struct dkt_buf *buf, uint64_t value, int width, char pad);
void dkt__buf_hex(struct dkt_buf *buf, uint64_t value, int width, char pad);

/* Escapes the contents of the buffer from an offset on, except a last newline. */
void dkt__buf_escape(struct dkt_buf *buf, size_t from);

/*
 * Appends a cell of comma-separated values (RFC 4180), escaped in the same way but with \xHH for
 * newlines too, and for a backslash before x or u. A text that a spreadsheet would take for a
 * formula, because it begins with = + - or @ and is not a number, gets an apostrophe in front.
 */
void dkt__buf_cell(struct dkt_buf *buf, const char *text, size_t len);

/*
 * Formats like vasprintf(3) and escapes like dkt_buf_text(); newlines stay if the format contains
 * one, or is "%s". Messages for dkt_error() are made this way. The caller frees the text. NULL: out
 * of memory.
 */
char *dkt__words(const char *fmt, va_list ap) DKT_PRINTF(1, 0);

/* Appends bytes. */
void dkt__buf_add(struct dkt_buf *buf, const void *bytes, size_t len);
