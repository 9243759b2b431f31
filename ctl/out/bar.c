/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints bars and numbers for people. */
#include "ctl/out/bar.h"

#include <inttypes.h>
#include <langinfo.h>

#include "ctl/out/fold.h"
#include "lib/base/util.h"

/* Columns of a line in a file, and limits for a bar. */
#define WIDTH_FILE 80
#define BAR_MIN    10

size_t bar_room(size_t used)
{
	size_t width = fold_width() ?: WIDTH_FILE, room = width > used ? width - used : 0;

	return room < BAR_MIN ? BAR_MIN : room > BAR_MAX ? BAR_MAX : room;
}

/* The first bytes of U+2588, a full block, to U+258f, an eighth of one; the last byte is 0x88 to 0x8f. */
#define BLOCK      "\xe2\x96"
#define BLOCK_FULL 0x88

static bool has_blocks(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

static char *add_block(char *text, unsigned int eighths)
{
	text = stpcpy(text, BLOCK);
	*text++ = (char)(BLOCK_FULL + 8 - eighths);
	return text;
}

void bar_text(uint64_t value, uint64_t max, char text[BAR_SIZE], size_t width)
{
	size_t steps = has_blocks() ? 8 : 1;
	size_t most = (width < BAR_MAX ? width : BAR_MAX) * steps;
	size_t n = max ? (size_t)((double)value / (double)max * (double)most + 0.5) : 0;

	if (value && !n)
		n = 1;
	n = n > most ? most : n;
	for (; n >= steps; n -= steps) {
		if (steps == 1)
			*text++ = '#';
		else
			text = add_block(text, 8);
	}
	if (n)
		text = add_block(text, (unsigned int)n);
	*text = '\0';
}

/* Prints three digits in the largest unit that fits. Each unit is step times the one before. */
static void scale_text(uint64_t value, double step, const char *const *units, size_t n,
		       char text[UNIT_SIZE])
{
	double v = (double)value / step;
	size_t unit = 1;

	if ((double)value < step) {
		snprintf(text, UNIT_SIZE, "%" PRIu64 " %s", value, units[0]);
		return;
	}
	while (v >= step - 0.5 && unit + 1 < n) {
		v /= step;
		unit++;
	}
	snprintf(text, UNIT_SIZE, "%.*f %s", v < 9.995 ? 2 : v < 99.95 ? 1 : 0, v, units[unit]);
}

void duration_text(uint64_t ns, char text[UNIT_SIZE])
{
	static const char *const units[] = { "ns", "us", "ms", "s" };

	scale_text(ns, 1000, units, ARRAY_SIZE(units), text);
}

void size_text(uint64_t bytes, char text[UNIT_SIZE])
{
	static const char *const units[] = { "B", "KB", "MB", "GB", "TB" };

	scale_text(bytes, 1024, units, ARRAY_SIZE(units), text);
}

void time_text(uint64_t ns, char text[UNIT_SIZE])
{
	uint64_t us = ns > UINT64_MAX - 500 ? ns / 1000 : (ns + 500) / 1000;

	snprintf(text, UNIT_SIZE, "%" PRIu64 ".%06" PRIu64, us / 1000000, us % 1000000);
}

void rate_text(double rate, char text[UNIT_SIZE])
{
	snprintf(text, UNIT_SIZE, rate < 10 ? "%.1f" : "%.0f", rate);
}
