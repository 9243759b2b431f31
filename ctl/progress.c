/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How far a long reading is: a line on stderr, if that is a terminal. */
#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)

static uint64_t now(void)
{
	struct timespec ts = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * SECOND + (uint64_t)ts.tv_nsec;
}

void progress_begin(struct progress *progress, uint64_t of)
{
	/* Where the output is the same terminal it moves by itself. */
	*progress = (struct progress){ .on = of && isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO),
				       .of = of };
	if (progress->on)
		progress->begun = progress->last = now();
}

void progress_at(struct progress *progress, uint64_t done)
{
	double seconds, rate;
	uint64_t time;

	if (!progress->on || !done)
		return;
	time = now();
	if (time - progress->last < SECOND)
		return;
	progress->last = time;
	progress->shown = true;
	if (done > progress->of)
		done = progress->of;
	seconds = (double)(time - progress->begun) / 1e9;
	rate = (double)done / seconds;
	fprintf(stderr, "\r%3.0f %%, %.0f MB/s, %.0f s left \033[K",
		100.0 * (double)done / (double)progress->of, rate / 1e6,
		(double)(progress->of - done) / rate);
}

void progress_end(struct progress *progress)
{
	if (progress->shown)
		fprintf(stderr, "\r\033[K");
	progress->shown = progress->on = false;
}
