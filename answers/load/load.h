/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Loads the records of files into ClickHouse: the tables of sql/database.h, but of many files. A
 * file counts once, however often and however far it was loaded before.
 */
#pragma once

#include "compat/pipeline/pipeline.h"

struct load;

/* A part of the pipeline. */
struct load_source {
	const char *path;
	uint64_t id; /* tells its contents from those of others */
};

struct load_opts {
	const char *url; /* as server_parse() reads it */
	const char *ca; /* a file of certificates; NULL: those of the system */
	const char
		*layout; /* statements that create tables: a name or a file; NULL: the usual ones */
	bool compress,
		plain; /* whether blocks are compressed; neither: if the server is elsewhere */
	double patience; /* seconds to try again after an error */
	double limit; /* seconds that the server has to answer, see link_run() */
	const struct load_source *sources; /* by part of the pipeline */
	/* The parts have no source yet: each gets it before load_join(). Nothing was loaded of them before. */
	bool joins;
	/* Gets the statements that create tables, and nothing is loaded. NULL: load. */
	void (*say)(void *data, const char *statement);
	void *data; /* for say */
};

struct load_sum {
	uint64_t files, whole; /* those that were loaded before */
	uint64_t rows; /* loaded */
	uint64_t there; /* that the server had */
};

/* Connects, and asks what the server has of the files. */
int load_new(struct pipeline *p, const struct load_opts *opts, struct load **load);

/* Frees it; rows that wait are not sent. */
void load_free(struct load *load);

/* True if no record is needed: the server has all files. */
bool load_is_done(const struct load *load);

/* A part has its context and its source now, and so has the pipeline. */
int load_join(struct load *load, size_t part);

/* Takes a record or a gap of a part. source: the one that it came from. */
int load_add(struct load *load, size_t part, struct dkt_source *source,
	     const struct dkt_record *record);

/* Sends all rows so far, and waits until the server has them. */
int load_flush(struct load *load);

/* A part that has joined has no more records. error: the largest one of its times, ns. */
void load_end(struct load *load, size_t part, uint64_t error);

/*
 * After the last record: sends the rest and waits until the server has it. Parts that join stay incomplete if
 * load_end() was not called for them.
 */
int load_finish(struct load *load, struct load_sum *sum);
