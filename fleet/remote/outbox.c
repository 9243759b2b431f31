/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames on their way to the other side. */
#include "fleet/remote/outbox.h"

#include <sys/uio.h>

#include "lib/base/when.h"

int outbox_bytes(struct outbox *box, enum frame_kind kind, const void *bytes, size_t len)
{
	return frame_add(&box->queue, kind, bytes, len);
}

int outbox_text(struct outbox *box, enum frame_kind kind, const char *text)
{
	return outbox_bytes(box, kind, text, strlen(text));
}

int outbox_time(struct outbox *box, uint64_t asked)
{
	box->time = (struct frame_time){ .asked = asked, .received = dkt__monotonic_ns() };
	box->time_due = true;
	return 0;
}

static int answer_time(struct outbox *box)
{
	uint8_t body[FRAME_TIME_SIZE];
	const int64_t wall = dkt__wall_ns();

	box->time.sent = dkt__monotonic_ns();
	box->time.wall = wall - (int64_t)box->time.sent;
	box->time_due = false;
	frame_put_time(body, &box->time);
	return outbox_bytes(box, FRAME_TIME, body, sizeof(body));
}

/* True if output is there to be sent, and the other side has stored enough of what was sent before. */
static bool may_begin_frame(const struct outbox *box, const struct kept *kept)
{
	return box->sent < kept->to && box->sent - kept->from < FRAME_WINDOW;
}

bool outbox_has(const struct outbox *box, const struct kept *kept)
{
	return box->queue.len > box->at || box->time_due || box->head_left || box->body_left ||
	       may_begin_frame(box, kept);
}

static int write_queue(struct outbox *box, int fd)
{
	const ssize_t n = write(fd, box->queue.data + box->at, box->queue.len - box->at);

	if (n < 0)
		return -errno;
	box->at += (size_t)n;
	if (box->at == box->queue.len)
		box->at = box->queue.len = 0;
	return 0;
}

static void begin_frame(struct outbox *box, const struct kept *kept)
{
	const uint64_t len = DKT__MIN(kept->to - box->sent, FRAME_MAX_STREAM);

	frame_put_head(box->head, FRAME_OUT, len);
	box->head_left = FRAME_HEAD;
	box->body_left = (uint32_t)len;
}

static int write_frame(struct outbox *box, int fd, const struct kept *kept)
{
	size_t len;
	const uint8_t *bytes = kept_at(kept, box->sent, &len);
	const struct iovec parts[] = {
		{ .iov_base = box->head + FRAME_HEAD - box->head_left, .iov_len = box->head_left },
		{ .iov_base = (void *)bytes, .iov_len = DKT__MIN(len, box->body_left) },
	};
	const ssize_t n = writev(fd, parts, ARRAY_SIZE(parts));
	size_t head;

	if (n < 0)
		return -errno;
	head = DKT__MIN((size_t)n, box->head_left);
	box->head_left -= (uint32_t)head;
	box->body_left -= (uint32_t)((size_t)n - head);
	box->sent += (size_t)n - head;
	return 0;
}

int outbox_write(struct outbox *box, int fd, const struct kept *kept)
{
	int err = 0;

	while (!err && outbox_has(box, kept)) {
		/* A frame that has begun goes first, and then what is short. */
		if (box->head_left || box->body_left)
			err = write_frame(box, fd, kept);
		else if (box->time_due)
			err = answer_time(box);
		else if (box->queue.len > box->at)
			err = write_queue(box, fd);
		else
			begin_frame(box, kept);
	}
	return err;
}

void outbox_clear(struct outbox *box)
{
	free(box->queue.data);
	*box = (struct outbox){ .sent = box->sent };
}
