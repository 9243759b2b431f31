/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opens the debug log, and first repairs the state that killed commands left. */
#include "compat/apply/apply.h"
#include "compat/apply/follow.h"
#include "compat/apply/rebuild.h"
#include "compat/log/directory.h"
#include "compat/log/leftover.h"
#include "compat/log/mount.h"
#include "compat/lustre/message/cdebug.h"
#include "lib/base/buf.h"
#include "lib/inside.h"

static int load_settings(struct debuglog *log)
{
	int err = -ENOENT;

	if (log->dirfd >= 0)
		err = dkl_settings_load(log->ctx, log->dirfd, DEBUGLOG_SETTINGS, &log->set);
	if (err != -ENOENT && err != -EINVAL)
		return err;
	dkl_settings_init(&log->set);
	if (!log->in || log->interrupted)
		return 0;
	/* The instance exists without its file: take the settings from the kernel. */
	log->rebuilt = true;
	err = dkl_debuglog_map(log);
	return err ? err : dkl_debuglog_rebuild(log);
}

/* ---- recovery ---- */

/* Cleans up after killed commands: removes their instances, restarts a log that they stopped. */
static int clean_up(struct debuglog *log)
{
	int err;

	/* An instance that another process reads stays: a later command removes it, status lists it. */
	dkl_leftovers_remove(log->ctx, log->name);
	err = dkl_debuglog_open_instance(log, 0);
	return err ? err : dkt__instance_start_stopped(log->in);
}

/* Undoes a change that was to create the instance. */
static int undo_first(struct debuglog *log, const struct settings *before)
{
	int err = dkl_debuglog_return_top(log);

	if (!err && log->in)
		err = dkt_instance_remove(log->ctx, log->name);
	if (err)
		return err;
	dkt_instance_close(log->in);
	log->in = NULL;
	return dkl_settings_save(log->ctx, log->dirfd, DEBUGLOG_SETTINGS, before);
}

/* Undoes an interrupted change: DEBUGLOG_BEFORE holds the settings before it. */
static int undo_interrupted(struct debuglog *log)
{
	struct settings before, asked;
	int err;

	if (!log->interrupted)
		return 0;
	err = dkl_settings_load(log->ctx, log->dirfd, DEBUGLOG_BEFORE, &before);
	if (!err) {
		/* They also name every event on which the change may have set a filter. */
		dkl_settings_clear(&log->set);
		log->set = before;
		err = dkl_settings_copy(&asked, &before);
		if (!err)
			err = before.has_instance ? dkl_debuglog_apply(log, &asked, NULL) :
						    undo_first(log, &before);
		dkl_settings_clear(&asked);
	}
	if (err && err != -EINVAL)
		return dkt__fail_in(log->ctx, err, "undo an interrupted change");
	dkl_log_dir_forget_before(log);
	log->interrupted = false;
	if (!err)
		return 0;
	/* dktrace writes the file all or nothing, so it did not write an invalid one: ignore it. */
	dkl_settings_clear(&log->set);
	return load_settings(log);
}

/* Everything else works without the probes, so a failure is only noted for the user. */
static int create_probes(struct debuglog *log)
{
	int err = dkl_cdebug_create(log->ctx, &log->messages_new);

	if (!err || err == -ENOMEM)
		return err;
	log->no_probe = dkt__format("messages of Lustre are not recorded: %s", dkt_error(log->ctx));
	return log->no_probe ? 0 : -ENOMEM;
}

int dkl_debuglog_open(struct dkt_ctx *ctx, const char *name, unsigned int flags,
		      struct debuglog **out)
{
	struct debuglog *log;
	int err = dkl_debuglog_new(ctx, name, &log);

	*out = NULL;
	if (!err && flags & DEBUGLOG_CHANGE)
		err = dkt_caps_check(ctx, DKT_NEED_CONTROL);
	if (!err)
		err = flags & DEBUGLOG_CHANGE ? dkl_log_dir_enter(log) : dkl_log_dir_open(log);
	if (!err)
		err = dkl_log_mount(ctx, flags);
	if (!err) {
		err = flags & DEBUGLOG_CHANGE ? clean_up(log) : dkl_debuglog_open_instance(log, 0);
		err = err == -ENOENT ? 0 : err;
	}
	if (!err && flags & DEBUGLOG_CHANGE)
		err = create_probes(log);
	log->interrupted = !err && dkl_log_dir_was_interrupted(log);
	if (!err)
		err = load_settings(log);
	if (!err && log->rebuilt && flags & DEBUGLOG_CHANGE)
		err = dkl_settings_save(ctx, log->dirfd, DEBUGLOG_SETTINGS, &log->set);
	if (!err && flags & DEBUGLOG_CHANGE)
		err = undo_interrupted(log);
	/* A change starts from Lustre's masks; otherwise the masks are those of the enabled events. */
	if (!err && !log->in)
		dkl_follow_masks(&log->set);
	else if (!err && flags & DEBUGLOG_CHANGE)
		log->followed = dkl_follow_masks(&log->set);
	if (err) {
		dkl_debuglog_close(log);
		return err;
	}
	*out = log;
	return 0;
}
