/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes protobuf's wire format: https://protobuf.dev/programming-guides/encoding */
#pragma once

#include "lib/base/buf.h"
#include "lib/base/escape.h"

enum dkt__proto_wire {
	DKT__PROTO_VARINT = 0,
	DKT__PROTO_BYTES = 2,
};

static inline char *dkt__proto_put(char *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (char)(v | 0x80);
	*p++ = (char)v;
	return p;
}

/* Appends a number; negative numbers are extended to 64 bits. */
static inline void dkt__proto_uint(struct dkt_buf *buf, uint32_t field, uint64_t v)
{
	char *p = dkt__buf_room(buf, 20);

	if (!p)
		return;
	p = dkt__proto_put(p, field << 3 | DKT__PROTO_VARINT);
	buf->len = (size_t)(dkt__proto_put(p, v) - buf->data);
}

/* Appends a string, or a complete message. */
static inline void dkt__proto_bytes(struct dkt_buf *buf, uint32_t field, const void *bytes,
				    size_t n)
{
	char *p = dkt__buf_room(buf, 20 + n);

	if (!p)
		return;
	p = dkt__proto_put(p, field << 3 | DKT__PROTO_BYTES);
	p = dkt__proto_put(p, n);
	if (n)
		memcpy(p, bytes, n);
	buf->len = (size_t)(p + n - buf->data);
}

static inline void dkt__proto_str(struct dkt_buf *buf, uint32_t field, const char *str)
{
	dkt__proto_bytes(buf, field, str, strlen(str));
}

/* Begins a message; pass the result to dkt__proto_close() at its end. */
static inline size_t dkt__proto_open(struct dkt_buf *buf, uint32_t field)
{
	char *p = dkt__buf_room(buf, 20);

	if (!p)
		return 0;
	p = dkt__proto_put(p, field << 3 | DKT__PROTO_BYTES);
	/* One byte for the length, which suffices for most messages. */
	*p++ = 0;
	buf->len = (size_t)(p - buf->data);
	return buf->len;
}

static inline void dkt__proto_close(struct dkt_buf *buf, size_t from)
{
	size_t n = buf->len - from;
	char length[10], *p;
	size_t more = (size_t)(dkt__proto_put(length, n) - length) - 1;

	if (buf->err || !from)
		return;
	if (more) {
		p = dkt__buf_room(buf, more);
		if (!p)
			return;
		memmove(buf->data + from + more, buf->data + from, n);
		buf->len += more;
	}
	memcpy(buf->data + from - 1, length, more + 1);
}

/* Appends text as a UTF-8 string. */
static inline void dkt__proto_utf8(struct dkt_buf *buf, uint32_t field, const char *text,
				   size_t len)
{
	size_t from = dkt__proto_open(buf, field);

	dkt__add_utf8(buf, text, len);
	dkt__proto_close(buf, from);
}
