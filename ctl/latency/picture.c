/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The picture of latency: durations over time, and how often each was measured. */
#include <inttypes.h>
#include <math.h>

#include "ctl/latency/latency.h"
#include "ctl/out/bar.h"
#include "ctl/out/origin.h"
#include "ctl/out/svg.h"
#include "lib/base/buf.h"

#define WIDTH  840.0
#define LEFT   120.0
#define RIGHT  24.0
#define TOP    92.0
#define HEIGHT 240.0
#define INNER  (WIDTH - LEFT - RIGHT)

/* Rows of the map for each power of two. */
#define PARTS 4u
#define ROWS  (64 * PARTS)

struct map {
	FILE *f;
	const struct heat *heat;
	uint32_t columns; /* up to the last time */
	unsigned int low, high; /* rows: from low to high - 1 */
	uint64_t most; /* the largest cell */
	double width; /* of a column */
	double seconds; /* of all columns */
	const char *begin; /* the clock time of the first column; NULL: unknown */
};

/* ---- cells ---- */

static uint64_t cell(const struct map *map, uint32_t column, unsigned int row)
{
	return dkt__dist_part(&map->heat->columns[column], row / PARTS, row % PARTS, PARTS);
}

static void measure(struct map *map)
{
	map->low = ROWS;
	for (uint32_t column = 0; column < map->columns; column++)
		for (unsigned int row = 0; map->heat->columns[column].count && row < ROWS; row++) {
			uint64_t n = cell(map, column, row);

			if (!n)
				continue;
			map->low = row < map->low ? row : map->low;
			map->high = row >= map->high ? row + 1 : map->high;
			map->most = n > map->most ? n : map->most;
		}
	/* From one power of two to another. */
	map->low -= map->low % PARTS;
	map->high += (PARTS - map->high % PARTS) % PARTS;
}

/* The place of a row, counted from 0 with fractions. */
static double row_y(const struct map *map, double row)
{
	return TOP + HEIGHT * (1 - (row - map->low) / (map->high - map->low));
}

static double duration_y(const struct map *map, uint64_t ns)
{
	unsigned int power = ns ? 63 - (unsigned int)__builtin_clzll(ns) : 0;

	return row_y(map, PARTS * (power + (ns ? ldexp((double)ns, -(int)power) - 1 : 0)));
}

static uint64_t row_from(unsigned int row)
{
	/* The last row ends above all numbers. */
	if (row >= ROWS)
		return UINT64_MAX;
	return row ? (uint64_t)ldexp(1 + (row % PARTS) / (double)PARTS, (int)(row / PARTS)) : 0;
}

static void put_cell(const struct map *map, uint32_t column, unsigned int row, uint64_t n)
{
	char from[UNIT_SIZE], to[UNIT_SIZE], color[SVG_COLOR_SIZE];
	char *tip __cleanup(free) = NULL;

	duration_text(row_from(row), from);
	duration_text(row_from(row + 1), to);
	tip = dkt__format("%" PRIu64 " from %s to %s", n, from, to);
	svg_heat(n, map->most, color);
	svg_rect(map->f, LEFT + column * map->width, row_y(map, row + 1), DKT__MAX(map->width, 1.0),
		 HEIGHT / (map->high - map->low), color, tip);
}

static void put_cells(const struct map *map)
{
	for (uint32_t column = 0; column < map->columns; column++)
		for (unsigned int row = map->low; row < map->high; row++) {
			uint64_t n = cell(map, column, row);

			if (n)
				put_cell(map, column, row, n);
		}
}

/* ---- lines ---- */

static const struct curve {
	const char *name;
	double part; /* of the pairs; 1: the maximum */
	const char *color, *dashes;
} curves[] = {
	{ "p50", 0.5, SVG_RED, "" },
	{ "p99", 0.99, SVG_ORANGE, "6 3" },
	{ "max", 1, SVG_TEXT, "2 3" },
};

/* A column without pairs interrupts the line. */
static void put_curve(const struct map *map, const struct curve *curve)
{
	bool open = false;

	for (uint32_t column = 0; column < map->columns; column++) {
		const struct dkt__dist *dist = &map->heat->columns[column];
		uint64_t ns;

		if (!dist->count) {
			if (open)
				svg_curve_end(map->f);
			open = false;
			continue;
		}
		if (!open)
			svg_curve_begin(map->f, curve->color, curve->dashes);
		open = true;
		ns = curve->part < 1 ? dkt__dist_quantile(dist, curve->part) : dist->max;
		svg_curve_to(map->f, LEFT + (column + 0.5) * map->width, duration_y(map, ns));
	}
	if (open)
		svg_curve_end(map->f);
}

static void put_legend(FILE *f)
{
	double x = LEFT;

	for (size_t i = 0; i < ARRAY_SIZE(curves); i++, x += 70) {
		svg_curve_begin(f, curves[i].color, curves[i].dashes);
		svg_curve_to(f, x, 72);
		svg_curve_to(f, x + 24, 72);
		svg_curve_end(f);
		svg_text(f, x + 30, 76, SVG_START, SVG_TEXT, 0, curves[i].name);
	}
}

/* ---- axes ---- */

/* 1, 2 or 5 times a power of 10, so that about n of them fit. */
static double round_step(double seconds, double n)
{
	static const double factors[] = { 2, 2.5, 2 };
	double step = 1e-9;

	for (size_t i = 0; step < seconds / n; i++)
		step *= factors[i % ARRAY_SIZE(factors)];
	return step;
}

static void put_duration(const struct map *map, uint64_t ns)
{
	double y = duration_y(map, ns);
	char text[UNIT_SIZE];

	duration_text(ns, text);
	svg_line(map->f, LEFT, y, WIDTH - RIGHT, y);
	svg_text(map->f, LEFT - 8, y + 4, SVG_END, SVG_TEXT, 0, text);
}

/* Lines at 1, 10, 100 us ..., at 2 and 5 times these if they are few, or else at both ends. */
static void put_durations(const struct map *map)
{
	static const uint64_t factors[] = { 1, 2, 5 };
	const uint64_t from = row_from(map->low), to = row_from(map->high);
	const size_t n = to / 100 > from ? 1 : ARRAY_SIZE(factors);
	bool some = false;

	for (uint64_t decade = 1; decade <= to && decade <= UINT64_MAX / 10; decade *= 10)
		for (size_t i = 0; i < n; i++) {
			const uint64_t ns = decade * factors[i];

			if (ns < from || ns > to)
				continue;
			put_duration(map, ns);
			some = true;
		}
	if (some)
		return;
	put_duration(map, from);
	put_duration(map, to);
}

static void put_axes(const struct map *map)
{
	double tick = round_step(map->seconds, 7);
	char text[UNIT_SIZE];

	put_durations(map);
	for (unsigned int i = 0; i * tick <= map->seconds; i++) {
		double x = LEFT + INNER * i * tick / map->seconds;

		duration_text((uint64_t)(i * tick * 1e9 + 0.5), text);
		svg_line(map->f, x, TOP + HEIGHT, x, TOP + HEIGHT + 5);
		svg_text(map->f, x, TOP + HEIGHT + 18, SVG_MIDDLE, SVG_TEXT, 0,
			 i          ? text :
			 map->begin ?:
				      "0");
	}
}

/* ---- the distribution ---- */

#define BARS_TOP (TOP + HEIGHT + 48)

struct powers {
	uint64_t counts[64], most;
	unsigned int first, n; /* of those that are not 0, and between them */
};

static struct powers count_powers(const struct dkt_intervals *pairs)
{
	struct powers powers = { .first = 64 };

	for (unsigned int i = 0; i < 64; i++) {
		powers.counts[i] = dkt_intervals_power(pairs, DKT_INTERVALS_ALL, i);
		if (!powers.counts[i])
			continue;
		powers.first = i < powers.first ? i : powers.first;
		powers.n = i - powers.first + 1;
		powers.most = DKT__MAX(powers.most, powers.counts[i]);
	}
	return powers;
}

static void put_powers(FILE *f, const struct powers *powers)
{
	char from[UNIT_SIZE], below[UNIT_SIZE], count[24];
	char label[2 * UNIT_SIZE + 4];

	for (unsigned int i = powers->first; i < powers->first + powers->n; i++) {
		double y = BARS_TOP + (i - powers->first) * SVG_ROW;
		double width = (INNER - 80) * (double)powers->counts[i] / (double)powers->most;

		duration_text(row_from(PARTS * i), from);
		duration_text(row_from(PARTS * (i + 1)), below);
		snprintf(label, sizeof(label), "%s - %s", from, below);
		snprintf(count, sizeof(count), "%" PRIu64, powers->counts[i]);
		svg_text(f, LEFT - 8, y + 13, SVG_END, SVG_TEXT, 0, label);
		if (powers->counts[i])
			svg_rect(f, LEFT, y + 2, DKT__MAX(width, 1.0), SVG_ROW - 4, SVG_BLUE, NULL);
		svg_text(f, LEFT + width + 6, y + 13, SVG_START, SVG_TEXT, 0, count);
	}
}

/* ---- the whole ---- */

static char *title_of(const struct dkt_interval *pair)
{
	return pair->name ? dkt__format("%s: %s", pair->name, pair->about) :
			    dkt__format("%s to %s", pair->begin, pair->end);
}

static char *desc_of(const struct dkt_intervals *pairs, const struct dkt_latency *all,
		     const char *origin, const struct losses_sum *losses)
{
	char p50[UNIT_SIZE], p99[UNIT_SIZE], max[UNIT_SIZE], total[UNIT_SIZE];
	char gaps[64] = "";

	duration_text(dkt_intervals_quantile(pairs, DKT_INTERVALS_ALL, 0.5), p50);
	duration_text(dkt_intervals_quantile(pairs, DKT_INTERVALS_ALL, 0.99), p99);
	duration_text(all->max, max);
	duration_text(all->sum, total);
	if (losses->lost)
		snprintf(gaps, sizeof(gaps), "; %s%" PRIu64 " records were lost",
			 losses_words(losses->is_least), losses->lost);
	else if (losses->is_least)
		snprintf(gaps, sizeof(gaps), "; an unknown number of records was lost");
	return dkt__format("%s%s%" PRIu64
			   " measured: median %s, 99 %% up to %s, longest %s, all %s%s",
			   origin ?: "", origin ? ": " : "", all->count, p50, p99, max, total,
			   gaps);
}

int latency_map_add(void *data, uint64_t end, uint64_t ns, bool cancelled)
{
	struct latency_map *map = data;

	return heat_add(&map->heat, &map->axis, end, ns, cancelled);
}

int latency_picture(struct latency_set *set, const struct dkt_source *source,
		    const struct losses_sum *losses, FILE *f)
{
	struct latency_map *drawn = set->map;
	const struct axis *axis = &drawn->axis;
	unsigned int shift = axis->shift + HEAT_SHIFT;
	struct powers powers = count_powers(set->pairs);
	struct map map = { .f = f, .heat = &drawn->heat };
	char *title __cleanup(free) = title_of(&set->pair), *desc __cleanup(free) = NULL;
	const struct dkt_source_info *info = source ? dkt_source_info(source) : NULL;
	char *origin __cleanup(free) = info ? origin_text(info, axis->origin, axis->last) : NULL;
	char *begin __cleanup(free) = info ? origin_clock(info, axis->origin) : NULL;
	struct dkt_latency all;
	int err = heat_fold(&drawn->heat, axis);

	dkt_intervals_group(set->pairs, DKT_INTERVALS_ALL, &all, sizeof(all));
	desc = desc_of(set->pairs, &all, origin, losses);
	if (err || !title || !desc)
		return -ENOMEM;
	map.columns = (uint32_t)((axis->last - axis->origin) >> shift) + 1;
	map.width = INNER / map.columns;
	map.begin = begin;
	map.seconds = ldexp(map.columns, (int)shift) / 1e9;
	svg_begin(f, WIDTH, all.count ? BARS_TOP + powers.n * SVG_ROW + 16 : 64, title, desc);
	if (all.count) {
		measure(&map);
		put_legend(f);
		put_axes(&map);
		put_cells(&map);
		for (size_t i = 0; i < ARRAY_SIZE(curves); i++)
			put_curve(&map, &curves[i]);
		put_powers(f, &powers);
	}
	return svg_end(f);
}
