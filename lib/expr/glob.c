/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Patterns of the operator ~, with the meaning of the kernel's glob_match(). */
#include "expr.h"

#include "base/banned.h"

/*
 * Matches c against the class behind a '['. Returns where the pattern goes on; NULL if the class
 * has no end, then the '[' is an ordinary character.
 */
static const char *match_class(const char *p, const char *end, unsigned char c, bool *hit)
{
	bool invert = p < end && *p == '!';
	const char *start;
	bool found = false;

	p += invert;
	/* A ']' that comes first is a member. */
	for (start = p; p < end && (*p != ']' || p == start); p++) {
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

/* Matches c against what p points at; returns where the pattern goes on or NULL. */
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

/* Only the last star need be tried again: an earlier one could take no less. */
static bool match_glob(const char *p, const char *end, const char *str, size_t len)
{
	const char *back = NULL, *next;
	size_t i = 0, back_i = 0;

	for (;;) {
		if (p < end && *p == '*') {
			back = ++p;
			back_i = i;
			continue;
		}
		/* To the kernel a last backslash quotes the end of the string. */
		if (i == len && (p == end || (*p == '\\' && p + 1 == end)))
			return true;
		next = i < len && p < end ? match_one(p, end, (unsigned char)str[i]) : NULL;
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

void expr__pattern(struct expr_pattern *pattern, const char *text, size_t len, bool like)
{
	bool front = false, back = false;
	size_t i;

	memset(pattern, 0, sizeof(*pattern));
	if (like && len && *text == '!') {
		pattern->invert = true;
		text++;
		len--;
	}
	pattern->text = text;
	pattern->len = len;
	if (!like)
		return;
	for (i = 0; i < len; i++) {
		if (memchr("[?\\", text[i], 3) || (text[i] == '*' && i && i != len - 1)) {
			pattern->kind = PATTERN_GLOB;
			return;
		}
		front |= text[i] == '*' && i;
		back |= text[i] == '*' && !i;
	}
	pattern->kind = front && back ? PATTERN_MIDDLE :
			front         ? PATTERN_FRONT :
			back          ? PATTERN_END :
					PATTERN_FULL;
	pattern->text += back;
	pattern->len -= (size_t)front + back;
}

/*
 * A string that fills its array without an end is compared as far as the array goes, as the
 * kernel's strncmp() does.
 */
static bool match_full(const struct expr_pattern *pattern, const char *str, size_t n, size_t len)
{
	if (n < len || !len ? n != pattern->len : pattern->len < n)
		return false;
	return !memcmp(str, pattern->text, n);
}

static bool match_pattern(const struct expr_pattern *pattern, const char *str, size_t len)
{
	size_t n = strnlen(str, len);

	switch (pattern->kind) {
	case PATTERN_FULL:
		return match_full(pattern, str, n, len);
	case PATTERN_FRONT:
		return n >= pattern->len && !memcmp(str, pattern->text, pattern->len);
	case PATTERN_MIDDLE:
		return memmem(str, n, pattern->text, pattern->len);
	case PATTERN_END:
		return n >= pattern->len &&
		       !memcmp(str + n - pattern->len, pattern->text, pattern->len);
	case PATTERN_GLOB:
		return match_glob(pattern->text, pattern->text + pattern->len, str, n);
	}
	return false;
}

bool expr__pattern_match(const struct expr_pattern *pattern, const char *str, size_t len)
{
	return match_pattern(pattern, str, len) != pattern->invert;
}
