/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Gets the bytes of a recording in progress (tracedat/journal.h) as they come. */
#include "lib/tracedat/growth.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include "lib/base/temporary.h"

/* Bytes to read at once. */
#define CHUNK (256u << 10)

/* A beginning that is longer than this is not one of a trace.dat file. */
#define HEAD_MAX 4096

/* ---- the pipe ---- */

static int read_pipe(struct dkt__growth *g)
{
	struct dkt_ctx *ctx = g->ctx;
	ssize_t n = read(g->fd, g->bytes, CHUNK);
	int err;

	if (n < 0)
		return dkt_fail(ctx, -errno, "read %s: %s", g->file.name, strerror(errno));
	g->ended = !n;
	if (g->file.whole - g->got < (size_t)n)
		return dkt_fail(ctx, -EFBIG, "read %s: it is longer than %llu bytes", g->file.name,
				(unsigned long long)g->file.whole);
	err = dkt__pwrite_all(g->file.fd, g->bytes, (size_t)n, g->got);
	if (err)
		return dkt_fail(ctx, err, "keep %s in %s: %s", g->file.name, dkt__temporary_dir(),
				strerror(-err));
	g->got += (size_t)n;
	return 0;
}

static bool is_readable(const struct dkt__growth *g)
{
	struct pollfd ready = { .fd = g->fd, .events = POLLIN };

	return poll(&ready, 1, 0) > 0;
}

/* ---- the file ---- */

/* Takes the bytes that the file has. */
static int take_grown(struct dkt__growth *g)
{
	struct stat st;

	if (fstat(g->file.fd, &st))
		return dkt_fail(g->ctx, -errno, "read %s: %s", g->file.name, strerror(errno));
	if ((uint64_t)st.st_size < g->got)
		return dkt_fail(g->ctx, -ESTALE, "%s has become shorter", g->file.name);
	if ((uint64_t)st.st_size > g->file.whole)
		return dkt_fail(g->ctx, -EFBIG, "read %s: it is longer than %llu bytes",
				g->file.name, (unsigned long long)g->file.whole);
	g->got = (uint64_t)st.st_size;
	return 0;
}

/* Finds the last new mark in the file. Without one, *mark is unchanged. */
static int find_grown(struct dkt__growth *g, uint64_t *mark)
{
	int err = take_grown(g);

	while (!err && dkt__dat_find_mark(&g->file, g->swap, g->got, &g->scanned))
		*mark = g->scanned;
	if (!err)
		g->ended = dkt__dat_is_end(&g->file, g->swap, g->got, g->scanned);
	return err;
}

/* ---- the beginning ---- */

enum head {
	HEAD_OTHER, /* of another kind of file, or of a recording that has ended */
	HEAD_SHORT, /* more bytes are needed to know it */
	HEAD_RECORDING,
};

/* Reads the beginning: magic, version, byte order, sizes, compression, offset of the options. */
static enum head read_head(struct dkt__growth *g)
{
	struct dkt__cursor cur = { .p = g->file.data, .end = g->file.data + g->got };
	const uint8_t *magic = dkt__cursor_bytes(&cur, strlen(DKT__DAT_MAGIC));
	const char *version;
	uint64_t options;

	if (magic && memcmp(magic, DKT__DAT_MAGIC, strlen(DKT__DAT_MAGIC)) != 0)
		return HEAD_OTHER;
	version = dkt__cursor_string(&cur);
	if (!cur.bad && strcmp(version, "7") != 0)
		return HEAD_OTHER;
	g->swap = cur.swap = dkt__cursor_number(&cur, 1) != DKT__BIG_ENDIAN;
	dkt__cursor_bytes(&cur, 5); /* the sizes of a long and of a page */
	dkt__cursor_string(&cur);
	dkt__cursor_string(&cur);
	options = dkt__cursor_number(&cur, 8);
	if (cur.bad)
		return g->got < HEAD_MAX ? HEAD_SHORT : HEAD_OTHER;
	g->scanned = options;
	return options == (uint64_t)(cur.p - g->file.data) ? HEAD_RECORDING : HEAD_OTHER;
}

/* The same as read_beginning(). */
static int find_beginning(struct dkt__growth *g)
{
	int err = take_grown(g);
	enum head head = err ? HEAD_SHORT : read_head(g);

	if (err || head == HEAD_OTHER)
		return err ? err : 1;
	if (head == HEAD_RECORDING && dkt__dat_find_mark(&g->file, g->swap, g->got, &g->scanned))
		return 0;
	g->ended = head == HEAD_RECORDING && dkt__dat_is_end(&g->file, g->swap, g->got, g->scanned);
	return g->ended ? 0 : dkt_fail(g->ctx, -EAGAIN, "%s has no records yet", g->file.name);
}

/* Reads up to the first mark. Returns 1 if the pipe has something else. */
static int read_beginning(struct dkt__growth *g)
{
	enum head head = HEAD_SHORT;
	int err = 0;

	while (!err && head == HEAD_SHORT && !g->ended) {
		err = read_pipe(g);
		head = err ? head : read_head(g);
	}
	if (err || head != HEAD_RECORDING)
		return err ? err : 1;
	while (!err && !g->ended && !dkt__dat_find_mark(&g->file, g->swap, g->got, &g->scanned))
		err = read_pipe(g);
	return err;
}

static int open_pipe(struct dkt__growth *g, int fd, const char *name)
{
	int err = 0, to;

	g->fd = fd;
	g->bytes = dkt__read_buffer(CHUNK);
	if (!g->bytes)
		return dkt__no_memory(g->ctx);
	to = dkt__temporary_file(g->ctx, dkt__temporary_dir());
	err = to < 0 ? to :
		       dkt__file_grow(g->ctx, name ? name : "the pipe", to, DKT__GROWN_PIPE,
				      &g->file);
	return err ? err : read_beginning(g);
}

static int open_file(struct dkt__growth *g, int fd, const char *name)
{
	int err = dkt__file_grow(g->ctx, name ? name : "the file", fd, DKT__GROWN_FILE, &g->file);

	return err ? err : find_beginning(g);
}

int dkt__growth_open(struct dkt__growth *g, int fd, bool grows, const char *name)
{
	struct stat st;

	if (grows && !fstat(fd, &st) && !S_ISREG(st.st_mode))
		return dkt_fail(g->ctx, -EINVAL, "only a regular file grows");
	fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return dkt_fail(g->ctx, -errno, "read %s: %s", grows ? "a file" : "a pipe",
				strerror(errno));
	return grows ? open_file(g, fd, name) : open_pipe(g, fd, name);
}

/* ---- further sections ---- */

static int grow(struct dkt__growth *g, uint64_t *end)
{
	uint64_t mark = 0;
	int err = find_grown(g, &mark);

	*end = g->ended ? g->got : mark;
	return err || *end ? err : DKT_NEXT_LATER;
}

int dkt__growth_more(struct dkt__growth *g, uint64_t *end)
{
	int err = 0;

	*end = 0;
	if (g->fd < 0)
		return grow(g, end);
	while (!err && !g->ended) {
		while (dkt__dat_find_mark(&g->file, g->swap, g->got, &g->scanned))
			*end = g->scanned;
		if (*end)
			return 0;
		if (!is_readable(g))
			return DKT_NEXT_LATER;
		err = read_pipe(g);
	}
	*end = g->got;
	return err;
}

void dkt__growth_close(struct dkt__growth *g)
{
	if (g->fd >= 0)
		close(g->fd);
	free(g->bytes);
}
