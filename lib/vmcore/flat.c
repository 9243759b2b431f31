/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Puts a flattened dump in order: makedumpfile and qemu write pieces, each after its place in the
 * real file, where they cannot seek.
 */
#include <endian.h>
#include <sys/statvfs.h>

#include "lib/base/temporary.h"
#include "lib/vmcore/image.h"

/* The header: signature, type and version in a block of its own. */
#define HEAD_SIZE 4096

struct piece {
	int64_t at; /* in the real file, big endian; -1: the end */
	int64_t size;
};

/* Returns the most bytes that the real file may have: half of what is free there. */
static uint64_t room(int fd)
{
	struct statvfs vfs;

	return fstatvfs(fd, &vfs) ? UINT64_MAX : (uint64_t)vfs.f_bavail * vfs.f_frsize / 2;
}

static int copy_pieces(struct dkt_ctx *ctx, const struct dkt__file *file, int fd, bool *cut)
{
	struct dkt__cursor cur = { .p = file->data + DKT__MIN(HEAD_SIZE, file->size),
				   .end = file->data + file->size };
	uint64_t most = room(fd), written = 0;
	int err = 0;

	while (!err) {
		struct piece piece;
		const uint8_t *p = dkt__cursor_bytes(&cur, sizeof(piece));
		uint64_t at, size;

		*cut = !p;
		if (!p)
			break;
		memcpy(&piece, p, sizeof(piece));
		at = be64toh((uint64_t)piece.at);
		size = be64toh((uint64_t)piece.size);
		if ((int64_t)at == -1)
			break;
		if ((int64_t)at < 0 || (int64_t)size <= 0)
			return dkt_fail(ctx, -EBADMSG, "read %s: invalid piece at byte %zu",
					file->name, (size_t)(p - file->data));
		*cut = size > dkt__cursor_left(&cur);
		size = DKT__MIN(size, dkt__cursor_left(&cur));
		written += size;
		/* The places are as long as the memory of the machine; only what is written counts. */
		if (written > most)
			return dkt_fail(ctx, -ENOSPC,
					"read %s: putting it in order takes more than %llu MB in "
					"%s; set TMPDIR, or use makedumpfile -R",
					file->name, (unsigned long long)most >> 20,
					dkt__temporary_dir());
		p = dkt__cursor_bytes(&cur, size);
		err = size ? dkt__pwrite_all(fd, p, size, at) : 0;
		if (err)
			dkt_fail(ctx, err, "write to %s: %s", dkt__temporary_dir(), strerror(-err));
	}
	return err;
}

int dkt__vm_unflatten(struct dkt_ctx *ctx, const struct dkt__file *file, int *fd, bool *cut)
{
	int err;

	*fd = dkt__temporary_file(ctx, dkt__temporary_dir());
	if (*fd < 0)
		return *fd;
	err = copy_pieces(ctx, file, *fd, cut);
	if (err) {
		close(*fd);
		*fd = -1;
	}
	return err;
}
