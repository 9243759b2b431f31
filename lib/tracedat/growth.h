/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bytes of a recording in progress, from a pipe or from a file to which it is written. */
#pragma once

#include "lib/tracedat.h"

struct dkt__growth {
	struct dkt_ctx *ctx;
	struct dkt__file file; /* all bytes so far; the caller sets its size */
	int fd; /* the pipe, whose bytes are copied to the file; -1: the file itself grows */
	uint8_t *bytes; /* room for one read */
	bool ended; /* the pipe has no writer any more, or the file has the recording's end */
	bool swap;
	uint64_t got; /* bytes */
	uint64_t scanned; /* complete sections up to here, all before the next mark */
};

/*
 * Reads up to the first mark, or to the end. name: in messages; NULL: a usual one. grows: fd is a regular file
 * that is still written; -EAGAIN: the mark is not there yet. Returns 1 if it is no recording in progress. Close
 * it in either case.
 */
int dkt__growth_open(struct dkt__growth *g, int fd, bool grows, const char *name);

/* Returns how much there is up to the first mark. */
static inline uint64_t dkt__growth_first(const struct dkt__growth *g)
{
	/* A recording without a mark is read to its end, as a file is. */
	return g->ended ? g->got : g->scanned;
}

/*
 * Reads up to the last mark that is there, or to the end, which is in *end. DKT_NEXT_LATER: neither is there.
 * To stop at each of many marks would take long if there are many CPUs.
 */
int dkt__growth_more(struct dkt__growth *g, uint64_t *end);

/* The file stays the context's. */
void dkt__growth_close(struct dkt__growth *g);
