/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Turns the entries of journalctl -o json, export and verbose, and other JSON, into lines as those of syslog. */
#include "compat/lustre/journal_text.h"

#include <ctype.h>
#include <endian.h>

#include "lib/base/parse.h"

/* Number of bytes that are read to recognise the form. */
#define LOOK 8192

/* The longest value; the journal itself cuts messages earlier. */
#define VALUE_MAX (1u << 20)

/* The fields of an entry that a line has. */
#define TIME    "__REALTIME_TIMESTAMP"
#define HOST    "_HOSTNAME"
#define MESSAGE "MESSAGE"

/* ---- forms ---- */

/* json-seq writes 0x1e before each entry, and json-sse "data: ". */
static const char *skip_json_prefix(const char *text)
{
	text += *text == 0x1e;
	return strncmp(text, "data: ", 6) != 0 ? text : text + 6;
}

/* The journal's names of fields, and those of Kubernetes, docker, Elasticsearch, Loki and Graylog. */
static const char *const times[] = { TIME, "time", "timestamp", "@timestamp", "ts" };
static const char *const hosts[] = { HOST, "host", "hostname", "_hostname" };
static const char *const messages[] = { MESSAGE, "log", "message", "msg", "line", "short_message" };

static bool is_one_of(const char *const *names, size_t n, const char *key, size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(names[i]) == len && !memcmp(names[i], key, len))
			return true;
	return false;
}

static bool has_time_key(const char *text)
{
	for (; (text = strchr(text, '"')); text++) {
		const size_t len = strcspn(text + 1, "\"");

		if (is_one_of(times, ARRAY_SIZE(times), text + 1, len) ||
		    is_one_of((const char *[]){ "__CURSOR" }, 1, text + 1, len))
			return true;
	}
	return false;
}

static enum journal_form form_of(const char *text)
{
	const char *json = skip_json_prefix(text), *line_end = text + strcspn(text, "\n");
	const char *cursor;

	if (*json == '{')
		return has_time_key(text) ? JOURNAL_JSON : JOURNAL_NONE;
	if (!strncmp(text, "__CURSOR=", 9) || !strncmp(text, TIME "=", strlen(TIME) + 1))
		return JOURNAL_EXPORT;
	cursor = strstr(text, " [s=");
	return cursor && cursor < line_end ? JOURNAL_VERBOSE : JOURNAL_NONE;
}

enum journal_form dkl_journal_form_of(int fd)
{
	char bytes[LOOK + 1], *text = bytes;
	ssize_t n = pread(fd, bytes, LOOK, 0);

	if (n <= 0)
		return JOURNAL_NONE;
	bytes[n] = '\0';
	/* "-- Logs begin at ..." */
	while (!strncmp(text, "-- ", 3) && strchr(text, '\n'))
		text = strchr(text, '\n') + 1;
	return form_of(text);
}

/* ---- entries ---- */

/* The buffer of a field that is wanted. */
static struct dkt_buf *field_of(struct journal_text *journal, const char *key, size_t len)
{
	if (is_one_of(times, ARRAY_SIZE(times), key, len))
		return &journal->time;
	if (is_one_of(hosts, ARRAY_SIZE(hosts), key, len))
		return &journal->host;
	return is_one_of(messages, ARRAY_SIZE(messages), key, len) ? &journal->message : NULL;
}

static void forget(struct journal_text *journal)
{
	journal->time.len = journal->host.len = journal->message.len = 0;
}

static void add(struct dkt_buf *to, const char *text, size_t len)
{
	if (to->len < VALUE_MAX)
		dkt__buf_add(to, text, DKT__MIN(len, VALUE_MAX - to->len));
}

/* Writes "1795576375250000", also with more digits, as "1795576375.250000"; other times are complete. */
static void add_time(struct dkt_buf *to, const struct dkt_buf *time)
{
	const size_t seconds = 10;
	size_t digits = 0;

	while (digits < time->len && isdigit((unsigned char)time->data[digits]))
		digits++;
	if (digits != time->len || digits < seconds) {
		dkt__buf_add(to, time->data, time->len);
		return;
	}
	dkt__buf_add(to, time->data, seconds);
	dkt__buf_add(to, ".", 1);
	dkt__buf_add(to, time->data + seconds, time->len - seconds);
}

/* Ends an entry. Returns 1 if it has a message and a time. */
static int end_entry(struct journal_text *journal)
{
	struct dkt_buf *line = &journal->line;

	if (journal->time.err || journal->host.err || journal->message.err)
		return -ENOMEM;
	line->len = 0;
	while (journal->message.len &&
	       strchr("\r\n ", journal->message.data[journal->message.len - 1]))
		journal->message.len--;
	if (!journal->time.len || !journal->message.len) {
		forget(journal);
		return 0;
	}
	add_time(line, &journal->time);
	dkt__buf_add(line, " ", 1);
	if (journal->host.len && !memchr(journal->host.data, ' ', journal->host.len)) {
		dkt__buf_add(line, journal->host.data, journal->host.len);
		dkt__buf_add(line, " ", 1);
	}
	dkt__buf_add(line, "kernel: ", 8);
	dkt__buf_add(line, journal->message.data, journal->message.len);
	dkt__buf_add(line, "", 1);
	forget(journal);
	return line->err ? line->err : 1;
}

/* Takes "KEY=VALUE". */
static void take_pair(struct journal_text *journal, const char *text)
{
	const char *equals = strchr(text, '=');
	struct dkt_buf *field = equals ? field_of(journal, text, (size_t)(equals - text)) : NULL;

	if (field && !field->len)
		add(field, equals + 1, strlen(equals + 1));
}

/* ---- JSON ---- */

enum place {
	AT_KEY,
	AT_VALUE,
	IN_ARRAY, /* of the bytes of a value, or of several values */
};

static unsigned int hex4(const char *p)
{
	unsigned int value = 0;

	for (int i = 0; i < 4; i++) {
		const char *digits = "0123456789abcdef";
		const char *digit = p[i] ? strchr(digits, p[i] | (p[i] > '9' ? 0x20 : 0)) : NULL;

		if (!digit)
			return 0;
		value = value << 4 | (unsigned int)(digit - digits);
	}
	return value;
}

static void add_utf8(struct dkt_buf *to, unsigned int code)
{
	static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	char bytes[4];
	size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

	for (size_t i = n - 1; i; i--, code >>= 6)
		bytes[i] = (char)(0x80 | (code & 0x3f));
	bytes[0] = (char)(lead[n] | code);
	add(to, bytes, n);
}

/* Takes the four digits after "\u", and the second half of a pair. */
static const char *add_code(struct dkt_buf *to, const char *p)
{
	unsigned int code = hex4(p), low;

	p += strnlen(p, 4);
	if (code >= 0xd800 && code < 0xdc00 && p[0] == '\\' && p[1] == 'u') {
		low = hex4(p + 2);
		p += 2 + strnlen(p + 2, 4);
		code = 0x10000 + ((code - 0xd800) << 10) + (low & 0x3ff);
	}
	if (code)
		add_utf8(to, code);
	return p;
}

/* Takes the text after a quote up to the next one. Returns its end. */
static const char *take_string(const char *p, struct dkt_buf *to)
{
	static const char from[] = "bfnrt", is[] = "\b\f\n\r\t";
	struct dkt_buf none = { 0 };

	to = to ? to : &none;
	while (*p && *p != '"') {
		const size_t plain = strcspn(p, "\"\\");
		const char *escape;

		add(to, p, plain);
		p += plain;
		/* The line can be cut off after a backslash. */
		if (*p != '\\' || !*++p)
			continue;
		escape = strchr(from, *p++);
		if (p[-1] == 'u')
			p = add_code(to, p);
		else
			add(to, escape ? &is[escape - from] : p - 1, 1);
	}
	free(none.data);
	return p + (*p == '"');
}

/* Takes a string, which is a key or a value. */
static const char *take_text(struct journal_text *journal, const char *p)
{
	if (journal->at == AT_KEY) {
		journal->key.len = 0;
		p = take_string(p, &journal->key);
		journal->value = field_of(journal, journal->key.data ? journal->key.data : "",
					  journal->key.len);
		return p;
	}
	/* The first of several values counts. */
	p = take_string(p, journal->value && !journal->value->len ? journal->value : NULL);
	if (journal->at == AT_VALUE)
		journal->at = AT_KEY;
	return p;
}

/* Takes a number or another word. Those of an array are the bytes of a value. */
static const char *take_word(struct journal_text *journal, const char *p)
{
	const char *from = p;
	uint64_t byte;

	/* Graylog's time is a number. */
	if (journal->at == AT_VALUE && journal->value && !journal->value->len)
		add(journal->value, from, strcspn(from, ",]} \t"));
	if (journal->at == IN_ARRAY && journal->value &&
	    !dkt__take_u64(&p, NULL, DKT__DEC, &byte) && byte < 256)
		add(journal->value, (const char[]){ (char)byte }, 1);
	if (journal->at == AT_VALUE)
		journal->at = AT_KEY;
	p = from + strcspn(from, ",]} \t");
	return p == from ? p + 1 : p;
}

/* Takes a line, which has all of an entry or a part of it. */
static int take_json(struct journal_text *journal, const char *p)
{
	int rc = 0;

	p = skip_json_prefix(p);
	/* Whatever was cut off before. */
	if (*p == '{')
		journal->depth = 0;
	for (; *p && rc >= 0;) {
		switch (*p) {
		case '{':
			if (!journal->depth++)
				forget(journal);
			journal->at = AT_KEY;
			p++;
			break;
		case '}':
			if (journal->depth && !--journal->depth)
				rc = end_entry(journal) ?: rc;
			journal->at = AT_KEY;
			p++;
			break;
		case ':':
			journal->at = AT_VALUE;
			p++;
			break;
		case '[':
			journal->at = IN_ARRAY;
			p++;
			break;
		case ']':
			journal->at = AT_KEY;
			p++;
			break;
		case ' ':
		case '\t':
		case ',':
			p++;
			break;
		case '"':
			p = take_text(journal, p + 1);
			break;
		default:
			p = take_word(journal, p);
		}
	}
	return journal->key.err ? journal->key.err : rc;
}

/* ---- export ---- */

/* Takes the bytes after a line that has only the name of a field: their number in 8 bytes, and a newline. */
static void take_bytes(struct journal_text *journal, const char *key)
{
	struct dkt_buf *field = field_of(journal, key, strlen(key));
	char bytes[4096];
	uint64_t left;
	size_t n;

	if (fread(&left, sizeof(left), 1, journal->f) != 1)
		return;
	for (left = le64toh(left); left; left -= n) {
		n = fread(bytes, 1, DKT__MIN(left, sizeof(bytes)), journal->f);
		if (!n)
			return;
		if (field)
			add(field, bytes, n);
	}
	getc(journal->f);
}

static int take_export(struct journal_text *journal, const char *line)
{
	if (!*line)
		return end_entry(journal);
	if (strchr(line, '='))
		take_pair(journal, line);
	else
		take_bytes(journal, line);
	return 0;
}

/* ---- verbose ---- */

static int take_verbose(struct journal_text *journal, const char *line)
{
	const char *cursor = strstr(line, " [s=");
	int rc;

	if (*line == ' ') {
		line += strspn(line, " ");
		/* The first line of an entry has its time. */
		if (strncmp(line, TIME, strlen(TIME)) != 0)
			take_pair(journal, line);
		return 0;
	}
	rc = end_entry(journal);
	if (cursor)
		add(&journal->time, line, (size_t)(cursor - line));
	return rc;
}

int dkl_journal_text_take(struct journal_text *journal, const char *line)
{
	if (!line)
		return end_entry(journal);
	switch (journal->form) {
	case JOURNAL_JSON:
		return take_json(journal, line);
	case JOURNAL_EXPORT:
		return take_export(journal, line);
	default:
		return take_verbose(journal, line);
	}
}

void dkl_journal_text_clear(struct journal_text *journal)
{
	free(journal->time.data);
	free(journal->host.data);
	free(journal->message.data);
	free(journal->key.data);
	free(journal->line.data);
	*journal = (struct journal_text){ 0 };
}
