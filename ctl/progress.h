/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How far a long reading is: a line on stderr, if that is a terminal. */
#ifndef CTL_PROGRESS_H
#define CTL_PROGRESS_H

#include <dktrace/dktrace.h>

struct progress {
	bool on;
	bool shown;
	uint64_t begun, last; /* ns of CLOCK_MONOTONIC */
	uint64_t of; /* bytes */
};

/* of: bytes that are to be read. */
void progress_begin(struct progress *progress, uint64_t of);

/* So many bytes have been read by now. Shown after a second, and then once a second. */
void progress_at(struct progress *progress, uint64_t done);
void progress_end(struct progress *progress);

#endif
