/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks the syntax of globs over event names. */
#include <ctype.h>
#include <string.h>

#include "compat/lustre/class/glob.h"

/* Returns the closing bracket; a `]` at the beginning of the set is a member of it. */
static const char *set_end(const char *open)
{
	const char *p = open + 1 + (open[1] == '!');

	return *p ? strchr(p + 1, ']') : NULL;
}

const char *dkl_glob_check(const char *glob, size_t *at)
{
	const char *p, *end;

	for (p = glob; *p; p++) {
		*at = (size_t)(p - glob);
		if (*p == '[') {
			end = set_end(p);
			if (p[1] == '^')
				return "a character that cannot be in an event name";
			if (!end)
				return "'[' without ']'";
			p = end;
		} else if (*p == ']') {
			return "']' without '['";
		} else if (!isalnum((unsigned char)*p) && !strchr("_-.*?", *p)) {
			return "a character that cannot be in an event name";
		}
	}
	*at = 0;
	return p == glob ? "empty name" : NULL;
}

size_t dkl_glob_prefix(const char *glob)
{
	return strcspn(glob, "*?[");
}
