/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Recognises the files that have Lustre's messages. */
#include "compat/lustre/log_kind.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat/lustre/binary.h"
#include "compat/lustre/console_text.h"
#include "compat/lustre/journal_text.h"
#include "compat/lustre/log_text.h"
#include "lib/base/util.h"

/* Number of bytes that are read to recognise the kind of a file; a line is shorter. */
#define LOOK 8192

/* The lines of others that can come first. */
#define LOOK_LINES 8

/* Number of bytes of syslog that are read at once. */
#define LOOK_SYSLOG (1 << 20)

const char *dkl_log_kind_name(enum log_kind kind)
{
	switch (kind) {
	case LOG_TEXT:
		return "text of the debug log";
	case LOG_CONSOLE:
		return "console messages of syslog";
	case LOG_BINARY:
		return "binary debug log";
	default:
		return "";
	}
}

/* True if the bytes begin with a plausible record. */
static bool is_binary(const char *bytes, size_t len)
{
	struct record_head head;
	struct record_texts texts;

	if (len <= sizeof(head))
		return false;
	head = record_head((const uint8_t *)bytes);
	if (head.len <= sizeof(head) || head.len > RECORD_MAX || head.sec < 1u << 30 ||
	    head.usec > 999999 || head.type > 2 || head.line > 65536 || head.stack > 65536)
		return false;
	dkl_record_texts((const uint8_t *)bytes, head.len < len ? head.len : len, &texts);
	return texts.file_len < 256 && texts.function_len < 256 &&
	       texts.text > (const char *)bytes + sizeof(head) + 1;
}

/* Looks in all of the file: Lustre's first line can be the last of a long syslog. */
static bool has_lines(int fd, bool (*is)(const char *text))
{
	char *text __cleanup(free) = malloc(LOOK_SYSLOG + 1);
	off_t at = 0;
	ssize_t n;

	while (text && (n = pread(fd, text, LOOK_SYSLOG, at)) > 0) {
		const char *newline = n == LOOK_SYSLOG ? memrchr(text, '\n', (size_t)n) : NULL;

		text[n] = '\0';
		/* After a crash, a file can have NULs. */
		for (char *p = text; (p = memchr(p, '\0', (size_t)(text + n - p)));)
			*p = '\n';
		if (is(text))
			return true;
		/* The last line may be incomplete: it is read again. */
		at += newline && newline > text ? newline - text : n;
	}
	return false;
}

/*
 * True if the text has a line of a dump. All of a syslog is searched for one: look only at lines that have the
 * characters that each head ends with, which most lines of others lack.
 */
static bool has_dump(const char *text)
{
	struct record_head head;

	for (const char *at = text; (at = strstr(at, ":(")); at = text) {
		const char *newline = memrchr(text, '\n', (size_t)(at - text));

		if (dkl_log_text_head(newline ? newline + 1 : text, &head))
			return true;
		text = strchrnul(at, '\n');
	}
	return false;
}

/* True if no byte of the line is one that texts do not have; other files can have texts behind it. */
static bool is_text_line(const char *line)
{
	for (; *line && *line != '\n'; line++)
		if ((unsigned char)*line < ' ' && !strchr("\t\r\033", *line))
			return false;
	return true;
}

/* A person or a program can put lines of their own before the log; the first can be cut off, too. */
static bool is_later_text(const char *text)
{
	struct record_head head;

	for (int i = 0; i < LOOK_LINES && is_text_line(text) && (text = strchr(text, '\n')); i++)
		if (dkl_log_text_head(++text, &head))
			return true;
	return false;
}

/* Returns the number of NULs that the bytes begin with. */
static size_t strspn_nul(const char *bytes, size_t n)
{
	size_t i = 0;

	while (i < n && !bytes[i])
		i++;
	return i;
}

static bool has_time(const char *text)
{
	for (int i = 0; text && i < LOOK_LINES && is_text_line(text); i++) {
		if (dkl_console_text_has_time(text))
			return true;
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return false;
}

bool dkl_log_kind_is_quoted(int fd)
{
	char bytes[LOOK + 1];
	ssize_t n = pread(fd, bytes, LOOK, 0);
	struct record_head head;

	if (n <= 0)
		return false;
	bytes[n] = '\0';
	if (!is_text_line(bytes))
		return false;
	for (const char *p = bytes; (p = strchr(p, '"')); p++)
		if (dkl_log_text_head(p + 1, &head))
			return true;
	return false;
}

bool dkl_log_kind_lacks_times(int fd)
{
	char bytes[LOOK + 1];
	ssize_t n = pread(fd, bytes, LOOK, 0);

	if (n <= 0)
		return false;
	bytes[n] = '\0';
	/* The header of a recording can begin with letters and a NUL. */
	if (!strchr(bytes, '\n') && strlen(bytes) < (size_t)n)
		return false;
	return is_text_line(bytes) && has_lines(fd, dkl_console_text_is);
}

enum log_kind dkl_log_kind_of(int fd)
{
	char bytes[LOOK + 1];
	struct record_head head;
	ssize_t n = pread(fd, bytes, LOOK, 0);

	if (n <= 0)
		return LOG_NONE;
	bytes[n] = '\0';
	if (dkl_log_text_head(bytes, &head) || !strncmp(bytes, "Debug log: ", 11))
		return LOG_TEXT;
	if (is_binary(bytes, (size_t)n))
		return LOG_BINARY;
	if (is_later_text(bytes))
		return LOG_TEXT;
	/* The time is looked for first: a recording is not searched for lines. */
	if (dkl_journal_form_of(fd) != JOURNAL_NONE)
		return has_lines(fd, dkl_console_text_is) ? LOG_CONSOLE : LOG_NONE;
	if (!has_time(bytes + strspn_nul(bytes, (size_t)n)))
		return LOG_NONE;
	/* A dump that follows the lines of syslog has times of the same kind. */
	if (has_lines(fd, has_dump))
		return LOG_TEXT;
	return has_lines(fd, dkl_console_text_is) ? LOG_CONSOLE : LOG_NONE;
}
