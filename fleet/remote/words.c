/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages of a program on their way to the user. */
#include "fleet/remote/words.h"

int words_keep(struct dkt_buf *buf, const void *bytes, size_t len, size_t most)
{
	char *room;

	len = DKT__MIN(len, most - buf->len);
	room = dkt__buf_room(buf, len + 1);
	if (!room)
		return -ENOMEM;
	memcpy(room, bytes, len);
	room[len] = '\0';
	buf->len += len;
	return 0;
}

int words_lines(struct dkt_buf *buf, const void *bytes, size_t len,
		int (*fn)(void *data, char *line), void *data)
{
	/* The part that was kept has no end of a line: to look again would take time by the square of its length. */
	size_t from = buf->len;
	int err = words_keep(buf, bytes, len, SIZE_MAX);
	char *line = buf->data, *end;

	while (!err && (end = memchr(buf->data + from, '\n', buf->len - from))) {
		*end = '\0';
		err = fn(data, line);
		line = end + 1;
		from = (size_t)(line - buf->data);
	}
	if (err || line == buf->data)
		return err;
	buf->len -= (size_t)(line - buf->data);
	memmove(buf->data, line, buf->len + 1);
	return 0;
}

const char *words_last(char *text)
{
	char *end = text ? text + strlen(text) : NULL, *line;

	while (end > text && strchr("\r\n", end[-1]))
		*--end = '\0';
	line = end > text ? strrchr(text, '\n') : NULL;
	return line ? line + 1 : end > text ? text : NULL;
}
