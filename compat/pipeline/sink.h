/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A sink for records: a style that writes to a descriptor or to its own files, or a trace.dat file.
 */
#pragma once

#include "pipeline/outfile.h"
#include "pipeline/pipeline.h"
#include "pipeline/text_out.h"

/* The output: its kind and its options. */
struct sink_opts {
	struct dkt_style_info style; /* no name: trace.dat */
	unsigned int version; /* of trace.dat */
	const char *compression; /* as in struct dkt_tracedat_opts */
	const char *const *fields; /* as in struct dkt_style_opts */
	size_t n_fields;
	const char *buffer; /* the only one of the source's that is read */
	bool streams; /* all are: lines for people begin with the names of records' streams */
	bool raw_text; /* as in struct dkt_style_opts */
	bool color; /* the output is a terminal */
	bool part; /* of the source there is more than goes to this file */
	bool whole; /* the file is there whole or not at all */
};

struct sink {
	const struct sink_opts *opts;
	struct pipeline *p;
	struct dkt_tracedat *tracedat; /* NULL: a style */
	struct style *plain; /* that all there is of records goes through, NULL: there is more */
	struct style **styles; /* by part of the pipeline, or one for all */
	size_t n_styles;
	size_t width; /* of the names of streams before lines; 0: they are not there */
	struct text_out out;
	uint64_t records; /* put */
};

/* Finds a kind of output by name: a style, "trace.dat" or "trace.dat-6". -ENOENT: unknown name. */
int sink_kind(const char *name, struct sink_opts *opts);

/* For a name that is none: "; did you mean NAME?" or "". */
const char *sink_guess(struct dkt__guess *guess, const char *name);

/* The name of what is written that the end of a file's name stands for; NULL: it stands for none. */
const char *sink_by_path(const char *path);

/* Opens the file at path, NULL or "-" for standard output, as the sink writes it. */
int sink_open_file(struct dkt_ctx *ctx, const struct sink_opts *opts, const char *path,
		   struct outfile *file);

/* For records of the pipeline, which outlives it like opts and the open file. */
int sink_open(struct sink *sink, const struct sink_opts *opts, struct pipeline *p,
	      const struct outfile *file);

/* Writes the part before the first record. */
int sink_begin(struct sink *sink);

/* The same as sink_put() of records that need more than a style. */
int sink_put_any(struct sink *sink, const struct dkt_record *record);

/* The words of a failure of the record's style become the pipeline's. Returns err. */
int sink_fail(const struct sink *sink, const struct dkt_record *record, int err);

/* Puts a record or a gap; text stays in the buffer. */
static inline int sink_put(struct sink *sink, const struct dkt_record *record)
{
	int err;

	sink->records += record->event != NULL;
	if (!sink->plain || !record->event)
		return sink_put_any(sink, record);
	err = style_record(sink->plain, record, dkt_source_comm(sink->p->source, record),
			   sink->out.buf);
	return err ? sink_fail(sink, record, err) : 0;
}

/* The same, and writes text of which there is much. */
int sink_add(struct sink *sink, const struct dkt_record *record);

/* Writes all there is; the file is complete. */
int sink_finish(struct sink *sink);

/* Another one can be opened then. */
void sink_close(struct sink *sink);
