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
