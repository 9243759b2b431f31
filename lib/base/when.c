/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses times as people write them, and formats a time for them. */
#include <time.h>

#include "base/parse.h"
#include "base/when.h"

/* Reads seconds with an optional fraction, without a unit. */
static int read_seconds(const char *text, int64_t most, int64_t *ns)
{
	uint64_t value;

	if (text[strspn(text, "0123456789.")] || dkt__parse_time(text, DKT__NSEC_PER_SEC, &value) ||
	    value >= (uint64_t)most * DKT__NSEC_PER_SEC)
		return -EINVAL;
	*ns = (int64_t)value;
	return 0;
}

static int read_ago(const char *text, int64_t *ns)
{
	uint64_t ago;

	if (dkt__parse_time(text, DKT__NSEC_PER_SEC, &ago) ||
	    ago > (uint64_t)INT32_MAX * DKT__NSEC_PER_SEC)
		return -EINVAL;
	*ns = (int64_t)time(NULL) * DKT__NSEC_PER_SEC - (int64_t)ago;
	return 0;
}

static int read_clock(const char *text, int64_t *ns)
{
	time_t now = time(NULL);
	struct tm tm, day;
	const char *rest;
	int64_t part = 0;

	localtime_r(&now, &tm);
	day = tm;
	/* strptime() stores the 12 of "12:34" as a year before it fails. */
	rest = strptime(text, "%Y-%m-%d", &day);
	if (rest && (*rest == ' ' || *rest == 'T')) {
		tm = day;
		text = rest + 1;
	}
	tm.tm_sec = 0;
	rest = strptime(text, "%H:%M", &tm);
	if (!rest || (*rest && *rest != ':') || (*rest && read_seconds(rest + 1, 61, &part)))
		return -EINVAL;
	tm.tm_isdst = -1;
	*ns = (int64_t)mktime(&tm) * DKT__NSEC_PER_SEC + part;
	return 0;
}

int dkt__parse_when(const char *text, int64_t *ns)
{
	*ns = 0;
	if (*text == '@')
		return read_seconds(text + 1, INT64_MAX / DKT__NSEC_PER_SEC, ns);
	if (*text == '-')
		return read_ago(text + 1, ns);
	return read_clock(text, ns);
}

bool dkt__format_when(int64_t seconds, char text[DKT__WHEN_SIZE])
{
	const time_t time = (time_t)seconds;
	struct tm tm;

	*text = '\0';
	return localtime_r(&time, &tm) && strftime(text, DKT__WHEN_SIZE, "%Y-%m-%d %H:%M:%S", &tm);
}
