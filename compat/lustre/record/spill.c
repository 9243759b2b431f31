/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records on their way to be sorted: written by a thread, below $TMPDIR or /tmp. */
#include "lustre/record/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"

#define BUFFER (256 * 1024)

static int write_all(void *data, const uint8_t *bytes, size_t len)
{
	const struct spill *spill = data;

	while (len) {
		ssize_t n = write(spill->fd, bytes, len);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			bytes += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

int spill_make_file(struct dkt_ctx *ctx, int *fd)
{
	const char *dir = secure_getenv("TMPDIR");
	char *path __cleanup(free) = NULL;

	dir = dir && *dir ? dir : "/tmp";
	*fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
	if (*fd >= 0)
		return 0;
	/* Not every file system has files without names. */
	if (asprintf(&path, "%s/dktrace-XXXXXX", dir) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	*fd = mkostemp(path, O_CLOEXEC);
	if (*fd < 0)
		return dkt_fail(ctx, -errno, "make a file in %s to sort in: %s", dir,
				strerror(errno));
	unlink(path);
	return 0;
}

int spill_open(struct dkt_ctx *ctx, struct spill *spill)
{
	int err;

	*spill = (struct spill){ .fd = -1 };
	err = stage_new(BUFFER, write_all, spill, &spill->write);
	return err ? err : spill_make_file(ctx, &spill->fd);
}

static int tell(struct dkt_ctx *ctx, int err)
{
	return err ? dkt_fail(ctx, err, "write the file to sort in: %s", strerror(-err)) : 0;
}

int spill_flush(struct dkt_ctx *ctx, struct spill *spill)
{
	size_t len = spill->len;

	spill->buf = NULL;
	spill->len = 0;
	return tell(ctx, stage_finish(spill->write, len));
}

int spill_add(struct dkt_ctx *ctx, struct spill *spill, const uint8_t *rec, uint32_t len)
{
	if (spill->len + len > BUFFER) {
		int err = stage_put(spill->write, spill->len);

		spill->buf = NULL;
		spill->len = 0;
		if (err)
			return tell(ctx, err);
	}
	if (!spill->buf)
		spill->buf = stage_buffer(spill->write);
	memcpy(spill->buf + spill->len, rec, len);
	spill->len += len;
	spill->size += len;
	return 0;
}

void spill_close(struct spill *spill)
{
	stage_free(spill->write);
	if (spill->fd >= 0)
		close(spill->fd);
	*spill = (struct spill){ .fd = -1 };
}
