/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The progress of a long operation: a line on stderr, if that is a terminal. */
#pragma once

#include <dktrace/dktrace.h>

enum progress_unit { PROGRESS_BYTES, PROGRESS_RECORDS };

struct progress {
	bool on;
	bool shown;
	uint64_t begun, last; /* ns of CLOCK_MONOTONIC */
	uint64_t of; /* in that unit */
	enum progress_unit unit;
};

/*
 * of: how much is to be read, 0: it is not known. prints: the records are printed on stdout; where
 * that is a terminal, too, it moves by itself.
 */
void progress_begin(struct progress *progress, uint64_t of, enum progress_unit unit, bool prints);

/* So much has been read by now. Shown after a second, and then once a second. */
void progress_at(struct progress *progress, uint64_t done);
void progress_end(struct progress *progress);

/* The same of a source: of the bytes that are read, */
void progress_source(struct progress *progress, const struct dkt_source *source, bool prints);

/* and how far it is. */
void progress_look(struct progress *progress, const struct dkt_source *source);

/*
 * The same of what is switched: dkt_progress_fn, with a struct progress of zeros as its data. The
 * second counts from the first call.
 */
void progress_switch(void *data, const char *what, size_t done, size_t of);
