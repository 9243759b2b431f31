/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds or mounts tracefs for the debug log, and unmounts it with the last log. */
#include "compat/log/mount.h"

#include <fcntl.h>
#include <sys/mount.h>

#include "lib/base/gained.h"
#include "lib/base/util.h"

/* Exists if dktrace mounted tracefs. No instance has a name that begins with a period. */
#define MOUNTED RUN_DIR "/.mounted"

static void note_mount(void)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_at(RUN_DIR);
	int fd = open(MOUNTED, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd >= 0)
		close(fd);
}

static void forget_mount(void)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_at(RUN_DIR);

	unlink(MOUNTED);
}

int dkl_log_mount(struct dkt_ctx *ctx, unsigned int flags)
{
	int err = dkt_tracefs_open(ctx, 0);

	/* Names the missing capability in the error message. */
	if (err == -EACCES)
		dkt_caps_check(ctx, DKT_NEED_READ);
	if (err != -ENOENT || !(flags & DEBUGLOG_CHANGE))
		return err;
	err = dkt_caps_check(ctx, DKT_NEED_MOUNT);
	if (err)
		return err;
	note_mount();
	err = dkt_tracefs_open(ctx, DKT_MOUNT);
	if (err)
		forget_mount();
	return err;
}

static int other_log(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int dkl_log_unmount(struct dkt_ctx *ctx)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_at(RUN_DIR);
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
	forget_mount();
	dkt__run_dir_remove();
	return 0;
}
