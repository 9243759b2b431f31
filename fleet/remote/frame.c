/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames: their bytes, and a reader that takes them from a stream. */
#include "fleet/remote/frame.h"

#include <endian.h>

/* ---- writing ---- */

void frame_put_head(uint8_t head[FRAME_HEAD], enum frame_kind kind, size_t len)
{
	const uint32_t length = htole32((uint32_t)len);

	memset(head, 0, FRAME_HEAD);
	memcpy(head, &length, sizeof(length));
	head[4] = (uint8_t)kind;
}

int frame_add(struct dkt_buf *queue, enum frame_kind kind, const void *bytes, size_t len)
{
	char *room = dkt__buf_room(queue, FRAME_HEAD + len);

	if (!room)
		return -ENOMEM;
	frame_put_head((uint8_t *)room, kind, len);
	memcpy(room + FRAME_HEAD, bytes, len);
	queue->len += FRAME_HEAD + len;
	return 0;
}

void frame_put_u64(uint8_t *p, uint64_t value)
{
	value = htole64(value);
	memcpy(p, &value, sizeof(value));
}

void frame_put_time(uint8_t p[FRAME_TIME_SIZE], const struct frame_time *time)
{
	frame_put_u64(p, time->asked);
	frame_put_u64(p + 8, time->received);
	frame_put_u64(p + 16, time->sent);
	frame_put_u64(p + 24, (uint64_t)time->wall);
}

/* ---- reading ---- */

uint64_t frame_get_u64(const uint8_t *p)
{
	uint64_t value;

	memcpy(&value, p, sizeof(value));
	return le64toh(value);
}

bool frame_get_time(const uint8_t *p, size_t len, struct frame_time *time)
{
	if (len != FRAME_TIME_SIZE)
		return false;
	*time = (struct frame_time){ .asked = frame_get_u64(p),
				     .received = frame_get_u64(p + 8),
				     .sent = frame_get_u64(p + 16),
				     .wall = (int64_t)frame_get_u64(p + 24) };
	return true;
}

/* Returns how many bytes it took. */
static size_t read_greeting(struct frame_reader *reader, const uint8_t *bytes, size_t len)
{
	const char *greeting = FRAME_GREETING;
	size_t i = 0;

	while (i < len && !reader->greeted) {
		const char byte = (char)bytes[i++];

		/* Its first letter comes once in it, so only there a new match can begin. */
		if (byte != greeting[reader->matched])
			reader->matched = 0;
		if (byte == greeting[reader->matched])
			reader->matched++;
		reader->noise++;
		reader->greeted = !greeting[reader->matched];
	}
	return i;
}

/* Called when the header is complete. */
static int begin(struct frame_reader *reader, enum frame_kind kind, uint32_t len)
{
	if (reader->head[5] || reader->head[6] || reader->head[7] || len > FRAME_MAX_BODY ||
	    (kind == FRAME_OUT && len > FRAME_MAX_STREAM))
		return -EPROTO;
	reader->left = len;
	reader->len = 0;
	if (kind == FRAME_OUT)
		return 0;
	reader->body = malloc(len + 1);
	return reader->body ? 0 : -ENOMEM;
}

static size_t read_head(struct frame_reader *reader, const uint8_t *bytes, size_t len)
{
	const size_t n = DKT__MIN(len, FRAME_HEAD - reader->n_head);

	memcpy(reader->head + reader->n_head, bytes, n);
	reader->n_head += (uint32_t)n;
	return n;
}

static int finish(struct frame_reader *reader, frame_fn fn, void *data)
{
	const enum frame_kind kind = reader->head[4];
	int err = 0;

	if (reader->body) {
		reader->body[reader->len] = '\0';
		err = fn(data, kind, reader->body, reader->len);
		free(reader->body);
		reader->body = NULL;
	}
	reader->n_head = 0;
	return err;
}

/* Returns how many bytes of the body it took, or -errno. */
static ssize_t read_body(struct frame_reader *reader, const uint8_t *bytes, size_t len, frame_fn fn,
			 void *data)
{
	const size_t n = DKT__MIN(len, reader->left);
	int err = 0;

	if (reader->body)
		memcpy(reader->body + reader->len, bytes, n);
	else if (n)
		err = fn(data, FRAME_OUT, bytes, n);
	reader->len += (uint32_t)n;
	reader->left -= (uint32_t)n;
	if (!err && !reader->left)
		err = finish(reader, fn, data);
	return err ? err : (ssize_t)n;
}

int frame_read(struct frame_reader *reader, const uint8_t *bytes, size_t len, frame_fn fn,
	       void *data)
{
	size_t at = 0;
	ssize_t n;
	int err;

	if (!reader->greeted) {
		at = read_greeting(reader, bytes, len);
		if (!reader->greeted)
			return reader->noise > FRAME_MAX_NOISE ? -EPROTO : 0;
	}
	while (at < len) {
		if (reader->n_head < FRAME_HEAD) {
			at += read_head(reader, bytes + at, len - at);
			if (reader->n_head < FRAME_HEAD)
				return 0;
			err = begin(reader, reader->head[4], (uint32_t)frame_get_u64(reader->head));
			if (err)
				return err;
			if (reader->left)
				continue;
		}
		/* Also ends a frame without a body. */
		n = read_body(reader, bytes + at, len - at, fn, data);
		if (n < 0)
			return (int)n;
		at += (size_t)n;
	}
	return 0;
}

void frame_reader_clear(struct frame_reader *reader)
{
	free(reader->body);
	*reader = (struct frame_reader){ 0 };
}
