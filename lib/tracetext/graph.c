/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parses lines of the function_graph tracer, with any columns that its options put before the
 * function; see kernel/trace/trace_functions_graph.c.
 */
#include "lib/base/parse.h"
#include "lib/tracetext/scan.h"

#define INDENT 2 /* spaces for each level of calls */

static bool take_end(struct scan *s, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(s->end - s->p) < n || memcmp(s->end - n, word, n))
		return false;
	s->end -= n;
	while (s->end > s->p && s->end[-1] == ' ')
		s->end--;
	return true;
}

/* ---- columns ---- */

/* Reads the column of durations: "+ 12.689 us", "* 35099.97 us", or spaces. */
static bool duration(struct scan s, struct dkt__graph *graph)
{
	trim(&s);
	if (s.p == s.end)
		return true;
	if (strchr("$@*#!+", *s.p))
		s.p++;
	skip_space(&s);
	if (!decimal(&s, 3, &graph->duration))
		return false;
	skip_space(&s);
	graph->has_duration = take(&s, "us") && s.p == s.end;
	return graph->has_duration;
}

/* Reads the column of flags: "...1." */
static bool irqs(struct scan s, struct dkt__line *line)
{
	trim(&s);
	for (const char *p = s.p; p < s.end; p++)
		if (!strchr(".dDbBnNpLhHsSzZX#", *p) && !isxdigit((unsigned char)*p))
			return false;
	if (s.end - s.p < 4 || s.end - s.p > IRQS_MOST)
		return false;
	dkt__line_irqs(s.p, (size_t)(s.end - s.p), line);
	return true;
}

static bool task(struct scan s, struct dkt__line *line)
{
	trim(&s);
	return s.p < s.end && dkt__line_task(s.p, s.end, line) && line->comm_len;
}

/* Reads the columns between the CPU and the function. Moves s behind the last one. */
static void columns(struct scan *s, struct dkt__line *line, long *base)
{
	bool has_task = false, has_irqs = false;
	const char *bar;

	while ((bar = memchr(s->p, '|', (size_t)(s->end - s->p)))) {
		struct scan column = { s->p, bar };

		if (!has_task && task(column, line)) {
			has_task = true;
		} else if (!has_irqs && irqs(column, line)) {
			has_irqs = true;
		} else if (duration(column, &line->graph)) {
			s->p = bar + 1;
			*base = 2;
			line->graph.is_strong = true;
			return;
		} else {
			return;
		}
		s->p = bar + 1;
		*base = 2;
	}
}

/* ---- the function ---- */

/* Reads the return value in a comment: "= 0x10" or "ret=-22". */
static void retval(struct scan s, struct dkt__graph *graph)
{
	static const char *const marks[] = { "ret=", "= " };
	const char *p = NULL;
	int64_t retval;

	for (size_t i = 0; i < ARRAY_SIZE(marks) && !p; i++) {
		p = memmem(s.p, (size_t)(s.end - s.p), marks[i], strlen(marks[i]));
		p = p ? p + strlen(marks[i]) : NULL;
	}
	if (!p)
		return;
	if (p < s.end && *p == '-') {
		graph->has_retval = !dkt__take_s64(&p, s.end, DKT__AS_C, &retval);
		graph->retval = (uint64_t)retval;
	} else {
		graph->has_retval = !dkt__take_u64(&p, s.end, DKT__AS_C, &graph->retval);
	}
}

/* The length of the name in the comment after a brace. Other parts may follow the name. */
static size_t name_len(struct scan s)
{
	static const char *const ends[] = { " = ", " ret=", " <-", " (" };
	size_t len = (size_t)(s.end - s.p);

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		const char *p = memmem(s.p, len, ends[i], strlen(ends[i]));

		len = p ? (size_t)(p - s.p) : len;
	}
	return len;
}

static bool leaves(struct scan s, struct dkt__line *line)
{
	line->graph.call = DKT__CALL_EXIT;
	line->text = s.p;
	line->text_len = 0;
	skip_space(&s);
	if (!take(&s, "/*"))
		return s.p == s.end;
	skip_space(&s);
	if (!take_end(&s, "*/"))
		return false;
	line->text = s.p;
	line->text_len = name_len(s);
	retval(s, &line->graph);
	return true;
}

static bool enters(struct scan s, struct dkt__line *line)
{
	const char *paren = memchr(s.p, '(', (size_t)(s.end - s.p)), *p;
	struct scan note;

	if (!paren || paren == s.p || (!isalnum((unsigned char)*s.p) && !strchr("_.<", *s.p)))
		return false;
	line->text = s.p;
	line->text_len = (size_t)(paren - s.p);
	p = memmem(paren, (size_t)(s.end - paren), "/* ", 3);
	note = (struct scan){ p, s.end };
	if (p && take_end(&note, "*/")) {
		retval(note, &line->graph);
		s.end = p;
		trim(&s);
	}
	line->graph.call = take_end(&s, "{") ? DKT__CALL_ENTRY : DKT__CALL_LEAF;
	if (line->graph.call == DKT__CALL_LEAF && !take_end(&s, ";"))
		return false;
	return s.end > paren && s.end[-1] == ')';
}

/* Reads a comment: the record of another event, or a mark if it has no name. */
static bool comment(struct scan s, struct dkt__line *line)
{
	if (!take_end(&s, "*/"))
		return false;
	skip_space(&s);
	dkt__line_split(&s, line);
	if (!line->name_len) {
		line->name = "print";
		line->name_len = 5;
	}
	return true;
}

static bool function(struct scan s, long base, struct dkt__line *line)
{
	const char *begin = s.p;
	bool good;

	trim(&s);
	line->graph.depth = s.p - begin > base ? (uint32_t)(s.p - begin - base) / INDENT : 0;
	if (take(&s, "/*"))
		return comment(s, line);
	good = take(&s, "}") ? leaves(s, line) : enters(s, line);
	line->name = line->graph.call == DKT__CALL_EXIT ? "funcgraph_exit" : "funcgraph_entry";
	line->name_len = strlen(line->name);
	return good;
}

/* ---- lines ---- */

/* Reads a change of process: "sh-108     =>    <idle>-0" between lines of dashes. */
static bool other_task(struct scan s, struct dkt__line *line)
{
	const char *arrow = memmem(s.p, (size_t)(s.end - s.p), " => ", 4);
	struct scan before = { s.p, arrow }, after = { arrow ? arrow + 4 : NULL, s.end };

	if (!arrow || !task(before, line))
		return false;
	line->graph.before = line->pid;
	line->graph.comm = line->comm;
	line->graph.comm_len = line->comm_len;
	if (!task(after, line))
		return false;
	line->kind = DKT__LINE_TASK;
	return true;
}

/* True for lines without a function: start and end of an interrupt, overruns, dashes. */
static bool is_mark(struct scan s)
{
	trim(&s);
	if (take(&s, "(Overruns: ") || take(&s, "---------"))
		return true;
	return (take(&s, "==========>") || take(&s, "<==========")) &&
	       (skip_space(&s), take(&s, "|")) && (skip_space(&s), s.p == s.end);
}

/* Reads the column of times: "12.345678 |" */
static bool abstime(struct scan *s, uint64_t *ts)
{
	struct scan word = *s;
	uint64_t value;

	if (!decimal(&word, 9, &value) || !memchr(s->p, '.', (size_t)(word.p - s->p)))
		return false;
	skip_space(&word);
	if (!take(&word, "|"))
		return false;
	*ts = value;
	*s = word;
	return true;
}

static bool cpu_column(struct scan *s, uint32_t *cpu)
{
	struct scan word = *s;
	uint64_t value;

	skip_space(&word);
	if (!number(&word, &value) || value > UINT16_MAX || !take(&word, ")"))
		return false;
	*cpu = (uint32_t)value;
	*s = word;
	return true;
}

bool dkt__line_graph(const char *text, size_t len, struct dkt__line *line)
{
	struct scan s = { text, text + len };
	long base = 1; /* spaces before a function at depth 0 */
	bool has_cpu;

	*line = (struct dkt__line){ .kind = DKT__LINE_RECORD };
	skip_space(&s);
	line->graph.has_time = abstime(&s, &line->ts);
	has_cpu = cpu_column(&s, &line->cpu);
	if (is_mark(s)) {
		line->kind = DKT__LINE_NONE;
		return true;
	}
	if (has_cpu && other_task(s, line))
		return true;
	columns(&s, line, &base);
	line->graph.is_strong &= has_cpu;
	return function(s, base, line);
}

bool dkt__line_graph_body(struct scan s, struct dkt__line *line)
{
	const char *name = line->name;
	size_t n = line->name_len;
	struct dkt__line before = *line;
	long base = 2;

	line->graph.has_time = true;
	columns(&s, line, &base);
	if (!function(s, base, line)) {
		*line = before;
		return false;
	}
	/* Keep the event name of the line: function() replaces it, even by one in a comment. */
	line->name = name;
	line->name_len = n;
	return true;
}
