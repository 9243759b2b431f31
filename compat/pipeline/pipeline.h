/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The pipeline: records from one or several sources, merged by time, pass a selection and go into a
 * sink or to a function. Lost records are counted.
 */
#pragma once

#include <dktrace/dktrace.h>

#include "compat/lustre/message/reader.h"
#include "compat/pipeline/chooser.h"
#include "compat/pipeline/losses.h"
#include "lib/base/util.h"

/* A record whose successors are judged. */
struct bounds_last {
	const struct dkt_source_clock *clock; /* NULL: no record has come yet */
	uint64_t ts, error, own_error;
};

/* The last record, and the last one before it of another host. Zeroed at the beginning. */
struct bounds_order {
	struct bounds_last last, other;
};

/* An error that nobody knows. */
#define BOUNDS_UNKNOWN UINT64_MAX

/* Returns how far a time of the stream can be off, in ns, or BOUNDS_UNKNOWN. */
uint64_t dkl_bounds_error(const struct dkt_source_clock *clock, uint64_t ts);

/* The times of the first and the last record. */
struct bounds_range {
	uint64_t first, last;
	bool any; /* there is a record */
};

/* Takes the next record. */
static inline void bounds_range_add(struct bounds_range *range, uint64_t ts)
{
	range->first = range->any ? DKT__MIN(range->first, ts) : ts;
	range->last = range->any ? DKT__MAX(range->last, ts) : ts;
	range->any = true;
}

/* Returns the largest error of the stream: at its measurements, the first record and the last one. */
uint64_t dkl_bounds_worst(const struct dkt_source_clock *clock, const struct bounds_range *range);

/*
 * Takes the next record. Sets *error as dkl_bounds_error() does. Returns true if it is certain that the record came
 * after the last one of another host.
 */
bool dkl_bounds_order_add(struct bounds_order *order, const struct dkt_source_clock *clock,
			  uint64_t ts, uint64_t *error);

struct sink;

/* One of the sources. */
struct pipeline_part {
	struct dkt_ctx *ctx; /* the kernel of its records */
	struct dkt_source *source;
	const char *name; /* for error messages, if there are several parts */
	struct class_map *map; /* for that kernel; NULL before dkl_pipeline_map() */
	bool classless; /* needs no map, because the records contain their classes */
	/* Finds the classes of records. NULL: the selection does not need them. */
	struct legacy_style *legacy;
	struct chooser *chooser; /* NULL: all records are selected */
	/* Reads its messages, see dkl_pipeline_messages(). NULL: nobody needs their texts. */
	struct message_reader *messages;
	bool on; /* it is still being recorded, so that no message is incomplete */
	struct losses losses;
	int64_t offset; /* added to its times by the merged source, ns */
	const char *accuracy; /* of the offset, in words; NULL: none */
	const char *lacks; /* why not all of the file came, in words; NULL: it is whole */
	struct bounds_range range; /* of its selected records so far, if there are several clocks */
};

/* A file that should be among the parts, but whose host has sent nothing. */
struct pipeline_absent {
	const char *path, *host;
	const char *lacks; /* why, in words */
	uint64_t id; /* tells the contents, had they come, from others; 0: unknown */
};

struct pipeline {
	struct dkt_ctx *ctx; /* gets the error messages of all parts */
	struct pipeline_part *parts;
	size_t n;
	const struct pipeline_absent *absent;
	size_t n_absent;
	struct dkt_source *source; /* that of the only part, or the merged source */
	size_t *part_of; /* by stream of the merged source; NULL: not merged */
	size_t n_streams;
	struct dkt_source_clock *clocks; /* by stream of the source; NULL: not known */
	size_t n_clocks;
	bool several_clocks; /* the times are those of several clocks, related with an error */
	struct selection *selection; /* NULL: all records */
	bool joined; /* the source gives each record to the reader of messages itself */
	bool ended; /* the records are those of incomplete messages, after all others */
	uint64_t incomplete; /* such messages */
	/* The classes for all parts. NULL: each part reads them. */
	const struct class_map *classes;
	uint64_t since, until; /* the selection's window as times of the source; 0: no bound */
	void (*look)(void *data); /* called after each batch, for the progress; NULL: not wanted */
	/*
	 * For a source that follows: called when it has no more records for now. Returns 0 to
	 * try again, or DKT_NEXT_END; a signal alone does not end the pipeline then. NULL: the
	 * end of the source or a signal ends it.
	 */
	int (*later)(void *data);
	void *data; /* for look and later */
};

/* A result other than 0 ends the pipeline, which returns it. */
typedef int (*pipeline_fn)(void *data, struct dkt_source *source, const struct dkt_record *record);

/*
 * Sets *words to why records are missing that the parts should have had, as far as that is known before they
 * are read. The caller frees them; NULL: none are. -ENOMEM.
 */
int dkl_pipeline_lacks(const struct pipeline *p, char **words);

/* Prepares for up to n parts. The caller calls dkl_pipeline_clear(), even on failure. */
int dkl_pipeline_init(struct pipeline *p, struct dkt_ctx *ctx, size_t n);

/* Adds a part. The caller still owns the context and the source. */
void dkl_pipeline_add(struct pipeline *p, struct dkt_ctx *ctx, struct dkt_source *source,
		      const char *name);

/* Merges the sources after the last part was added; parts[i] has the options of part i. */
int dkl_pipeline_merge(struct pipeline *p, struct dkt_merge_part *parts);

/*
 * Finds the clocks of the streams, once the pipeline has its source. A source that knows none has the clock
 * of its records.
 */
int dkl_pipeline_find_clocks(struct pipeline *p);

/* Returns the clock of a stream, after that. Streams of a growing file that came later have the last one's. */
static inline const struct dkt_source_clock *pipeline_clock(const struct pipeline *p,
							    uint32_t stream)
{
	return &p->clocks[DKT__MIN(stream, p->n_clocks - 1)];
}

/* Returns the largest error of the times of part i so far, or BOUNDS_UNKNOWN. */
uint64_t dkl_pipeline_worst_error(const struct pipeline *p, size_t i);

/*
 * Seeks to the beginning of the selection's window, and skips records that are not selected.
 * -EOPNOTSUPP: a source cannot seek.
 */
int dkl_pipeline_select(struct pipeline *p, struct selection *selection);

/* -ENOENT: no part has an event that --event selects. */
int dkl_pipeline_check_events(struct pipeline *p, const struct selection *selection);

/*
 * Creates the part's reader of messages, if it has none yet. The pipeline then gives it each record, and
 * at the end the messages in the middle of which the recording stopped come as records, too, unless only a
 * part of the records is selected.
 */
int dkl_pipeline_messages(struct pipeline_part *part);

/* Calls fn for each selected record and each gap. */
int dkl_pipeline_each(struct pipeline *p, pipeline_fn fn, void *data);

/* Writes them to the sink, with its beginning and its end. */
int dkl_pipeline_print(struct pipeline *p, struct sink *sink);

/* The same without beginning and end: the text of all records stays in the sink's buffer. */
int dkl_pipeline_fill(struct pipeline *p, struct sink *sink);

/* After the last record: counts the losses of each part. A CPU whose counts are unknown counts 0. Returns 0 or -ENOMEM. */
int dkl_pipeline_count(struct pipeline *p);

/* Reads the part's class map, once. */
int dkl_pipeline_map(const struct pipeline *p, struct pipeline_part *part);

/* Copies the error message of a part to the pipeline's context. Returns err. */
int dkl_pipeline_fail(const struct pipeline *p, int err);

/* Returns the part of the record. */
static inline struct pipeline_part *pipeline_part(const struct pipeline *p,
						  const struct dkt_record *record)
{
	return &p->parts[p->part_of ? p->part_of[record->stream] : 0];
}

/* True if the same kernel recorded both in the same boot, as far as they tell. */
bool dkl_pipeline_same_boot(const struct dkt_source *one, const struct dkt_source *other);

/* Frees the pipeline; the sources stay open. */
void dkl_pipeline_clear(struct pipeline *p);
