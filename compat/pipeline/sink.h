/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A sink for records: a style that writes to a descriptor or to its own files, a trace.dat file, or
 * what the caller brings.
 */
#pragma once

#include "compat/pipeline/outfile.h"
#include "compat/pipeline/pipeline.h"
#include "compat/pipeline/text_out.h"

/* A kind of output that is not made here: it writes the file in any order, until it is closed. */
struct sink_writer {
	const char *name; /* of the format */
	int (*open)(struct pipeline *p, const struct outfile *file, void **state);
	int (*add)(void *state, const struct pipeline *p, const struct dkt_record *record);
	int (*finish)(void *state);
	void (*close)(void *state);
};

/* The output: its kind and its options. */
struct sink_opts {
	struct dkt_style_info style; /* without a name: trace.dat */
	unsigned int version; /* of trace.dat */
	const struct sink_writer *writer; /* neither a style nor trace.dat; NULL: one of them */
	const char *compression; /* as in struct dkt_tracedat_opts */
	const char *const *fields; /* as in struct dkt_style_opts */
	size_t n_fields;
	const char *buffer; /* the only buffer of the source that is read */
	bool streams; /* all buffers are read: lines for people begin with the stream's name */
	bool raw_text; /* as in struct dkt_style_opts */
	bool clock_error; /* say of merged records how far their times can be off */
	bool color; /* the output is a terminal */
	bool part; /* the file gets only part of the source */
	bool whole; /* the file is complete or absent */
	bool journal; /* the file is the journal; the style is legacy */
	bool stamps; /* as in struct text_out */
	const struct placer *placer; /* as in struct outfile */
};

struct sink {
	const struct sink_opts *opts;
	struct pipeline *p;
	struct dkt_tracedat *tracedat; /* NULL: a style, or a writer */
	void *state; /* of the writer; NULL: the others */
	struct style *plain; /* the only style; NULL: there are several */
	struct style **styles; /* one for each part of the pipeline, or one for all */
	size_t n_styles;
	struct dkt_buf *prefixes; /* of lines: the stream's name, by stream; NULL: none */
	size_t *ends; /* of the prefixes in their text */
	size_t n_prefixes;
	enum {
		SINK_ERRORS_NONE,
		SINK_ERRORS_TEXT, /* before lines */
		SINK_ERRORS_JSON, /* as keys */
	} errors; /* of clocks */
	struct bounds_order order; /* of the records written, for clock_error */
	struct text_out out;
	uint64_t records; /* written */
};

/* Finds a kind of output by name: a style, "trace.dat" or "trace.dat-6". -ENOENT: unknown name. */
int dkl_sink_kind(const char *name, struct sink_opts *opts);

/* For an unknown name: returns "; did you mean NAME?" or "". */
const char *dkl_sink_guess(struct dkt__guess *guess, const char *name);

/* Returns the name of the kind of output for a file name's suffix; NULL: unknown suffix. */
const char *dkl_sink_by_path(const char *path);

/* Opens the output file at path for the sink; NULL or "-": standard output. */
int dkl_sink_open_file(struct dkt_ctx *ctx, const struct sink_opts *opts, const char *path,
		       struct outfile *file);

/*
 * Opens a sink for records of the pipeline. The pipeline, opts and the open file must outlive the
 * sink.
 */
int dkl_sink_open(struct sink *sink, const struct sink_opts *opts, struct pipeline *p,
		  struct outfile *file);

/* True if records become text, which waits in a buffer. */
static inline bool sink_is_text(const struct sink *sink)
{
	return !sink->tracedat && !sink->state;
}

/* Writes the part before the first record. */
int dkl_sink_begin(struct sink *sink);

/* sink_put() for records that need more than a style. */
int dkl_sink_put_any(struct sink *sink, const struct dkt_record *record);

/* Copies the error message of the record's style to the pipeline. Returns err. */
int dkl_sink_fail(const struct sink *sink, const struct dkt_record *record, int err);

/* Writes a record or a gap; text stays in the buffer. */
static inline int sink_put(struct sink *sink, const struct dkt_record *record)
{
	int err;

	sink->records += record->event != NULL;
	if (!sink->plain || !record->event)
		return dkl_sink_put_any(sink, record);
	err = dkl_style_record(sink->plain, record, dkt_source_comm(sink->p->source, record),
			       sink->out.buf);
	return err ? dkl_sink_fail(sink, record, err) : 0;
}

/* The same, but writes the buffer out if it is full. */
int dkl_sink_add(struct sink *sink, const struct dkt_record *record);

/* Writes the rest and completes the file. */
int dkl_sink_finish(struct sink *sink);

/* Closes the sink, which can be opened again. */
void dkl_sink_close(struct sink *sink);

/* ---- pipeline/raw.c ---- */

extern const struct sink_writer dkl_raw_writer;
