/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds or mounts tracefs for the debug log, and unmounts it with the last log. */
#include "log/mount.h"

#include <fcntl.h>
#include <sys/mount.h>

#include "base/util.h"

/* Exists if dktrace mounted tracefs. No instance has a name that begins with a period. */
#define MOUNTED RUN_DIR "/.mounted"

int log_mount(struct dkt_ctx *ctx, unsigned int flags)
{
	int fd, err = dkt_tracefs_open(ctx, 0);

	/* Names the missing capability in the error message. */
	if (err == -EACCES)
		dkt_caps_check(ctx, DKT_NEED_READ);
	if (err != -ENOENT || !(flags & DEBUGLOG_CHANGE))
		return err;
	err = dkt_caps_check(ctx, DKT_NEED_MOUNT);
	if (err)
		return err;
	fd = open(MOUNTED, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd >= 0)
		close(fd);
	err = dkt_tracefs_open(ctx, DKT_MOUNT);
	if (err)
		unlink(MOUNTED);
	return err;
}

static int other_log(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int log_unmount(struct dkt_ctx *ctx)
{
	struct dirent **entries = NULL;
	int n = scandir(RUN_DIR, &entries, other_log, NULL);

	for (int i = 0; i < n; i++)
		free(entries[i]);
	free(entries);
	if (n)
		return 0;
	if (!access(MOUNTED, F_OK) && *dkt_tracefs_dir(ctx) &&
	    umount2(dkt_tracefs_dir(ctx), MNT_DETACH))
		return dkt_fail(ctx, -errno, "unmount %s: %s", dkt_tracefs_dir(ctx),
				strerror(errno));
	unlink(MOUNTED);
	rmdir(RUN_DIR);
	return 0;
}
