/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that one kernel wrote one after the other: what is known of each, and of all. */
#pragma once

#include "lib/tracedat.h"

struct dkt__series_file {
	char *path;
	const char *name; /* the path without the directory */
	uint64_t least; /* neither this file nor a later one has an older record */
	bool after_gap; /* files between this one and the one before are gone */
	bool after_pause; /* the kernel did not record all the time since the one before */
	bool bad; /* it cannot be opened */
	bool empty; /* nothing has been written to it yet */
	bool told; /* its damage is in the report */
	/* While it is open: */
	struct dkt_ctx *ctx; /* has its bytes; NULL: it is not open */
	struct dkt_source *source;
	struct dkt_record next;
};

struct dkt__series {
	struct dkt_source base; /* must be first: the source is cast to this struct */
	struct dkt_source_opts opts; /* for each file */
	struct dkt__series_file *files;
	size_t n, at; /* at: the next one to open */
	uint64_t id; /* of the recording of the file before, in the survey; 0: unknown */
	const char **streams; /* the names of the buffers of all files */
	size_t n_streams;
	struct dkt__disks disks; /* of the host, by all files: a later one has the newer names */
	uint64_t since, until;
	dkt_event_fn wants;
	void *wants_data;
	struct dkt_expr *filter;

	struct dkt__heap heap; /* the open files */
	struct dkt__series_file *top; /* that of the last record */
	bool begun;
	bool taken; /* the top's record has been returned */
	uint64_t bound; /* the top stays first while its records are before this time */
	uint64_t last; /* the time of the last record of a file that has ended */
	uint64_t passed; /* files that were closed may have had records before this time */
	bool sliced; /* a file is read in several windows, and stays open between them */
	size_t gap_nr; /* the next file whose gap may be in the window */
	int gap_cpu; /* the next CPU whose gap is to be returned; -1: none */
	struct dkt_record gap; /* that gap, but for the CPU */

	struct dkt__comms comms; /* of the files so far */

	struct dkt_loss *losses; /* of the files that were closed, by CPU */
	size_t n_losses;
	uint64_t *told; /* how many records the kernel has lost, by CPU */
	size_t n_told;
	uint64_t done, bytes; /* of pages: read in closed files, and all */
	char *damage; /* info.damage */
	size_t n_damaged; /* files */
};

extern const struct dkt__source_ops dkt__series_ops;

/* Opens a file with a context of its own, which has the error message. Close it in either case. */
int dkt__series_open_file(const struct dkt__series *s, struct dkt__series_file *file);
void dkt__series_close_file(struct dkt__series_file *file);

/* Keeps only the first n files. */
void dkt__series_cut(struct dkt__series *s, size_t n);

/* Adds a text to the report of damage, which names a few files. name NULL: the words name it. */
void dkt__series_damage(struct dkt__series *s, const char *name, const char *words);

/* Returns the number of the stream with that name. */
uint32_t dkt__series_stream(const struct dkt__series *s, const char *name);
