/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds and mounts tracefs. Opens no file in it. */
#include <limits.h>
#include <mntent.h>
#include <sys/mount.h>
#include <sys/vfs.h>

#include "lib/mount.h"

/* include/uapi/linux/magic.h; older C libraries' headers lack it. */
#define TRACEFS_MAGIC 0x74726163

bool dkt__mount_is(const char *dir)
{
	struct statfs fs;

	return !statfs(dir, &fs) && fs.f_type == TRACEFS_MAGIC;
}

/* Returns the directory of a tracefs in the mount table, which the caller frees, or NULL. */
static char *in_mounts(void)
{
	FILE *mounts __cleanup(fclose) = setmntent("/proc/self/mounts", "re");
	struct mntent entry;
	char text[4 * PATH_MAX];

	while (mounts && getmntent_r(mounts, &entry, text, sizeof(text)))
		if (!strcmp(entry.mnt_type, "tracefs") && dkt__mount_is(entry.mnt_dir))
			return strdup(entry.mnt_dir);
	return NULL;
}

char *dkt__mount_where(const struct dkt_ctx *ctx)
{
	if (ctx->root)
		return strdup(ctx->root);
	return dkt__mount_is(TRACEFS_PLACE) ? strdup(TRACEFS_PLACE) : in_mounts();
}

static int mount_it(struct dkt_ctx *ctx)
{
	if (!mount("nodev", TRACEFS_PLACE, "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) ||
	    (errno == EBUSY && dkt__mount_is(TRACEFS_PLACE)))
		return 0;
	return dkt_fail(ctx, -errno, "mount tracefs on %s: %s", TRACEFS_PLACE, strerror(errno));
}

int dkt__mount_find(struct dkt_ctx *ctx, unsigned int flags, char **dir)
{
	int err;

	*dir = dkt__mount_where(ctx);
	if (*dir)
		return 0;
	if (ctx->root)
		return dkt__no_memory(ctx);
	if (access(TRACEFS_PLACE, F_OK) && errno == ENOENT)
		return dkt_fail(ctx, -EOPNOTSUPP, "this kernel has no tracefs (no %s)",
				TRACEFS_PLACE);
	if (!(flags & DKT_MOUNT))
		return dkt_fail(ctx, -ENOENT, "tracefs is not mounted (mount -t tracefs nodev %s)",
				TRACEFS_PLACE);
	err = mount_it(ctx);
	if (err)
		return err;
	*dir = strdup(TRACEFS_PLACE);
	return *dir ? 0 : dkt__no_memory(ctx);
}
