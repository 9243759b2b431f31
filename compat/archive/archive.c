/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The process of an archive: sets up the instance, and records until somebody ends it. */
#include "archive/archive.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "archive/worker.h"
#include "archive/writer.h"
#include "base/buf.h"
#include "base/memory.h"
#include "base/stop.h"
#include "capture/size.h"
#include "io/notify.h"

#define SECOND UINT64_C(1000000000)

/* How often all records go to the file, which bounds what a power failure can cost. */
#define EACH SECOND

/* How long a signal can wait, in ms. */
#define LOOK_MS 250

/* How often the oldest segments are deleted. */
#define PRUNE_EACH (30 * SECOND)

/* The reader's priority, that of record. */
#define NICE (-10)

/* Without --max-size, the segments take at most this part of the file system. */
#define DISK_PART 10

struct archive {
	struct dkt_ctx *ctx;
	const char *log;
	const struct archive_opts *opts;
	struct archive_config *config;
	struct archive_limits limits;
	struct dkt_instance *in;
	struct wanted *wanted;
	struct archive_writer writer;
	struct archive_worker worker;
	struct archive_state state;
	char *dir; /* of the segments */
	char *owner; /* the prefix of the names of probes */
	uint64_t next, pruned; /* times of CLOCK_BOOTTIME, ns */
	bool failing; /* the last attempt to write failed */
	bool ending, keep;
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	/* It counts on while the machine is suspended. */
	clock_gettime(CLOCK_BOOTTIME, &ts);
	return (uint64_t)ts.tv_sec * SECOND + (uint64_t)ts.tv_nsec;
}

char *archive_instance(const char *log)
{
	return dkt__format("%s-daemon", log);
}

/* ---- failures ---- */

/* Tells a failure once, and notes it for status. Recording goes on in the kernel's buffers. */
static void note_failure(struct archive *archive)
{
	const char *words = dkt_error(archive->ctx);
	bool same = archive->state.error && !strcmp(archive->state.error, words);
	char *lines __cleanup(free) = NULL;

	if (!same) {
		archive_state_text(&archive->state.error, words);
		dkt_log(archive->ctx, DKT_LOG_WARN, "%s", archive->state.error ?: words);
		lines = dkt__format("STATUS=%s", archive->state.error ?: words);
	}
	archive->state.error_time = (int64_t)time(NULL);
	if (lines)
		notify(lines);
}

static void forget_failure(struct archive *archive)
{
	archive_state_text(&archive->state.error, NULL);
	dkt_log(archive->ctx, DKT_LOG_WARN, "writing goes on");
	notify("STATUS=recording");
}

/* ---- segments ---- */

static int begin_segment(struct archive *archive)
{
	int err = archive_writer_begin(&archive->writer);

	if (err)
		return err;
	snprintf(archive->state.segment, SEGMENT_NAME, "%s", archive->writer.segment.name);
	archive->state.began = (int64_t)time(NULL);
	/* There is one more now. */
	archive->pruned = 0;
	return 0;
}

static int end_segment(struct archive *archive)
{
	struct segment ended;
	int err = archive_writer_end(&archive->writer, &ended);

	if (err)
		return err;
	archive->state.all_records += ended.records;
	archive->state.all_lost += ended.lost;
	archive->state.segment[0] = '\0';
	archive->state.bytes = archive->state.records = archive->state.lost = 0;
	return dkt__with_words(archive->ctx, archive_worker_add(&archive->worker, &ended));
}

static uint64_t current(const struct archive *archive)
{
	return archive->writer.file.fd < 0 ? UINT64_MAX : archive->writer.segment.number;
}

static bool is_full(const struct archive *archive, uint64_t now)
{
	const struct archive_writer *writer = &archive->writer;

	return (writer->segment.bytes >= archive->limits.segment_size ||
		now - writer->began >= archive->limits.segment_time) &&
	       archive_writer_has_room(writer);
}

/* Writes what there is, and changes to the next segment when it is time. */
static int write_all(struct archive *archive, uint64_t now)
{
	struct archive_writer *writer = &archive->writer;
	int err = 0;

	if (writer->file.fd < 0)
		err = begin_segment(archive);
	if (!err)
		err = dkt_recorder_read(writer->recorder);
	if (!err)
		err = archive_writer_count(writer);
	if (err)
		return err;
	/* A file that was removed takes records, but nobody will read them. */
	if (capture_file_check(&writer->file)) {
		note_failure(archive);
		err = end_segment(archive);
	} else if (is_full(archive, now)) {
		err = end_segment(archive);
	}
	return !err && writer->file.fd < 0 ? begin_segment(archive) : err;
}

static void prune(struct archive *archive, uint64_t now)
{
	uint64_t max_size = archive->limits.max_size;
	struct capture_file *file = &archive->writer.file;

	if (!archive->failing && now - archive->pruned < PRUNE_EACH)
		return;
	archive->pruned = now;
	if (!max_size)
		max_size = capture_file_disk(file) / DISK_PART;
	if (segments_prune(archive->ctx, archive->writer.dir, max_size, archive->limits.keep,
			   current(archive)))
		note_failure(archive);
}

/* ---- the state ---- */

static void save(struct archive *archive)
{
	if (archive_state_save(archive->ctx, archive->log, &archive->state))
		dkt_log(archive->ctx, DKT_LOG_WARN, "%s", dkt_error(archive->ctx));
}

static void update_state(struct archive *archive)
{
	struct archive_state *state = &archive->state;
	const struct segment *segment = &archive->writer.segment;
	bool same = segment->records >= state->records && segment->bytes >= state->bytes;

	state->records_rate = segment->records - (same ? state->records : 0);
	state->bytes_rate = segment->bytes - (same ? state->bytes : 0);
	state->records = segment->records;
	state->bytes = segment->bytes;
	state->lost = segment->lost;
	state->waiting = archive->worker.waiting;
	save(archive);
}

/* ---- the set ---- */

/* Changes the instance to the config's events. */
static int apply(struct archive *archive, const struct archive_config *config)
{
	struct wanted_words words = archive_config_words(config, archive->owner);
	struct dkt_change *change = NULL;
	struct wanted *wanted = NULL;
	int err;

	words.before = archive->wanted;
	err = wanted_new(archive->ctx, &words, &wanted);
	if (!err)
		err = dkt_change_new(archive->in, &change);
	if (!err && (archive->wanted || !dkt_instance_is_new(archive->in)))
		err = wanted_clear(wanted, archive->in, change);
	if (!err)
		err = wanted_apply(wanted, change);
	if (!err)
		err = dkt_change_commit(change);
	dkt_change_free(change);
	if (err) {
		wanted_free(wanted);
		return err;
	}
	if (wanted->notes)
		dkt_log(archive->ctx, DKT_LOG_WARN, "%s", wanted->notes);
	wanted_replace(wanted, archive->wanted);
	archive->wanted = wanted;
	return 0;
}

/* Reads the settings that a reload asks for: its own, or those of the file again. */
static int read_settings(struct archive *archive, struct archive_config *config)
{
	char *path __cleanup(free) = archive_settings(archive->log, true);
	int err;

	if (!path)
		return dkt__no_memory(archive->ctx);
	if (!access(path, F_OK)) {
		err = archive_config_read(archive->ctx, path, config);
		unlink(path);
		return err;
	}
	if (archive->opts->settings)
		return archive_config_read(archive->ctx, archive->opts->settings, config);
	return dkt_fail(
		archive->ctx, -EINVAL,
		"there is nothing to read again: the daemon was started without --settings");
}

/* Stores the settings that are in effect, for reload and status. */
static int store_settings(struct archive *archive)
{
	char *path __cleanup(free) = archive_settings(archive->log, false);

	return path ? archive_config_write(archive->ctx, path, archive->config) :
		      dkt__no_memory(archive->ctx);
}

static int take_settings(struct archive *archive)
{
	struct archive_config config = { 0 };
	struct archive_limits limits;
	int err = read_settings(archive, &config);

	/* Its instance and its segments are where they are. */
	if (!err)
		err = dkt__with_words(archive->ctx,
				      archive_config_set(&config, ARCHIVE_DIR, archive->dir));
	if (!err && !archive_config_chooses(&config))
		err = dkt_fail(archive->ctx, -EINVAL, "the settings name nothing to record");
	if (!err)
		err = archive_config_limits(archive->ctx, &config, &limits);
	if (!err)
		err = apply(archive, &config);
	if (err) {
		archive_config_clear(&config);
		return err;
	}
	archive_config_clear(archive->config);
	*archive->config = config;
	archive_config_limits(archive->ctx, archive->config, &archive->limits);
	archive->worker.compression = archive->limits.compression;
	err = store_settings(archive);
	return err || archive->writer.file.fd < 0 ? err :
						    dkt_recorder_formats(archive->writer.recorder);
}

/* A reload that fails changes nothing. */
static void reload(struct archive *archive)
{
	int err;

	notify("RELOADING=1");
	err = take_settings(archive);
	archive_state_text(&archive->state.reload_error, err ? dkt_error(archive->ctx) : NULL);
	if (err)
		dkt_log(archive->ctx, DKT_LOG_WARN, "reload: %s", dkt_error(archive->ctx));
	archive->state.reloads++;
	save(archive);
	notify("READY=1");
}

/* ---- the loop ---- */

static void take_signal(struct archive *archive)
{
	int sig = dkt__stopped();

	if (!sig)
		return;
	dkt__stop_forget();
	if (sig == SIGHUP) {
		reload(archive);
		return;
	}
	archive->ending = true;
	archive->keep = sig == SIGUSR1;
}

/* Waits for full buffers or for the next second. */
static int wait_for_records(struct archive *archive)
{
	const struct timespec pause = { .tv_nsec = LOOK_MS * 1000000L };
	int err;

	/* The buffers stay full while nothing can be written. */
	if (archive->failing || archive->writer.file.fd < 0) {
		nanosleep(&pause, NULL);
		return 0;
	}
	err = dkt_recorder_wait(archive->writer.recorder, LOOK_MS);
	return err == -EINTR ? 0 : err;
}

static void step(struct archive *archive)
{
	int err = wait_for_records(archive);
	uint64_t now = now_ns();

	take_signal(archive);
	if (!err && now < archive->next)
		return;
	if (!err) {
		archive->next = now + EACH;
		err = write_all(archive, now);
	}
	archive->failing = err;
	if (err)
		note_failure(archive);
	if (!err && archive_worker_look(&archive->worker, current(archive), now))
		note_failure(archive);
	prune(archive, now);
	if (archive->state.error && !archive->failing && now >= archive->worker.retry &&
	    (int64_t)time(NULL) > archive->state.error_time)
		forget_failure(archive);
	update_state(archive);
	notify("WATCHDOG=1");
}

/* ---- setting up and ending ---- */

static int open_instance(struct archive *archive)
{
	DKT_OPTS(dkt_instance_opts, opts, .flags = DKT_CREATE);
	char *name __cleanup(free) = archive_instance(archive->log);
	int err = name ? dkt_instance_open(archive->ctx, name, &opts, &archive->in) :
			 dkt__no_memory(archive->ctx);

	/* Resizing would stop the recording of one that a killed daemon has left. */
	if (err || !dkt_instance_is_new(archive->in))
		return err;
	err = dkt_instance_set_on(archive->in, false);
	if (!err)
		err = dkt_instance_set_clock(archive->in, "mono");
	return err ? err : capture_set_size(archive->in, archive->limits.buffer);
}

/* Goes on where a killed daemon stopped. */
static int take_over(struct archive *archive)
{
	struct segment ended;
	int err = archive_writer_resume(&archive->writer, &ended);

	if (!err)
		dkt_log(archive->ctx, DKT_LOG_WARN,
			"an earlier daemon was killed: %s has what the kernel held, %llu events were"
			" lost",
			ended.name, (unsigned long long)ended.lost);
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
	err = archive_writer_open(&archive->writer);
	if (err)
		return err;
	if (dkt_instance_is_new(archive->in)) {
		err = apply(archive, archive->config);
		if (!err)
			err = begin_segment(archive);
	} else {
		/* It records on, so the segment has the formats of its events before they change. */
		err = take_over(archive);
		if (!err)
			err = begin_segment(archive);
		if (!err)
			err = apply(archive, archive->config);
		if (!err)
			err = dkt_recorder_formats(archive->writer.recorder);
	}
	if (!err)
		err = dkt_instance_set_on(archive->in, true);
	/* Segments that a killed daemon did not complete. */
	archive->worker.waiting = 1;
	return err;
}

/* Writes the last records. If that fails, the instance keeps them for the next daemon. */
static int finish(struct archive *archive)
{
	int err = archive->keep ? 0 : dkt_instance_set_on(archive->in, false);

	if (!err && archive->writer.file.fd < 0)
		err = begin_segment(archive);
	if (!err)
		err = end_segment(archive);
	if (!err)
		return archive_worker_end(&archive->worker, UINT64_MAX);
	note_failure(archive);
	save(archive);
	archive->keep = true;
	return err;
}

/* Removes what is in the kernel and in /run. Keeps the error message. */
static void tear_down(struct archive *archive, bool remove)
{
	char *name __cleanup(free) = archive_instance(archive->log);
	char *message = dkt_error_take(archive->ctx);
	const bool opened = archive->in;
	int turn __cleanup(close) = service_enter(archive->ctx, &archive_service, archive->log);

	/* A turn that cannot be had is no reason to leave the instance. */
	if (turn < 0)
		dkt_log(archive->ctx, DKT_LOG_WARN, "%s", dkt_error(archive->ctx));
	archive_writer_free(&archive->writer);
	archive_worker_free(&archive->worker);
	dkt_instance_close(archive->in);
	if (remove && opened && (!name || dkt_instance_remove(archive->ctx, name)))
		dkt_log(archive->ctx, DKT_LOG_WARN, "%s", dkt_error(archive->ctx));
	if (remove)
		wanted_free(archive->wanted);
	/* The probes of a killed daemon. Removing one empties the buffers that have records of it. */
	if (remove && opened)
		dkt_instance_sweep(archive->ctx, archive->owner, NULL);
	if (remove)
		service_forget(&archive_service, archive->log);
	archive_state_clear(&archive->state);
	archive_config_clear(archive->config);
	free(archive->owner);
	free(archive->dir);
	dkt_error_give(archive->ctx, 0, message);
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
		err = store_settings(&archive);
	if (!err)
		err = archive_state_save(ctx, log, &archive.state);
	close(turn);
	/* The records that a killed daemon has left stay for a start that succeeds. */
	archive.keep = err && archive.in && !dkt_instance_is_new(archive.in);
	if (!err && opts->ready)
		opts->ready(opts->data);
	if (!err)
		notify("READY=1\nSTATUS=recording");
	while (!err && !archive.ending)
		step(&archive);
	if (!err) {
		notify("STOPPING=1");
		err = finish(&archive);
	}
	tear_down(&archive, !archive.keep);
	return err;
}
