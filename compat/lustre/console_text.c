/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts the copies of Lustre's messages that the console sent to syslog into binary records. */
#include "lustre/console_text.h"

#include <ctype.h>
#include <time.h>

#include "base/buf.h"
#include "base/memory.h"
#include "base/parse.h"
#include "lustre/prefix.h"
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

/*
 * Takes "Nov 25 03:12:55 ", or with a fraction as of journalctl. The year is the last one in which that was
 * not after the file was written.
 */
static bool take_date(const char **p, int64_t written, int64_t *sec, uint64_t *usec)
{
	struct tm tm = { .tm_isdst = -1 }, now;
	const time_t last = (time_t)written;

	if (!take_day(p, &tm) || !take_clock(p, &tm) || !localtime_r(&last, &now))
		return false;
	tm.tm_year = now.tm_year - (tm.tm_mon > now.tm_mon ||
				    (tm.tm_mon == now.tm_mon && tm.tm_mday > now.tm_mday + 1));
	*sec = mktime(&tm);
	*usec = take_fraction(p);
	return **p == ' ';
}

/* Takes "Wed 2026-11-25 03:12:55 CET " of journalctl -o short-full, which is local time or UTC. */
static bool take_full(const char **p, int64_t *sec)
{
	struct tm tm = { .tm_isdst = -1 };
	const char *zone;

	if (strcspn(*p, " ") != 3)
		return false;
	*p += 4;
	if (!take(p, 4, &tm.tm_year) || !take_char(p, '-') || !take(p, 2, &tm.tm_mon) ||
	    !take_char(p, '-') || !take(p, 2, &tm.tm_mday) || !take_clock(p, &tm) ||
	    !take_char(p, ' '))
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	zone = *p;
	*p += strcspn(zone, " ");
	*sec = strncmp(zone, "UTC ", 4) != 0 ? mktime(&tm) : timegm(&tm);
	return **p == ' ';
}

/* Takes "1795576375.250000 " of journalctl -o short-unix. */
static bool take_unix(const char **p, int64_t *sec, uint64_t *usec)
{
	uint64_t value;

	if (dkt__take_u64(p, NULL, DKT__DEC, &value) || value > UINT32_MAX || **p != '.')
		return false;
	*sec = (int64_t)value;
	*usec = take_fraction(p);
	return **p == ' ';
}

/* Takes "2026-11-25T03:12:55.123456+01:00 ", in local time without a zone; a space can be for the T. */
static bool take_iso(const char **p, int64_t *sec, uint64_t *usec)
{
	struct tm tm = { .tm_isdst = -1 };
	int hours, minutes = 0, sign;

	if (!take(p, 4, &tm.tm_year) || !take_char(p, '-') || !take(p, 2, &tm.tm_mon) ||
	    !take_char(p, '-') || !take(p, 2, &tm.tm_mday) || (!take_char(p, 'T') && **p != ' ') ||
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

/* Takes the "[ 1234.567890] " of dmesg, which is the time since the boot. */
static bool take_uptime(const char **p, int64_t *sec, uint64_t *usec)
{
	uint64_t value;

	if (!take_char(p, '['))
		return false;
	*p += strspn(*p, " ");
	if (dkt__take_u64(p, NULL, DKT__DEC, &value) || value > UINT32_MAX || **p != '.')
		return false;
	*sec = (int64_t)value;
	*usec = take_fraction(p);
	return take_char(p, ']');
}

enum time_kind {
	TIME_NONE,
	TIME_WALL, /* of syslog or dmesg -T */
	TIME_UPTIME,
};

/* Takes a time without a prefix. */
static enum time_kind take_plain(const char **p, int64_t written, int64_t *sec, uint64_t *usec,
				 bool *host)
{
	const char *from = *p;

	*usec = 0;
	*host = true;
	if (take_iso(p, sec, usec))
		return TIME_WALL;
	*p = from;
	if (take_date(p, written, sec, usec))
		return TIME_WALL;
	*p = from;
	*usec = 0;
	if (take_full(p, sec))
		return TIME_WALL;
	*p = from;
	if (take_unix(p, sec, usec))
		return TIME_WALL;
	*p = from;
	*usec = 0;
	*host = false;
	if (take_dmesg(p, sec))
		return TIME_WALL;
	*p = from;
	return take_uptime(p, sec, usec) ? TIME_UPTIME : TIME_NONE;
}

/*
 * Takes the time before a message, after the prefixes of other programs. *host becomes true if the name
 * of a host follows it.
 */
static enum time_kind take_time(const char **p, int64_t written, int64_t *sec, uint64_t *usec,
				bool *host)
{
	enum time_kind kind;
	const char *from = *p;

	for (; from; from = prefix_skip(from)) {
		*p = from;
		kind = take_plain(p, written, sec, usec, host);
		if (kind != TIME_NONE)
			return kind;
	}
	return TIME_NONE;
}

/* ---- hosts ---- */

/* A host's number is stored as the record's CPU. */
#define HOSTS_MAX UINT16_MAX

static void hash(const char *name, size_t len, uint64_t key[2])
{
	key[0] = len;
	key[1] = ~(uint64_t)len;
	for (size_t i = 0; i < len; i++) {
		key[0] = dkt__mix(key[0], (unsigned char)name[i]);
		key[1] = dkt__mix(key[1] ^ (unsigned char)name[i], key[0]);
	}
}

/* Gets the number of the host of that name. */
static int find_host(struct console *console, const char *name, size_t len, uint16_t *number)
{
	uint64_t key[2];
	uint32_t entry;
	char *names;
	bool added;

	console->map.n_words = ARRAY_SIZE(key);
	hash(name, len, key);
	*number = 0;
	if (console->map.n == HOSTS_MAX)
		return 0;
	entry = dkt__keymap_add(&console->map, key, &added);
	if (entry == DKT__KEYMAP_NONE)
		return -ENOMEM;
	*number = (uint16_t)entry;
	if (!added)
		return 0;
	names = dkt__format("%s%s%.*s", entry ? console->hosts : "", entry ? " " : "", (int)len,
			    name);
	if (!names)
		return -ENOMEM;
	free(console->hosts);
	console->hosts = names;
	return 0;
}

/* Takes the name of the host that syslog writes after the time; the next word ends in a colon. */
static int take_host(struct console *console, const char **p, uint16_t *number)
{
	const char *name = *p + strspn(*p, " ");
	size_t len = strcspn(name, " ");

	*number = 0;
	if (!len || name[len] != ' ' || name[len - 1] == ':' || name[0] == '[')
		return 0;
	*p = name + len;
	return find_host(console, name, len, number);
}

void console_clear(struct console *console)
{
	dkt__keymap_clear(&console->map);
	free(console->hosts);
	*console = (struct console){ 0 };
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

/* Takes the time, the host and the label. *text becomes what follows them; NULL: not a line of Lustre. */
static int take_head(struct console *console, const char *line, struct record_head *head,
		     const char **text)
{
	enum time_kind kind;
	int64_t sec = 0;
	bool host;

	*text = NULL;
	kind = take_time(&line, console->written, &sec, &head->usec, &host);
	if (kind == TIME_NONE || (kind == TIME_WALL && (sec < 1 << 30 || sec > UINT32_MAX)))
		return 0;
	/* Times of the other kind cannot be compared with those of the file. */
	if (console->lines && console->uptime != (kind == TIME_UPTIME))
		return 0;
	*text = find_label(line, &head->mask);
	if (!*text)
		return 0;
	console->lines++;
	console->uptime = kind == TIME_UPTIME;
	head->sec = (uint32_t)sec;
	return host ? take_host(console, &line, &head->cpu) : 0;
}

int console_text_line(struct console *console, const char *line, uint8_t *rec)
{
	struct record_head head = { 0 };
	struct piece file = { "console", 7 }, function = { "console", 7 };
	size_t size = sizeof(head);
	const char *p;
	int err = take_head(console, line, &head, &p);

	if (err || !p)
		return err;
	if (!take_place(&p, &head, &file, &function))
		head.mask |= CONSOLE;
	put(rec, &size, file.p, file.len);
	put(rec, &size, "", 1);
	put(rec, &size, function.p, function.len);
	put(rec, &size, "", 1);
	put(rec, &size, p, strlen(p));
	rec[size++] = '\n';
	head.len = (uint32_t)size;
	memcpy(rec, &head, sizeof(head));
	return (int)head.len;
}

bool console_text_has_time(const char *text)
{
	uint64_t usec;
	int64_t sec;
	bool host;

	return take_time(&text, INT32_MAX, &sec, &usec, &host);
}

bool console_text_is(const char *text)
{
	uint32_t mask;

	return find_label(text, &mask) != NULL;
}

int console_text_read(struct dkt_ctx *ctx, int fd, struct console *console, struct spill *spill)
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
		int n;

		while (len && strchr("\r\n ", line[len - 1]))
			line[--len] = '\0';
		n = console_text_line(console, line, rec);
		if (n < 0)
			err = dkt__no_memory(ctx);
		else if (n)
			err = spill_add(ctx, spill, rec, (uint32_t)n);
	}
	if (!err && ferror(f))
		err = dkt_fail(ctx, -EIO, "read: %s", strerror(EIO));
	return err ? err : spill_flush(ctx, spill);
}
