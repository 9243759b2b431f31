/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints the lines above the panels, and whole frames: text, or JSON with one object a frame. */
#include <inttypes.h>

#include "ctl/app/print.h"
#include "ctl/out/bar.h"
#include "ctl/top/top.h"

/* Stacks of the first function in text. */
#define STACKS 3

/* ---- the lines above the panels: the interval, the machine, the own cost, losses ---- */

static double seconds_of(const struct activity_frame *frame)
{
	return (double)(frame->to - frame->from) / 1e9;
}

static double busy_percent(const struct top *top)
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
		fprintf(f, "CPUs %.1f %% of %ld busy", busy_percent(top), cpus);
	fprintf(f, "%s%s records/s  own cost %.1f %% of one CPU\n",
		frame->have & ACTIVITY_CPU ? "  " : "", records, top->cost.percent);
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

/* ---- frames ---- */

static void put_members(const struct top *top, struct out *out)
{
	const struct activity_frame *frame = &top->frame;
	const double seconds = seconds_of(frame);

	out_put(out, "time", val_when(top->when));
	out_put(out, "seconds", json_object_new_double(seconds));
	out_put(out, "busy_percent",
		frame->have & ACTIVITY_CPU ? json_object_new_double(busy_percent(top)) : NULL);
	out_put(out, "records", val_number(frame->records));
	out_put(out, "lost", val_number(top->lost));
	out_put(out, "unfollowed", val_number(frame->unfollowed));
	out_put(out, "log_uncounted", val_number(top->counts.lost));
	if (top->functions.wanted) {
		out_put(out, "samples", val_number(top->functions.round.samples));
		out_put(out, "samples_lost", val_number(top->functions.lost));
		out_put(out, "samples_missing", val_text(top->functions.reason));
	}
	out_put(out, "own_percent", json_object_new_double(top->cost.percent));
}

/* Those of the first function. */
static int print_stacks(const struct top *top, enum top_panel_nr nr, const struct top_view *view)
{
	struct rows *rows;
	int err;

	if (nr != TOP_FUNCTIONS || !view->n)
		return 0;
	printf("\n");
	rows = top_functions_stacks(top, view->items[0], STACKS);
	err = rows ? rows_table(rows, false, stdout) : -ENOMEM;
	rows_free(rows);
	return err;
}

static int print_text(const struct top *top, enum top_panel_nr nr, const struct top_view *view,
		      size_t n)
{
	char *title __cleanup(free) = top_title(top, nr);

	if (!title)
		return -ENOMEM;
	printf("\n%s (%zu)\n", title, view->n);
	return top_view_print(top, view, 0, n, stdout) ?: print_stacks(top, nr, view);
}

static int print_panel(const struct top *top, struct out *out, enum top_panel_nr nr, size_t n)
{
	struct top_view view;
	int err = top_view_new(top, nr, &view);

	if (!err && out->form == OUT_TEXT)
		err = print_text(top, nr, &view, n);
	else if (!err)
		out_rows(out, top_view_rows(top, &view, 0, n));
	top_view_clear(&view);
	return err;
}

int top_print(const struct top *top, unsigned int panels, size_t n)
{
	struct out out;
	int err = 0, end;

	print_begin(top->app, &out, 0);
	if (out.form == OUT_TEXT) {
		top_head(top, stdout);
		if (top_has_lost(top))
			top_print_lost(top, stdout);
	} else {
		put_members(top, &out);
	}
	for (enum top_panel_nr nr = 0; !err && nr < N_TOP_PANELS; nr++)
		if (panels & 1u << nr)
			err = print_panel(top, &out, nr, n ? n : SIZE_MAX);
	end = out_end(&out);
	if (!err && !end && out.form == OUT_TEXT)
		putchar('\n');
	fflush(stdout);
	return err ? err : end;
}
