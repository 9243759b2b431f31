/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses times as people write them, and formats a time for them. */
#include <time.h>

#include "lib/base/parse.h"
#include "lib/base/when.h"

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

/* mktime() would take February 30 as a day in March. */
static bool is_date(const struct tm *date)
{
	struct tm day = { .tm_year = date->tm_year,
			  .tm_mon = date->tm_mon,
			  .tm_mday = date->tm_mday };

	timegm(&day);
	return day.tm_mday == date->tm_mday && day.tm_mon == date->tm_mon;
}

/* Reads "Z", "+01", "+01:00" or "+0100" as seconds east of UTC. */
static int read_zone(const char *text, int *seconds)
{
	const char *p = text + 1;
	const int sign = *text == '-' ? -1 : 1;
	struct tm tm = { 0 };

	*seconds = 0;
	if (*text == 'Z' || *text == 'z')
		return *p ? -EINVAL : 0;
	if (strspn(p, "0123456789") != 4 && strspn(p, "0123456789") != 2)
		return -EINVAL;
	p = strptime(p, "%H", &tm);
	p = p && *p == ':' ? p + 1 : p;
	if (p && (*p || p[-1] == ':'))
		p = strptime(p, "%M", &tm);
	*seconds = sign * (tm.tm_hour * 3600 + tm.tm_min * 60);
	return p && !*p ? 0 : -EINVAL;
}

/* Reads the time of a day, with a zone after it if it has a date. */
static int read_day_time(const char *text, bool dated, struct tm *tm, int64_t *ns)
{
	const char *rest = strptime(text, "%H:%M", tm), *zone;
	char part[32] = "";
	int64_t seconds, whole;
	int east = 0;

	if (!rest || (*rest && *rest != ':' && !dated))
		return -EINVAL;
	zone = dated ? rest + strcspn(rest, "Zz+-") : rest + strlen(rest);
	if ((size_t)(zone - rest) >= sizeof(part))
		return -EINVAL;
	memcpy(part, rest, (size_t)(zone - rest));
	*ns = 0;
	if (*part && (*part != ':' || read_seconds(part + 1, 61, ns)))
		return -EINVAL;
	if (*zone && read_zone(zone, &east))
		return -EINVAL;
	tm->tm_isdst = -1;
	seconds = *zone ? timegm(tm) - east : mktime(tm);
	return __builtin_mul_overflow(seconds, DKT__NSEC_PER_SEC, &whole) ||
			       __builtin_add_overflow(whole, *ns, ns) ?
		       -EINVAL :
		       0;
}

static int read_clock(const char *text, int64_t *ns)
{
	time_t now = time(NULL);
	struct tm tm, day;
	const char *rest;

	localtime_r(&now, &tm);
	tm.tm_sec = 0;
	day = tm;
	/* strptime() stores the 12 of "12:34" as a year before it fails. */
	rest = strptime(text, "%Y-%m-%d", &day);
	if (!rest || (*rest && *rest != ' ' && *rest != 'T'))
		return read_day_time(text, false, &tm, ns);
	if (!is_date(&day))
		return -EINVAL;
	return read_day_time(*rest ? rest + 1 : "00:00", true, &day, ns);
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
