/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The debug daemon's file: blocks of whole records, written round and round or file after file. */
#include "daemon/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/make.h"
#include "util.h"

static int open_file(struct daemon_file *file, int flags)
{
	/* Not emptied: an earlier run's records stay until the limit is reached. */
	file->fd = open(file->name, O_RDWR | O_CREAT | O_CLOEXEC | flags, 0600);
	if (file->fd >= 0)
		return 0;
	return dkt_fail(file->ctx, -errno, "open %s: %s", file->name, strerror(errno));
}

/* Behind somebody else's records the first block begins anywhere; it ends where blocks end. */
static void begin_block(struct daemon_file *file)
{
	file->room = DAEMON_BLOCK - file->pos % DAEMON_BLOCK;
	if (file->room < RECORD_LUSTRE_MAX)
		file->room += DAEMON_BLOCK;
	file->len = 0;
}

/* Goes on in the file's last block if it holds nothing but whole records, as an earlier run's does. */
static void resume_block(struct daemon_file *file)
{
	size_t at = 0, last = 0, len = file->pos % DAEMON_BLOCK;

	if (!len || pread(file->fd, file->block, len, (off_t)(file->pos - len)) != (ssize_t)len)
		return;
	while (len - at > sizeof(struct record_head)) {
		struct record_head head = record_head(file->block + at);

		if (head.len <= sizeof(head) || head.len > len - at)
			return;
		last = at;
		at += head.len;
	}
	if (at != len)
		return;
	file->pos -= len;
	begin_block(file);
	file->len = len;
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
		err = open_file(file, 0);
	if (!err && fstat(file->fd, &st))
		err = dkt_fail(ctx, -errno, "look at %s: %s", name, strerror(errno));
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
	return file->pos + (file->over && file->len ? file->room : file->len);
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

static int write_block(struct daemon_file *file, size_t len)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n =
			pwrite(file->fd, file->block + done, len - done, (off_t)(file->pos + done));

		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			return dkt_fail(file->ctx, -errno, "write %s: %s", file->name,
					strerror(errno));
	}
	file->dirty = false;
	return 0;
}

int daemon_file_flush(struct daemon_file *file)
{
	int err;

	if (!file->dirty)
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
	unsigned int i;

	for (i = file->rotate; i; i--) {
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
	return open_file(file, O_TRUNC);
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

int daemon_file_add(struct daemon_file *file, const uint8_t *rec, size_t len)
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
	file->dirty = true;
	return 0;
}
