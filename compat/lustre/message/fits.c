/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tests whether a probe's text and a message that Lustre recorded can be the same message.
 *
 * A probe prints unknown values as <%...>, the missing rest of a string as "...", and addresses in
 * full, where Lustre prints hashes. Lustre truncates texts that are longer than a page. Its trace
 * event truncates at a shorter length, and drops the newline at the end.
 */
#include "compat/lustre/message.h"

#include <ctype.h>
#include <string.h>

/* Length of an address and of its hash. */
#define DIGITS 16

/* A shorter text was not truncated. */
#define LEAST_CUT 1024

/* Returns the length of the unknown part at the beginning of the text; 0: the text is known. */
static size_t unknown(const char *text, size_t len)
{
	const char *end;

	if (len >= 3 && !memcmp(text, "...", 3))
		return 3;
	if (len < 3 || memcmp(text, "<%", 2))
		return 0;
	end = memchr(text, '>', len);
	return end ? (size_t)(end + 1 - text) : 0;
}

static bool is_address(const char *text, size_t len)
{
	for (size_t i = 0; i < DIGITS; i++)
		if (i >= len || !isxdigit((unsigned char)text[i]))
			return false;
	return true;
}

/* Returns how many characters to compare as equal, an address as a whole; 0: they differ. */
static size_t step(const char *text, size_t len, const char *whole, size_t whole_len)
{
	if (!len || !whole_len)
		return 0;
	if (whole_len >= DIGITS && is_address(text, len))
		return DIGITS;
	return *text == *whole;
}

static size_t without_newlines(const char *text, size_t len)
{
	while (len && text[len - 1] == '\n')
		len--;
	return len;
}

bool dkl_message_fits(const char *text, size_t len, const char *whole, size_t whole_len)
{
	size_t at = 0, there = 0, n;
	/* Where to retry with the last unknown part one character longer. */
	size_t again = 0, longer = 0;
	bool open = false;

	len = without_newlines(text, len);
	whole_len = without_newlines(whole, whole_len);
	while (there < whole_len) {
		n = unknown(text + at, len - at);
		if (n) {
			at += n;
			again = at;
			longer = there;
			open = true;
			continue;
		}
		n = step(text + at, len - at, whole + there, whole_len - there);
		at += n;
		there += n;
		if (n)
			continue;
		if (at == len && len >= LEAST_CUT)
			return true;
		if (!open)
			return false;
		at = again;
		there = ++longer;
	}
	while (at < len && (n = unknown(text + at, len - at)))
		at += n;
	return at == len || whole_len >= LEAST_CUT;
}
