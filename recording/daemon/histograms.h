/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Histograms of latencies: for each kind of latency, and each class that the event that begins it belongs to.
 * They are shared by the daemon, which shows them, and the process that measures.
 */
#pragma once

#include <dktrace/dktrace.h>
#include <stdio.h>

#include "compat/lustre/mask.h"

/* Three bounds in each power of ten, from a microsecond to 10 seconds. */
#define HISTOGRAM_BOUNDS 22

/* The classes, and one for events without a class. */
enum { HISTOGRAM_NO_CLASS = MASK_BITS, HISTOGRAM_CLASSES };

/* Lustre's RPCs, and the ready-made pairs after them. */
enum { HISTOGRAM_RPC, HISTOGRAM_PAIRS, HISTOGRAM_KINDS = HISTOGRAM_PAIRS + DKT_INTERVALS_MAX };

struct histogram {
	uint64_t known; /* something is measured for it */
	uint64_t sum; /* ns */
	uint64_t counts[HISTOGRAM_BOUNDS + 1]; /* up to each bound, and above the last one */
};

struct histograms {
	struct histogram of[HISTOGRAM_KINDS][HISTOGRAM_CLASSES];
};

/* Adds a latency to the kind, in each of the classes (0: none); remove: takes it away again. */
void histograms_add(struct histograms *all, unsigned int kind, uint32_t classes, uint64_t ns,
		    bool remove);

/* The kind is measured for these classes from now on. */
void histograms_know(struct histograms *all, unsigned int kind, uint32_t classes);

/* Raises shared, which others read, to what all has. Nothing ever gets less there. */
void histograms_publish(const struct histograms *all, struct histograms *shared);

/* Writes them in Prometheus' text format, with that label log. ctx keeps the ready-made intervals. */
void histograms_text(struct dkt_ctx *ctx, FILE *f, const struct histograms *shared,
		     const char *log);
