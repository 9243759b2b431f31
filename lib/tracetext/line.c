/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses a line of the kernel's trace or trace_pipe, or of trace-cmd report. */
#include "lib/tracetext/scan.h"

/* Reads the time: "12.345678:" and "12.345678901:" are seconds, "1234:" is a counter. */
static bool time_of(struct scan *s, struct dkt__line *line)
{
	const char *begin = s->p;
	const char *point = memchr(begin, '.', (size_t)(s->end - begin));
	const char *colon = memchr(begin, ':', (size_t)(s->end - begin));

	line->ticks = !point || !colon || point > colon;
	if (!decimal(s, line->ticks ? 0 : 9, &line->ts))
		return false;
	if (!take(s, ":"))
		return false;
	return s->p == s->end || *s->p == ' ' || *s->p == '\t';
}

void dkt__line_irqs(const char *p, size_t n, struct dkt__line *line)
{
	char usual[5];

	/* RHEL 9's kernel has two columns more, as realtime kernels: a lazy request to reschedule, and a lazy count. */
	if (n == IRQS_MOST) {
		if (p[2] == 'L')
			line->flags |= DKT_REC_NEED_RESCHED_LAZY;
		usual[0] = p[0];
		usual[1] = p[1];
		usual[2] = p[3];
		usual[3] = p[4];
		usual[4] = p[6];
		p = usual;
		n = sizeof(usual);
	}
	if (n > 0 && strchr("dD", p[0]))
		line->flags |= DKT_REC_IRQS_OFF;
	if (n > 0 && strchr("bD", p[0]))
		line->flags |= DKT_REC_BH_OFF;
	if (n > 1 && strchr("NnBb", p[1]))
		line->flags |= DKT_REC_NEED_RESCHED;
	if (n > 1 && strchr("lLBb", p[1]))
		line->flags |= DKT_REC_NEED_RESCHED_LAZY;
	if (n > 2 && strchr("hHZ", p[2]))
		line->flags |= DKT_REC_HARDIRQ;
	if (n > 2 && strchr("sH", p[2]))
		line->flags |= DKT_REC_SOFTIRQ;
	if (n > 2 && strchr("zZ", p[2]))
		line->flags |= DKT_REC_NMI;
	if (n > 3 && isxdigit((unsigned char)p[3]))
		line->preempt = (uint8_t)(isdigit((unsigned char)p[3]) ? p[3] - '0' :
									 (p[3] | 32) - 'a' + 10);
	if (n > 4 && isdigit((unsigned char)p[4]))
		line->preempt |= (uint8_t)((p[4] - '0') << 4);
}

bool dkt__line_task(const char *begin, const char *end, struct dkt__line *line)
{
	struct scan pid = { .end = NULL };
	const char *p = end;
	uint64_t value;

	while (p > begin && p[-1] == ' ')
		p--;
	if (p > begin && p[-1] == ')') {
		while (p > begin && *p != '(')
			p--;
		while (p > begin && p[-1] == ' ')
			p--;
	}
	pid.end = p;
	while (p > begin && isdigit((unsigned char)p[-1]))
		p--;
	pid.p = p;
	if (p <= begin || p[-1] != '-' || !number(&pid, &value) || value > INT32_MAX)
		return false;
	line->pid = (int32_t)value;
	for (p--; begin < p && *begin == ' '; begin++)
		;
	line->comm = begin;
	line->comm_len = (size_t)(p - begin);
	/* trace-cmd prints "INSTANCE:  " before the name of the process. */
	begin = memmem(begin, line->comm_len, ":  ", 3);
	if (begin && memchr(line->comm, ' ', (size_t)(begin - line->comm)) == NULL) {
		while (*begin == ':' || *begin == ' ')
			begin++;
		line->comm = begin;
		line->comm_len = (size_t)(p - begin);
	}
	return true;
}

/* Reads the CPU, the flags, if any, and the time: "[001] d..2. 12.345678:" */
static bool place(struct scan *s, struct dkt__line *line)
{
	struct scan word;
	uint64_t cpu;

	if (!take(s, "[") || !number(s, &cpu) || cpu > UINT16_MAX || !take(s, "]"))
		return false;
	line->cpu = (uint32_t)cpu;
	skip_space(s);
	word = *s;
	if (time_of(s, line))
		return true;
	*s = word;
	while (s->p < s->end && *s->p != ' ')
		s->p++;
	dkt__line_irqs(word.p, (size_t)(s->p - word.p), line);
	skip_space(s);
	return s->p - word.p < 24 && time_of(s, line);
}

static bool is_name(char c)
{
	return dkt__in_name(c) || c == '.';
}

void dkt__line_split(struct scan *s, struct dkt__line *line)
{
	struct scan difference;
	uint64_t value;
	const char *p;

	skip_space(s);
	/* "(+31)" of trace-cmd report --ts-diff */
	difference = *s;
	if (take(&difference, "(+") && number(&difference, &value) && take(&difference, ") ")) {
		*s = difference;
		skip_space(s);
	}
	p = s->p;
	while (p < s->end && is_name(*p))
		p++;
	line->text = s->p;
	if (p > s->p && p < s->end && *p == ':' && (p + 1 == s->end || p[1] == ' ')) {
		line->name = s->p;
		line->name_len = (size_t)(p - s->p);
		s->p = p + 1;
		skip_space(s);
		line->text = s->p;
	}
	line->text_len = (size_t)(s->end - line->text);
}

static bool record(const char *text, size_t len, struct dkt__line *line)
{
	const char *end = text + len, *p = text;

	for (int tries = 0; tries < 8; tries++, p++) {
		struct scan s;

		p = memchr(p, '[', (size_t)(end - p));
		if (!p)
			return false;
		s = (struct scan){ .p = p, .end = end };
		*line = (struct dkt__line){ .kind = DKT__LINE_RECORD };
		if (!dkt__line_task(text, p, line) || !place(&s, line))
			continue;
		dkt__line_split(&s, line);
		return true;
	}
	return false;
}

/* trace-cmd's notes before the records: "cpus=2", "version = 6", "CPU 3 is empty" */
static bool is_note(struct scan s)
{
	uint64_t cpu;

	if (take(&s, "cpus=") || take(&s, "version = ") || take(&s, "trace-cmd version "))
		return true;
	return take(&s, "CPU ") && number(&s, &cpu) && take(&s, " is empty");
}

/* Reads a gap: "CPU:1 [LOST 5 EVENTS]", "CPU:1 [5 EVENTS DROPPED]", "CPU:1 [EVENTS DROPPED]" */
static bool lost(struct scan s, struct dkt__line *line)
{
	uint64_t cpu;

	if (!take(&s, "CPU:") || !number(&s, &cpu) || cpu > UINT16_MAX || !take(&s, " ["))
		return false;
	line->cpu = (uint32_t)cpu;
	if (take(&s, "LOST "))
		s.p += 0;
	if (!number(&s, &line->lost))
		line->lost = DKT_LOST_UNKNOWN;
	skip_space(&s);
	return take(&s, "EVENTS");
}

/* The kernel prints " => func", trace-cmd prints "=> func (ffffffff81000000)". */
static bool frame(struct scan s, struct dkt__line *line)
{
	const char *p;

	skip_space(&s);
	if (!take(&s, "=> "))
		return false;
	skip_space(&s);
	while (s.end > s.p && s.end[-1] == ' ')
		s.end--;
	line->text = s.p;
	p = memmem(s.p, (size_t)(s.end - s.p), " (", 2);
	line->text_len = (size_t)((p ? p : s.end) - s.p);
	return true;
}

/* "# entries-in-buffer/entries-written: 10/25": the difference was overwritten. */
static void head(struct scan s, struct dkt__line *line)
{
	uint64_t kept, written;

	if (take(&s, "# entries-in-buffer/entries-written: ") && number(&s, &kept) &&
	    take(&s, "/") && number(&s, &written) && written > kept)
		line->lost = written - kept;
}

void dkt__line_read(const char *text, size_t len, struct dkt__line *line)
{
	struct scan s = { .p = text, .end = text + len };

	*line = (struct dkt__line){ .kind = DKT__LINE_NONE };
	if (len && text[len - 1] == '\r')
		s.end--, len--;
	skip_space(&s);
	if (s.p == s.end)
		return;
	if (*text == '#') {
		head((struct scan){ .p = text, .end = text + len }, line);
		return;
	}
	if (is_note(s))
		return;
	if (record(text, len, line)) {
		if (line->name_len > 10 && !memcmp(line->name, "funcgraph_", 10))
			dkt__line_graph_body(
				(struct scan){ line->text, line->text + line->text_len }, line);
		return;
	}
	if (dkt__line_graph(text, len, line) || dkt__line_latency(text, len, line))
		return;
	*line = (struct dkt__line){ .kind = DKT__LINE_LOST };
	if (lost(s, line))
		return;
	*line = (struct dkt__line){ .kind = DKT__LINE_FRAME };
	if (frame(s, line))
		return;
	line->kind = DKT__LINE_BAD;
}
