/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes the sections of a recording in progress (tracedat/journal.h). A section that could be
 * written only in part, because the file system is full, is continued later.
 */
#include <fcntl.h>

#include "lib/base/io.h"
#include "lib/recorder.h"
#include "lib/tracedat/pack.h"

/* Shorter sections are not worth the work of unpacking them. */
#define PACK_FROM 4096

void dkt__recorder_number(struct dkt_recorder *r, uint64_t value, unsigned int size)
{
	uint8_t bytes[8];

	dkt__put_bytes(bytes, value, size, r->ctx->big_endian);
	dkt__buf_add(r->out, bytes, size);
}

void dkt__recorder_section(struct dkt_recorder *r, unsigned int id, unsigned int flags,
			   uint64_t size)
{
	dkt__recorder_number(r, id, 2);
	dkt__recorder_number(r, flags, 2);
	dkt__recorder_number(r, 0, 4);
	dkt__recorder_number(r, size, 8);
}

int dkt__recorder_put(struct dkt_recorder *r, unsigned int id, const struct dkt_buf *content)
{
	void *packed __cleanup(free) = NULL;
	size_t n = 0, room;

	if (content->err)
		return dkt__no_memory(r->ctx);
	if (r->codec && content->len >= PACK_FROM) {
		room = r->codec->bound(content->len);
		packed = malloc(room);
		n = packed ? r->codec->compress(&r->codec_state, content->data, content->len,
						packed, room) :
			     0;
		if (!n)
			return dkt__no_memory(r->ctx);
		dkt__recorder_section(r, id, SECTION_COMPRESSED, n + 8);
		dkt__recorder_number(r, n, 4);
		dkt__recorder_number(r, content->len, 4);
		dkt__buf_add(r->out, packed, n);
	} else {
		dkt__recorder_section(r, id, 0, content->len);
		dkt__buf_add(r->out, content->data, content->len);
	}
	return dkt__recorder_flush(r);
}

static int fail(struct dkt_recorder *r, int err)
{
	return dkt_fail(r->ctx, err, "write the recording: %s", strerror(-err));
}

/* Reads the rest of the pipe into out, for a file that cannot be spliced to. */
static int take_piped(struct dkt_recorder *r)
{
	dkt_buf_reset(r->out);
	r->sent = 0;
	while (r->piped) {
		char *room = dkt__buf_room(r->out, r->piped);
		ssize_t n = room ? TEMP_FAILURE_RETRY(read(r->pipe[0], room, r->piped)) : -1;

		if (!room)
			return dkt__no_memory(r->ctx);
		if (n <= 0)
			return fail(r, n ? -errno : -EIO);
		r->out->len += (size_t)n;
		r->piped -= (size_t)n;
	}
	return 0;
}

static int send_out(struct dkt_recorder *r)
{
	while (r->sent < r->out->len) {
		ssize_t n = TEMP_FAILURE_RETRY(
			write(r->fd, r->out->data + r->sent, r->out->len - r->sent));

		if (n <= 0)
			return fail(r, n ? -errno : -EIO);
		r->sent += (size_t)n;
		r->written += (uint64_t)n;
	}
	return 0;
}

int dkt__recorder_flush(struct dkt_recorder *r)
{
	int err = r->out->err ? dkt__no_memory(r->ctx) : send_out(r);

	while (!err && r->piped) {
		ssize_t n = TEMP_FAILURE_RETRY(
			splice(r->pipe[0], NULL, r->fd, NULL, r->piped, SPLICE_F_MOVE));

		if (n > 0) {
			r->piped -= (size_t)n;
			r->written += (uint64_t)n;
		} else if (n < 0 && errno == EINVAL) {
			/* The file system or an O_APPEND file does not take pages. */
			err = take_piped(r);
			if (!err)
				err = send_out(r);
		} else {
			err = fail(r, n ? -errno : -EIO);
		}
	}
	if (!err) {
		dkt_buf_reset(r->out);
		r->sent = 0;
	}
	return err;
}
