/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Removes the debug log: its instance, its probes, its saved files, the mount. */
#include "compat/apply/apply.h"
#include "compat/apply/audit.h"
#include "compat/log/directory.h"
#include "compat/log/probe_list.h"
#include "compat/lustre/message/cdebug.h"
#include "lib/base/util.h"
#include "lib/inside.h"

#define BUSY_TRIES 20
#define BUSY_WAIT  50000

/* True if the kernel made the instance at boot, in memory of its own. It never removes such a one. */
static bool survives_reboot(struct debuglog *log)
{
	struct dkt__boot_before boot;
	struct dkt_instance *in;
	int err = dkt_instance_open(log->ctx, log->name, NULL, &in);

	if (err)
		return false;
	err = dkt__instance_last_boot_get(in, &boot, sizeof(boot));
	dkt_instance_close(in);
	return !err || err == -ENODATA;
}

/* Retries on -EBUSY: any process that opens a file of the instance keeps it busy for a moment. */
static int remove_instance(struct debuglog *log)
{
	int err = -EBUSY;

	if (survives_reboot(log))
		return dkt_fail(
			log->ctx, err,
			"the kernel made '%s' at boot and does not remove it; 'dktrace -B %s stop'"
			" stops it, and set_param debug=0 disables its events",
			log->name, log->name);
	for (int tries = 0; err == -EBUSY && tries < BUSY_TRIES; tries++) {
		if (tries)
			usleep(BUSY_WAIT);
		err = dkl_debuglog_return_top(log);
		if (!err)
			err = dkt_instance_remove(log->ctx, log->name);
	}
	if (err == -EBUSY)
		dkt__fail_in(log->ctx, err, "another process reads the buffers of '%s'", log->name);
	return err == -ENOENT ? 0 : err;
}

/* Waits for the lock, so that no change is in progress. */
static int reset(struct debuglog *log)
{
	const bool was_there = !access(log->dir, F_OK);
	int err = dkt_tracefs_open(log->ctx, 0);

	if (!err || err == -EACCES)
		err = dkt_caps_check(log->ctx, DKT_NEED_CONTROL);
	if (!err || err == -ENOENT)
		err = dkl_log_dir_enter(log);
	/* On a read-only file system no change can be in progress. */
	if (err == -EROFS)
		err = 0;
	if (!err && *dkt_tracefs_dir(log->ctx))
		err = remove_instance(log);
	if (!err && *dkt_tracefs_dir(log->ctx) && log->dirfd >= 0)
		err = dkl_cdebug_remove(log->ctx);
	if (!err && *dkt_tracefs_dir(log->ctx) && log->dirfd >= 0)
		err = dkl_probes_reset(log);
	if (err)
		return err;
	err = dkl_log_dir_remove(log);
	if (!err && was_there)
		dkl_audit_one(log, NULL, NULL, NULL);
	return err ? err : dkl_log_unmount(log->ctx);
}

int dkl_debuglog_reset(struct dkt_ctx *ctx, const char *name)
{
	struct debuglog *log;
	int err = dkl_debuglog_new(ctx, name, &log);

	if (!err)
		err = reset(log);
	dkl_debuglog_close(log);
	return err;
}
