/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The debug daemon's file: blocks of whole records, in one file from the start again or in several
 * files.
 */
#include "pipeline/daemon/file.h"

#include <sys/stat.h>

#include "base/util.h"
#include "io/output.h"

static int open_file(struct daemon_file *file, unsigned int flags)
{
	file->fd = output_open(file->ctx, file->name, OUTPUT_READ | flags);
	return file->fd >= 0 ? 0 : dkt_fail_in(file->ctx, file->fd, "open %s", file->name);
}

/* Behind somebody else's records the first block begins anywhere; it ends where blocks end. */
static void begin_block(struct daemon_file *file)
{
	file->room = DAEMON_BLOCK - file->pos % DAEMON_BLOCK;
	if (file->room < RECORD_LUSTRE_MAX)
		file->room += DAEMON_BLOCK;
	file->len = file->written = 0;
}

/*
 * Goes on in the file's last block if it holds nothing but whole records, as an earlier run's does. A
 * run that was killed while it wrote may have left a part of one behind them, which is in the log still.
 */
static void resume_block(struct daemon_file *file)
{
	size_t at = 0, last = 0, len = file->pos % DAEMON_BLOCK;

	if (!len || pread(file->fd, file->block, len, (off_t)(file->pos - len)) != (ssize_t)len)
		return;
	while (len - at > sizeof(struct record_head)) {
		struct record_head head = record_head(file->block + at);

		if (head.len <= sizeof(head))
			return;
		if (head.len > len - at)
			break;
		last = at;
		at += head.len;
	}
	if (!at || (at != len && ftruncate(file->fd, (off_t)(file->pos - len + at))))
		return;
	file->pos -= len;
	begin_block(file);
	file->len = file->written = at;
	file->last = last;
}

int daemon_file_open(struct dkt_ctx *ctx, const char *name, uint64_t limit, unsigned int rotate,
		     uint64_t pos, struct daemon_file **out)
{
	struct daemon_file *file = calloc(1, sizeof(*file));
	struct stat st;
	int err = -ENOMEM;

	*out = NULL;
	if (!file)
		return err;
	file->ctx = ctx;
	file->fd = -1;
	file->limit = limit;
	file->rotate = rotate;
	file->name = strdup(name);
	if (file->name)
		/* An earlier run's records stay until the limit is reached. */
		err = open_file(file, OUTPUT_GO_ON);
	if (!err && fstat(file->fd, &st))
		err = dkt_fail(ctx, -errno, "check %s: %s", name, strerror(errno));
	if (!err && !S_ISREG(st.st_mode))
		err = dkt_fail(ctx, -EINVAL, "%s is not a regular file", name);
	if (err) {
		daemon_file_close(file);
		return err;
	}
	/* Within the file only where a block ends; a file that somebody made shorter is gone on with. */
	file->over = pos < (uint64_t)st.st_size && pos % DAEMON_BLOCK == 0;
	file->pos = file->over ? pos : (uint64_t)st.st_size;
	begin_block(file);
	if (!file->over)
		resume_block(file);
	*out = file;
	return 0;
}

void daemon_file_close(struct daemon_file *file)
{
	if (!file)
		return;
	if (file->fd >= 0)
		close(file->fd);
	free(file->name);
	free(file);
}

uint64_t daemon_file_pos(const struct daemon_file *file)
{
	return file->pos + (file->over && file->written ? file->room : file->written);
}

/* ---- blocks ---- */

/*
 * Fills the block up: with headers of length 0, which readers pass over, and with NULs that belong to
 * the last record, behind which readers look for no text.
 */
static void fill_up(struct daemon_file *file)
{
	struct record_head last, none = RECORD_FILLER;
	size_t odd = (file->room - file->len) % sizeof(none), at = file->len + odd;

	last = record_head(file->block + file->last);
	last.len += (uint32_t)odd;
	memcpy(file->block + file->last, &last, sizeof(last));
	memset(file->block + file->len, 0, odd);
	for (; at < file->room; at += sizeof(none))
		memcpy(file->block + at, &none, sizeof(none));
}

static void take_back(struct daemon_file *file)
{
	struct record_head last = record_head(file->block + file->last);

	last.len = (uint32_t)(file->len - file->last);
	memcpy(file->block + file->last, &last, sizeof(last));
}

/* Returns how many bytes were written; fewer than asked for: errno says why. */
static size_t write_at(const struct daemon_file *file, const uint8_t *bytes, size_t len)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pwrite(file->fd, bytes + done, len - done, (off_t)(file->pos + done));

		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			break;
	}
	return done;
}

/* Puts back what the file had: was bytes up to its end, or all that were to be replaced. */
static int restore(const struct daemon_file *file, size_t was, size_t done, size_t len)
{
	size_t there = done < was ? done : was;

	if (write_at(file, file->before, there) < there)
		return -errno;
	return was < len && ftruncate(file->fd, (off_t)(file->pos + was)) ? -errno : 0;
}

/*
 * Writes the whole block or nothing: a part would end in an incomplete record. Putting the old bytes
 * back needs no more space than the bytes just written in their place.
 */
static int write_block(struct daemon_file *file, size_t len)
{
	ssize_t was = pread(file->fd, file->before, len, (off_t)file->pos);
	size_t done = was < 0 ? 0 : write_at(file, file->block, len);
	int err = -errno;

	if (done < len) {
		bool torn = was >= 0 && restore(file, (size_t)was, done, len);

		return dkt_fail(file->ctx, err, "write %s: %s%s", file->name, strerror(-err),
				torn ? "; its last record is incomplete" : "");
	}
	file->done.records += file->waiting.records;
	file->done.bytes += file->waiting.bytes;
	file->waiting = (struct daemon_tally){ 0 };
	file->written = file->len;
	return 0;
}

int daemon_file_flush(struct daemon_file *file)
{
	int err;

	if (file->written == file->len)
		return 0;
	if (!file->over)
		return write_block(file, file->len);
	fill_up(file);
	err = write_block(file, file->room);
	take_back(file);
	return err;
}

/* ---- the limit ---- */

/* FILE.1 is the youngest of the older ones. */
static int rotate(struct daemon_file *file)
{
	for (unsigned int i = file->rotate; i; i--) {
		char *from __cleanup(free) = NULL, *to __cleanup(free) = NULL;
		int n = i > 1 ? asprintf(&from, "%s.%u", file->name, i - 1) :
				asprintf(&from, "%s", file->name);

		if (n < 0 || asprintf(&to, "%s.%u", file->name, i) < 0)
			return -ENOMEM;
		if (rename(from, to) && errno != ENOENT)
			return dkt_fail(file->ctx, -errno, "rename %s to %s: %s", from, to,
					strerror(errno));
	}
	close(file->fd);
	return open_file(file, OUTPUT_EMPTY);
}

/* Begins the next block, at the start again if the limit would be passed. */
static int place_block(struct daemon_file *file)
{
	int err = 0;

	if (file->pos && file->pos + DAEMON_BLOCK > file->limit) {
		file->rounds++;
		file->pos = 0;
		file->over = !file->rotate;
		if (file->rotate)
			err = rotate(file);
	}
	begin_block(file);
	return err;
}

static int next_block(struct daemon_file *file)
{
	int err;

	fill_up(file);
	err = write_block(file, file->room);
	if (err) {
		take_back(file);
		return err;
	}
	file->pos += file->room;
	return place_block(file);
}

int daemon_file_add(struct daemon_file *file, const uint8_t *rec, size_t len, bool counts)
{
	int err = 0;

	if (!file->len)
		err = place_block(file);
	else if (file->len + len > file->room)
		err = next_block(file);
	if (err)
		return err;
	memcpy(file->block + file->len, rec, len);
	file->last = file->len;
	file->len += len;
	file->waiting.records += counts;
	file->waiting.bytes += len;
	return 0;
}
