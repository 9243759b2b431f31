/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stores the pieces of several growing byte strings in one unnamed file, until the caller copies
 * them to the output.
 */
#include <fcntl.h>
#include <unistd.h>

#include "lib/base/temporary.h"
#include "lib/tracedat/spill.h"

int dkt__spill_open(struct dkt_ctx *ctx, const char *dir, struct dkt__spill *spill)
{
	*spill = (struct dkt__spill){ .fd = dkt__temporary_file(ctx, dir), .ctx = ctx };
	return DKT__MIN(spill->fd, 0);
}

int dkt__spill_take(struct dkt_ctx *ctx, int fd, struct dkt__spill *spill)
{
	*spill = (struct dkt__spill){ .fd = fcntl(fd, F_DUPFD_CLOEXEC, 0), .ctx = ctx };
	return spill->fd < 0 ? dkt_fail(ctx, -errno, "use an unnamed file: %s", strerror(errno)) :
			       0;
}

void dkt__spill_close(struct dkt__spill *spill)
{
	if (spill->fd >= 0)
		close(spill->fd);
	spill->fd = -1;
}

int dkt__spill_write(struct dkt_ctx *ctx, int fd, const void *bytes, size_t len, uint64_t at)
{
	int err = dkt__pwrite_all(fd, bytes, len, at);

	return err ? dkt_fail(ctx, err, "write output: %s", strerror(-err)) : 0;
}

int dkt__spill_add(struct dkt__spill *spill, struct dkt__spill_string *string, const void *bytes,
		   uint32_t size, uint32_t raw)
{
	const struct dkt__spill_piece piece = { .at = spill->size, .size = size, .raw = raw };
	int err = dkt__spill_write(spill->ctx, spill->fd, bytes, size, spill->size);

	if (!err)
		err = dkt__with_words(spill->ctx, dkt__append(string->pieces, string->n, piece));
	if (err)
		return err;
	string->size += size;
	spill->size += size;
	return 0;
}

void dkt__spill_string_clear(struct dkt__spill_string *string)
{
	free(string->pieces);
	*string = (struct dkt__spill_string){ 0 };
}

int dkt__spill_read(struct dkt__spill *spill, const struct dkt__spill_piece *piece,
		    struct dkt_buf *buf)
{
	char *room = dkt__buf_room(buf, piece->size);
	ssize_t n = room ? dkt__pread_all(spill->fd, room, piece->size, piece->at) : 0;
	int err = n < 0 ? (int)n : -EIO;

	if (!room)
		return buf->err;
	if (n != (ssize_t)piece->size)
		return dkt_fail(spill->ctx, err, "read the temporary file: %s", strerror(-err));
	buf->len += piece->size;
	return 0;
}

/* Lets the kernel copy what it can. */
static void copy_inside(int from_fd, uint64_t *from, int fd, uint64_t *at, uint32_t *left)
{
	ssize_t n = 1;

	while (*left && n > 0) {
		off64_t in = (off64_t)*from, out = (off64_t)*at;

		n = copy_file_range(from_fd, &in, fd, &out, *left, 0);
		if (n <= 0)
			break;
		*from += (uint64_t)n;
		*at += (uint64_t)n;
		*left -= (uint32_t)n;
	}
}

int dkt__spill_copy(struct dkt__spill *spill, const struct dkt__spill_piece *piece, int fd,
		    uint64_t at)
{
	uint8_t bytes[16384];
	uint64_t from = piece->at;
	uint32_t left = piece->size;
	int err = 0;

	copy_inside(spill->fd, &from, fd, &at, &left);
	while (!err && left) {
		ssize_t n = dkt__pread_all(spill->fd, bytes, DKT__MIN(left, sizeof(bytes)), from);

		if (n <= 0)
			return dkt_fail(spill->ctx, n ? (int)n : -EIO,
					"read the temporary file: %s", strerror(n ? -(int)n : EIO));
		err = dkt__spill_write(spill->ctx, fd, bytes, (size_t)n, at);
		from += (uint64_t)n;
		at += (uint64_t)n;
		left -= (uint32_t)n;
	}
	return err;
}
