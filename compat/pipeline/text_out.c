/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes a style's text to a descriptor. */
#include "compat/pipeline/text_out.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>

#include "compat/io/output.h"
#include "compat/pipeline/journald.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/base/stop.h"
#include "lib/base/util.h"

/* Write the buffer when it holds this much. */
#define CHUNK (256 * 1024)

/* How long to wait for the reader of a pipe after a signal, ms. */
#define STOP_MS 1000

/* Digits of the longest time, a space and a NUL. */
#define STAMP_SIZE 22

int dkl_text_out_stamp(struct text_out *out, uint64_t ts)
{
	char *text __cleanup(free) = NULL, *line, *end;
	struct dkt_buf *buf = out->buf;
	char stamp[STAMP_SIZE];

	if (!out->stamps || buf->len == out->stamped)
		return dkt_buf_error(buf);
	text = dkt__format("%.*s", (int)(buf->len - out->stamped), buf->data + out->stamped);
	if (!text)
		return -ENOMEM;
	snprintf(stamp, sizeof(stamp), "%" PRIu64 " ", ts);
	buf->len = out->stamped;
	for (line = text; *line; line = end) {
		end = strchrnul(line, '\n');
		end += *end == '\n';
		dkt_buf_str(buf, stamp);
		dkt__buf_add(buf, line, (size_t)(end - line));
	}
	out->stamp = ts;
	out->stamped = buf->len;
	return dkt_buf_error(buf);
}

/* write() that does not block after a signal: a pipe that is ready takes PIPE_BUF bytes. */
static ssize_t write_some(const struct text_out *out, const char *text, size_t len)
{
	struct pollfd ready = { .fd = out->fd, .events = POLLOUT };

	if (!dkt__stopped())
		return write(out->fd, text, len);
	if (poll(&ready, 1, STOP_MS) > 0)
		return write(out->fd, text, len < PIPE_BUF ? len : PIPE_BUF);
	errno = ECANCELED;
	return -1;
}

/* The output of lctl has no name. */
static int fail(struct text_out *out, int err)
{
	dkl_outfile_withdraw(out->file);
	return out->file->path ? dkl_full_fail(out->ctx, err, out->file->path) :
				 dkt_fail(out->ctx, err, "write output: %s", strerror(-err));
}

int dkl_text_out_write(struct text_out *out)
{
	size_t len, done = 0;
	const char *text = dkt_buf_data(out->buf, &len);
	int err = len ? dkl_outfile_begin(out->file) : 0;

	if (err)
		return err;
	out->wrote |= len > 0;
	err = dkt_buf_error(out->buf);
	if (!err && out->journal) {
		err = dkl_journald_send(out->ctx, out->fd, text, len);
		dkt_buf_reset(out->buf);
		return err;
	}
	while (!err && done < len) {
		ssize_t n = write_some(out, text + done, len - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			err = -errno;
	}
	dkt_buf_reset(out->buf);
	out->stamped = 0;
	out->closed = err == -EPIPE;
	if (err == -ECANCELED)
		return dkt_fail(out->ctx, err, "interrupted; records not written are kept");
	return err ? fail(out, err) : 0;
}

int dkl_text_out_write_if_full(struct text_out *out)
{
	size_t len;

	dkt_buf_data(out->buf, &len);
	return len < CHUNK ? 0 : dkl_text_out_write(out);
}

int dkl_text_out_flush(struct text_out *out)
{
	int err = dkl_style_flush(out->style, out->buf);

	if (!err)
		err = dkl_text_out_stamp(out, out->stamp);
	return err ? err : dkl_text_out_write(out);
}

int dkl_text_out_look(struct text_out *out)
{
	struct pollfd pipe = { .fd = out->fd };

	/* Without events to wait for, poll() still reports a pipe that has no reader any more. */
	if (out->fd < 0 || poll(&pipe, 1, 0) <= 0 || !(pipe.revents & POLLERR))
		return 0;
	out->closed = true;
	return dkt_fail(out->ctx, -EPIPE, "write output: %s", strerror(EPIPE));
}

int dkl_text_out_check(struct text_out *out)
{
	int copy = out->fd < 0 ? -1 : fcntl(out->fd, F_DUPFD_CLOEXEC, 0);

	if (out->fd < 0)
		return 0;
	if (copy < 0 || close(copy))
		return fail(out, -errno);
	return 0;
}

int dkl_text_out_settle(void *data)
{
	struct text_out *out = data;
	int err = dkl_text_out_flush(out);

	return err ? err : dkl_text_out_check(out);
}
