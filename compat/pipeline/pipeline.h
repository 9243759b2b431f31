/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The pipeline: records from one or several sources, merged by time, pass a selection and go into a
 * sink or to a function. Lost records are counted.
 */
#pragma once

#include "pipeline/chooser.h"
#include "pipeline/losses.h"

struct sink;

/* One of the sources. */
struct pipeline_part {
	struct dkt_ctx *ctx; /* the kernel that its records are of */
	struct dkt_source *source;
	const char *name; /* what words of a failure call it, if it is one of several */
	struct class_map *map; /* for that kernel; NULL before pipeline_map() */
	bool classless; /* its records say their classes themselves, and there is no map */
	/* Knows the classes of records. NULL: the selection asks for no class. */
	struct legacy_style *legacy;
	struct chooser *chooser; /* NULL: all its records are asked for */
	struct losses losses;
};

struct pipeline {
	struct dkt_ctx *ctx; /* takes the words of a failure, of whichever part */
	struct pipeline_part *parts;
	size_t n;
	struct dkt_source *source; /* of the only part, or of all of them */
	size_t *part_of; /* by stream of the merged source; NULL: it is not merged */
	size_t n_streams;
	struct selection *selection; /* NULL: all records */
	/* The classes, read once for the kernels of all parts. NULL: each part reads them. */
	const struct class_map *classes;
	uint64_t since, until; /* the selection's window as times of the source; 0: no bound */
	void (*look)(void *data); /* called now and then; NULL: not */
	/*
	 * For a source that follows: called when it has no more records now. 0: look again;
	 * DKT_NEXT_END: end. A signal alone does not end it then. NULL: the end of the source
	 * or a signal ends it.
	 */
	int (*later)(void *data);
	void *data; /* for these */
};

/* Anything but 0 ends the way of records with that. */
typedef int (*pipeline_fn)(void *data, struct dkt_source *source, const struct dkt_record *record);

/* For up to n parts, none is there yet. To be cleared in either case. */
int pipeline_init(struct pipeline *p, struct dkt_ctx *ctx, size_t n);

/* The context and the source stay the caller's. */
void pipeline_add(struct pipeline *p, struct dkt_ctx *ctx, struct dkt_source *source,
		  const char *name);

/* All parts are there: their records come by one source, as parts[i] says of the i-th. */
int pipeline_merge(struct pipeline *p, struct dkt_merge_part *parts);

/*
 * Goes to the begin of the selection's window and leaves out what is not asked for. -EOPNOTSUPP: there is
 * a window, and a source that can only be read on.
 */
int pipeline_select(struct pipeline *p, struct selection *selection);

/* -ENOENT: no part has the events of --event; one can have what another lacks. */
int pipeline_check_events(struct pipeline *p, const struct selection *selection);

/* Calls fn for each record that is asked for, and for gaps. */
int pipeline_each(struct pipeline *p, pipeline_fn fn, void *data);

/* The same into the sink, from its begin to its end. */
int pipeline_print(struct pipeline *p, struct sink *sink);

/* The same without begin and end: the text of all records stays in the sink's buffer. */
int pipeline_fill(struct pipeline *p, struct sink *sink);

/* After the last record: adds up what each part lost. */
void pipeline_count(struct pipeline *p);

/* The part's class map, read when it is asked for first. */
int pipeline_map(const struct pipeline *p, struct pipeline_part *part);

/* Hands on the words of whichever part has some as those of the pipeline. Returns err. */
int pipeline_fail(const struct pipeline *p, int err);

/* The part that the record is of. */
static inline struct pipeline_part *pipeline_part(const struct pipeline *p,
						  const struct dkt_record *record)
{
	return &p->parts[p->part_of ? p->part_of[record->stream] : 0];
}

/* The sources stay open. */
void pipeline_clear(struct pipeline *p);
