/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames on their way to the other side: short ones from a queue, and the output of the command. */
#pragma once

#include "fleet/remote/frame.h"
#include "fleet/remote/kept.h"
#include "lib/base/buf.h"

struct outbox {
	struct dkt_buf queue;
	size_t at; /* bytes of the queue that have gone */
	bool time_due; /* the answer is made when it can go, so that its time is right */
	struct frame_time time;
	uint64_t sent; /* bytes of the output that have gone */
	uint8_t head[FRAME_HEAD]; /* of the frame of output on its way */
	uint32_t head_left, body_left; /* bytes of that frame that have not gone */
};

/* Queue a frame. Return 0 or -ENOMEM. */
int outbox_bytes(struct outbox *box, enum frame_kind kind, const void *bytes, size_t len);
int outbox_text(struct outbox *box, enum frame_kind kind, const char *text);

/* Notes when the question came. The last one is answered if several wait. */
int outbox_time(struct outbox *box, uint64_t asked);

/* True if something is to be written. */
bool outbox_has(const struct outbox *box, const struct kept *kept);

/*
 * Writes until all is written, which returns 0, or the descriptor takes no more: -EAGAIN. Other errors:
 * the connection is lost, or -ENOMEM.
 */
int outbox_write(struct outbox *box, int fd, const struct kept *kept);

/* For another connection: nothing is queued, or on its way. */
void outbox_clear(struct outbox *box);
