/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The line that a terminal shows while recording: rates, sizes, losses, time left. */
#include <inttypes.h>

#include "record/record.h"

/* Prints a number with at most four digits, and a unit: "12.3 MB/s", "4.56 k events/s". */
static void print_amount(double amount, const char *unit)
{
	static const struct {
		double from;
		const char *prefix;
	} rows[] = { { 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" }, { 1, "" } };
	size_t i = 0;

	while (i < ARRAY_SIZE(rows) - 1 && amount < rows[i].from)
		i++;
	amount /= rows[i].from;
	fprintf(stderr, "%.*f %s%s",
		!*rows[i].prefix || amount >= 100 ? 0 :
		amount >= 10                      ? 1 :
						    2,
		amount, rows[i].prefix, *rows[i].prefix ? unit : unit + strspn(unit, " "));
}

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
	print_amount((double)(now.records - line->before.records) / span, " events/s");
	fprintf(stderr, ", ");
	print_amount(rate, "B/s");
	fprintf(stderr, ", ");
	print_amount((double)now.bytes, "B");
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
