/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The worker of a daemon. */
#include "recording/daemon/worker.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/base/when.h"
#include "recording/record/complete.h"

/* A failure, such as a full disk, lasts. In ns. */
#define RETRY UINT64_C(30000000000)

/* ---- the process ---- */

static int read_facts(struct dkt_source *source, struct segment *segment)
{
	const struct dkt_source_info *info = dkt_source_info(source);
	struct dkt_record record;
	struct dkt_loss loss;
	bool any = false;
	int end;

	segment->run = info->id;
	while (!(end = dkt_source_next(source, &record))) {
		int64_t wall = dkt__wall_time(record.ts, info->wall);

		segment->from = any ? DKT__MIN(segment->from, wall) : wall;
		segment->to = any ? DKT__MAX(segment->to, wall) : wall;
		any = true;
		segment->records += !record.lost;
	}
	for (int cpu = 0; cpu < info->cpus; cpu++)
		if (!dkt_source_get_loss(source, cpu, &loss, sizeof(loss)))
			segment->lost += loss.lost;
	if (!any)
		segment->from = segment->to = segment->mtime;
	return DKT__MIN(end, 0);
}

/*
 * Reads the facts that a killed daemon did not note. A source of a file needs a context of its own,
 * because the worker's stands for the running kernel.
 */
static int find_facts(struct dkt_ctx *ctx, const char *path, struct segment *segment)
{
	DKT_OPTS(dkt_source_opts, opts, .flags = DKT_SOURCE_ALL);
	struct dkt_source *source;
	struct dkt_ctx *own;
	int err = dkt__with_words(ctx, dkt_ctx_new(NULL, &own));

	if (err)
		return err;
	err = dkt_source_open(own, path, &opts, &source);
	if (!err) {
		err = read_facts(source, segment);
		dkt_source_close(source);
	}
	if (err)
		dkt_fail(ctx, err, "%s", dkt_error(own));
	dkt_ctx_free(own);
	return err;
}

/* Counts what the file lacks. Keeps the error message. */
static int count_missing(struct dkt_ctx *ctx, const char *path, struct segment *facts)
{
	char *message = dkt__error_take(ctx);
	struct segment found = *facts;
	int err;

	found.records = found.lost = 0;
	err = find_facts(ctx, path, &found);
	if (err) {
		free(message);
		return err;
	}
	if (facts->records > found.records)
		facts->lost += facts->records - found.records;
	facts->records = found.records;
	dkt__error_give(ctx, -EBADMSG, message);
	return 0;
}

static const struct segment *find_ended(const struct archive_worker *worker, const char *name)
{
	for (size_t i = 0; i < worker->n_ended; i++)
		if (!strcmp(worker->ended[i].name, name))
			return &worker->ended[i];
	return NULL;
}

/* The daemon removes the oldest segments without a look at the worker. */
static bool is_removed(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && !st.st_nlink;
}

static int complete_one(const struct archive_worker *worker, const struct segment *segment)
{
	char *path __cleanup(free) = dkt__format("%s/%s", worker->dir, segment->name);
	/* NFS locks only a file that is open for writing. */
	int fd __cleanup(close) = path ? open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) :
					 -1;
	const struct segment *ended = find_ended(worker, segment->name);
	struct segment facts = ended ? *ended : *segment;
	int err, damaged = 0;

	if (fd < 0)
		return !path ? dkt__no_memory(worker->ctx) :
		       errno == ENOENT ?
			       0 :
			       dkt_fail(worker->ctx, -errno, "open %s: %s", path, strerror(errno));
	/* The worker of a killed daemon still completes it. */
	if (flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return 0;
	if (ended)
		err = capture_complete_ended(worker->ctx, path, fd, worker->compression);
	else
		err = capture_complete(worker->ctx, path, fd, worker->compression);
	/* It is finished already; only its line in the index is missing. */
	if (err == 1)
		err = 0;
	if (ended && err == -EBADMSG) {
		damaged = err;
		err = count_missing(worker->ctx, path, &facts);
	}
	if (!err && !ended)
		err = find_facts(worker->ctx, path, &facts);
	if (err)
		return is_removed(fd) ? 0 : err;
	return segments_note(worker->ctx, worker->dir, &facts) ?: damaged;
}

static int complete_all(const struct archive_worker *worker, uint64_t current)
{
	struct segments segments;
	int err = segments_read(worker->ctx, worker->dir, &segments), failed = 0;

	for (size_t i = 0; !err && i < segments.n; i++)
		if (segments.list[i].number < current && !segments.list[i].known)
			/* A damaged segment must not delay the others. */
			failed = complete_one(worker, &segments.list[i]) ?: failed;
	segments_free(&segments);
	return err ? err : failed;
}

static int run(struct dkt_ctx *ctx, void *data)
{
	struct archive_worker *worker = data;

	worker->ctx = ctx;
	return complete_all(worker, worker->current);
}

static int start(struct archive_worker *worker, uint64_t current, bool idle)
{
	const struct process_opts opts = { .run = run,
					   .data = worker,
					   .priority = idle ? PROCESS_IDLE : PROCESS_HURRY };

	worker->current = current;
	return process_start(worker->ctx, &opts, &worker->process);
}

/* ---- the daemon's side ---- */

int archive_worker_add(struct archive_worker *worker, const struct segment *segment)
{
	return dkt__append(worker->ended, worker->n_ended, *segment);
}

/* Counts the segments that are not in the index, and forgets the facts of those that are. */
static int count_waiting(struct archive_worker *worker, uint64_t current)
{
	struct segments segments;
	int err = segments_read(worker->ctx, worker->dir, &segments);
	size_t n = 0;

	if (err)
		return err;
	worker->look = false;
	worker->waiting = 0;
	for (size_t i = 0; i < segments.n; i++)
		worker->waiting += segments.list[i].number < current && !segments.list[i].known;
	for (size_t i = 0; i < worker->n_ended; i++)
		for (size_t j = 0; j < segments.n; j++)
			if (!segments.list[j].known &&
			    !strcmp(segments.list[j].name, worker->ended[i].name)) {
				worker->ended[n++] = worker->ended[i];
				break;
			}
	worker->n_ended = n;
	segments_free(&segments);
	return 0;
}

static int reap(struct archive_worker *worker, bool wait)
{
	return process_reap(worker->ctx, &worker->process, wait,
			    "the process that completes segments was killed");
}

int archive_worker_look(struct archive_worker *worker, uint64_t current, uint64_t now)
{
	bool ran = worker->process.pid;
	int err = reap(worker, false);

	if (err)
		worker->retry = now + RETRY;
	if (worker->process.pid ||
	    (!ran && !worker->n_ended && !worker->waiting && !worker->look) || now < worker->retry)
		return err;
	if (count_waiting(worker, current) || !worker->waiting)
		return err;
	return err ? err : start(worker, current, true);
}

int archive_worker_end(struct archive_worker *worker, uint64_t current)
{
	int failed, err;

	/* The user waits for the end of the daemon. */
	process_hurry(&worker->process);
	/* A failure must not keep the segments that ended since from the index. */
	failed = reap(worker, true);
	err = count_waiting(worker, current);
	if (!err && worker->waiting)
		err = start(worker, current, false) ?: reap(worker, true);
	return err ?: failed;
}

void archive_worker_free(struct archive_worker *worker)
{
	free(worker->ended);
	*worker = (struct archive_worker)ARCHIVE_WORKER_INIT;
}
