/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Recognises the files that have Lustre's messages. */
#include "lustre/log_kind.h"

#include <unistd.h>

#include "base/util.h"
#include "lustre/console_text.h"
#include "lustre/log_text.h"
#include "lustre/record.h"

/* Number of bytes that are read to recognise the kind of a file; a line is shorter. */
#define LOOK 8192

/* The same for syslog, where Lustre's first line can come late. */
#define LOOK_SYSLOG (1 << 20)

const char *log_kind_name(enum log_kind kind)
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
	record_texts((const uint8_t *)bytes, head.len < len ? head.len : len, &texts);
	return texts.file_len < 256 && texts.function_len < 256 &&
	       texts.text > (const char *)bytes + sizeof(head) + 1;
}

static bool is_console(int fd)
{
	char *text __cleanup(free) = malloc(LOOK_SYSLOG + 1);
	ssize_t n = text ? pread(fd, text, LOOK_SYSLOG, 0) : 0;

	if (n <= 0)
		return false;
	text[n] = '\0';
	return console_text_is(text);
}

/* True if the text is the rest of a line whose beginning was cut off, and lines that dk printed. */
static bool is_cut_text(const char *text)
{
	const char *newline = strchr(text, '\n');
	struct record_head head;

	return newline && log_text_head(newline + 1, &head);
}

enum log_kind log_kind_of(int fd)
{
	char bytes[LOOK + 1];
	struct record_head head;
	ssize_t n = pread(fd, bytes, LOOK, 0);

	if (n <= 0)
		return LOG_NONE;
	bytes[n] = '\0';
	if (log_text_head(bytes, &head) || !strncmp(bytes, "Debug log: ", 11))
		return LOG_TEXT;
	if (is_binary(bytes, (size_t)n))
		return LOG_BINARY;
	if (is_cut_text(bytes))
		return LOG_TEXT;
	/* The time is looked for first: a recording is not searched for lines. */
	return console_text_has_time(bytes) && is_console(fd) ? LOG_CONSOLE : LOG_NONE;
}
