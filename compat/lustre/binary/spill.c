/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A thread that writes records to be sorted to a file below $TMPDIR or /tmp. */
#include "compat/lustre/binary/spill.h"

#include "compat/lustre/binary/epochs.h"
#include "lib/base/memory.h"
#include "lib/base/temporary.h"

#define BUFFER (256 * 1024)

static int write_spill(void *data, const uint8_t *bytes, size_t len)
{
	const struct spill *spill = data;

	return dkt__write_all(spill->fd, bytes, len);
}

int dkl_spill_open(struct dkt_ctx *ctx, struct spill *spill)
{
	int err;

	*spill = (struct spill){ .fd = -1 };
	err = dkt__with_words(ctx, dkl_stage_new(BUFFER, write_spill, spill, &spill->write));
	if (err)
		return err;
	spill->fd = dkt__temporary_file(ctx, dkt__temporary_dir());
	return DKT__MIN(spill->fd, 0);
}

static int write_error(struct dkt_ctx *ctx, int err)
{
	return err ? dkt_fail(ctx, err, "write the temporary file: %s", strerror(-err)) : 0;
}

int dkl_spill_flush(struct dkt_ctx *ctx, struct spill *spill)
{
	size_t len = spill->len;

	spill->buf = NULL;
	spill->len = 0;
	return write_error(ctx, dkl_stage_finish(spill->write, len));
}

int dkl_spill_add(struct dkt_ctx *ctx, struct spill *spill, const uint8_t *rec, uint32_t len)
{
	if (spill->len + len > BUFFER) {
		int err = dkl_stage_put(spill->write, spill->len);

		spill->buf = NULL;
		spill->len = 0;
		if (err)
			return write_error(ctx, err);
	}
	if (!spill->buf)
		spill->buf = dkl_stage_buffer(spill->write);
	if (spill->epochs && dkl_epochs_add(spill->epochs, spill->size, rec, len))
		return dkt__no_memory(ctx);
	memcpy(spill->buf + spill->len, rec, len);
	spill->len += len;
	spill->size += len;
	return 0;
}

void dkl_spill_close(struct spill *spill)
{
	dkl_stage_free(spill->write);
	if (spill->fd >= 0)
		close(spill->fd);
	*spill = (struct spill){ .fd = -1 };
}
