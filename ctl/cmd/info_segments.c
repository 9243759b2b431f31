/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists the segments of a directory. */
#include <inttypes.h>

#include "ctl/app/groups.h"
#include "ctl/app/print.h"
#include "ctl/cmd/info.h"
#include "ctl/input/directory.h"
#include "ctl/out/bar.h"
#include "lib/base/buf.h"
#include "lib/base/when.h"

/* The width of the column of labels. */
#define LABELS 10

struct listing {
	struct app *app;
	const char *path;
	struct rows *rows, *gaps;
	int64_t from, to; /* of all records */
	uint64_t records, lost, bytes;
	int rc;
};

/* ---- one segment ---- */

static int count_one(void *data, struct dkt_source *source, const struct dkt_record *record)
{
	struct segment *segment = data;
	int64_t time = dkt__wall_time(record->ts, dkt_source_info(source)->wall);

	if (!record->event)
		return 0;
	segment->from = segment->records++ ? DKT__MIN(segment->from, time) : time;
	segment->to = DKT__MAX(segment->to, time);
	return 0;
}

/* Finds out what the index does not know. Returns the state of the segment. */
static const char *find_facts(struct listing *listing, struct segment *segment)
{
	struct record_args all = { .source = { .sz = sizeof(all.source),
					       .flags = DKT_SOURCE_ALL } };
	char *path __cleanup(free) = dkt__format("%s/%s", listing->path, segment->name);
	const char *state = "complete";
	struct inputs in = { 0 };
	int err = path ? inputs_open_one(listing->app, path, &all, &in) :
			 dkt_fail(listing->app->ctx, -ENOMEM, "out of memory");

	*segment = (struct segment){ .number = segment->number, .bytes = segment->bytes };
	if (!err)
		err = inputs_each(&in, count_one, segment);
	if (err) {
		listing->rc = app_worse(app_fail(listing->app), listing->rc);
		state = "unreadable";
	} else {
		const struct losses *losses = &in.pipeline.parts[0].losses;

		segment->lost = losses->lost;
		state = losses->growing ? "growing" : state;
		if (losses->damage || losses->bad)
			state = "damaged";
		listing->rc = app_worse(inputs_report_losses(&in), listing->rc);
	}
	inputs_clear(&in);
	return state;
}

/* "11-23 09:40:00", or NULL if the time is unknown. */
static struct json_object *time_value(const struct app *app, int64_t time)
{
	char text[DKT__WHEN_SIZE];

	if (!time || OPT(app, print)->json || OPT(app, print)->csv)
		return time ? val_number((uint64_t)time) : NULL;
	return dkt__format_when(time / DKT__NSEC_PER_SEC, text) ? val_text(strchr(text, '-') + 1) :
								  NULL;
}

static void add_segment(struct listing *listing, struct segment *segment, bool is_last)
{
	char name[SEGMENT_NAME];
	const char *state = "complete";

	memcpy(name, segment->name, sizeof(name));
	/* The writer has just begun the last one. */
	if (!segment->bytes && is_last)
		state = "empty";
	else if (!segment->known)
		state = find_facts(listing, segment);
	else if (segment->lost)
		listing->rc = app_worse(EXIT_LOST, listing->rc);
	if (segment->from && (!listing->from || segment->from < listing->from))
		listing->from = segment->from;
	listing->to = DKT__MAX(listing->to, segment->to);
	listing->records += segment->records;
	listing->lost += segment->lost;
	listing->bytes += segment->bytes;
	rows_add(listing->rows, val_number(segment->number), val_text(name),
		 time_value(listing->app, segment->from), time_value(listing->app, segment->to),
		 val_number(segment->records), val_number(segment->lost),
		 val_number(segment->bytes), val_text(state));
}

/* ---- all ---- */

static void put_time(struct out *out, const char *key, int64_t time)
{
	char text[DKT__WHEN_SIZE];

	out_put(out, key, time ? val_number((uint64_t)time) : NULL);
	if (time && dkt__format_when(time / DKT__NSEC_PER_SEC, text))
		out_line(out, key, "%s", text);
}

static int put_all(struct listing *listing, size_t n)
{
	char size[UNIT_SIZE];
	struct out out;

	print_begin(listing->app, &out, LABELS);
	out_field(&out, "directory", listing->path);
	out_put(&out, "n_segments", val_number(n));
	out_line(&out, "segments", "%zu", n);
	put_time(&out, "from", listing->from);
	put_time(&out, "to", listing->to);
	out_put(&out, "records", val_number(listing->records));
	out_line(&out, "records", "%" PRIu64, listing->records);
	out_put(&out, "lost", val_number(listing->lost));
	out_line(&out, "lost", "%" PRIu64, listing->lost);
	out_put(&out, "bytes", val_number(listing->bytes));
	size_text(listing->bytes, size);
	out_line(&out, "size", "%s", size);
	out_rows(&out, listing->rows);
	out_rows(&out, listing->gaps);
	return out_end(&out);
}

/* Times between segments in which nothing was recorded, or of which the segments are gone. */
static void add_gaps(struct listing *listing, const struct directory *dir)
{
	for (size_t i = 0; i < dir->gaps.n; i++) {
		const struct gaps_one *gap = &dir->gaps.list[i];

		if (!gaps_is_within(gap, dir->since, dir->until))
			continue;
		rows_add(listing->gaps, val_number(gap->before),
			 time_value(listing->app, gap->from), time_value(listing->app, gap->to),
			 val_text(gap->gone ? "segments are gone" : "nothing was recorded"));
		listing->rc = app_worse(EXIT_LOST, listing->rc);
	}
}

int info_segments(struct app *app, const char *path, const struct selection *selection)
{
	static const struct column columns[] = { { .key = "number", .type = COL_NUMBER },
						 { .key = "name", .flags = COL_DATA },
						 { .key = "from" },
						 { .key = "to" },
						 { .key = "records", .type = COL_NUMBER },
						 { .key = "lost", .type = COL_NUMBER },
						 { .key = "size", .type = COL_BYTES },
						 { .key = "state" } };
	static const struct column gap_columns[] = {
		{ .key = "before", .type = COL_NUMBER, .heading = "GAP BEFORE" },
		{ .key = "from", .none = "?" },
		{ .key = "to" },
		{ .key = "cause" }
	};
	struct listing listing = { .app = app, .path = path };
	struct directory dir;
	int err = directory_read(app, path, selection, &dir);

	listing.rows = rows_new("segments", columns, ARRAY_SIZE(columns));
	listing.gaps = rows_new("gaps", gap_columns, ARRAY_SIZE(gap_columns));
	if (!err)
		add_gaps(&listing, &dir);
	for (size_t i = 0; !err && i < dir.segments.n; i++)
		add_segment(&listing, &dir.segments.list[i], i + 1 == dir.segments.n);
	if (err) {
		rows_free(listing.rows);
		rows_free(listing.gaps);
	} else {
		err = put_all(&listing, dir.segments.n);
	}
	directory_clear(&dir);
	return err ? app_fail(app) : listing.rc;
}
