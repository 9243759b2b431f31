/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The times in which threads are in an interval, such as a system call or a request: only these count. */
#pragma once

#include <dktrace/dktrace.h>

struct wall_within_opts {
	struct dkt_ctx *ctx; /* for error messages */
	const char *name; /* of ready-made pairs of events, which must be of one thread each */
	uint64_t least, most; /* ns that an interval takes */
	/* True if the intervals of the thread are wanted. NULL: those of all. */
	bool (*chosen)(void *data, int32_t tid, const char *comm);
	void *data;
};

struct wall_within_facts {
	uint64_t intervals, threads;
	uint64_t apart; /* intervals that another thread began: they are of no thread */
	uint32_t roles; /* of the records: DKT_INTERVAL_BEGIN and DKT_INTERVAL_END */
};

struct wall_within;

/* Free it in either case. -ENOMEM. The name must live as long. */
int wall_within_new(const struct wall_within_opts *opts, struct wall_within **within);
void wall_within_free(struct wall_within *within);

/* Adds a record, or a gap, of a part of the pipeline. -E2BIG with words: too many intervals; -ENOMEM. */
int wall_within_add(struct wall_within *within, struct dkt_ctx *ctx, uint32_t part,
		    struct dkt_source *source, const struct dkt_record *record);

/* After the last record. */
void wall_within_end(struct wall_within *within);

const struct wall_within_facts *wall_within_facts(const struct wall_within *within);

/* After wall_within_end(): returns how many ns between two times the thread is in an interval. */
uint64_t wall_within_ns(const struct wall_within *within, uint32_t part, int32_t tid, uint64_t from,
			uint64_t to);
