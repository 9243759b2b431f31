/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An instance of a test's own, with filters put in and raw records taken out. */
#ifndef DKT_EXPR_SIDE_H
#define DKT_EXPR_SIDE_H

#include <endian.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <kbuffer.h>

#include "lib/event.h"

#define MAX_SEEN  4096
#define PAGE_ROOM 65536

/* TRACE_FLAG_HARDIRQ and TRACE_FLAG_SOFTIRQ of common_flags, the byte after common_type. */
#define IN_INTERRUPT 0x18

/* A private instance and what was recorded in it last. */
struct side {
	char *dir;
	int cpu; /* on which the workload runs */
	int on; /* tracing_on; kept open, as an open in between would be recorded on one side only */
	struct dkt_event **events; /* whose records are kept; some may be missing */
	size_t n_events;
	struct dkt_record *records;
	size_t n;
};

static int put(const char *dir, const char *file, const char *text)
{
	char *path __cleanup(free) = NULL;
	int fd __cleanup(close) = -1;
	size_t len = strlen(text);

	if (asprintf(&path, "%s/%s", dir, file) < 0)
		return -ENOMEM;
	fd = open(path, O_WRONLY | O_CLOEXEC | O_TRUNC);
	if (fd < 0 || write(fd, text, len) != (ssize_t)len)
		return -errno;
	return 0;
}

static int put_filter(const struct side *side, const struct dkt_event *event, const char *filter)
{
	char *file __cleanup(free) = NULL;

	if (asprintf(&file, "events/%s/%s/filter", event->system, event->name) < 0)
		return -ENOMEM;
	return put(side->dir, file, filter);
}

static int side_open(struct dkt_ctx *ctx, struct side *side, const char *what)
{
	char *path __cleanup(free) = NULL;
	char pid[16];

	if (asprintf(&side->dir, "%s/instances/dkt-expr-%d-%s", dkt_tracefs_dir(ctx), getpid(),
		     what) < 0)
		return -ENOMEM;
	if (mkdir(side->dir, 0700))
		return -errno;
	snprintf(pid, sizeof(pid), "%d", getpid());
	if (put(side->dir, "set_event_pid", pid) || put(side->dir, "options/event-fork", "1"))
		return -EIO;
	side->records = calloc(MAX_SEEN, sizeof(*side->records));
	if (!side->records || asprintf(&path, "%s/tracing_on", side->dir) < 0)
		return -ENOMEM;
	side->on = open(path, O_WRONLY | O_CLOEXEC);
	return side->on < 0 ? -errno : 0;
}

static void side_forget(struct side *side)
{
	size_t i;

	for (i = 0; i < side->n; i++)
		free((void *)side->records[i].data);
	side->n = 0;
}

static void side_close(struct side *side)
{
	side_forget(side);
	if (side->on > 0)
		close(side->on);
	free(side->records);
	if (side->dir && rmdir(side->dir))
		perror(side->dir);
	free(side->dir);
}

static void add_record(struct side *side, const void *data, int size)
{
	struct dkt_record *record = &side->records[side->n];
	uint16_t type;
	void *copy;
	size_t i;

	if (size < (int)sizeof(type) + 1 || side->n == MAX_SEEN)
		return;
	memcpy(&type, data, sizeof(type));
	/* An interrupt sends other programs' packets in the name of the process it finds running. */
	if (((const uint8_t *)data)[sizeof(type)] & IN_INTERRUPT)
		return;
	for (i = 0; i < side->n_events; i++)
		if (side->events[i] && dkt_event_id(side->events[i]) == type)
			break;
	copy = i < side->n_events ? malloc((size_t)size) : NULL;
	if (!copy)
		return;
	memcpy(copy, data, (size_t)size);
	*record = (struct dkt_record){
		.event = side->events[i], .cpu = side->cpu, .data = copy, .size = (uint32_t)size
	};
	side->n++;
}

/* Takes the records of the CPU to which the workload is bound. */
static int side_read(struct side *side)
{
	struct kbuffer *kbuf = kbuffer_alloc(
		sizeof(long) == 8 ? KBUFFER_LSIZE_8 : KBUFFER_LSIZE_4,
		__BYTE_ORDER == __LITTLE_ENDIAN ? KBUFFER_ENDIAN_LITTLE : KBUFFER_ENDIAN_BIG);
	char *page __cleanup(free) = malloc(PAGE_ROOM);
	char *path __cleanup(free) = NULL;
	int fd __cleanup(close) = -1;
	unsigned long long ts;
	void *data;

	side_forget(side);
	if (!kbuf || !page ||
	    asprintf(&path, "%s/per_cpu/cpu%d/trace_pipe_raw", side->dir, side->cpu) < 0)
		return -ENOMEM;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while (read(fd, page, (size_t)getpagesize()) > 0) {
		kbuffer_load_subbuffer(kbuf, page);
		for (data = kbuffer_read_event(kbuf, &ts); data;
		     data = kbuffer_next_event(kbuf, &ts))
			add_record(side, data, kbuffer_event_size(kbuf));
	}
	kbuffer_free(kbuf);
	return 0;
}

/* True if the kernel last refused a filter with these words. */
static bool side_refused(const struct side *side, const char *words)
{
	char *path __cleanup(free) = NULL, *log __cleanup(free) = calloc(1, PAGE_ROOM);
	int fd __cleanup(close) = -1;
	size_t len = 0;
	ssize_t n = 1;
	char *last;

	if (!log || asprintf(&path, "%s/error_log", side->dir) < 0)
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && n > 0) {
		n = read(fd, log + len, PAGE_ROOM - 1 - len);
		len += n > 0 ? (size_t)n : 0;
	}
	last = strstr(log, "error:");
	while (last && strstr(last + 1, "event filter parse error"))
		last = strstr(last + 1, "event filter parse error");
	return last && strstr(last, words);
}

#endif
