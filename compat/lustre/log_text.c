/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts text that dk printed back to Lustre's binary records. */
#include "compat/lustre/log_text.h"

#include <ctype.h>
#include <sys/stat.h>
#include <time.h>

#include "compat/lustre/console_text.h"
#include "compat/lustre/log_hosts.h"
#include "lib/base/memory.h"
#include "lib/base/parse.h"
#include "lib/inside.h"

/* Longer lines are truncated, because they do not fit into a record. */
#define LINE_MAX_LEN RECORD_MAX

/* The shortest head is longer. */
#define HEAD_LEAST 19

/* Size of the read buffer. */
#define WINDOW (2 * LINE_MAX_LEN)

struct log_text {
	struct dkt_ctx *ctx;
	int fd;
	log_text_wants *wants; /* NULL: all messages */
	char *buf; /* WINDOW bytes, and a NUL */
	size_t at, len;
	bool eof;
	bool skip; /* skip the rest of a line that was too long */
	bool outside; /* the lines up to the next record are of a program that copied the log */
	bool unwanted; /* the lines up to the next record continue a message that is not wanted */
	uint8_t *rec; /* RECORD_MAX bytes: the record that is being built */
	size_t size; /* of that record; 0: none */
	/* The line that begins the next record, after which the one before was returned. */
	char *line;
	size_t line_len;
	const char *place; /* in the line; NULL: there is no such line */
	const char *place_end; /* NULL: not looked for */
	struct record_head head;
	struct console console; /* of lines of syslog between the records */
	struct log_hosts console_hosts;
	bool from_console; /* the line that begins the next record is one of these */
	struct log_hosts *hosts; /* NULL: of no interest */
	bool several; /* hosts: their numbers take the place of CPUs */
	char host[PREFIX_MAX]; /* of the record that is being built */
	size_t host_len;
	uint64_t bad;
	uint64_t n_read, of; /* bytes read, and size of the file; 0: unknown */
};

/* ---- lines ---- */

static int fill(struct log_text *t)
{
	ssize_t n;

	memmove(t->buf, t->buf + t->at, t->len - t->at);
	t->len -= t->at;
	t->at = 0;
	do
		n = read(t->fd, t->buf + t->len, WINDOW - t->len);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return dkt_fail(t->ctx, -errno, "read: %s", strerror(errno));
	t->eof = !n;
	t->len += (size_t)n;
	t->n_read += (uint64_t)n;
	if (t->n_read < t->of)
		dkt__progress(t->ctx, "file", t->n_read, t->of);
	return 0;
}

/* Gets the next line, with a NUL in place of its newline. Returns 0; 1 at the end. */
static int next_line(struct log_text *t, char **line, size_t *len)
{
	char *newline;
	int err;

	for (;;) {
		newline = memchr(t->buf + t->at, '\n', t->len - t->at);
		if (!newline && !t->eof && t->len - t->at < LINE_MAX_LEN) {
			err = fill(t);
			if (err)
				return err;
			continue;
		}
		if (t->at == t->len)
			return 1;
		*line = t->buf + t->at;
		*len = newline ? (size_t)(newline - *line) : t->len - t->at;
		t->at += *len + (newline != NULL);
		if (!t->skip)
			break;
		t->skip = !newline && !t->eof;
	}
	t->skip = !newline && !t->eof;
	/* Windows ends lines with "\r\n". */
	*len -= newline && *len && (*line)[*len - 1] == '\r';
	/* This overwrites the end of the line, or a byte that was not read: the buffer has one more. */
	(*line)[*len] = '\0';
	return 0;
}

/* ---- the beginning of a line ---- */

/* Parses "00000100:". */
static inline bool take_mask(const char **at, uint32_t *value)
{
	const char *p = *at;
	uint32_t v = 0;

	for (unsigned int i = 0; i < 8; i++) {
		unsigned int digit = (unsigned char)p[i] - '0';

		if (digit > 9) {
			digit = ((unsigned char)p[i] | 0x20) - 'a' + 10;
			if (digit < 10 || digit > 15)
				return false;
		}
		v = v << 4 | digit;
	}
	if (p[8] != ':')
		return false;
	*at = p + 9;
	*value = v;
	return true;
}

/* Parses a number of at most 10 digits up to max, and the character after it. Each line has seven. */
static inline bool take_decimal(const char **at, uint64_t max, char after, uint64_t *value)
{
	const char *p = *at;
	uint64_t v = 0;

	for (unsigned int digit; (digit = (unsigned char)*p - '0') < 10 && p - *at < 11; p++)
		v = v * 10 + digit;
	if (p == *at || p - *at > 10 || *p != after || v > max)
		return false;
	*at = p + 1;
	*value = v;
	return true;
}

static const char *take_head(const char *line, struct record_head *head)
{
	uint64_t cpu, sec, usec, stack, pid, ext;
	const char *p = line;

	*head = (struct record_head){ 0 };
	if (!take_mask(&p, &head->subsystem) || !take_mask(&p, &head->mask) ||
	    !take_decimal(&p, UINT16_MAX, '.', &cpu) || p[0] < '0' || p[0] > '2')
		return NULL;
	head->type = (uint16_t)(*p++ - '0');
	if (*p == 'F') {
		head->flags = RECORD_FIRST;
		p++;
	}
	if (*p++ != ':' || !take_decimal(&p, UINT32_MAX, '.', &sec) || sec < 1u << 30 ||
	    !take_decimal(&p, 999999, ':', &usec) || !take_decimal(&p, 65536, ':', &stack) ||
	    !take_decimal(&p, UINT32_MAX, ':', &pid) || !take_decimal(&p, UINT32_MAX, ':', &ext) ||
	    *p != '(')
		return NULL;
	head->cpu = (uint16_t)cpu;
	head->sec = (uint32_t)sec;
	head->usec = usec;
	head->stack = (uint32_t)stack;
	head->pid = (uint32_t)pid;
	head->extern_pid = (uint32_t)ext;
	return p + 1;
}

/* Characters that a program can write before a line that it copies. */
static bool ends_prefix(char c)
{
	return c && strchr(" \t:>]|+-", c);
}

const char *dkl_log_text_head(const char *line, struct record_head *head)
{
	const char *place = take_head(line, head), *colon = line, *newline, *end;

	if (place)
		return place;
	end = line + strnlen(line, PREFIX_MAX + HEAD_LEAST);
	newline = memchr(line, '\n', (size_t)(end - line));
	end = newline ? newline : end;
	/* Quick questions first: most lines without a head have no such numbers. */
	for (; !place && (colon = memchr(colon, ':', (size_t)(end - colon))); colon++)
		if (colon - line > 8 && end - colon > 9 && colon[9] == ':' &&
		    ends_prefix(colon[-9]))
			place = take_head(colon - 8, head);
	return place;
}

/* ---- records ---- */

static void put(struct log_text *t, const char *text, size_t len)
{
	/* Leave space for a newline. */
	size_t room = RECORD_MAX - 1 - t->size;

	if (len > room)
		len = room;
	memcpy(t->rec + t->size, text, len);
	t->size += len;
}

/* Adds the name up to its end, with a NUL. False: invalid. */
static bool put_name(struct log_text *t, const char *p, const char *end)
{
	if (!end || end == p || end - p > 256)
		return false;
	put(t, p, (size_t)(end - p));
	put(t, "", 1);
	return true;
}

/* Finds the "()) " between the place and the text. Returns NULL if the line has none. */
static const char *find_place_end(const char *p, const char *line_end)
{
	const char *from = p;

	while ((p = memchr(p, ')', (size_t)(line_end - p)))) {
		if (p > from && p[-1] == '(' && p[1] == ')' && p[2] == ' ')
			return p - 1;
		p++;
	}
	return NULL;
}

/* Adds the parts of "FILE:LINE:FUNCTION()) TEXT". False: invalid. */
static bool put_place(struct log_text *t, const char *p, const char *line_end,
		      struct record_head *head)
{
	const char *end = memchr(p, ':', (size_t)(line_end - p));
	uint64_t line;

	if (!put_name(t, p, end))
		return false;
	p = end + 1;
	if (!take_decimal(&p, 65536, ':', &line))
		return false;
	end = t->place_end && t->place_end > p ? t->place_end : find_place_end(p, line_end);
	if (!put_name(t, p, end))
		return false;
	head->line = (uint32_t)line;
	p = end + 4;
	put(t, p, strnlen(p, (size_t)(line_end - p)));
	return true;
}

/* Ends the record that is being built with a newline. Returns false if no record is being built. */
static bool finish(struct log_text *t)
{
	uint32_t len;

	if (!t->size)
		return false;
	t->rec[t->size++] = '\n';
	len = (uint32_t)t->size;
	memcpy(t->rec + offsetof(struct record_head, len), &len, sizeof(len));
	t->size = 0;
	return true;
}

/* True if the line begins a message that is not wanted. The place before its text ends in "()) ". */
static bool is_unwanted(struct log_text *t, const char *line, size_t len)
{
	static const char lost[] = ":lost_events";
	const char *end, *text;

	t->place_end = NULL;
	if (!t->wants || len < 18 || line[8] != ':' || line[17] != ':')
		return false;
	end = find_place_end(line + 18, line + len);
	if (!end)
		return false;
	t->place_end = end;
	text = end + 4;
	/* Quick questions first: most lines are not wanted. */
	return !t->wants(text) && (size_t)(end - line) > sizeof(lost) &&
	       memcmp(end - (sizeof(lost) - 1), lost, sizeof(lost) - 1) != 0 &&
	       (*text != *LOG_TEXT_START ||
		strncmp(text, LOG_TEXT_START, strlen(LOG_TEXT_START)) != 0);
}

/* Takes the name of the host before the line. */
static int take_host(struct log_text *t)
{
	struct log_host host;
	uint16_t number;
	int err;

	t->host_len = 0;
	host.name = t->hosts ? dkl_prefix_host(t->line, &host.len) : NULL;
	if (!host.name)
		return 0;
	memcpy(t->host, host.name, host.len);
	t->host_len = host.len;
	err = dkl_log_hosts_number(t->hosts, host, &number);
	if (!err && t->several)
		t->head.cpu = number;
	return err;
}

/* Begins a record with the line of its head. */
static int begin(struct log_text *t)
{
	const char *place = t->place;
	int err = take_host(t);

	t->place = NULL;
	t->size = sizeof(t->head);
	if (!put_place(t, place, t->line + t->line_len, &t->head)) {
		t->bad++;
		t->size = 0;
		return err;
	}
	memcpy(t->rec, &t->head, sizeof(t->head));
	return err;
}

/* Begins a record with a line of syslog that is Lustre's. */
static int begin_console(struct log_text *t)
{
	int n = dkl_console_text_line(&t->console, t->line, t->rec);
	struct record_head head;

	t->from_console = false;
	t->host_len = 0;
	if (n <= 0)
		return n;
	/* Its CPU is unknown. */
	head = record_head(t->rec);
	head.cpu = 0;
	if (t->several && dkl_log_hosts_number(t->hosts, t->console.host, &head.cpu))
		return -ENOMEM;
	memcpy(t->rec, &head, sizeof(head));
	/* finish() adds the newline. */
	t->size = (size_t)n - 1;
	return 0;
}

/* Skips the name of the record's host. False: the line is of another host. */
static bool skip_host(struct log_text *t)
{
	size_t len;
	const char *host = t->host_len ? dkl_prefix_host(t->line, &len) : NULL;

	if (!host)
		return true;
	if (len != t->host_len || memcmp(host, t->host, len) != 0)
		return false;
	host += len + strlen(": ");
	t->line_len -= (size_t)(host - t->line);
	t->line += host - t->line;
	return true;
}

/* True for the lines that clush -b, ansible, tickets and wikis put before and after a log. */
static bool is_border(const char *line, size_t len)
{
	static const char *const borders[] = { "---------------", "{noformat", "{code", "```" };
	const size_t ansible = strlen(" >>");

	for (size_t i = 0; i < ARRAY_SIZE(borders); i++)
		if (!strncmp(line, borders[i], strlen(borders[i])))
			return true;
	return len > ansible && !strcmp(line + len - ansible, " >>") && strstr(line, " | ");
}

/* Takes a line without a head. True: it ends the record before it. */
static bool take_rest(struct log_text *t)
{
	/* A file of syslog can follow a dump, or come before it. */
	if (dkl_console_text_has_date(t->line)) {
		t->from_console = dkl_console_text_is(t->line);
		return true;
	}
	if (is_border(t->line, t->line_len)) {
		t->outside = true;
		return true;
	}
	if (t->unwanted || t->outside)
		return false;
	if (!strncmp(t->line, "Debug log: ", 11))
		return true;
	if (t->size && skip_host(t)) {
		put(t, "\n", 1);
		put(t, t->line, t->line_len);
	} else {
		t->bad += t->line_len != 0;
	}
	return false;
}

/* Takes the line. Returns 1 if a record is complete, 0 or -ENOMEM. */
static int take_line(struct log_text *t)
{
	if (is_unwanted(t, t->line, t->line_len)) {
		t->unwanted = true;
		return finish(t);
	}
	t->place = dkl_log_text_head(t->line, &t->head);
	if (!t->place) {
		if (!take_rest(t))
			return 0;
		if (finish(t))
			return 1;
		return t->from_console ? begin_console(t) : 0;
	}
	t->unwanted = t->outside = false;
	if (finish(t))
		return true;
	return begin(t);
}

/* ---- a text ---- */

int dkl_log_text_open(struct dkt_ctx *ctx, int fd, log_text_wants *wants, struct log_text **text)
{
	struct log_text *t = calloc(1, sizeof(*t));
	struct stat st;

	*text = t;
	if (!t)
		return dkt__no_memory(ctx);
	*t = (struct log_text){ .ctx = ctx, .fd = fd, .wants = wants };
	t->buf = malloc(WINDOW + 1);
	t->rec = malloc(RECORD_MAX);
	if (!t->buf || !t->rec)
		return dkt__no_memory(ctx);
	if (fstat(fd, &st))
		return dkt_fail(ctx, -errno, "read: %s", strerror(errno));
	t->of = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	t->console.calendar.written = S_ISREG(st.st_mode) ? st.st_mtime : time(NULL);
	t->console.hosts = &t->console_hosts;
	return 0;
}

void dkl_log_text_close(struct log_text *t)
{
	if (!t)
		return;
	dkl_log_hosts_clear(&t->console_hosts);
	free(t->buf);
	free(t->rec);
	free(t);
}

int dkl_log_text_next(struct log_text *t, const uint8_t **rec, uint32_t *len)
{
	int err = t->place ? begin(t) : t->from_console ? begin_console(t) : 0, rc = 0;

	while (!err && rc != 1) {
		err = next_line(t, &t->line, &t->line_len);
		rc = err ? 0 : take_line(t);
		if (rc < 0)
			err = dkt__no_memory(t->ctx);
	}
	if (err == 1) {
		dkt__progress(t->ctx, "file", t->of, t->of);
		err = finish(t) ? 0 : 1;
	}
	*rec = t->rec;
	*len = err ? 0 : record_head(t->rec).len;
	return err;
}

uint64_t dkl_log_text_bad(const struct log_text *t)
{
	return t->bad;
}

int dkl_log_text_read(struct dkt_ctx *ctx, int fd, log_text_wants *wants, struct log_hosts *hosts,
		      struct spill *spill, uint64_t *bad)
{
	const bool several = dkl_log_hosts_count(fd, true) > 1;
	struct log_text *t;
	int err = dkl_log_text_open(ctx, fd, wants, &t);
	const uint8_t *rec;
	uint32_t len;

	if (t) {
		t->hosts = hosts;
		t->several = several;
	}
	while (!err) {
		err = dkl_log_text_next(t, &rec, &len);
		if (!err)
			err = dkl_spill_add(ctx, spill, rec, len);
	}
	if (err == 1)
		err = dkl_spill_flush(ctx, spill);
	*bad = t ? t->bad : 0;
	dkl_log_text_close(t);
	return err;
}
