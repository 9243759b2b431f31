/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records until a signal: writes each second, changes the segment when it is time, and deletes old ones. */
#include <signal.h>
#include <time.h>

#include "compat/io/notify.h"
#include "lib/base/memory.h"
#include "lib/base/stop.h"
#include "lib/base/when.h"
#include "lib/inside.h"
#include "recording/daemon/running.h"

/* How often all records go to the file, which bounds what a power failure can cost. */
#define EACH DKT__NSEC_PER_SEC

/* How long a signal can wait while nothing can be written, in ms. */
#define LOOK_MS 250

/* How often the oldest segments are deleted. */
#define PRUNE_EACH (30 * DKT__NSEC_PER_SEC)

/* ---- segments ---- */

int archive_begin_segment(struct archive *archive)
{
	int err = archive_writer_begin(&archive->writer);

	if (err)
		return err;
	snprintf(archive->state.segment, SEGMENT_NAME, "%s", archive->writer.segment.name);
	archive->state.began = (int64_t)time(NULL);
	/* Make room for the new segment at once. */
	archive->pruned = 0;
	return 0;
}

int archive_end_segment(struct archive *archive)
{
	struct segment ended;
	int err = archive_writer_end(&archive->writer, &ended);

	if (err)
		return err;
	archive_latencies_end(&archive->metrics.latencies);
	archive->state.all_records += ended.records;
	archive->state.all_lost += ended.lost;
	archive->metrics.bytes_before += ended.bytes;
	archive->state.segment[0] = '\0';
	archive->state.bytes = archive->state.records = archive->state.lost = 0;
	return dkt__with_words(archive->ctx, archive_worker_add(&archive->worker, &ended));
}

static uint64_t current(const struct archive *archive)
{
	return archive->writer.file.fd < 0 ? UINT64_MAX : archive->writer.segment.number;
}

static bool is_done(const struct archive *archive, uint64_t now)
{
	const struct archive_writer *writer = &archive->writer;

	return (writer->segment.bytes >= archive->limits.segment_size ||
		now - writer->began >= archive->limits.segment_time ||
		archive_writer_clock_set(writer)) &&
	       archive_writer_has_room(writer);
}

/* Writes what there is, and changes to the next segment when it is time. */
static int write_all(struct archive *archive, uint64_t now)
{
	struct archive_writer *writer = &archive->writer;
	int err = 0, counted;

	if (writer->file.fd < 0)
		err = archive_begin_segment(archive);
	if (!err)
		err = capture_file_in(&writer->file, dkt_recorder_read(writer->recorder));
	/* Also while nothing can be written: then the kernel loses records. */
	counted = archive_writer_count(writer);
	if (err || counted)
		return err ?: counted;
	/* A file that was removed, or lacks a part, takes records, but nobody will read them. */
	if (capture_file_check(&writer->file)) {
		archive_note_failure(archive);
		err = archive_end_segment(archive);
	} else if (is_done(archive, now)) {
		err = archive_end_segment(archive);
	}
	return !err && writer->file.fd < 0 ? archive_begin_segment(archive) : err;
}

static void prune(struct archive *archive, uint64_t now)
{
	struct capture_file *file = &archive->writer.file;
	struct segments_limits limits = { .max_size = archive->limits.max_size,
					  .keep = archive->limits.keep,
					  .spare = current(archive) };

	if (!archive->failing && now - archive->pruned < PRUNE_EACH)
		return;
	archive->pruned = now;
	limits.now = age_now(&archive->clock);
	if (!limits.max_size)
		limits.max_size = capture_file_disk(file) / ARCHIVE_DISK_PART;
	if (segments_prune(archive->ctx, archive->writer.dir, &limits))
		archive_note_failure(archive);
}

/* ---- metrics ---- */

void archive_show_metrics(struct archive *archive)
{
	const struct metrics_from from = { .log = archive->log,
					   .state = &archive->state,
					   .writer = &archive->writer,
					   .failing = archive->failing };

	if (archive_metrics_look(&archive->metrics, &from, service_now()))
		dkt__log(archive->ctx, DKT_LOG_WARN, "%s", dkt_error(archive->ctx));
}

/* ---- the loop ---- */

static void take_signal(struct archive *archive)
{
	int sig = dkt__stopped();

	if (!sig)
		return;
	dkt__stop_forget();
	if (sig == SIGHUP) {
		archive_change(archive);
		return;
	}
	archive->ending = true;
	archive->keep = sig == SIGUSR1;
}

/* Waits for full buffers, a signal or the next second. */
static int wait_for_records(struct archive *archive)
{
	const struct timespec pause = { .tv_nsec = LOOK_MS * 1000000L };
	const uint64_t now = service_now();
	int err, ms = archive->next > now ? (int)((archive->next - now) / 1000000) + 1 : 0;

	/* The buffers stay full while nothing can be written. */
	if (archive->failing || archive->writer.file.fd < 0) {
		nanosleep(&pause, NULL);
		return 0;
	}
	err = dkt_recorder_wait(archive->writer.recorder, ms);
	return capture_file_in(&archive->writer.file, err == -EINTR ? 0 : err);
}

void archive_step(struct archive *archive)
{
	int err = wait_for_records(archive);
	uint64_t now = service_now();

	take_signal(archive);
	if (!err && now < archive->next)
		return;
	if (!err) {
		archive->next = now + EACH;
		err = write_all(archive, now);
	}
	archive->failing = err;
	archive->metrics.failures += err != 0;
	if (err)
		archive_note_failure(archive);
	else
		archive->metrics.written_at = (uint64_t)time(NULL);
	if (!err && archive_worker_look(&archive->worker, current(archive), now))
		archive_note_failure(archive);
	prune(archive, now);
	if (archive->state.error && !archive->failing && now >= archive->worker.retry &&
	    now - archive->failed_at > DKT__NSEC_PER_SEC)
		archive_forget_failure(archive);
	archive_update_state(archive);
	archive_show_metrics(archive);
	dkl_notify("WATCHDOG=1");
}
