/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Matches globs as the kernel's event files do, without the locale that fnmatch() asks. */
#include <ctype.h>
#include <string.h>

#include "lustre/class/glob.h"

/* The first character of a set's list, behind `[` and `[!`. */
static const char *set_start(const char *open)
{
	return open + 1 + (open[1] == '!' || open[1] == '^');
}

/* The closing bracket; a `]` right at the start of the list stands for itself. */
static const char *set_end(const char *open)
{
	const char *p = set_start(open);

	return *p ? strchr(p + 1, ']') : NULL;
}

static bool set_has(const char *open, const char *end, char c)
{
	const char *p = set_start(open);
	bool found = false;

	for (; p < end; p++) {
		if (p[1] == '-' && p + 2 < end) {
			found |= p[0] <= c && c <= p[2];
			p += 2;
		} else {
			found |= *p == c;
		}
	}
	return found == (set_start(open) == open + 1);
}

const char *glob_check(const char *glob, size_t *at)
{
	const char *p, *end;

	for (p = glob; *p; p++) {
		*at = (size_t)(p - glob);
		if (*p == '[') {
			end = set_end(p);
			if (!end)
				return "'[' without ']'";
			p = end;
		} else if (*p == ']') {
			return "']' without '['";
		} else if (!isalnum((unsigned char)*p) && !strchr("_-.*?", *p)) {
			return "a character that no event name has";
		}
	}
	*at = 0;
	return p == glob ? "empty name" : NULL;
}

/* Only the last star needs to be tried again: what came before it is matched for good. */
bool glob_match(const char *glob, const char *text)
{
	const char *star = NULL, *retry = NULL;

	while (*text) {
		const char *end = *glob == '[' ? set_end(glob) : NULL;

		if (*glob == '*') {
			star = ++glob;
			retry = text;
		} else if (end ? set_has(glob, end, *text) : *glob == '?' || *glob == *text) {
			glob = end ? end + 1 : glob + 1;
			text++;
		} else if (star) {
			glob = star;
			text = ++retry;
		} else {
			return false;
		}
	}
	while (*glob == '*')
		glob++;
	return !*glob;
}

size_t glob_prefix(const char *glob)
{
	return strcspn(glob, "*?[");
}
