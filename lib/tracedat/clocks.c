/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The option with the clocks of the buffers, which only dktrace knows: a merged file has the times of several
 * clocks, related with an error.
 */
#include "lib/base/buf.h"
#include "lib/source/clock.h"
#include "lib/tracedat/write.h"

/* Flags of a buffer, and of a point. */
#define CLOCK_EXACT  1
#define POINT_BEGINS 1

/* The size of a point in the file. */
#define POINT_SIZE 36

/* ---- reading ---- */

/* Names are found once all buffers are known. */
struct dkt__dat_clock {
	const char *buffer, *host;
	uint32_t nr; /* of the buffer */
	struct dkt_source_clock its;
};

void dkt__dat_clocks_clear(struct dkt__dat *dat)
{
	for (uint32_t i = 0; i < dat->n_clocks; i++)
		dkt__clock_clear(&dat->clocks[i].its);
	free(dat->clocks);
	dat->clocks = NULL;
	dat->n_clocks = 0;
}

static bool read_points(struct dkt__cursor *option, struct dkt_source_clock *clock)
{
	const uint32_t n = (uint32_t)dkt__cursor_number(option, 4);
	struct dkt_clock_point *points;

	if (option->bad || n > dkt__cursor_left(option) / POINT_SIZE)
		return false;
	points = calloc(n + 1, sizeof(*points));
	if (!points)
		return false;
	clock->points = points;
	clock->n_points = n;
	for (uint32_t i = 0; i < n; i++) {
		points[i].time = dkt__cursor_number(option, 8);
		points[i].offset = (int64_t)dkt__cursor_number(option, 8);
		points[i].error = dkt__cursor_number(option, 8);
		points[i].own_error = dkt__cursor_number(option, 8);
		points[i].begins = dkt__cursor_number(option, 4) & POINT_BEGINS;
	}
	return true;
}

static bool read_clock(struct dkt__cursor *option, struct dkt__dat_clock *clock)
{
	clock->buffer = dkt__cursor_string(option);
	clock->host = dkt__cursor_string(option);
	clock->its.exact = dkt__cursor_number(option, 4) & CLOCK_EXACT;
	return read_points(option, &clock->its);
}

static void damaged(struct dkt__dat *dat)
{
	dkt__dat_clocks_clear(dat);
	dkt__streams_damage(&dat->streams, "the errors of its clocks are invalid");
}

void dkt__dat_clocks(struct dkt__dat *dat, struct dkt__cursor *option)
{
	const uint32_t n = (uint32_t)dkt__cursor_number(option, 4);
	bool good = !option->bad && n <= DKT__DAT_BUFFERS;

	dkt__dat_clocks_clear(dat);
	dat->clocks = good ? calloc(n + 1, sizeof(*dat->clocks)) : NULL;
	good = dat->clocks;
	for (uint32_t i = 0; good && i < n; i++) {
		dat->n_clocks++;
		good = read_clock(option, &dat->clocks[i]);
	}
	if (!good)
		damaged(dat);
}

/* Returns the buffer of that name, or n_buffers. */
static uint32_t find_buffer(const struct dkt__dat *dat, const char *name)
{
	uint32_t i = 0;

	while (i < dat->n_buffers && strcmp(dat->buffers[i].name, name) != 0)
		i++;
	return i;
}

void dkt__dat_clocks_place(struct dkt__dat *dat)
{
	const uint64_t added = (uint64_t)dat->streams.times.offset;

	for (uint32_t i = 0; i < dat->n_clocks; i++) {
		struct dkt__dat_clock *clock = &dat->clocks[i];
		struct dkt_clock_point *points = (struct dkt_clock_point *)clock->its.points;

		clock->nr = find_buffer(dat, clock->buffer);
		clock->its.host = find_buffer(dat, clock->host);
		for (size_t j = 0; j < clock->its.n_points; j++)
			points[j].time += added;
		if (clock->nr == dat->n_buffers || clock->its.host == dat->n_buffers ||
		    !dkt__clock_valid(&clock->its)) {
			damaged(dat);
			return;
		}
	}
}

int dkt__dat_clock(const struct dkt_source *source, uint32_t nr, struct dkt_source_clock *clock)
{
	const struct dkt__dat *dat = (const struct dkt__dat *)source;

	if (!dat->n_clocks || nr >= dat->n_buffers)
		return 1;
	clock->host = nr;
	for (uint32_t i = 0; i < dat->n_clocks; i++)
		if (dat->clocks[i].nr == nr)
			*clock = dat->clocks[i].its;
	return 0;
}

/* ---- writing ---- */

static void put_clock(const struct dkt_tracedat *out, struct dkt_buf *buf, uint32_t nr)
{
	struct dkt_source_clock clock;
	const char *name = out->streams[nr].name, *host;

	/* A file has a top instance even if the source does not. It has no records. */
	if (dkt__source_clock(out->source, nr, &clock, sizeof(clock)))
		clock = (struct dkt_source_clock){ .host = nr, .exact = true };
	host = clock.host < out->n_streams ? out->streams[clock.host].name : name;
	dkt__tdw_string(buf, name);
	dkt__tdw_string(buf, host);
	dkt__tdw_number(out, buf, clock.exact ? CLOCK_EXACT : 0, 4);
	dkt__tdw_number(out, buf, clock.n_points, 4);
	for (size_t i = 0; i < clock.n_points; i++) {
		const struct dkt_clock_point *point = &clock.points[i];

		dkt__tdw_number(out, buf, point->time, 8);
		dkt__tdw_number(out, buf, (uint64_t)point->offset, 8);
		dkt__tdw_number(out, buf, point->error, 8);
		dkt__tdw_number(out, buf, point->own_error, 8);
		dkt__tdw_number(out, buf, point->begins ? POINT_BEGINS : 0, 4);
	}
}

void dkt__tdw_clocks(const struct dkt_tracedat *out, struct dkt_buf *buf)
{
	struct dkt_source_clock clock;
	struct dkt_buf option = { 0 };

	if (dkt__source_clock(out->source, 0, &clock, sizeof(clock)))
		return;
	dkt__tdw_number(out, &option, out->n_streams, 4);
	for (size_t i = 0; i < out->n_streams; i++)
		put_clock(out, &option, (uint32_t)i);
	if (option.err)
		buf->err = option.err;
	else
		dkt__tdw_option(out, buf, DAT_CLOCKS, option.data, option.len);
	free(option.data);
}
