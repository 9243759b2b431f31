/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The line that a terminal shows while recording: rates, sizes, losses, time left. */
#include <inttypes.h>

#include "ctl/record/record.h"

/* Prints how long the disk will do at this rate. */
static void print_left(double seconds)
{
	if (seconds < 120)
		fprintf(stderr, ", disk full in %.0f s", seconds);
	else if (seconds < 2 * 3600)
		fprintf(stderr, ", disk full in %.0f min", seconds / 60);
	else if (seconds < 48 * 3600)
		fprintf(stderr, ", disk full in %.0f h", seconds / 3600);
	/* Beyond two days the rate of one second says little. */
}

void record_line_begin(struct record_line *line)
{
	*line = (struct record_line){ .on = isatty(STDERR_FILENO), .last = live_now() };
}

void record_line_show(struct record_line *line, const struct record *record)
{
	struct dkt_recorder_counts now;
	double time = live_now(), span = time - line->last, rate;
	uint64_t room;

	if (!line->on || span <= 0 || dkt_recorder_counts(record->recorder, &now, sizeof(now)))
		return;
	rate = (double)(now.bytes - line->before.bytes) / span;
	room = capture_file_room(&record->file);
	fprintf(stderr, "\r%.0f s: ", time - record->from);
	progress_amount((double)(now.records - line->before.records) / span, " events/s");
	fprintf(stderr, ", ");
	progress_amount(rate, "B/s");
	fprintf(stderr, ", ");
	progress_amount((double)now.bytes, "B");
	fprintf(stderr, ", %" PRIu64 " lost", now.lost);
	if (room != UINT64_MAX && rate > 0)
		print_left((double)room / rate);
	fprintf(stderr, "\033[K");
	line->before = now;
	line->last = time;
}

void record_line_end(struct record_line *line)
{
	if (line->on)
		fprintf(stderr, "\r\033[K");
	line->on = false;
}
