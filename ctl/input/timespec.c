/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times as people write them. */
#include "input/timespec.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NS INT64_C(1000000000)

/* Digits after the point as ns, without the loss of a floating-point number. */
static int read_fraction(const char *text, int64_t *ns)
{
	int64_t unit = NS / 10;

	*ns = 0;
	if (!*text)
		return 0;
	if (*text++ != '.' || !*text)
		return -EINVAL;
	for (; isdigit((unsigned char)*text); text++, unit /= 10)
		*ns += unit * (*text - '0');
	return *text ? -EINVAL : 0;
}

static int read_seconds(const char *text, int64_t *ns)
{
	int64_t fraction;
	char *end;

	errno = 0;
	*ns = strtoll(text, &end, 10);
	if (end == text || errno || *ns < 0 || *ns > INT64_MAX / NS - 1 ||
	    read_fraction(end, &fraction))
		return -EINVAL;
	*ns = *ns * NS + fraction;
	return 0;
}

static int read_ago(const char *text, int64_t *ns)
{
	static const char units[] = "smhd";
	static const int64_t seconds[] = { 1, 60, 3600, 86400 };
	int64_t n;
	char *end;
	const char *unit;

	errno = 0;
	n = strtoll(text, &end, 10);
	unit = *end ? strchr(units, *end) : units;
	if (end == text || errno || n < 0 || n > INT32_MAX || !unit || (*end && end[1]))
		return -EINVAL;
	*ns = ((int64_t)time(NULL) - n * seconds[unit - units]) * NS;
	return 0;
}

static int read_clock(const char *text, int64_t *ns)
{
	time_t now = time(NULL);
	struct tm tm, day;
	const char *rest;
	int64_t fraction = 0;

	localtime_r(&now, &tm);
	day = tm;
	/* Of "12:34" it takes 12 for a year before it gives up. */
	rest = strptime(text, "%Y-%m-%d", &day);
	if (rest && (*rest == ' ' || *rest == 'T')) {
		tm = day;
		text = rest + 1;
	}
	tm.tm_sec = 0;
	rest = strptime(text, "%H:%M", &tm);
	if (!rest)
		return -EINVAL;
	if (*rest == ':') {
		rest = strptime(rest + 1, "%S", &tm);
		if (!rest || read_fraction(rest, &fraction))
			return -EINVAL;
	} else if (*rest) {
		return -EINVAL;
	}
	tm.tm_isdst = -1;
	*ns = (int64_t)mktime(&tm) * NS + fraction;
	return 0;
}

int timespec_parse(const char *text, int64_t *ns)
{
	*ns = 0;
	if (*text == '@')
		return read_seconds(text + 1, ns);
	if (*text == '-')
		return read_ago(text + 1, ns);
	return read_clock(text, ns);
}
