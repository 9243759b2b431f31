/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parses lines in the tracer's latency format, whose times are microseconds since the trace began, and
 * in trace-cmd's, whose times are those of other lines.
 */
#include "lib/tracetext/scan.h"

/* A line has its time, or the start of its time, within this many characters. */
#define HEAD 120

/* Reads the CPU and the flags, such as "1d..2.", that end at *p. Moves *p to their start. */
static bool place(const char *begin, const char **p, struct dkt__line *line)
{
	struct scan s = { .end = *p };
	uint64_t cpu;

	while (*p > begin && (*p)[-1] != ' ' && (*p)[-1] != '\t')
		--*p;
	s.p = *p;
	if (!number(&s, &cpu) || cpu > UINT16_MAX || s.end - s.p < 4 || s.end - s.p > IRQS_MOST)
		return false;
	line->cpu = (uint32_t)cpu;
	dkt__line_irqs(s.p, (size_t)(s.end - s.p), line);
	return true;
}

/* Reads the text before "us": the process, the CPU and flags, and the time. */
static bool head(const char *begin, const char *us, struct dkt__line *line)
{
	struct scan s = { .end = us };
	const char *p = us;

	while (p > begin && isdigit((unsigned char)p[-1]))
		p--;
	s.p = p;
	if (!number(&s, &line->ts) || s.p != us || p == begin ||
	    __builtin_mul_overflow(line->ts, UINT64_C(1000), &line->ts))
		return false;
	while (p > begin && (p[-1] == ' ' || p[-1] == '\t'))
		p--;
	return place(begin, &p, line) && dkt__line_task(begin, p, line);
}

/* Returns the last word before *p. Moves *p to its start. */
static struct scan word_before(const char *begin, const char **p)
{
	struct scan word;

	while (*p > begin && (*p)[-1] == ' ')
		--*p;
	word.end = *p;
	while (*p > begin && (*p)[-1] != ' ')
		--*p;
	word.p = *p;
	return word;
}

/* Option verbose: "COMM PID CPU FLAGS PREEMPT INDEX [TIME] 16.265ms (+0.027ms): " */
static bool verbose(const char *text, const char *end, struct dkt__line *line)
{
	const char *p = memchr(text, '[', DKT__MIN((size_t)(end - text), (size_t)HEAD)), *time;
	struct scan s, words[5];
	uint64_t value;

	time = p ? memchr(p, ']', (size_t)(end - p)) : NULL;
	if (!time)
		return false;
	s = (struct scan){ time + 1, end };
	skip_space(&s);
	*line = (struct dkt__line){ .kind = DKT__LINE_RECORD };
	if (!decimal(&s, 6, &line->ts) || !take(&s, "ms (+") || !decimal(&s, 6, &value) ||
	    !take(&s, "ms): "))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = word_before(text, &p);
	if (!number(&words[3], &value) || words[3].p != words[3].end || value > UINT16_MAX)
		return false;
	line->cpu = (uint32_t)value;
	if (!number(&words[4], &value) || words[4].p != words[4].end || value > INT32_MAX)
		return false;
	line->pid = (int32_t)value;
	line->comm = text;
	while (line->comm < p && *line->comm == ' ')
		line->comm++;
	while (p > line->comm && p[-1] == ' ')
		p--;
	line->comm_len = (size_t)(p - line->comm);
	dkt__line_split(&s, line);
	return true;
}

/* trace-cmd report -l: "COMM-PID CPU+FLAGS 12934.412945: " */
static bool absolute(const char *text, const char *end, struct dkt__line *line)
{
	const char *stop = text + DKT__MIN((size_t)(end - text), (size_t)HEAD), *p = text, *time;
	struct scan s;

	for (; (p = memmem(p, (size_t)(stop - p), ": ", 2)); p += 2) {
		for (time = p; time > text && strchr("0123456789.", time[-1]);)
			time--;
		s = (struct scan){ time, p };
		*line = (struct dkt__line){ .kind = DKT__LINE_RECORD };
		if (!memchr(time, '.', (size_t)(p - time)) || !decimal(&s, 9, &line->ts) ||
		    s.p != p)
			continue;
		while (time > text && time[-1] == ' ')
			time--;
		if (!place(text, &time, line) || !dkt__line_task(text, time, line))
			continue;
		s = (struct scan){ p + 1, end };
		dkt__line_split(&s, line);
		return true;
	}
	return false;
}

bool dkt__line_latency(const char *text, size_t len, struct dkt__line *line)
{
	const char *end = text + len, *p = text, *stop = text + DKT__MIN(len, (size_t)HEAD);

	while ((p = memmem(p, (size_t)(stop - p), "us", 2))) {
		struct scan s = { p + 2, end };

		*line = (struct dkt__line){ .kind = DKT__LINE_RECORD };
		/* The character after "us" shows how long it takes until the next line. */
		if (s.p < end && strchr(" $@*#!+", *s.p) && ++s.p && take(&s, ": ") &&
		    head(text, p, line)) {
			dkt__line_split(&s, line);
			return true;
		}
		p += 2;
	}
	return verbose(text, end, line) || absolute(text, end, line);
}
