/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times between the segments of a directory in which nothing was recorded. */
#include "ctl/input/gaps.h"

#include <inttypes.h>
#include <stdlib.h>

#include "ctl/app/app.h"
#include "lib/base/memory.h"
#include "lib/base/when.h"

/* So many times are printed; the others are counted. */
#define SHOWN 10

/* ---- finding ---- */

int64_t gaps_began(const struct segment *segment)
{
	uint64_t number;
	int64_t time = 0;

	if (segment->from > 0)
		return segment->from;
	segment_read_name(segment->name, &number, &time);
	return dkt__timespec_ns(&(struct timespec){ .tv_sec = (time_t)time });
}

/* When it ended. A segment that was not completed has been written up to its end. 0: unknown. */
static int64_t ended(const struct segment *segment)
{
	return segment->known ? segment->to : segment->growing ? segment->mtime : 0;
}

int gaps_find(const struct segments *segments, struct gaps_edge *edges, struct gaps *gaps)
{
	const struct segment *before = NULL; /* the last one whose recording is known */
	int err = 0;

	*gaps = (struct gaps){ 0 };
	for (size_t i = 0; !err && i < segments->n; i++) {
		const struct segment *s = &segments->list[i];
		struct gaps_edge *edge = &edges[i];

		edge->gap = i && s->number != segments->list[i - 1].number + 1;
		edge->pause = before && s->run && s->run != before->run;
		if (edge->gap || edge->pause) {
			const struct gaps_one one = {
				.from = ended(edge->pause ? before : &segments->list[i - 1]),
				.to = gaps_began(s),
				.before = s->number,
				.gone = edge->gap,
			};

			err = dkt__append(gaps->list, gaps->n, one);
		}
		if (s->run)
			before = s;
	}
	if (segments->n) {
		const struct segment *last = &segments->list[segments->n - 1];

		gaps->first = gaps_began(&segments->list[0]);
		/* The process may be writing a segment that is not complete. */
		gaps->end = last->known ? last->to : 0;
	}
	return err;
}

void gaps_free(struct gaps *gaps)
{
	free(gaps->list);
	*gaps = (struct gaps){ 0 };
}

/* ---- reporting ---- */

bool gaps_is_within(const struct gaps_one *gap, int64_t since, int64_t until)
{
	return gap->to > since && gap->from < until;
}

static const char *when(int64_t time, char text[DKT__WHEN_SIZE])
{
	return dkt__format_when(time / DKT__NSEC_PER_SEC, text) ? text : "an unknown time";
}

static void report_one(const struct gaps_one *gap, const char *path)
{
	char from[DKT__WHEN_SIZE], to[DKT__WHEN_SIZE];

	/* The end may be known by the name of the next segment only, in whole seconds. */
	if (gap->from > 0 && gap->from / DKT__NSEC_PER_SEC <= gap->to / DKT__NSEC_PER_SEC)
		app_say("%s: nothing was recorded from %s to %s", path, when(gap->from, from),
			when(gap->to, to));
	else
		app_say("%s: nothing was recorded for a time before %s", path, when(gap->to, to));
}

static bool report_ends(const struct gaps *gaps, const char *path, int64_t since, int64_t until)
{
	char text[DKT__WHEN_SIZE];
	bool after =
		gaps->end && gaps->end < INT64_MAX - DKT__NSEC_PER_SEC &&
		(since > gaps->end || (until < INT64_MAX && until > gaps->end + DKT__NSEC_PER_SEC));

	if (after)
		app_say("%s: nothing was recorded after %s", path, when(gaps->end, text));
	if (until > gaps->first)
		return after;
	app_say("%s: nothing was recorded before %s, or its segments are gone", path,
		when(gaps->first, text));
	return true;
}

bool gaps_report(const struct gaps *gaps, const char *path, int64_t since, int64_t until)
{
	size_t n = 0;

	for (size_t i = 0; i < gaps->n; i++) {
		const struct gaps_one *gap = &gaps->list[i];

		/* Records that are gone are reported as lost. */
		if (gap->gone || !gaps_is_within(gap, since, until))
			continue;
		if (n++ < SHOWN)
			report_one(gap, path);
	}
	if (n > SHOWN)
		app_say("%s: nor was anything recorded at %zu other times", path, n - SHOWN);
	return report_ends(gaps, path, since, until) || n;
}
