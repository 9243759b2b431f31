/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where records go: a trace.dat file, or text and the like in one of the styles. */
#ifndef CTL_SINK_H
#define CTL_SINK_H

#include "app.h"
#include "outfile.h"

struct sink {
	struct app *app;
	const char *style; /* NULL: trace.dat */
	unsigned int version; /* of trace.dat */
	struct outfile file;
	struct dkt_source *source;
	struct dkt_tracedat *tracedat;
	uint64_t records; /* written */
	uint64_t lost; /* in gaps that say how many */
};

/*
 * Finds out from --format, or else from the ending of the file's name, what is to be written. 0 or
 * EXIT_USAGE.
 */
int sink_format(struct app *app, const char *path, struct sink *sink);

/* Begins the file at path, with records of the source. */
int sink_open(struct sink *sink, struct dkt_source *source, const char *path);
int sink_add(struct sink *sink, const struct dkt_record *record);

/* Completes the file, which is there from now on. */
int sink_finish(struct sink *sink);

/* Nothing is left of a file that was not completed. */
void sink_close(struct sink *sink);

#endif
