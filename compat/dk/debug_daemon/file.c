/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The debug daemon's file of binary records: one file that is overwritten, or several. */
#include "compat/dk/debug_daemon/file.h"

#include <sys/stat.h>

#include "compat/io/output.h"
#include "lib/base/buf.h"
#include "lib/inside.h"

static int open_file(struct daemon_file *file, unsigned int flags)
{
	file->fd = dkl_output_open(file->ctx, file->name, OUTPUT_READ | flags);
	return file->fd >= 0 ? 0 : dkt__fail_in(file->ctx, file->fd, "open %s", file->name);
}

/* After records of another program, the first block begins anywhere, but ends where blocks end. */
static void begin_block(struct daemon_file *file)
{
	file->room = DAEMON_BLOCK - file->pos % DAEMON_BLOCK;
	if (file->room < RECORD_LUSTRE_MAX)
		file->room += DAEMON_BLOCK;
	file->len = file->written = 0;
}

/*
 * Continues the file's last block if it holds whole records, as one of an earlier run does. Removes
 * an incomplete record at the end: a run was killed while it wrote, and the log still has the record.
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

int dkl_daemon_file_open(struct dkt_ctx *ctx, const char *name, uint64_t limit, unsigned int rotate,
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
		/* Keep the records of an earlier run until the limit is reached. */
		err = open_file(file, OUTPUT_GO_ON);
	if (!err && fstat(file->fd, &st))
		err = dkt_fail(ctx, -errno, "check %s: %s", name, strerror(errno));
	if (!err && !S_ISREG(st.st_mode))
		err = dkt_fail(ctx, -EINVAL, "%s is not a regular file", name);
	if (err) {
		dkl_daemon_file_close(file);
		return err;
	}
	/* Overwrite old records only from the end of a block; append to a file that was truncated. */
	file->over = pos < (uint64_t)st.st_size && pos % DAEMON_BLOCK == 0;
	file->pos = file->over ? pos : (uint64_t)st.st_size;
	begin_block(file);
	if (!file->over)
		resume_block(file);
	*out = file;
	return 0;
}

void dkl_daemon_file_close(struct daemon_file *file)
{
	if (!file)
		return;
	if (file->fd >= 0)
		close(file->fd);
	free(file->name);
	free(file);
}

uint64_t dkl_daemon_file_pos(const struct daemon_file *file)
{
	return file->pos + (file->over && file->written ? file->room : file->written);
}

/* ---- blocks ---- */

/*
 * Fills the block with headers of length 0, which readers skip. Before these, extends the last
 * record with NULs, which readers ignore after its text.
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

static void undo_fill(struct daemon_file *file)
{
	struct record_head last = record_head(file->block + file->last);

	last.len = (uint32_t)(file->len - file->last);
	memcpy(file->block + file->last, &last, sizeof(last));
}

/* Returns how many bytes were written; if fewer than len, errno is set. */
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

/* Restores the file, which had was bytes where len bytes were to be written; done: written bytes. */
static int restore(const struct daemon_file *file, size_t was, size_t done, size_t len)
{
	size_t there = done < was ? done : was;

	if (write_at(file, file->before, there) < there)
		return -errno;
	return was < len && ftruncate(file->fd, (off_t)(file->pos + was)) ? -errno : 0;
}

/*
 * Writes the block, all or nothing: a part would end in an incomplete record. Restoring the old
 * bytes always fits, because they replace bytes that were just written.
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

int dkl_daemon_file_flush(struct daemon_file *file)
{
	int err;

	if (file->written == file->len)
		return 0;
	if (!file->over)
		return write_block(file, file->len);
	fill_up(file);
	err = write_block(file, file->room);
	undo_fill(file);
	return err;
}

/* ---- the limit ---- */

/* FILE.1 is the newest of the older files. */
static int rotate(struct daemon_file *file)
{
	for (unsigned int i = file->rotate; i; i--) {
		char *to __cleanup(free) = dkt__format("%s.%u", file->name, i);
		char *from __cleanup(free) = i > 1 ? dkt__format("%s.%u", file->name, i - 1) :
						     strdup(file->name);

		if (!from || !to)
			return -ENOMEM;
		if (rename(from, to) && errno != ENOENT)
			return dkt_fail(file->ctx, -errno, "rename %s to %s: %s", from, to,
					strerror(errno));
	}
	close(file->fd);
	return open_file(file, OUTPUT_EMPTY);
}

/* Begins the next block; at the limit, at the start of the file or in a new file. */
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
		undo_fill(file);
		return err;
	}
	file->pos += file->room;
	return place_block(file);
}

int dkl_daemon_file_add(struct daemon_file *file, const uint8_t *rec, size_t len, bool counts)
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
