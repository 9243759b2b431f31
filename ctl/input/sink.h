/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where records go: a trace.dat file, or text and the like in one of the styles. */
#ifndef CTL_SINK_H
#define CTL_SINK_H

#include "app/app.h"
#include "input/outfile.h"
#include "pipeline/dk/out.h"

/* What one of the kernels needs whose records are printed. */
struct sink_part {
	struct class_map *map;
	struct style *style;
};

struct sink {
	struct app *app;
	struct dkt_style_info style; /* no name: trace.dat */
	unsigned int version; /* of trace.dat */
	bool part; /* of the source there is more than goes to this file */
	struct outfile file;
	struct dkt_source *source;
	struct dkt_ctx *const *ctxs; /* of the streams */
	size_t n_ctxs;
	struct dkt_tracedat *tracedat;
	struct dk_out out;
	struct sink_part *parts; /* one for each context, or one for all */
	size_t n_parts;
	int prefix; /* columns of the stream's name before each line; 0: none */
	uint64_t records; /* written */
	uint64_t gaps;
};

/*
 * Finds out from --format, or else from the ending of the file's name, what is to be written. 0 or
 * EXIT_USAGE.
 */
int sink_format(struct app *app, const char *path, struct sink *sink);

/*
 * Begins the file at path, with records of the source. Its streams are of the kernels of these
 * contexts, the last of which is that of all further ones.
 */
int sink_open(struct sink *sink, struct dkt_source *source, struct dkt_ctx *const *ctxs, size_t n,
	      const char *path);
int sink_add(struct sink *sink, const struct dkt_record *record);

/* Completes the file, which is there from now on. */
int sink_finish(struct sink *sink);

/* Says what failed, unless the reader of the output went away; returns the exit status. */
int sink_fail(const struct sink *sink);

/* Nothing is left of a file that was not completed; another one can be opened then. */
void sink_close(struct sink *sink);

#endif
