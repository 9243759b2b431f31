/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Takes the times that syslog, dmesg, journalctl and conman write before a message. */
#include "compat/lustre/log_time.h"

#include <ctype.h>

#include "compat/lustre/log_hosts.h"
#include "lib/base/parse.h"

/* Returns local time in s. Whatever a zone does, it does it at a full minute. */
static int64_t local_time(struct log_calendar *calendar, const struct tm *tm)
{
	struct tm *last = &calendar->minute, minute = *tm;

	if (tm->tm_mday && last->tm_min == tm->tm_min && last->tm_hour == tm->tm_hour &&
	    last->tm_mday == tm->tm_mday && last->tm_mon == tm->tm_mon &&
	    last->tm_year == tm->tm_year)
		return calendar->begins + tm->tm_sec;
	*last = *tm;
	minute.tm_sec = 0;
	calendar->begins = mktime(&minute);
	return calendar->begins + tm->tm_sec;
}

/* Takes a number of at most that many digits, after spaces, and moves past it. */
static bool take(const char **p, int digits, int *value)
{
	const char *from;

	while (**p == ' ')
		++*p;
	from = *p;
	for (*value = 0; isdigit((unsigned char)**p) && *p - from < digits; ++*p)
		*value = *value * 10 + (**p - '0');
	return *p > from;
}

static bool take_char(const char **p, char c)
{
	if (**p != c)
		return false;
	++*p;
	return true;
}

static bool take_clock(const char **p, struct tm *tm)
{
	return take(p, 2, &tm->tm_hour) && take_char(p, ':') && take(p, 2, &tm->tm_min) &&
	       take_char(p, ':') && take(p, 2, &tm->tm_sec);
}

/* Takes "Nov 25", with one or two spaces. */
static bool take_day(const char **p, struct tm *tm)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	char name[4] = "";
	const char *month;

	memcpy(name, *p, strnlen(*p, 3));
	month = strstr(months, name);
	if (strlen(name) < 3 || !month || (month - months) % 3)
		return false;
	*p += 3;
	tm->tm_mon = (int)(month - months) / 3;
	return take(p, 2, &tm->tm_mday);
}

/* Takes ".123456" or ",123456", of any number of digits. */
static uint64_t take_fraction(const char **p)
{
	uint64_t usec = 0, unit = 100000;

	if (!take_char(p, '.') && !take_char(p, ','))
		return 0;
	for (; isdigit((unsigned char)**p); ++*p, unit /= 10)
		usec += unit * (uint64_t)(**p - '0');
	return usec;
}

/* Takes "2026 ". False: it is not a year. */
static bool take_year(const char **p, struct tm *tm)
{
	const char *at = *p + strspn(*p, " ");

	if (strspn(at, "0123456789") != 4 || at[4] != ' ')
		return false;
	take(p, 4, &tm->tm_year);
	tm->tm_year -= 1900;
	*p += strspn(*p, " ");
	return true;
}

/*
 * Takes "Nov 25 03:12:55 ", or with a fraction as of journalctl. The year is the one that stands before or
 * after it, or else the last one in which that was not after the file was written.
 */
static bool take_date(const char **p, struct log_calendar *calendar, struct log_time *time)
{
	struct tm tm = { .tm_isdst = -1 }, *now = &calendar->now;
	const time_t written = (time_t)calendar->written;
	bool has_year = take_year(p, &tm);

	if (!take_day(p, &tm))
		return false;
	has_year = has_year || take_year(p, &tm);
	if (!take_clock(p, &tm) || (!now->tm_mday && !localtime_r(&written, now)))
		return false;
	if (!has_year)
		tm.tm_year = now->tm_year -
			     (tm.tm_mon > now->tm_mon ||
			      (tm.tm_mon == now->tm_mon && tm.tm_mday > now->tm_mday + 1));
	time->sec = local_time(calendar, &tm);
	time->usec = take_fraction(p);
	return **p == ' ';
}

/* Takes "2026-11-25". */
static bool take_numbers(const char **p, struct tm *tm)
{
	if (!take(p, 4, &tm->tm_year) || !take_char(p, '-') || !take(p, 2, &tm->tm_mon) ||
	    !take_char(p, '-') || !take(p, 2, &tm->tm_mday))
		return false;
	tm->tm_year -= 1900;
	tm->tm_mon--;
	return true;
}

/* Takes "1795576375.250000". */
static bool take_seconds(const char **p, struct log_time *time)
{
	uint64_t value;

	if (dkt__take_u64(p, NULL, DKT__DEC, &value) || value > UINT32_MAX || **p != '.')
		return false;
	time->sec = (int64_t)value;
	time->usec = take_fraction(p);
	return true;
}

/*
 * Takes "Wed 2026-11-25 03:12:55 CET " of journalctl -o short-full, or with a fraction as of -o verbose: local
 * time or UTC.
 */
static bool take_full(const char **p, struct log_calendar *calendar, struct log_time *time)
{
	struct tm tm = { .tm_isdst = -1 };
	const char *zone;

	if (strcspn(*p, " ") != 3)
		return false;
	*p += 4;
	if (!take_numbers(p, &tm) || !take_clock(p, &tm))
		return false;
	time->usec = take_fraction(p);
	if (!take_char(p, ' '))
		return false;
	zone = *p;
	*p += strcspn(zone, " ");
	time->sec = strncmp(zone, "UTC ", 4) != 0 ? local_time(calendar, &tm) : timegm(&tm);
	return **p == ' ';
}

/* Takes "1795576375.250000 " of journalctl -o short-unix. */
static bool take_unix(const char **p, struct log_calendar *calendar, struct log_time *time)
{
	(void)calendar;
	return take_seconds(p, time) && **p == ' ';
}

/* Takes "2026-11-25T03:12:55.123456+01:00", in local time without a zone; a space can be for the T. */
static bool take_date_time(const char **p, struct log_calendar *calendar, struct log_time *time)
{
	struct tm tm = { .tm_isdst = -1 };
	int hours, minutes = 0, sign;

	if (!take_numbers(p, &tm) || (!take_char(p, 'T') && **p != ' ') || !take_clock(p, &tm))
		return false;
	time->usec = take_fraction(p);
	sign = **p == '-' ? -1 : 1;
	if (take_char(p, 'Z')) {
		time->sec = timegm(&tm);
	} else if (**p == '+' || **p == '-') {
		++*p;
		if (!take(p, 2, &hours))
			return false;
		take_char(p, ':');
		take(p, 2, &minutes);
		time->sec = timegm(&tm) - sign * (hours * 3600 + minutes * 60);
	} else {
		time->sec = local_time(calendar, &tm);
	}
	return true;
}

static bool take_iso(const char **p, struct log_calendar *calendar, struct log_time *time)
{
	return take_date_time(p, calendar, time) && **p == ' ';
}

/* Takes the "[Wed Nov 25 03:12:55 2026] " of dmesg -T. */
static bool take_dmesg(const char **p, struct log_calendar *calendar, struct log_time *time)
{
	struct tm tm = { .tm_isdst = -1 };

	if (!take_char(p, '[') || strnlen(*p, 4) < 4)
		return false;
	*p += 4;
	if (!take_day(p, &tm) || !take_clock(p, &tm) || !take(p, 4, &tm.tm_year))
		return false;
	tm.tm_year -= 1900;
	time->sec = local_time(calendar, &tm);
	time->usec = 0;
	return take_char(p, ']');
}

/* Takes the "[2026-11-25 03:12:55] " of conman. */
static bool take_conman(const char **p, struct log_calendar *calendar, struct log_time *time)
{
	time->is_rough = take_char(p, '[') && take_date_time(p, calendar, time) &&
			 take_char(p, ']');
	return time->is_rough;
}

/* Takes the "[ 1234.567890] " of dmesg, which is the time since the boot, also with "<  0.000010>" of -d. */
static bool take_uptime(const char **p, struct log_calendar *calendar, struct log_time *time)
{
	(void)calendar;
	time->kind = LOG_TIME_UPTIME;
	if (!take_char(p, '['))
		return false;
	*p += strspn(*p, " ");
	if (!take_seconds(p, time))
		return false;
	if (!strncmp(*p, " <", 2))
		*p += strcspn(*p, ">") + 1;
	return take_char(p, ']');
}

/* Takes a time without a prefix. */
static bool take_plain(const char **p, struct log_calendar *calendar, struct log_time *time)
{
	static bool (*const forms[])(const char **p, struct log_calendar *calendar,
				     struct log_time *time) = {
		take_iso, take_date, take_full, take_unix, take_dmesg, take_conman, take_uptime,
	};
	const char *from = *p;

	time->kind = LOG_TIME_WALL;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		*p = from;
		if (forms[i](p, calendar, time))
			return true;
	}
	return false;
}

bool dkl_log_time_take(const char **p, struct log_calendar *calendar, struct log_time *time)
{
	const char *from = *p, *next;
	struct log_time up;

	*time = (struct log_time){ 0 };
	time->host = dkl_prefix_host(from, &time->host_len);
	while (from) {
		*p = from;
		if (take_plain(p, calendar, time))
			break;
		from = dkl_prefix_skip(from);
	}
	if (!from)
		return false;
	if (time->is_rough) {
		/* The kernel's own time is finer. */
		next = *p + strspn(*p, " ");
		time->has_uptime = take_uptime(&next, calendar, &up);
		if (time->has_uptime) {
			time->up_sec = up.sec;
			time->up_usec = up.usec;
			*p = next;
		}
	}
	return true;
}
