/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Changes the settings and the events of a daemon that records. */
#include <stdlib.h>
#include <string.h>

#include "compat/io/notify.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/inside.h"
#include "recording/daemon/running.h"

/* Counts the events of the settings for the metrics. */
static int archive_count(struct archive *archive, const struct archive_config *config)
{
	int err = archive_metrics_set(&archive->metrics, archive->ctx,
				      config->value[ARCHIVE_METRICS], archive->log,
				      archive->writer.recorder);

	if (err || !archive->metrics.path)
		return err;
	return archive_metrics_events(&archive->metrics, archive->wanted);
}

int archive_apply(struct archive *archive, const struct archive_config *config)
{
	struct wanted_words words = archive_config_words(config, archive->owner);
	struct dkt_change *change = NULL;
	struct wanted *wanted = NULL;
	int err;

	words.before = archive->wanted;
	err = dkl_wanted_new(archive->ctx, &words, &wanted);
	if (!err)
		err = dkt_change_new(archive->in, &change);
	if (!err && (archive->wanted || !dkt__instance_is_new(archive->in)))
		err = dkl_wanted_clear(wanted, archive->in, change);
	if (!err)
		err = dkl_wanted_apply(wanted, change);
	if (!err)
		err = dkt_change_commit(change);
	dkt_change_free(change);
	if (err) {
		dkl_wanted_free(wanted);
		return err;
	}
	if (wanted->notes)
		dkt__log(archive->ctx, DKT_LOG_WARN, "%s", wanted->notes);
	dkl_wanted_replace(wanted, archive->wanted);
	archive->wanted = wanted;
	return archive_count(archive, config);
}

/* Reads the settings that the reload command has written, or else the file of --settings again. */
static int read_settings(struct archive *archive, struct archive_config *config)
{
	int err;

	if (archive_settings_exist(archive->log, ARCHIVE_ASKED)) {
		err = archive_settings_read(archive->ctx, archive->log, ARCHIVE_ASKED, config);
		archive_settings_remove(archive->log, ARCHIVE_ASKED);
		return err;
	}
	if (archive->opts->settings)
		return archive_config_read(archive->ctx, archive->opts->settings, config);
	return dkt_fail(
		archive->ctx, -EINVAL,
		"there is nothing to read again: the daemon was started without --settings");
}

int archive_store_settings(struct archive *archive)
{
	return archive_settings_write(archive->ctx, archive->log, ARCHIVE_IN_EFFECT,
				      archive->config);
}

/*
 * Changes to the settings, and stores them. They are written before the change, which can then be
 * refused, and get their name after it: status must not show settings that are not in effect.
 */
static int change_to(struct archive *archive, const struct archive_config *config)
{
	int err = archive_settings_write(archive->ctx, archive->log, ARCHIVE_NEXT, config);

	if (err)
		return err;
	err = archive_apply(archive, config);
	if (err) {
		archive_settings_remove(archive->log, ARCHIVE_NEXT);
		return err;
	}
	archive_settings_publish(archive->ctx, archive->log);
	return 0;
}

static int take_settings(struct archive *archive)
{
	struct archive_config config = { 0 };
	struct archive_limits limits;
	int err = read_settings(archive, &config);

	/* A reload cannot move the segments. */
	if (!err)
		err = dkt__with_words(archive->ctx,
				      archive_config_set(&config, ARCHIVE_DIR, archive->dir));
	if (!err && !archive_config_chooses(&config))
		err = dkt_fail(archive->ctx, -EINVAL, "the settings name nothing to record");
	if (!err)
		err = archive_config_limits(archive->ctx, &config, &limits);
	if (!err)
		err = archive_metrics_check(archive->ctx, &config);
	if (!err)
		err = change_to(archive, &config);
	if (err) {
		archive_config_clear(&config);
		return err;
	}
	archive_config_clear(archive->config);
	*archive->config = config;
	archive_config_limits(archive->ctx, archive->config, &archive->limits);
	archive->worker.compression = archive->limits.compression;
	/* The events are on. A disk that is full takes the formats later, as it takes the records. */
	if (archive->writer.file.fd >= 0 &&
	    capture_file_in(&archive->writer.file, dkt__recorder_formats(archive->writer.recorder)))
		archive_note_failure(archive);
	return 0;
}

void archive_change(struct archive *archive)
{
	int err;

	dkl_notify("RELOADING=1");
	err = take_settings(archive);
	archive_state_text(&archive->state.reload_error, err ? dkt_error(archive->ctx) : NULL);
	if (err)
		dkt__log(archive->ctx, DKT_LOG_WARN, "reload: %s", dkt_error(archive->ctx));
	archive->state.reloads++;
	archive_save(archive);
	dkl_notify("READY=1");
}
