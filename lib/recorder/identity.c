/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ID of a recording: files with the same ID are of the same buffers in the kernel, without a pause. */
#include <fcntl.h>
#include <sys/stat.h>

#include "lib/base/io.h"
#include "lib/instance.h"
#include "lib/recorder.h"
#include "lib/tracefs.h"

/* FNV-1a with 64 bits. */
#define FNV_BEGIN UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

static void add(uint64_t *hash, const void *bytes, size_t n)
{
	for (const uint8_t *p = bytes; n--; p++)
		*hash = (*hash ^ *p) * FNV_PRIME;
}

/* An instance that is removed and created again has another inode. */
static bool add_instance(uint64_t *hash, const struct dkt_instance *in)
{
	int fd __cleanup(close) = dkt__tfs_open(in->ctx, O_RDONLY | O_DIRECTORY, "%s.", in->prefix);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return false;
	add(hash, in->prefix, strlen(in->prefix) + 1);
	add(hash, &st.st_ino, sizeof(st.st_ino));
	return true;
}

uint64_t dkt__recorder_identity(const struct dkt_recorder *r)
{
	char boot[DKT__BOOT_SIZE];
	uint64_t hash = FNV_BEGIN;

	/* A saved tree does not know its boot. */
	dkt__boot_id(boot);
	if (r->ctx->root || !*boot)
		return 0;
	add(&hash, boot, strlen(boot) + 1);
	for (size_t i = 0; i < r->n; i++)
		if (!add_instance(&hash, r->buffers[i].in))
			return 0;
	return hash;
}
