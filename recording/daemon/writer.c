/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes segments. */
#include "recording/daemon/writer.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "compat/io/process_lock.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/base/when.h"
#include "lib/inside.h"
#include "recording/record/service.h"

/*
 * Records are compressed when they are read, which takes less time than to write them and to compress the file.
 * If more of them wait, most are left to the worker, which has all the time that others do not need.
 */
#define COMPRESS_MOST (UINT64_C(16) << 20)

/*
 * Locks the directory: one daemon at a time records into it. A file of its own, so that it holds also while no
 * segment can be created.
 */
#define LOCK "lock"

/* How often a lock is tried, and us between. */
#define LOCK_TRIES 250
#define LOCK_WAIT  20000

/* A smaller change, in ns, is the work of a program that keeps the clock right. */
#define CLOCK_STEP DKT__NSEC_PER_SEC

/* The directory is the user's choice; only its last part is created. */
#define DIR_MODE 0700

/* ---- the lock of the directory ---- */

static bool is_still(const char *path, int lock)
{
	struct stat now, mine;

	return lock >= 0 && !lstat(path, &now) && !fstat(lock, &mine) &&
	       now.st_dev == mine.st_dev && now.st_ino == mine.st_ino;
}

/* The owner of the directory knows the name, and can put anything in its place. */
static int open_lock(const char *path, int flags)
{
	struct stat st;
	int fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags, 0600), err;

	if (fd < 0)
		return -errno;
	err = fstat(fd, &st) ? -errno : S_ISREG(st.st_mode) ? 0 : -EINVAL;
	if (!err)
		return fd;
	close(fd);
	return err;
}

static int take_lock(struct dkt_ctx *ctx, const char *dir, int flags, int *lock)
{
	char *path __cleanup(free) = dkt__format("%s/" LOCK, dir);
	pid_t holder = 0;
	int fd, err;

	if (!path)
		return dkt__no_memory(ctx);
	if (is_still(path, *lock))
		return 0;
	fd = open_lock(path, flags);
	if (fd == -ENOENT && !(flags & O_CREAT))
		return 0;
	err = fd < 0 ? fd : dkl_process_lock(fd, &holder);
	if (!err) {
		dkt__closep(lock);
		*lock = fd;
		return 0;
	}
	if (fd >= 0)
		close(fd);
	if (err == -EBUSY)
		return dkt_fail(ctx, err,
				"another daemon records into %s; each needs a directory of its own",
				dir);
	return dkt_fail(ctx, err, "lock %s: %s", path,
			err == -EINVAL ? "it is not a regular file" : strerror(-err));
}

int archive_dir_check(struct dkt_ctx *ctx, const char *dir, int *lock)
{
	return take_lock(ctx, dir, 0, lock);
}

static uint64_t find_room(void *data, uint64_t written)
{
	const struct archive_writer *writer = data;

	(void)written;
	return writer->ending ? UINT64_MAX : capture_file_room(&writer->file);
}

int archive_writer_open(struct archive_writer *writer, const char *compression)
{
	/* The other methods take too long to be used while records arrive. */
	bool fast = !strcmp(compression, "zstd");
	DKT_OPTS(dkt_recorder_opts, opts, .flags = DKT_RECORDER_SKIP_SELF,
		 .compression = fast ? compression : "none", .room = find_room, .data = writer,
		 .compress_most = COMPRESS_MOST);
	int err = dkt_recorder_new(writer->ctx, &opts, &writer->recorder);

	return err ? err : dkt_recorder_add(writer->recorder, writer->in, "");
}

static void forget_file(struct archive_writer *writer)
{
	capture_file_close(&writer->file);
	free(writer->path);
	writer->path = NULL;
	writer->segment = (struct segment){ 0 };
}

void archive_writer_free(struct archive_writer *writer)
{
	dkt_recorder_free(writer->recorder);
	writer->recorder = NULL;
	forget_file(writer);
	dkt__closep(&writer->lock);
	writer->lock = -1;
}

/* ---- one segment ---- */

/* Finds the largest number in the directory; 0: it has no segment. */
static int find_newest(struct archive_writer *writer, uint64_t *number)
{
	struct segments segments;
	int err = segments_read(writer->ctx, writer->dir, &segments);

	*number = segments.n ? segments.list[segments.n - 1].number : 0;
	segments_free(&segments);
	return err;
}

/* Finds the number of the next segment, and creates and locks the directory if it is gone. */
static int find_number(struct archive_writer *writer, uint64_t *number)
{
	int err;

	if (mkdir(writer->dir, DIR_MODE) && errno != EEXIST)
		return dkt_fail(writer->ctx, -errno, "create %s: %s", writer->dir, strerror(errno));
	err = take_lock(writer->ctx, writer->dir, O_CREAT, &writer->lock);
	if (!err)
		err = find_newest(writer, number);
	++*number;
	return err;
}

int archive_writer_begin(struct archive_writer *writer)
{
	struct segment *segment = &writer->segment;
	struct dkt_recorder_counts counts;
	int err = find_number(writer, &segment->number);

	if (err)
		return err;
	segment_name(segment->name, (int64_t)time(NULL), segment->number);
	writer->path = dkt__format("%s/%s", writer->dir, segment->name);
	if (!writer->path)
		return dkt__no_memory(writer->ctx);
	err = capture_file_create(writer->ctx, writer->path, &writer->file);
	/* Without the time in the segment's name, so that each attempt reports the same. */
	if (err)
		err = dkt_fail(writer->ctx, err, "create a segment in %s: %s", writer->dir,
			       strerror(-err));
	if (!err)
		err = dkt__instance_get_wall(writer->in, &writer->wall);
	if (!err)
		err = dkt_recorder_begin(writer->recorder, writer->file.fd);
	if (err) {
		if (writer->file.fd >= 0)
			unlink(writer->path);
		forget_file(writer);
		return err;
	}
	writer->began = service_now();
	segment->from = writer->ended_at ? (int64_t)writer->ended_at + writer->wall : 0;
	if (!dkt_recorder_get_counts(writer->recorder, &counts, sizeof(counts))) {
		writer->read_before = counts.records;
		writer->head = counts.bytes;
	}
	return 0;
}

/* Returns how many records the kernel has lost since the buffers were last emptied. */
static uint64_t kernel_lost(const struct archive_writer *writer)
{
	uint64_t lost = 0;

	for (int cpu = 0; cpu < dkt_instance_n_cpus(writer->in); cpu++) {
		struct dkt_cpu_stats stats;

		if (!dkt_instance_get_stats(writer->in, cpu, &stats, sizeof(stats)))
			lost += stats.overrun + stats.commit_overrun + stats.dropped;
	}
	return lost;
}

/* Losses after the last segment are in the next one, as soon as that can be written. */
static void count_between(struct archive_writer *writer)
{
	const uint64_t lost = kernel_lost(writer);

	writer->segment.lost = lost - DKT__MIN(lost, writer->lost_before);
}

int archive_writer_count(struct archive_writer *writer)
{
	struct dkt_recorder_counts counts;
	int err = 0;

	if (writer->file.fd < 0)
		count_between(writer);
	else
		err = dkt_recorder_get_counts(writer->recorder, &counts, sizeof(counts));
	if (err || writer->file.fd < 0)
		return err;
	/* Another process can empty the buffers, which restarts the kernel's counts. */
	if (counts.records < writer->read_before)
		writer->read_before = 0;
	writer->segment.records = counts.records - writer->read_before;
	writer->segment.lost = counts.lost;
	writer->segment.bytes = counts.uncompressed;
	writer->segment.run = counts.id;
	return 0;
}

bool archive_writer_clock_set(const struct archive_writer *writer)
{
	int64_t wall;

	return !dkt__instance_get_wall(writer->in, &wall) &&
	       llabs(wall - writer->wall) > CLOCK_STEP;
}

int archive_writer_end(struct archive_writer *writer, struct segment *ended)
{
	uint64_t now = 0;
	int err;

	writer->ending = true;
	err = capture_file_in(&writer->file, dkt_recorder_end(writer->recorder));
	writer->ending = false;
	if (err)
		return err;
	err = archive_writer_count(writer);
	if (!err)
		err = dkt_instance_get_now(writer->in, &now);
	writer->ended_at = err ? 0 : now;
	writer->segment.to = err ? INT64_MAX : (int64_t)now + writer->wall;
	*ended = writer->segment;
	writer->lost_before = kernel_lost(writer);
	forget_file(writer);
	return 0;
}

/* ---- after a kill ---- */

/* A killed daemon gives up the lock of its segment when it has ended, after that of the service. */
static int lock_segment(int fd)
{
	int err = -EWOULDBLOCK;

	for (int tries = 0; err == -EWOULDBLOCK && tries < LOCK_TRIES; tries++) {
		if (tries)
			usleep(LOCK_WAIT);
		err = TEMP_FAILURE_RETRY(flock(fd, LOCK_EX | LOCK_NB)) ? -errno : 0;
	}
	return err;
}

/*
 * Opens the newest segment, unless it is complete. Returns 1 if there is no such segment. -EWOULDBLOCK:
 * another process writes it.
 */
static int open_newest(struct archive_writer *writer)
{
	struct capture_file *file = &writer->file;
	struct segments segments;
	struct stat st;
	int err = segments_read(writer->ctx, writer->dir, &segments);

	if (err == -ENOENT || (!err && !segments.n) ||
	    (!err && segments.list[segments.n - 1].known)) {
		segments_free(&segments);
		return 1;
	}
	if (!err) {
		writer->segment = segments.list[segments.n - 1];
		writer->path = dkt__format("%s/%s", writer->dir, writer->segment.name);
		err = writer->path ? 0 : dkt__no_memory(writer->ctx);
	}
	segments_free(&segments);
	if (err)
		return err;
	*file = (struct capture_file){ .ctx = writer->ctx,
				       .path = writer->path,
				       .fd = open(writer->path,
						  O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK),
				       .regular = true };
	err = file->fd < 0 || fstat(file->fd, &st) ? -errno : 0;
	if (!err)
		err = S_ISREG(st.st_mode) ? lock_segment(file->fd) : -EINVAL;
	if (err == -EWOULDBLOCK)
		return dkt_fail(writer->ctx, err, "open %s: another process records into it",
				writer->path);
	if (err)
		return dkt_fail(writer->ctx, err, "open %s: %s", writer->path, strerror(-err));
	/* The daemon was killed before it had written anything. */
	if (!fstat(file->fd, &st) && !st.st_size && !unlink(writer->path))
		return 1;
	return 0;
}

int archive_writer_resume(struct archive_writer *writer, struct segment *ended)
{
	int err = open_newest(writer);

	if (!err)
		err = capture_file_in(&writer->file,
				      dkt__recorder_resume(writer->recorder, writer->file.fd));
	if (!err)
		err = dkt__instance_get_wall(writer->in, &writer->wall);
	if (!err)
		err = archive_writer_end(writer, ended);
	/* The worker reads the file, because the killed daemon has not noted its facts. */
	ended->known = false;
	forget_file(writer);
	return err;
}

bool archive_writer_has_room(const struct archive_writer *writer)
{
	/* Modules and events may have come since. */
	return capture_file_room(&writer->file) / 2 >= writer->head;
}
