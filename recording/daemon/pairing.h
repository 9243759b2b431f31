/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the latencies in the records of a daemon: the ready-made pairs, and Lustre's RPCs. */
#pragma once

#include <dktrace/dktrace.h>

#include "compat/set/wanted.h"
#include "recording/daemon/histograms.h"

/* True if the events have both sides of a latency. ctx keeps the ready-made intervals. */
bool pairing_has(struct dkt_ctx *ctx, const struct wanted *wanted);

/* The records, and where it tells what it has found. */
struct pairing_opts {
	int file; /* the daemon's, which grows */
	int alive; /* the end of a pipe whose other end is closed when the file has ended */
	struct histograms *shared;
	struct dkt_ctx *intervals; /* keeps the ready-made ones, of which shared has the names */
};

/* Reads until the file ends. */
int pairing_run(struct dkt_ctx *ctx, const struct pairing_opts *opts);
