/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The worker of a daemon: a process of idle priority that completes and compresses segments that have
 * ended, and notes them in the index. The daemon does not wait for it.
 */
#pragma once

#include <dktrace/dktrace.h>

#include "recording/daemon/process.h"
#include "recording/record/segments.h"

struct archive_worker {
	struct dkt_ctx *ctx;
	const char *dir, *compression;
	struct segment *ended; /* segments with known facts that are not in the index yet */
	size_t n_ended;
	struct process process;
	uint64_t current; /* it completes the segments below this number */
	uint64_t waiting; /* segments that were not completed at the last look */
	bool look; /* look even if no segment has ended: a killed daemon may have left some */
	uint64_t retry; /* not before this time, after a failure; ns */
};

#define ARCHIVE_WORKER_INIT                                                                        \
	{                                                                                          \
		.look = true                                                                       \
	}

/* Adds a segment that has ended. */
int archive_worker_add(struct archive_worker *worker, const struct segment *segment);

/*
 * Starts the worker if it does not run and there is work: a segment below number current that is not
 * in the index. Returns an error of its last run, once; dkt_error() has its words.
 */
int archive_worker_look(struct archive_worker *worker, uint64_t current, uint64_t now);

/* Waits until all work is done or fails. */
int archive_worker_end(struct archive_worker *worker, uint64_t current);
void archive_worker_free(struct archive_worker *worker);
