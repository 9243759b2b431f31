/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pieces of several growing byte strings in one file without a name, to be put together at the end. */
#include <fcntl.h>

#include "tracedat/spill.h"

#include "base/banned.h"

int dkt__spill_open(struct dkt_ctx *ctx, const char *dir, struct dkt__spill *spill)
{
	char *name __cleanup(free) = NULL;

	*spill = (struct dkt__spill){ .fd = -1, .ctx = ctx };
	spill->fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (spill->fd >= 0)
		return 0;
	/* Not every file system has O_TMPFILE. */
	if (asprintf(&name, "%s/.dktrace-XXXXXX", dir) < 0)
		return -ENOMEM;
	spill->fd = mkostemp(name, O_CLOEXEC);
	if (spill->fd < 0)
		return dkt_fail(ctx, -errno, "make a file in %s: %s", dir, strerror(errno));
	unlink(name);
	return 0;
}

void dkt__spill_close(struct dkt__spill *spill)
{
	if (spill->fd >= 0)
		close(spill->fd);
	spill->fd = -1;
}

int dkt__write_all(struct dkt_ctx *ctx, int fd, const void *bytes, size_t len, uint64_t at)
{
	const char *p = bytes;

	while (len) {
		ssize_t n = pwrite(fd, p, len, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return dkt_fail(ctx, -errno, "write output: %s", strerror(errno));
		p += n;
		len -= (size_t)n;
		at += (uint64_t)n;
	}
	return 0;
}

int dkt__spill_add(struct dkt__spill *spill, struct dkt__spill_string *string, const void *bytes,
		   uint32_t size, uint32_t raw)
{
	int err;

	if (string->n == string->room) {
		struct dkt__spill_piece *more =
			dkt__grow(string->pieces, &string->room, 16, sizeof(*more));

		if (!more)
			return -ENOMEM;
		string->pieces = more;
	}
	err = dkt__write_all(spill->ctx, spill->fd, bytes, size, spill->size);
	if (err)
		return err;
	string->pieces[string->n++] =
		(struct dkt__spill_piece){ .at = spill->size, .size = size, .raw = raw };
	string->size += size;
	spill->size += size;
	return 0;
}

void dkt__spill_string_clear(struct dkt__spill_string *string)
{
	free(string->pieces);
	*string = (struct dkt__spill_string){ 0 };
}

int dkt__spill_copy(struct dkt__spill *spill, const struct dkt__spill_piece *piece, int fd,
		    uint64_t at)
{
	uint8_t bytes[16384];
	uint64_t from = piece->at;
	uint32_t left = piece->size;
	int err = 0;

	while (!err && left) {
		ssize_t n = pread(spill->fd, bytes, DKT__MIN(left, sizeof(bytes)), (off_t)from);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return dkt_fail(spill->ctx, n ? -errno : -EIO, "read what was kept: %s",
					strerror(n ? errno : EIO));
		err = dkt__write_all(spill->ctx, fd, bytes, (size_t)n, at);
		from += (uint64_t)n;
		at += (uint64_t)n;
		left -= (uint32_t)n;
	}
	return err;
}
