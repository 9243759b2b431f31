/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The latencies of a daemon's metrics. A process of low priority reads each segment while it is written, and
 * pairs its records. The daemon does not wait for it.
 */
#pragma once

#include "compat/set/wanted.h"
#include "recording/daemon/histograms.h"
#include "recording/daemon/process.h"
#include "recording/daemon/writer.h"

struct archive_latencies {
	struct histograms *shared; /* NULL: nothing was measured yet */
	struct process reader;
	int alive; /* the end of a pipe that is open while the segment grows; -1: it has ended */
	uint64_t segment; /* the number of the last segment that it read */
	uint64_t missed; /* segments that had ended when there was time for them */
	bool wanted; /* the events have both sides of a latency */
	bool only_calls; /* all of them are system calls */
};

#define ARCHIVE_LATENCIES_INIT                                                                     \
	{                                                                                          \
		.alive = -1                                                                        \
	}

/* Measures the latencies of these events; NULL: none. */
void archive_latencies_set(struct archive_latencies *latencies, struct dkt_ctx *ctx,
			   const struct wanted *wanted);

/* Starts the process for the segment if it does not run. Returns an error of its last run, once. */
int archive_latencies_look(struct archive_latencies *latencies,
			   const struct archive_writer *writer);

/* The segment has ended: the process ends when it has read the rest. */
void archive_latencies_end(struct archive_latencies *latencies);

/* Ends the process at once, and forgets what it has measured. */
void archive_latencies_free(struct archive_latencies *latencies);
