/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The progress of a long operation: a line on stderr, if that is a terminal. */
#pragma once

#include <dktrace/dktrace.h>

enum progress_unit { PROGRESS_BYTES, PROGRESS_RECORDS };

struct progress {
	bool on;
	bool shown;
	uint64_t begun, last; /* ns of CLOCK_MONOTONIC */
	uint64_t of; /* the total, in that unit */
	enum progress_unit unit;
};

/*
 * of: the total, or 0 if it is unknown, which shows no progress. prints: the command prints records on
 * stdout. If that is a terminal, the records show the progress and no line is printed.
 */
void progress_begin(struct progress *progress, uint64_t of, enum progress_unit unit, bool prints);

/* Shows the progress after a second, and then once a second. */
void progress_at(struct progress *progress, uint64_t done);
void progress_end(struct progress *progress);

/* Prints a number with at most four digits, and a unit, on stderr: "12.3 MB/s", "4.56 k events/s". */
void progress_amount(double amount, const char *unit);

/* progress_begin() and progress_at() with the numbers of a source. */
void progress_source(struct progress *progress, const struct dkt_source *source, bool prints);
void progress_look(struct progress *progress, const struct dkt_source *source);

/*
 * A dkt_progress_fn for changes of many events. data is a struct progress, at first all zeros. The first
 * second counts from the first call.
 */
void progress_change(void *data, const char *what, size_t done, size_t of);
