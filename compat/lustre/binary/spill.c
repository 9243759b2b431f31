/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A file without a name, below $TMPDIR or /tmp, to which records are appended. */
#include "compat/lustre/binary/spill.h"

#include "compat/lustre/binary/runs.h"
#include "lib/base/memory.h"
#include "lib/base/temporary.h"

#define BUFFER (256 * 1024)

int dkl_spill_open(struct dkt_ctx *ctx, struct spill *spill)
{
	*spill = (struct spill){ .fd = -1, .buf = malloc(BUFFER) };
	if (!spill->buf)
		return dkt__no_memory(ctx);
	spill->fd = dkt__temporary_file(ctx, dkt__temporary_dir());
	return DKT__MIN(spill->fd, 0);
}

int dkl_spill_flush(struct dkt_ctx *ctx, struct spill *spill)
{
	int err = dkt__write_all(spill->fd, spill->buf, spill->len);

	spill->len = 0;
	return err ? dkt_fail(ctx, err, "write the temporary file: %s", strerror(-err)) : 0;
}

int dkl_spill_add(struct dkt_ctx *ctx, struct spill *spill, const uint8_t *rec, uint32_t len)
{
	int err = spill->len + len > BUFFER ? dkl_spill_flush(ctx, spill) : 0;

	if (err)
		return err;
	if (spill->epochs && dkl_epochs_add(spill->epochs, spill->size, rec, len))
		return dkt__no_memory(ctx);
	memcpy(spill->buf + spill->len, rec, len);
	spill->len += len;
	spill->size += len;
	return 0;
}

void dkl_spill_close(struct spill *spill)
{
	free(spill->buf);
	if (spill->fd >= 0)
		close(spill->fd);
	*spill = (struct spill){ .fd = -1 };
}
