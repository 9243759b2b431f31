/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Patterns of the operator ~, classified as the kernel does. */
#include "lib/base/glob.h"
#include "lib/expr.h"

void dkt__expr_pattern(struct expr_pattern *pattern, const char *text, size_t len, bool like)
{
	bool front = false, back = false;

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
	for (size_t i = 0; i < len; i++) {
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

/* Like the kernel's strncmp(), compares a string without a NUL only up to the end of its array. */
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
		return dkt__glob_match(pattern->text, pattern->len, str, n);
	}
	return false;
}

bool dkt__expr_pattern_match(const struct expr_pattern *pattern, const char *str, size_t len)
{
	return match_pattern(pattern, str, len) != pattern->invert;
}
