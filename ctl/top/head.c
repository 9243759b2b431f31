/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lines above the panels: the interval, the machine, the command's own cost, losses. */
#include <inttypes.h>
#include <time.h>

#include "ctl/out/bar.h"
#include "ctl/top/top.h"

static double seconds_of(const struct activity_frame *frame)
{
	return (double)(frame->to - frame->from) / 1e9;
}

double top_busy(const struct top *top)
{
	const double ns = (double)(top->frame.to - top->frame.from);
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	return ns > 0 && top->frame.busy > 0 ? 100 * (double)top->frame.busy / ns / (double)cpus :
					       0;
}

void top_head(const struct top *top, FILE *f)
{
	const struct activity_frame *frame = &top->frame;
	const double seconds = seconds_of(frame);
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	char records[UNIT_SIZE], when[16];
	struct tm tm;

	strftime(when, sizeof(when), "%H:%M:%S", localtime_r(&top->when, &tm));
	rate_text(seconds > 0 ? (double)frame->records / seconds : 0, records);
	fprintf(f, "dktrace top  %s  interval %.2f s  %zu processes, %zu threads\n", when, seconds,
		frame->n_processes, frame->n_threads);
	if (frame->have & ACTIVITY_CPU)
		fprintf(f, "CPUs %.1f %% of %ld busy", top_busy(top), cpus);
	fprintf(f, "%s%s records/s  own cost %.1f %% of one CPU\n",
		frame->have & ACTIVITY_CPU ? "  " : "", records, top->cost.percent);
}

void top_print_log(const struct top *top, FILE *f)
{
	const struct top_buffer *log = &top->buffers[TOP_LOG];
	char rate[UNIT_SIZE], lost[UNIT_SIZE];

	if (!log->name || !log->known)
		return;
	rate_text(top_per_second(top, (double)log->records), rate);
	rate_text(top_per_second(top, (double)log->lost), lost);
	fprintf(f, "log %s records/s, %s lost/s  ", rate, lost);
}

bool top_has_lost(const struct top *top)
{
	return top->lost || top->counts.lost || top->frame.unfollowed;
}

void top_print_lost(const struct top *top, FILE *f)
{
	const struct activity_frame *frame = &top->frame;

	if (top->lost)
		fprintf(f, "LOST %" PRIu64 " records in this interval: its numbers are too low\n",
			top->lost);
	else if (top->counts.lost)
		fprintf(f,
			"LOST %" PRIu64
			" of the log's records here: classes and events are too low\n",
			top->counts.lost);
	else if (frame->unfollowed)
		fprintf(f,
			"%" PRIu64
			" records are of too many threads to follow: their numbers are missing\n",
			frame->unfollowed);
}
