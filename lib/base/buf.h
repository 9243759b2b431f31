/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The inside of the text buffer, for code that writes into its free space. dktrace.h declares its
 * functions.
 */
#pragma once

#include <dktrace/dktrace.h>

#include "base/util.h"

struct dkt_buf {
	char *data;
	size_t len;
	size_t size;
	int err;
};

char *dkt__buf_grow(struct dkt_buf *buf, size_t n);

/* Room for n more bytes; NULL when memory is out (remembered in err). Does not move len. */
static inline char *dkt__buf_room(struct dkt_buf *buf, size_t n)
{
	if (dkt__unlikely(!buf))
		return NULL;
	if (dkt__likely(buf->size - buf->len >= n && buf->data))
		return buf->data + buf->len;
	return dkt__buf_grow(buf, n);
}

/* As vasprintf(): text that the caller frees; NULL when memory is out. */
char *dkt__format(const char *fmt, va_list ap) DKT_PRINTF(1, 0);
