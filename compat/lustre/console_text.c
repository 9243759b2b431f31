/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts the copies of Lustre's messages that the console sent to syslog into binary records. */
#include "lustre/console_text.h"

#include <ctype.h>
#include <time.h>

#include "base/memory.h"
#include "base/parse.h"
#include "lustre/record.h"

/* The classes of lines that do not tell it. */
#define ERROR   0x00020000u
#define WARNING 0x00000400u
#define CONSOLE 0x02000000u

/* ---- times ---- */

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

/* Takes "Nov 25 03:12:55 ". The year is the last one in which that was not after the file was written. */
static bool take_date(const char **p, int64_t written, int64_t *sec)
{
	struct tm tm = { .tm_isdst = -1 }, now;
	const time_t last = (time_t)written;

	if (!take_day(p, &tm) || !take_clock(p, &tm) || !localtime_r(&last, &now))
		return false;
	tm.tm_year = now.tm_year - (tm.tm_mon > now.tm_mon ||
				    (tm.tm_mon == now.tm_mon && tm.tm_mday > now.tm_mday + 1));
	*sec = mktime(&tm);
	return **p == ' ';
}

/* Takes ".123456", of any number of digits. */
static uint64_t take_fraction(const char **p)
{
	uint64_t usec = 0, unit = 100000;

	if (!take_char(p, '.'))
		return 0;
	for (; isdigit((unsigned char)**p); ++*p, unit /= 10)
		usec += unit * (uint64_t)(**p - '0');
	return usec;
}

/* Takes "2026-11-25T03:12:55.123456+01:00 ", in local time without a zone. */
static bool take_iso(const char **p, int64_t *sec, uint64_t *usec)
{
	struct tm tm = { .tm_isdst = -1 };
	int hours, minutes = 0, sign;

	if (!take(p, 4, &tm.tm_year) || !take_char(p, '-') || !take(p, 2, &tm.tm_mon) ||
	    !take_char(p, '-') || !take(p, 2, &tm.tm_mday) || !take_char(p, 'T') ||
	    !take_clock(p, &tm))
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	*usec = take_fraction(p);
	sign = **p == '-' ? -1 : 1;
	if (take_char(p, 'Z')) {
		*sec = timegm(&tm);
	} else if (**p == '+' || **p == '-') {
		++*p;
		if (!take(p, 2, &hours))
			return false;
		take_char(p, ':');
		take(p, 2, &minutes);
		*sec = timegm(&tm) - sign * (hours * 3600 + minutes * 60);
	} else {
		*sec = mktime(&tm);
	}
	return **p == ' ';
}

/* Takes the "[Wed Nov 25 03:12:55 2026] " of dmesg -T. */
static bool take_dmesg(const char **p, int64_t *sec)
{
	struct tm tm = { .tm_isdst = -1 };

	if (!take_char(p, '[') || strnlen(*p, 4) < 4)
		return false;
	*p += 4;
	if (!take_day(p, &tm) || !take_clock(p, &tm) || !take(p, 4, &tm.tm_year))
		return false;
	tm.tm_year -= 1900;
	*sec = mktime(&tm);
	return take_char(p, ']');
}

/* Takes the time that syslog writes before a message. False: the line has none. */
static bool take_time(const char **p, int64_t written, int64_t *sec, uint64_t *usec)
{
	const char *from = *p;

	*usec = 0;
	if (take_iso(p, sec, usec))
		return true;
	*p = from;
	if (take_date(p, written, sec))
		return true;
	*p = from;
	return take_dmesg(p, sec);
}

/* ---- messages ---- */

/* Finds the label of Lustre's messages. Returns the text after it; NULL: the line has none. */
static const char *find_label(const char *p, uint32_t *mask)
{
	static const struct {
		const char *label;
		uint32_t mask;
	} labels[] = { { " LustreError: ", ERROR },
		       { " Lustre: ", WARNING },
		       { " LNetError: ", ERROR },
		       { " LNet: ", WARNING } };

	for (size_t i = 0; i < ARRAY_SIZE(labels); i++) {
		const char *at = strstr(p, labels[i].label);

		if (!at)
			continue;
		*mask = labels[i].mask;
		return at + strlen(labels[i].label);
	}
	return NULL;
}

/* A part of the line. */
struct piece {
	const char *p;
	size_t len;
};

/* Takes "4711:0:(client.c:2289:ptlrpc_expire_one_request()) ". False: the message has no place. */
static bool take_place(const char **p, struct record_head *head, struct piece *file,
		       struct piece *function)
{
	const char *at = *p, *colon;
	uint64_t pid, ext, number;

	if (dkt__take_u64(&at, NULL, DKT__DEC, &pid) || !take_char(&at, ':') ||
	    dkt__take_u64(&at, NULL, DKT__DEC, &ext) || !take_char(&at, ':') ||
	    !take_char(&at, '('))
		return false;
	colon = strchr(at, ':');
	if (!colon)
		return false;
	*file = (struct piece){ at, (size_t)(colon - at) };
	at = colon + 1;
	if (dkt__take_u64(&at, NULL, DKT__DEC, &number) || number > 65536 || !take_char(&at, ':'))
		return false;
	colon = strstr(at, "()) ");
	if (!colon || file->len > 256 || colon - at > 256)
		return false;
	*function = (struct piece){ at, (size_t)(colon - at) };
	*p = colon + strlen("()) ");
	head->pid = (uint32_t)pid;
	head->extern_pid = (uint32_t)ext;
	head->line = (uint32_t)number;
	return true;
}

static void put(uint8_t *rec, size_t *size, const char *text, size_t len)
{
	/* Leave space for NULs and a newline. */
	len = DKT__MIN(len, RECORD_MAX - 4 - *size);
	memcpy(rec + *size, text, len);
	*size += len;
}

uint32_t console_text_line(const char *line, int64_t written, uint8_t *rec)
{
	struct record_head head = { 0 };
	struct piece file = { "console", 7 }, function = { "console", 7 };
	size_t size = sizeof(head);
	const char *p = line;
	int64_t sec;

	if (!take_time(&p, written, &sec, &head.usec) || sec < 1 << 30 || sec > UINT32_MAX)
		return 0;
	p = find_label(p, &head.mask);
	if (!p)
		return 0;
	if (!take_place(&p, &head, &file, &function))
		head.mask |= CONSOLE;
	head.sec = (uint32_t)sec;
	put(rec, &size, file.p, file.len);
	put(rec, &size, "", 1);
	put(rec, &size, function.p, function.len);
	put(rec, &size, "", 1);
	put(rec, &size, p, strlen(p));
	rec[size++] = '\n';
	head.len = (uint32_t)size;
	memcpy(rec, &head, sizeof(head));
	return head.len;
}

bool console_text_is(const char *text)
{
	const char *p = text;
	uint32_t mask;
	uint64_t usec;
	int64_t sec;

	return take_time(&p, INT32_MAX, &sec, &usec) && find_label(p, &mask);
}

int console_text_read(struct dkt_ctx *ctx, int fd, int64_t written, struct spill *spill)
{
	uint8_t *rec __cleanup(free) = malloc(RECORD_MAX);
	char *line __cleanup(free) = NULL;
	int copy = dup(fd), err = rec ? 0 : dkt__no_memory(ctx);
	FILE *f __cleanup(fclose) = copy < 0 ? NULL : fdopen(copy, "r");
	size_t size = 0;
	ssize_t len;

	if (!f)
		return dkt_fail(ctx, -errno, "read: %s", strerror(errno));
	while (!err && (len = getline(&line, &size, f)) >= 0) {
		uint32_t n;

		if (len && line[len - 1] == '\n')
			line[len - 1] = '\0';
		n = console_text_line(line, written, rec);
		if (n)
			err = spill_add(ctx, spill, rec, n);
	}
	if (!err && ferror(f))
		err = dkt_fail(ctx, -EIO, "read: %s", strerror(EIO));
	return err ? err : spill_flush(ctx, spill);
}
