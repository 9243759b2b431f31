/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions that each kind of source implements, behind dkt_source_next() and the others. */
#pragma once

#include "lib/base/disks.h"
#include "lib/ctx.h"
#include "lib/inside/code.h"

struct dkt__source_ops {
	int (*next)(struct dkt_source *source, struct dkt_record *record);
	const char *(*comm)(struct dkt_source *source, const struct dkt_record *record);
	int (*loss)(struct dkt_source *source, int cpu, struct dkt_loss *loss);
	int (*seek)(struct dkt_source *source, uint64_t since, uint64_t until); /* NULL: cannot */
	int (*slice)(struct dkt_source *source, uint64_t from, uint64_t bytes, uint64_t *to);
	/* Chooses events; a seek follows. NULL: all records are returned. */
	int (*select)(struct dkt_source *source, dkt_event_fn wants, void *data);
	int (*filter)(struct dkt_source *source, struct dkt_expr *expr); /* NULL: likewise */
	int (*bytes)(const struct dkt_source *source, uint64_t *done, uint64_t *of);
	/* NULL: no new records can come. The fd is -1 if the source does not follow. */
	int (*wait)(struct dkt_source *source, int timeout_ms);
	int (*fd)(const struct dkt_source *source);
	int (*wake)(struct dkt_source *source);
	/* last: the last returned record is safe, too. NULL: nothing is kept. */
	int (*done)(struct dkt_source *source, bool last);
	void (*close)(struct dkt_source *source);
	/* For several streams, see dkt_source_stream(). NULL: the source has one, named "". */
	const char *(*stream)(const struct dkt_source *source, uint32_t nr);
	const struct dkt__source_peer *(*peer)(const struct dkt_source *source, size_t i);
	/* Gets all but sz of a clock, which is zeroed, or returns 1. NULL: the streams have no clocks of their own. */
	int (*clock)(const struct dkt_source *source, uint32_t nr, struct dkt_source_clock *clock);
	/* Returns the names of the disks of the stream's host; NULL: unknown. NULL: all are. */
	const struct dkt__disks *(*disks)(const struct dkt_source *source, uint32_t nr);
	/* The place of the last sample, and the code of a function. NULL: the source has no samples of code. */
	int (*spot)(struct dkt_source *source, struct dkt__spot *spot);
	int (*code)(const struct dkt__spot *spot, const char *name, const char *vmlinux,
		    struct dkt__listing *listing);
	/* The files that samples are in. NULL: unknown. */
	int (*recorded)(struct dkt_source *source, size_t i, struct dkt__recorded *recorded);
	/* Returns the source of a stream, with its own data. NULL: this one. */
	struct dkt_source *(*part)(struct dkt_source *source, uint32_t nr);
};

struct dkt__file;

/* One kind of file. */
struct dkt__reader {
	const char *name; /* "trace.dat" */
	bool (*is)(const uint8_t *data, size_t size); /* true if the data begin like this kind */
	int (*open)(struct dkt_ctx *ctx, const struct dkt__file *file,
		    const struct dkt_source_opts *opts, struct dkt_source **source);
};

extern const struct dkt__reader dkt__reader_tracedat, dkt__reader_perfdata, dkt__reader_vmcore,
	dkt__reader_text;

/* The first member of each kind's own struct. */
struct dkt_source {
	const struct dkt__source_ops *ops;
	struct dkt_ctx *ctx; /* context of the records' kernel; for merged sources the first's */
	struct dkt_source_info info;
	struct dkt__missed *missed; /* lives as long as the context */
};

/* Gets the number of a probe, which is 0 at first. NULL: there are too many probes, or no memory. */
struct dkt__missed *dkt__missed_get(struct dkt_ctx *ctx, struct dkt__missed **list,
				    const char *probe);

/* True if records of the CPU are wanted: it is listed, or the list is empty. */
static inline bool dkt__cpu_asked(const int *cpus, size_t n, uint32_t cpu)
{
	for (size_t i = 0; i < n; i++)
		if (cpus[i] == (int)cpu)
			return true;
	return !n;
}

/* Copies and checks the options of a source; opts may be NULL. */
int dkt__source_opts_take(struct dkt_ctx *ctx, struct dkt_source_opts *asked,
			  const struct dkt_source_opts *opts);

/*
 * Copies the buffer's name and the CPUs of options that are used after the source has been opened;
 * the copies live as long as the context. Clears the other pointers and the descriptor.
 */
int dkt__source_opts_keep(struct dkt_ctx *ctx, struct dkt_source_opts *opts);

/* Gets the requested time window on the source's own clock; 0: no bound. */
void dkt__source_times(const struct dkt_source *source, const struct dkt_source_opts *opts,
		       uint64_t *since, uint64_t *until);

/* Ends an open: sets *out to the source, or closes it after an error. Returns err. */
int dkt__source_opened(struct dkt_source *source, int err, struct dkt_source **out);

/* Returns the descriptor of dkt_source_fd(); -1: the source does not follow. */
int dkt__source_fd(const struct dkt_source *source);

/* dkt_source_done(), without the last returned record unless last is set. */
int dkt__source_done(struct dkt_source *source, bool last);

/* As dkt_source_next(). */
static inline int dkt__source_next(struct dkt_source *source, struct dkt_record *record)
{
	if (dkt__unlikely(source->ctx->starved))
		return dkt__no_memory(source->ctx);
	return source->ops->next(source, record);
}

/* Adds what a source has seen and lost on a CPU to the sum; nothing, if it has no such CPU. */
void dkt__source_add_loss(struct dkt_source *source, int cpu, struct dkt_loss *sum);

/* Returns the names of the disks of a stream's host; NULL: unknown. */
const struct dkt__disks *dkt__source_disks(const struct dkt_source *source, uint32_t nr);

/* Returns the source of a stream of this one. */
struct dkt_source *dkt__source_part(struct dkt_source *source, uint32_t nr);

/* ---- source/window.c: for kinds of sources that cannot seek: tests each record ---- */

struct dkt__window {
	uint64_t since, until;
	int *cpus; /* those asked for; NULL: all */
	size_t n_cpus;
	bool begun;
};

/* Sets the window of a source, whose info is known. */
int dkt__window_set(struct dkt__window *window, const struct dkt_source *source,
		    const struct dkt_source_opts *opts);

/* Gets the next record in the window: calls next(data). Returns as dkt_source_next() does. */
int dkt__window_next(struct dkt__window *window, int (*next)(void *data, struct dkt_record *record),
		     void *data, struct dkt_record *record);
int dkt__window_seek(struct dkt__window *window, uint64_t since, uint64_t until);
bool dkt__window_has_cpu(const struct dkt__window *window, uint32_t cpu);

/* Makes the directory the context's tracefs, and its pages a source of records. */
int dkt__source_saved_tree(struct dkt_ctx *ctx, const char *path,
			   const struct dkt_source_opts *opts, struct dkt_source **source);
