/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starts and ends the process that measures latencies. */
#include "recording/daemon/latencies.h"
#include "lib/inside.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/buf.h"
#include "lib/base/io.h"
#include "lib/base/memory.h"
#include "recording/daemon/pairing.h"

/* ---- the process ---- */

static int pair(struct dkt_ctx *ctx, void *data)
{
	return pairing_run(ctx, data);
}

/*
 * The records that the process causes would be more work for it. With system calls alone it would be little,
 * and the kernel's test of each record more than that.
 */
static void leave_out(const struct archive_latencies *latencies, struct dkt_instance *in)
{
	const pid_t pids[] = { getpid(), latencies->reader.pid };

	if (latencies->only_calls)
		return;
	/* Not an error: a kernel that cannot exclude them records a little more. */
	dkt__instance_set_skipped_pids(in, pids, ARRAY_SIZE(pids));
}

static int start(struct archive_latencies *latencies, const struct archive_writer *writer)
{
	char *path __cleanup(free) = dkt__format("/proc/self/fd/%d", writer->file.fd);
	/* Not by its name: the owner of the directory may have put something else there. */
	int file __cleanup(close) = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	int alive[2], err;

	if (!path)
		return dkt__no_memory(writer->ctx);
	if (file < 0 || pipe2(alive, O_CLOEXEC))
		return dkt_fail(writer->ctx, -errno, "read %s: %s", writer->path, strerror(errno));

	struct pairing_opts pairing = { file, alive[0], latencies->shared, writer->ctx };
	const int keep[] = { DKT__MIN(file, alive[0]), DKT__MAX(file, alive[0]) };
	const struct process_opts opts = { .run = pair,
					   .data = &pairing,
					   .keep = keep,
					   .n_keep = ARRAY_SIZE(keep),
					   .priority = PROCESS_LOW };

	err = process_start(writer->ctx, &opts, &latencies->reader);
	close(alive[0]);
	if (err) {
		close(alive[1]);
		return err;
	}
	latencies->alive = alive[1];
	leave_out(latencies, writer->in);
	return 0;
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

void archive_latencies_set(struct archive_latencies *latencies, struct dkt_ctx *ctx,
			   const struct wanted *wanted)
{
	latencies->wanted = wanted && pairing_has(ctx, wanted);
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
	int err = process_reap(writer->ctx, &latencies->reader, false,
			       "the process that measures latencies was killed");

	if (err)
		return err;
	if (!latencies->wanted || writer->file.fd < 0 || latencies->reader.pid ||
	    number == latencies->segment)
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
