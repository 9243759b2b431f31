/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads parts of a message's text, which is not terminated and may be damaged. */
#pragma once

#include "lib/base/parse.h"
#include "lib/base/util.h"

/* A part of a text. */
struct part {
	const char *p;
	size_t len;
};

/* The text that has not been read yet. */
struct rest {
	const char *p, *end;
};

static inline size_t rest_len(const struct rest *rest)
{
	return (size_t)(rest->end - rest->p);
}

/* Moves past a word that comes next. False: another text comes. */
static inline bool take_len(struct rest *rest, const char *word, size_t len)
{
	if (rest_len(rest) < len || memcmp(rest->p, word, len) != 0)
		return false;
	rest->p += len;
	return true;
}

/* The word is a constant, so that the compiler knows its length. */
#define take_word(rest, word) take_len(rest, "" word, sizeof(word) - 1)

/* Moves past the next such word. False: the text has none, and nothing is moved. */
static inline bool take_to(struct rest *rest, const char *word)
{
	const char *at = memmem(rest->p, rest_len(rest), word, strlen(word));

	if (!at)
		return false;
	rest->p = at + strlen(word);
	return true;
}

/* Takes the text up to a character, and moves past it. False: the text does not have it. */
static inline bool take_until(struct rest *rest, char end, struct part *part)
{
	const char *at = memchr(rest->p, end, rest_len(rest));

	if (!at)
		return false;
	*part = (struct part){ rest->p, (size_t)(at - rest->p) };
	rest->p = at + 1;
	return true;
}

/* Takes a decimal number. Those of up to 18 digits cannot overflow. */
static inline bool take_number(struct rest *rest, uint64_t *value)
{
	const char *p = rest->p, *end = rest->p + DKT__MIN(rest_len(rest), (size_t)19);
	uint64_t v = 0;

	for (unsigned int digit; p < end && (digit = (unsigned char)*p - '0') < 10; p++)
		v = v * 10 + digit;
	if (dkt__unlikely(p - rest->p == 19))
		return !dkt__take_u64(&rest->p, rest->end, DKT__DEC, value);
	if (p == rest->p)
		return false;
	rest->p = p;
	*value = v;
	return true;
}

/* Takes a hexadecimal number, with or without 0x. Those of up to 16 digits cannot overflow. */
static inline bool take_hex(struct rest *rest, uint64_t *value)
{
	const char *p, *end;
	uint64_t v = 0;

	take_word(rest, "0x");
	p = rest->p;
	end = p + DKT__MIN(rest_len(rest), (size_t)17);
	for (unsigned int digit, letter; p < end; p++) {
		digit = (unsigned char)*p - '0';
		letter = ((unsigned char)*p | 0x20) - 'a';
		if (digit > 9 && letter > 5)
			break;
		v = v << 4 | (digit < 10 ? digit : letter + 10);
	}
	if (dkt__unlikely(p - rest->p == 17))
		return !dkt__take_u64(&rest->p, rest->end, DKT__HEX, value);
	if (p == rest->p)
		return false;
	rest->p = p;
	*value = v;
	return true;
}

static inline bool take_signed(struct rest *rest, int64_t *value)
{
	return !dkt__take_s64(&rest->p, rest->end, DKT__DEC, value);
}

static inline bool part_is(const struct part *part, const char *word)
{
	return strlen(word) == part->len && !memcmp(part->p, word, part->len);
}

static inline bool part_begins(const struct part *part, const char *word)
{
	size_t len = strlen(word);

	return part->len >= len && !memcmp(part->p, word, len);
}
