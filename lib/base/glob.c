/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Matches globs as the kernel's glob_match() does. */
#include <ctype.h>
#include <string.h>

#include "lib/base/glob.h"

/*
 * Matches c against the class after a '['. Returns the rest of the pattern, or NULL if the class
 * has no end, so that the '[' is an ordinary character.
 */
static const char *match_class(const char *p, const char *end, unsigned char c, bool *hit)
{
	bool invert = p < end && *p == '!';
	bool found = false;

	p += invert;
	/* A ']' at the start is a member. */
	for (const char *start = p; p < end && (*p != ']' || p == start); p++) {
		unsigned char low = (unsigned char)*p, high = low;

		if (end - p > 2 && p[1] == '-' && p[2] != ']') {
			high = (unsigned char)p[2];
			p += 2;
		}
		found |= low <= c && c <= high;
	}
	if (p >= end)
		return NULL;
	*hit = found != invert;
	return p + 1;
}

/* Matches c against the pattern at p; returns the rest of the pattern, or NULL. */
static const char *match_one(const char *p, const char *end, unsigned char c)
{
	const char *next;
	bool hit = false;

	switch (*p) {
	case '?':
		return p + 1;
	case '[':
		next = match_class(p + 1, end, c, &hit);
		if (next)
			return hit ? next : NULL;
		break;
	case '\\':
		if (++p == end)
			return NULL;
		break;
	default:
		break;
	}
	return (unsigned char)*p == c ? p + 1 : NULL;
}

/* Only the last star needs another try: a longer match of an earlier star could not help. */
bool dkt__glob_match(const char *glob, size_t glob_len, const char *text, size_t len)
{
	const char *p = glob, *end = glob + glob_len, *back = NULL, *next;
	size_t i = 0, back_i = 0;

	for (;;) {
		if (p < end && *p == '*') {
			back = ++p;
			back_i = i;
			continue;
		}
		/* The kernel takes a backslash at the end as quoting the end of the string. */
		if (i == len && (p == end || (*p == '\\' && p + 1 == end)))
			return true;
		next = i < len && p < end ? match_one(p, end, (unsigned char)text[i]) : NULL;
		if (next) {
			p = next;
			i++;
			continue;
		}
		if (!back || i == len)
			return false;
		p = back;
		i = ++back_i;
	}
}

bool dkt__glob(const char *glob, const char *text)
{
	return dkt__glob_match(glob, strlen(glob), text, strlen(text));
}

/* ---- the syntax of globs over event names ---- */

/* Returns the closing bracket; a `]` at the beginning of the set is a member of it. */
static const char *set_end(const char *open)
{
	const char *p = open + 1 + (open[1] == '!');

	return *p ? strchr(p + 1, ']') : NULL;
}

const char *dkt__glob_check(const char *glob, size_t *at)
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

size_t dkt__glob_prefix(const char *glob)
{
	return strcspn(glob, "*?[");
}
