/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A dump: the records of all groups that no earlier dump has, in a file with its time and number as name. */
#include "recording/flight/dump.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>

#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/inside.h"
#include "recording/flight/files.h"
#include "recording/record/complete.h"

/* Room for formats, symbols and names of processes beside the records. */
#define HEAD_ROOM (UINT64_C(16) << 20)

/* Recorders of other logs can make dumps in the same directory at the same time. */
#define NAMES_MAX 1000

#define UNFINISHED ".flight-unfinished-"

/* A shorter file is a part of the head, before which no records are read. */
#define HEAD_MIN 4096

/* Recorders of other logs can have the same directory. */
static char *unfinished_path(const char *log, const char *dir)
{
	return dkt__format("%s/" UNFINISHED "%s", dir, log);
}

static int check_room(struct dkt_ctx *ctx, const struct flight_group *groups, size_t n,
		      const char *dir)
{
	uint64_t need = HEAD_ROOM, room;
	struct statvfs fs;

	for (size_t i = 0; i < n; i++) {
		struct flight_fill fill;
		int err = flight_fill(&groups[i], &fill);

		if (err)
			return err;
		need += fill.bytes;
	}
	if (statvfs(dir, &fs))
		return dkt_fail(ctx, -errno, "dump to %s: %s", dir, strerror(errno));
	room = (uint64_t)fs.f_bavail * fs.f_frsize;
	if (room >= need)
		return 0;
	return dkt_fail(
		ctx, -ENOSPC,
		"dump to %s: %.1f MB are free, and it can take %.1f MB; the buffers keep the"
		" records",
		dir, (double)room / DKT__MB, (double)need / DKT__MB);
}

static int open_unfinished(struct dkt_ctx *ctx, const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

	return fd < 0 ? dkt_fail(ctx, -errno, "create %s: %s; the buffers keep the records", path,
				 strerror(errno)) :
			fd;
}

/* Writes the reason into the groups, so that every tool shows it. A group can be stopped by a trigger. */
static void mark(const struct flight_group *groups, size_t n, const char *reason)
{
	char *text __cleanup(free) = dkt__format("flight dump: %s", reason);

	for (size_t i = 0; text && i < n; i++)
		dkt_instance_mark(groups[i].in, text);
}

/*
 * The recorder leaves out its own work, which could push out in a small buffer what it is about to read. Not
 * all the time: it costs every event. Groups that were frozen record again.
 */
static void go_on(struct flight_group *groups, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		dkt__instance_set_skipped_pids(groups[i].in, NULL, 0);
		flight_resume(&groups[i]);
	}
}

static int record(struct dkt_ctx *ctx, struct flight_group *groups, size_t n, int fd,
		  struct flight_dump *dump)
{
	DKT_OPTS(dkt_recorder_opts, opts, .flags = DKT_RECORDER_FRESH);
	struct dkt_recorder_counts counts = { 0 };
	struct dkt_recorder *recorder = NULL;
	int err = dkt_recorder_new(ctx, &opts, &recorder);

	for (size_t i = 0; !err && i < n; i++)
		err = dkt_recorder_add(recorder, groups[i].in, i ? groups[i].name : "");
	if (!err)
		err = dkt__recorder_missed_since(recorder, groups[0].missed);
	if (!err)
		err = dkt_recorder_begin(recorder, fd);
	if (!err)
		err = dkt_recorder_end(recorder);
	if (!err)
		err = dkt__missed_read(ctx, &groups[0].missed);
	if (recorder && !dkt_recorder_get_counts(recorder, &counts, sizeof(counts))) {
		dump->bytes = counts.bytes;
		dump->lost = counts.lost;
	}
	dkt_recorder_free(recorder);
	return err;
}

/* Makes it a finished file for all tools. If there is no room for that, dktrace reads it as it is. */
static void complete(struct dkt_ctx *ctx, const char *path, int fd, bool ended,
		     struct flight_dump *dump)
{
	struct stat st;
	int err;

	if (ended)
		err = capture_complete_ended(ctx, path, fd, NULL);
	else
		err = capture_complete(ctx, path, fd, NULL);
	if (err < 0)
		dump->note = service_line(dkt_error(ctx));
	if (!stat(path, &st))
		dump->bytes = (uint64_t)st.st_size;
}

/* Gives the file its name, without replacing another one. */
static int publish(struct dkt_ctx *ctx, const char *unfinished, const char *dir,
		   struct flight_dump *dump)
{
	const time_t now = (time_t)dump->time;
	uint64_t number, first;
	char when[32] = "";
	struct tm tm;
	int err = flight_next_number(ctx, dir, &first);

	if (err)
		return err;
	localtime_r(&now, &tm);
	strftime(when, sizeof(when), "%Y%m%d-%H%M%S", &tm);
	for (number = first; number < first + NAMES_MAX; number++) {
		char *path = dkt__format("%s/flight-%s-%06" PRIu64 ".dat", dir, when, number);

		if (!path)
			return dkt__no_memory(ctx);
		if (!link(unfinished, path)) {
			unlink(unfinished);
			dump->file = path;
			return 0;
		}
		err = errno == EEXIST ? -EEXIST : -EIO;
		dkt_fail(ctx, err, "name %s: %s", path, strerror(errno));
		free(path);
		if (err != -EEXIST)
			break;
	}
	return err;
}

/* The buffers have lost what the file has. */
int flight_rescue(struct dkt_ctx *ctx, const char *log, const char *dir, struct flight_dump *dump)
{
	char *path __cleanup(free) = unfinished_path(log, dir);
	int fd __cleanup(close) = path ? open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW) : -1;
	struct stat st;

	*dump = (struct flight_dump){ 0 };
	if (!path)
		return dkt__no_memory(ctx);
	if (fd < 0 && errno == ENOENT)
		return 0;
	/* Only others put links there. */
	if (fd < 0 && errno == ELOOP && !unlink(path))
		return 0;
	if (fd < 0 || fstat(fd, &st))
		return dkt_fail(ctx, -errno, "open %s: %s", path, strerror(errno));
	/* With a second link it has its name already. */
	if (!S_ISREG(st.st_mode) || st.st_nlink > 1 || st.st_size < HEAD_MIN) {
		unlink(path);
		return 0;
	}
	dump->time = st.st_mtime;
	dump->reason = strdup("the dump of a recorder that was killed");
	if (!dump->reason)
		return dkt__no_memory(ctx);
	complete(ctx, path, fd, false, dump);
	return publish(ctx, path, dir, dump);
}

int flight_dump(struct dkt_ctx *ctx, const char *log, struct flight_group *groups, size_t n,
		const char *dir, const char *reason, struct flight_dump *dump)
{
	char *unfinished __cleanup(free) = unfinished_path(log, dir);
	int fd __cleanup(close) = -1;
	int err, end;
	char *message;

	*dump = (struct flight_dump){ .time = time(NULL), .reason = service_line(reason) };
	err = unfinished && dump->reason ? check_room(ctx, groups, n, dir) : dkt__no_memory(ctx);
	if (!err) {
		fd = open_unfinished(ctx, unfinished);
		err = fd < 0 ? fd : 0;
	}
	if (!err) {
		mark(groups, n, dump->reason);
		err = record(ctx, groups, n, fd, dump);
		if (err)
			dkt__fail_in(ctx, err, "dump to %s", dir);
	}
	message = dkt__error_take(ctx);
	go_on(groups, n);
	dkt__error_give(ctx, err, message);
	/* The buffers have lost what the file has, so keep the file whatever happened. */
	if (fd >= 0 && dump->bytes) {
		message = dkt__error_take(ctx);
		complete(ctx, unfinished, fd, !err, dump);
		end = publish(ctx, unfinished, dir, dump);
		if (err || !end)
			dkt__error_give(ctx, err, message);
		else
			free(message);
		err = err ?: end;
	} else if (fd >= 0) {
		unlink(unfinished);
	}
	return err;
}
