/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Skips what other programs put before the lines of a log that they copy. */
#include "compat/lustre/prefix.h"

#include <string.h>

/* Returns the text after "<3>" or "[...]"; NULL: it has no such end. */
static const char *skip_brackets(const char *line, const char *close)
{
	size_t n = strcspn(line, close);

	return n < 40 && line[n] ? line + n + 1 : NULL;
}

const char *dkl_prefix_skip(const char *line)
{
	size_t n;

	if (*line && strchr(" \t>|", *line))
		return line + strspn(line, " \t>|");
	if (*line == '<')
		return skip_brackets(line, ">");
	if (*line == '[')
		return skip_brackets(line, "]");
	n = strcspn(line, ": \t\n");
	if (!n || n > PREFIX_MAX)
		return NULL;
	/* The number of a line, or of the version of syslog's protocol. */
	if (n == strspn(line, "0123456789") && (line[n] == ' ' || line[n] == '\t'))
		return line + n;
	/* dmesg -x and docker fill their words with spaces. */
	n += strspn(line + n, " ");
	return line[n] == ':' || line[n] == '|' ? line + n + 1 : NULL;
}

const char *dkl_prefix_host(const char *line, size_t *len)
{
	line += strspn(line, " >");
	*len = strcspn(line, ": \n");
	/* The words of dmesg -x are followed by spaces, and those of grep by no space. */
	if (*len && *len <= PREFIX_MAX && *line != '<' && *line != '[' &&
	    !strncmp(line + *len, ": ", 2))
		return line;
	*len = 0;
	return NULL;
}
