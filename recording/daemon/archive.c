/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The process of an archive: sets up the instance, and records until somebody ends it. */
#include "recording/daemon/archive.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "compat/io/notify.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/base/stop.h"
#include "lib/inside.h"
#include "recording/daemon/running.h"
#include "recording/record/size.h"

/* The reader's priority, that of record. */
#define NICE (-10)

char *archive_instance(const char *log)
{
	return dkt__format("%s-daemon", log);
}

static int open_instance(struct archive *archive)
{
	DKT_OPTS(dkt_instance_opts, opts, .flags = DKT_CREATE);
	char *name __cleanup(free) = archive_instance(archive->log);
	int err = name ? dkt_instance_open(archive->ctx, name, &opts, &archive->in) :
			 dkt__no_memory(archive->ctx);

	/* Resizing would stop the recording of one that a killed daemon has left. */
	if (err || !dkt__instance_is_new(archive->in))
		return err;
	err = dkt_instance_set_on(archive->in, false);
	if (!err)
		err = dkt_instance_set_clock(archive->in, "mono");
	return err ? err : capture_set_size(archive->in, archive->limits.buffer);
}

/* True if the earlier daemon was told to let the kernel record on. */
static bool was_left(struct archive *archive)
{
	struct archive_state state;
	bool left = !archive_state_load(archive->ctx, archive->log, &state) && state.left;

	archive_state_clear(&state);
	return left;
}

/* Completes the segment of a killed daemon with the records that the kernel still holds. */
static int take_over(struct archive *archive)
{
	struct segment ended;
	int err = archive_writer_resume(&archive->writer, &ended);

	if (err == 1 && was_left(archive))
		dkt__log(
			archive->ctx, DKT_LOG_WARN,
			"the kernel has recorded on since the last daemon was stopped: the next segment"
			" has that");
	else if (!err)
		dkt__log(
			archive->ctx, DKT_LOG_WARN,
			"an earlier daemon was killed: %s has what the kernel held, %llu events were"
			" lost",
			ended.name, (unsigned long long)ended.lost);
	else if (err == 1)
		dkt__log(
			archive->ctx, DKT_LOG_WARN,
			"an earlier daemon was killed between two segments: the next one has what the"
			" kernel held");
	return DKT__MIN(err, 0);
}

static int set_up(struct archive *archive)
{
	int err = archive_config_limits(archive->ctx, archive->config, &archive->limits);

	if (!err)
		err = open_instance(archive);
	if (err)
		return err;
	archive->writer.ctx = archive->worker.ctx = archive->ctx;
	archive->writer.in = archive->in;
	/* The settings change, the directory stays. */
	archive->dir = strdup(archive->config->value[ARCHIVE_DIR]);
	if (!archive->dir)
		return dkt__no_memory(archive->ctx);
	archive->writer.dir = archive->worker.dir = archive->dir;
	archive->worker.compression = archive->limits.compression;
	err = archive_writer_open(&archive->writer, archive->limits.compression);
	/* A daemon of another log that records into the directory would delete our segments. */
	if (!err)
		err = archive_dir_check(archive->ctx, archive->dir, &archive->writer.lock);
	if (err)
		return err;
	if (dkt__instance_is_new(archive->in)) {
		err = archive_apply(archive, archive->config);
		/* It has no older records. */
		if (!err && dkt_instance_get_now(archive->in, &archive->writer.ended_at))
			archive->writer.ended_at = 0;
		if (!err)
			err = archive_begin_segment(archive);
	} else {
		/* The kernel records the old events until apply, so the segment needs their formats first. */
		err = take_over(archive);
		if (!err)
			err = archive_begin_segment(archive);
		if (!err)
			err = archive_apply(archive, archive->config);
		if (!err)
			err = dkt__recorder_formats(archive->writer.recorder);
	}
	if (!err)
		err = dkt_instance_set_on(archive->in, true);
	return err;
}

/* Writes the last records. If that fails, the instance keeps them for the next daemon. */
static int finish(struct archive *archive)
{
	int err = archive->keep ? 0 : dkt_instance_set_on(archive->in, false);

	if (!err && archive->writer.file.fd < 0)
		err = archive_begin_segment(archive);
	if (!err)
		err = archive_end_segment(archive);
	if (!err && archive->keep) {
		archive->state.left = 1;
		archive_save(archive);
	}
	if (!err)
		return archive_worker_end(&archive->worker, UINT64_MAX);
	archive_note_failure(archive);
	archive_save(archive);
	archive->keep = true;
	return err;
}

/* Removes what is in the kernel and in /run. Keeps the error message. */
static void tear_down(struct archive *archive, bool remove)
{
	char *name __cleanup(free) = archive_instance(archive->log);
	char *message = dkt__error_take(archive->ctx);
	const bool opened = archive->in;
	int turn __cleanup(close) = service_enter(archive->ctx, &archive_service, archive->log);

	/* Without the turn, too, the instance is removed: otherwise it would record for ever. */
	if (turn < 0)
		dkt__log(archive->ctx, DKT_LOG_WARN, "%s", dkt_error(archive->ctx));
	archive_writer_free(&archive->writer);
	archive_worker_free(&archive->worker);
	archive_metrics_free(&archive->metrics);
	dkt_instance_close(archive->in);
	if (remove && opened && (!name || dkt_instance_remove(archive->ctx, name)))
		dkt__log(archive->ctx, DKT_LOG_WARN, "%s", dkt_error(archive->ctx));
	if (remove)
		dkl_wanted_free(archive->wanted);
	/* Remove the probes of a killed daemon last: that empties buffers with records of them. */
	if (remove && opened)
		dkt__instance_sweep(archive->ctx, archive->owner, NULL);
	if (remove)
		service_forget(&archive_service, archive->log);
	archive_state_clear(&archive->state);
	archive_config_clear(archive->config);
	free(archive->owner);
	free(archive->dir);
	dkt__error_give(archive->ctx, 0, message);
}

static void catch_signals(void)
{
	dkt__stop_on_end();
	dkt__stop_on(SIGHUP);
	dkt__stop_on(SIGUSR1);
}

int archive_run(struct dkt_ctx *ctx, const char *log, struct archive_config *config,
		const struct archive_opts *opts)
{
	struct archive archive = { .ctx = ctx,
				   .log = log,
				   .opts = opts,
				   .config = config,
				   .writer = ARCHIVE_WRITER_INIT,
				   .worker = ARCHIVE_WORKER_INIT,
				   .metrics = ARCHIVE_METRICS_INIT,
				   .owner = archive_instance(log) };
	int turn = service_enter(ctx, &archive_service, log), err;

	err = turn < 0 ? turn : service_lock(ctx, &archive_service, log);
	if (err) {
		if (turn >= 0)
			close(turn);
		archive_config_clear(config);
		free(archive.owner);
		return err;
	}
	catch_signals();
	setpriority(PRIO_PROCESS, 0, NICE);
	archive.state.started = (int64_t)time(NULL);
	err = set_up(&archive);
	if (!err)
		err = archive_store_settings(&archive);
	if (!err)
		err = archive_state_save(ctx, log, &archive.state);
	close(turn);
	/* If this start fails, the next one still finds the records of the killed daemon. */
	archive.keep = err && archive.in && !dkt__instance_is_new(archive.in);
	if (!err)
		archive_show_metrics(&archive);
	if (!err && opts->ready)
		opts->ready(opts->data);
	if (!err)
		dkl_notify("READY=1\nSTATUS=recording");
	while (!err && !archive.ending)
		archive_step(&archive);
	if (!err) {
		dkl_notify("STOPPING=1");
		err = finish(&archive);
	}
	tear_down(&archive, !archive.keep);
	return err;
}
