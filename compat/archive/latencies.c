/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starts and ends the processes that measure latencies. */
#include "archive/latencies.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "archive/pairing.h"
#include "base/io.h"
#include "base/memory.h"

#define COPY_SIZE (1 << 16)

/* How often a segment that grows is looked at, in ms. */
#define LOOK_MS 500

/* ---- the processes ---- */

struct copying {
	int file, alive, to;
};

/* Copies what the file has and will have, until it has ended. */
static int copy(struct dkt_ctx *ctx, void *data)
{
	const struct copying *it = data;
	char *bytes __cleanup(free) = dkt__read_buffer(COPY_SIZE);
	struct pollfd daemon = { .fd = it->alive };
	bool last = false;

	if (!bytes)
		return dkt__no_memory(ctx);
	for (;;) {
		ssize_t n = read(it->file, bytes, COPY_SIZE);

		if (n < 0)
			return dkt_fail(ctx, -errno, "read the segment: %s", strerror(errno));
		/* The reader tells why it has ended. */
		if (n && dkt__write_all(it->to, bytes, (size_t)n))
			return 0;
		if (n)
			continue;
		if (last)
			return 0;
		last = poll(&daemon, 1, LOOK_MS) > 0;
	}
}

static int pair(struct dkt_ctx *ctx, void *data)
{
	return pairing_run(ctx, data);
}

/*
 * The records that the processes cause would be more work for them. With system calls alone it would be
 * little, and the kernel's test of each record more than that.
 */
static void leave_out(const struct archive_latencies *latencies, struct dkt_instance *in)
{
	const pid_t pids[] = { getpid(), latencies->copier.pid, latencies->reader.pid };

	if (latencies->only_calls)
		return;
	/* Not an error: a kernel that cannot exclude them records a little more. */
	dkt_instance_skip_pids(in, pids, ARRAY_SIZE(pids));
}

struct pipes {
	int file, alive[2], data[2];
};

static void close_pipes(struct pipes *p)
{
	dkt__closep(&p->file);
	for (int i = 0; i < 2; i++) {
		dkt__closep(&p->alive[i]);
		dkt__closep(&p->data[i]);
	}
}

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static int start_both(struct archive_latencies *latencies, struct dkt_ctx *ctx,
		      const struct pipes *p)
{
	struct copying copying = { p->file, p->alive[0], p->data[1] };
	int keep[] = { p->file, p->alive[0], p->data[1] };
	const struct process_opts copier = {
		.run = copy, .data = &copying, .keep = keep, .n_keep = 3, .priority = PROCESS_LOW
	};
	struct pairing_opts pairing = { .fd = p->data[0], .shared = latencies->shared };
	const struct process_opts reader = { .run = pair,
					     .data = &pairing,
					     .keep = &p->data[0],
					     .n_keep = 1,
					     .priority = PROCESS_LOW };
	int err;

	qsort(keep, ARRAY_SIZE(keep), sizeof(*keep), by_number);
	err = process_start(ctx, &copier, &latencies->copier);
	pairing.other = latencies->copier.pid;
	return err ? err : process_start(ctx, &reader, &latencies->reader);
}

static int start(struct archive_latencies *latencies, const struct archive_writer *writer)
{
	struct pipes p = { -1, { -1, -1 }, { -1, -1 } };
	int err = 0;

	p.file = open(writer->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (p.file < 0 || pipe2(p.alive, O_CLOEXEC) || pipe2(p.data, O_CLOEXEC))
		err = dkt_fail(writer->ctx, -errno, "read %s: %s", writer->path, strerror(errno));
	if (!err)
		err = start_both(latencies, writer->ctx, &p);
	if (!err) {
		latencies->alive = p.alive[1];
		p.alive[1] = -1;
		leave_out(latencies, writer->in);
	}
	close_pipes(&p);
	return err;
}

/* ---- the daemon's side ---- */

void archive_latencies_end(struct archive_latencies *latencies)
{
	dkt__closep(&latencies->alive);
	latencies->alive = -1;
}

static void stop(struct archive_latencies *latencies)
{
	archive_latencies_end(latencies);
	process_kill(&latencies->reader);
	process_kill(&latencies->copier);
}

static bool has_only_calls(const struct wanted *wanted)
{
	bool only = true;

	for (size_t i = 0; i < wanted->n; i++) {
		const char *system = dkt_event_system(wanted->list[i].event);

		only &= !strcmp(system, "raw_syscalls") || !strcmp(system, "syscalls");
	}
	return only;
}

void archive_latencies_set(struct archive_latencies *latencies, const struct wanted *wanted)
{
	latencies->wanted = wanted && pairing_has(wanted);
	latencies->only_calls = wanted && has_only_calls(wanted);
	if (latencies->wanted)
		return;
	stop(latencies);
	latencies->segment = 0;
}

static int create(struct archive_latencies *latencies, struct dkt_ctx *ctx)
{
	void *room = mmap(NULL, sizeof(*latencies->shared), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (room == MAP_FAILED)
		return dkt__no_memory(ctx);
	latencies->shared = room;
	return 0;
}

int archive_latencies_look(struct archive_latencies *latencies, const struct archive_writer *writer)
{
	const uint64_t number = writer->segment.number;
	int err, late;

	err = process_reap(writer->ctx, &latencies->reader, false,
			   "the process that measures latencies was killed");
	late = process_reap(writer->ctx, &latencies->copier, false,
			    "the process that copies records for latencies was killed");
	if (err || late)
		return err ? err : late;
	if (!latencies->wanted || writer->file.fd < 0 || latencies->reader.pid ||
	    latencies->copier.pid || number == latencies->segment)
		return 0;
	err = latencies->shared ? 0 : create(latencies, writer->ctx);
	if (err)
		return err;
	if (latencies->segment && number > latencies->segment)
		latencies->missed += number - latencies->segment - 1;
	latencies->segment = number;
	return start(latencies, writer);
}

void archive_latencies_free(struct archive_latencies *latencies)
{
	stop(latencies);
	if (latencies->shared)
		munmap(latencies->shared, sizeof(*latencies->shared));
	*latencies = (struct archive_latencies)ARCHIVE_LATENCIES_INIT;
}
