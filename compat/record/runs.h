/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs: stretches of a file that hold records in order of time. Collecting and writing them. */
#ifndef COMPAT_RECORD_RUNS_H
#define COMPAT_RECORD_RUNS_H

#include <dktrace/dktrace.h>

#include "record.h"

/* More are not kept: a log with more is not worth reading run by run. */
#define RUNS_MAX (256 * 1024)

struct run {
	uint64_t start; /* offset of its first record */
	uint64_t end; /* behind its last one */
	uint64_t first; /* key of its first record that is shown */
	uint64_t last;
	uint32_t order; /* in the file */
};

struct runs {
	struct run *run;
	size_t n;
	size_t room;
	bool too_many;
};

/* A record is at that place. It belongs to the last run or begins a new one. */
int runs_add(struct runs *runs, uint64_t offset, uint32_t len, uint64_t key);

/* A record that is not shown does not end a run. */
static inline void runs_skip(struct runs *runs, uint64_t offset, uint32_t len)
{
	if (runs->n && runs->run[runs->n - 1].end == offset)
		runs->run[runs->n - 1].end += len;
}

/* Sorts runs by their first key; returns how many of them overlap at the most. */
int runs_order(struct runs *runs, size_t *overlap);
void runs_clear(struct runs *runs);

/* A file without a name that takes records one after the other. */
struct spill {
	int fd;
	uint64_t size; /* bytes that were added */
	uint8_t *buf;
	size_t len;
};

/* Opens a new one. */
int spill_open(struct dkt_ctx *ctx, struct spill *spill);
int spill_add(struct dkt_ctx *ctx, struct spill *spill, const uint8_t *rec, uint32_t len);
int spill_flush(struct dkt_ctx *ctx, struct spill *spill);
void spill_close(struct spill *spill);

/* Writes the scan's records that are shown to the spill as few long runs. */
int runs_rewrite(struct dkt_ctx *ctx, struct record_scan *scan, const struct record_masks *show,
		 size_t memory, struct spill *spill, struct runs *runs);

#endif
