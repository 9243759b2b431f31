/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scans text from its start, within its bounds: shared by the parsers of lines. */
#pragma once

#include <ctype.h>

#include "lib/tracetext/line.h"

struct scan {
	const char *p, *end;
};

static inline void skip_space(struct scan *s)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\t'))
		s->p++;
}

static inline void trim(struct scan *s)
{
	skip_space(s);
	while (s->end > s->p && (s->end[-1] == ' ' || s->end[-1] == '\t'))
		s->end--;
}

static inline bool take(struct scan *s, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(s->end - s->p) < n || memcmp(s->p, word, n))
		return false;
	s->p += n;
	return true;
}

static inline bool number(struct scan *s, uint64_t *value)
{
	const char *begin = s->p;

	for (*value = 0; s->p < s->end && isdigit((unsigned char)*s->p); s->p++)
		if (__builtin_mul_overflow(*value, UINT64_C(10), value) ||
		    __builtin_add_overflow(*value, (uint64_t)(*s->p - '0'), value))
			return false;
	return s->p > begin;
}

/* Reads "12.345678" or "12", times 10^digits. Fails if more digits follow the point. */
static inline bool decimal(struct scan *s, int digits, uint64_t *value)
{
	uint64_t unit = 1, fraction = 0;
	const char *point;

	if (!number(s, value))
		return false;
	for (long i = 0; i < digits; i++)
		unit *= 10;
	if (__builtin_mul_overflow(*value, unit, value))
		return false;
	if (s->p == s->end || *s->p != '.')
		return true;
	point = ++s->p;
	if (!number(s, &fraction) || s->p - point > digits)
		return false;
	for (long i = s->p - point; i < digits; i++)
		fraction *= 10;
	return !__builtin_add_overflow(*value, fraction, value);
}

/* The most columns of flags. */
#define IRQS_MOST 7

/* Reads the flags, the columns under "irqs-off/BH-disabled" and so on. */
void dkt__line_irqs(const char *p, size_t n, struct dkt__line *line);

/* Reads "COMM-PID" or "COMM-PID (TGID)", which ends at end. */
bool dkt__line_task(const char *begin, const char *end, struct dkt__line *line);

/* Splits "NAME: TEXT". If there is no such name, all of it is the text. */
void dkt__line_split(struct scan *s, struct dkt__line *line);

/* Parses a line of the function_graph tracer. */
bool dkt__line_graph(const char *text, size_t len, struct dkt__line *line);

/* Parses the text after the event name, as trace-cmd and the style trace print such records. */
bool dkt__line_graph_body(struct scan s, struct dkt__line *line);

/* Parses a line in the latency format. */
bool dkt__line_latency(const char *text, size_t len, struct dkt__line *line);
