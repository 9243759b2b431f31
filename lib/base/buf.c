/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The text buffer: bytes that are appended, in memory that grows. */
#include "lib/base/buf.h"
#include "lib/base/number.h"

int dkt_buf_new(struct dkt_buf **buf)
{
	if (!buf)
		return -EINVAL;
	/* Every record changes a buffer, so the buffers of several threads get separate lines. */
	*buf = aligned_alloc(DKT__CACHE_LINE, DKT__CACHE_LINE);
	if (!*buf)
		return -ENOMEM;
	**buf = (struct dkt_buf){ 0 };
	return 0;
}

void dkt_buf_free(struct dkt_buf *buf)
{
	if (!buf)
		return;
	free(buf->data);
	free(buf);
}

const char *dkt_buf_data(const struct dkt_buf *buf, size_t *len)
{
	if (len)
		*len = buf ? buf->len : 0;
	return buf ? buf->data : NULL;
}

void dkt_buf_reset(struct dkt_buf *buf)
{
	if (!buf)
		return;

	buf->len = 0;
	buf->err = 0;
}

int dkt_buf_error(const struct dkt_buf *buf)
{
	return buf ? buf->err : -EINVAL;
}

char *dkt__buf_grow(struct dkt_buf *buf, size_t n)
{
	size_t size = buf->size ? buf->size : 4096;
	char *data;

	while (size - buf->len < n) {
		if (size > SIZE_MAX / 2) {
			buf->err = -ENOMEM;
			return NULL;
		}
		size *= 2;
	}
	data = realloc(buf->data, size);
	if (!data) {
		buf->err = -ENOMEM;
		return NULL;
	}
	buf->data = data;
	buf->size = size;
	return data + buf->len;
}

void dkt__buf_add(struct dkt_buf *buf, const void *bytes, size_t len)
{
	char *p = bytes ? dkt__buf_room(buf, len) : NULL;

	if (!p)
		return;
	dkt__copy_few(p, bytes, len);
	buf->len += len;
}

void dkt_buf_str(struct dkt_buf *buf, const char *str)
{
	dkt__buf_add(buf, str, str ? strlen(str) : 0);
}

const char dkt__digit_pairs[201] = "00010203040506070809101112131415161718192021222324"
				   "25262728293031323334353637383940414243444546474849"
				   "50515253545556575859606162636465666768697071727374"
				   "75767778798081828384858687888990919293949596979899";

const uint64_t dkt__powers_of_ten[20] = {
	/* clang-format off */
	UINT64_C(1), UINT64_C(10), UINT64_C(100), UINT64_C(1000), UINT64_C(10000),
	UINT64_C(100000), UINT64_C(1000000), UINT64_C(10000000), UINT64_C(100000000),
	UINT64_C(1000000000), UINT64_C(10000000000), UINT64_C(100000000000),
	UINT64_C(1000000000000), UINT64_C(10000000000000), UINT64_C(100000000000000),
	UINT64_C(1000000000000000), UINT64_C(10000000000000000), UINT64_C(100000000000000000),
	UINT64_C(1000000000000000000), UINT64_C(10000000000000000000),
	/* clang-format on */
};

/* A number has up to 20 digits, and the fast code may write 16 bytes past it. */
#define NUMBER_ROOM 40

/* Moves the n digits just written to the end of the width. */
static void buf_took_number(struct dkt_buf *buf, size_t n, int width, char pad)
{
	size_t fill = width > 0 && (size_t)width > n ? (size_t)width - n : 0;
	char *p;

	if (fill) {
		p = dkt__buf_room(buf, fill + NUMBER_ROOM);
		if (!p)
			return;
		memmove(p + fill, p, n);
		memset(p, pad, fill);
	}
	buf->len += fill + n;
}

void dkt__buf_u64(struct dkt_buf *buf, uint64_t value, int width, char pad)
{
	char *p = dkt__buf_room(buf, NUMBER_ROOM);

	if (p)
		buf_took_number(buf, (size_t)(dkt__put_dec(p, value) - p), width, pad);
}

void dkt__buf_hex(struct dkt_buf *buf, uint64_t value, int width, char pad)
{
	char *p = dkt__buf_room(buf, NUMBER_ROOM);

	if (p)
		buf_took_number(buf, (size_t)(dkt__put_hex(p, value) - p), width, pad);
}

char *dkt__vformat(const char *fmt, va_list ap)
{
	char *text;

	return vasprintf(&text, fmt, ap) < 0 ? NULL : text;
}

char *dkt__format(const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = dkt__vformat(fmt, ap);
	va_end(ap);
	return text;
}

void dkt_buf_printf(struct dkt_buf *buf, const char *fmt, ...)
{
	char *text __cleanup(free) = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = dkt__vformat(fmt, ap);
	va_end(ap);
	if (text)
		dkt_buf_str(buf, text);
	else
		buf->err = -ENOMEM;
}

char *dkt__buf_take(struct dkt_buf *buf)
{
	char *text;

	dkt__buf_add(buf, "", 1);
	text = buf->data;
	if (buf->err) {
		free(text);
		text = NULL;
	}
	*buf = (struct dkt_buf){ 0 };
	return text;
}
