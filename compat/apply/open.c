/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opens the debug log, and first repairs the state that killed commands left. */
#include "apply/apply.h"
#include "apply/follow.h"
#include "apply/rebuild.h"
#include "base/util.h"
#include "log/directory.h"
#include "log/leftover.h"
#include "log/mount.h"
#include "lustre/message/cdebug.h"

static int load_settings(struct debuglog *log)
{
	int err = -ENOENT;

	if (log->dirfd >= 0)
		err = settings_load(log->ctx, log->dirfd, DEBUGLOG_SETTINGS, &log->set);
	if (err != -ENOENT && err != -EINVAL)
		return err;
	settings_init(&log->set);
	if (!log->in || log->interrupted)
		return 0;
	/* The instance is there but not the file: the kernel knows what is on. */
	log->rebuilt = true;
	err = debuglog_map(log);
	return err ? err : debuglog_rebuild(log);
}

/* ---- recovery ---- */

/* Cleans up after killed commands: removes their instances, restarts a log that they stopped. */
static int clean_up(struct debuglog *log)
{
	int err;

	/* One that somebody reads is for a later command, or for a person, whom status tells. */
	leftovers_remove(log->ctx, log->name);
	err = debuglog_open_instance(log, 0);
	return err ? err : dkt_instance_wake(log->in);
}

/* The instance was not there before the change that was killed. */
static int take_back_first(struct debuglog *log, const struct settings *before)
{
	int err = debuglog_return_top(log);

	if (!err && log->in)
		err = dkt_instance_remove(log->ctx, log->name);
	if (err)
		return err;
	dkt_instance_close(log->in);
	log->in = NULL;
	return settings_save(log->ctx, log->dirfd, DEBUGLOG_SETTINGS, before);
}

/* A change was killed half way: what was before is in a file of its own. */
static int take_back(struct debuglog *log)
{
	struct settings before, asked;
	int err;

	if (!log->interrupted)
		return 0;
	err = settings_load(log->ctx, log->dirfd, DEBUGLOG_BEFORE, &before);
	if (!err) {
		/* It also names every event that the change may have put a filter on. */
		settings_clear(&log->set);
		log->set = before;
		err = settings_copy(&asked, &before);
		if (!err)
			err = before.made ? debuglog_apply(log, &asked, NULL) :
					    take_back_first(log, &before);
		settings_clear(&asked);
	}
	if (err && err != -EINVAL)
		return dkt_fail_in(log->ctx, err, "undo an interrupted change");
	unlinkat(log->dirfd, DEBUGLOG_BEFORE, 0);
	log->interrupted = false;
	if (!err)
		return 0;
	/* It is written whole or not at all, so without sense it is not ours. */
	settings_clear(&log->set);
	return load_settings(log);
}

/* Without it all else works; why there is none is for the user to know. */
static int make_probe(struct debuglog *log)
{
	int err = cdebug_create(log->ctx, &log->probe_made);

	if (!err || err == -ENOMEM)
		return err;
	if (asprintf(&log->no_probe, "messages of Lustre are not recorded: %s",
		     dkt_error(log->ctx)) >= 0)
		return 0;
	log->no_probe = NULL;
	return -ENOMEM;
}

/* Returns those that the log does not have yet. */
static uint32_t new_masks(struct debuglog *log)
{
	uint32_t differ = follow_masks(&log->set);

	return log->in ? differ : 0;
}

int debuglog_open(struct dkt_ctx *ctx, const char *name, unsigned int flags, struct debuglog **out)
{
	struct debuglog *log;
	int err = debuglog_new(ctx, name, &log);

	*out = NULL;
	if (!err && flags & DEBUGLOG_CHANGE)
		err = dkt_caps_check(ctx, DKT_NEED_CONTROL);
	if (!err)
		err = flags & DEBUGLOG_CHANGE ? log_dir_enter(log) : log_dir_open(log);
	if (!err)
		err = log_mount(ctx, flags);
	if (!err) {
		err = flags & DEBUGLOG_CHANGE ? clean_up(log) : debuglog_open_instance(log, 0);
		err = err == -ENOENT ? 0 : err;
	}
	if (!err && flags & DEBUGLOG_CHANGE)
		err = make_probe(log);
	log->interrupted = !err && log_dir_was_interrupted(log);
	if (!err)
		err = load_settings(log);
	if (!err && log->rebuilt && flags & DEBUGLOG_CHANGE)
		err = settings_save(ctx, log->dirfd, DEBUGLOG_SETTINGS, &log->set);
	if (!err && flags & DEBUGLOG_CHANGE)
		err = take_back(log);
	/* The enabled events show the masks that were set. The next change takes over Lustre's. */
	if (!err && (!log->in || flags & DEBUGLOG_CHANGE))
		log->followed = new_masks(log);
	if (err) {
		debuglog_close(log);
		return err;
	}
	*out = log;
	return 0;
}
