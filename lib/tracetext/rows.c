/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the lines of a trace's text that are records, and sorts them by time. */
#include "lib/tracetext/rows.h"

#include "lib/base/when.h"

/* Report the progress after this many lines. */
#define TELL_LINES 4096

uint64_t dkt__text_line(const struct dkt__file *file, uint64_t at, struct dkt__line *line)
{
	const char *p = (const char *)file->data + at;
	const char *end = memchr(p, '\n', file->size - at);
	size_t len = end ? (size_t)(end - p) : file->size - at;

	dkt__line_read(p, len, line);
	return at + len + 1;
}

static int add_row(struct dkt__text *text, uint64_t ts, uint64_t at, bool exit)
{
	return dkt__append(text->rows, text->n,
			   (struct dkt__text_row){ .ts = ts, .at = at, .exit = exit });
}

static int row_cmp(const void *a, const void *b)
{
	const struct dkt__text_row *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (int)x->exit - (int)y->exit;
}

/*
 * Sorts the rows by time, because trace_pipe may be slightly out of order. A gap gets the time of
 * the row after it, or of the row before it if it is the last.
 */
static void sort_rows(struct dkt__text *text)
{
	bool sorted = true;

	for (size_t i = text->n; i-- > 0;)
		if (text->rows[i].ts == UINT64_MAX)
			text->rows[i].ts = i + 1 < text->n ? text->rows[i + 1].ts :
					   i               ? text->rows[i - 1].ts :
							     0;
	for (size_t i = 1; i < text->n; i++)
		sorted &= text->rows[i - 1].ts <= text->rows[i].ts;
	if (!sorted)
		qsort(text->rows, text->n, sizeof(*text->rows), row_cmp);
}

/* Reports the progress of the first reading. text_bytes() reports that of the second one. */
static void tell(const struct dkt__text *text, uint64_t at, unsigned int *lines)
{
	if (++*lines % TELL_LINES == 0)
		dkt__progress(text->base.ctx, "file", at, text->file.size);
}

/* The state that earlier lines established. */
struct scanning {
	struct dkt__text *text;
	bool frames; /* lines of a stack can follow */
	bool graph; /* function_graph wrote the text; some of its lines do not show that */
	struct {
		uint64_t ts;
		unsigned int restarts; /* before it */
	} * latest; /* by CPU */
	unsigned int restarts; /* times that times begin again */
	size_t *leaves; /* by CPU: index + 1 of the exit row if the last record was a leaf, or 0 */
};

/*
 * Limits the exit of a leaf function to the time of the CPU's next record. The exit is the line's
 * time, in microseconds, plus the duration, in nanoseconds, so it can be later than the next
 * record.
 */
static void end_leaf(struct scanning *s, const struct dkt__line *line)
{
	size_t *leaf = &s->leaves[line->cpu];
	struct dkt__text_row *row = *leaf ? &s->text->rows[*leaf - 1] : NULL;

	if (row && row->ts > line->ts)
		row->ts = line->ts;
	*leaf = 0;
}

static int scan_leaf(struct scanning *s, const struct dkt__line *line, uint64_t at)
{
	uint64_t end = line->graph.has_time ? line->ts + line->graph.duration : 0;
	int err = dkt__text_get(&s->text->names, "funcgraph_exit") ?
			  add_row(s->text, end, at, true) :
			  -ENOMEM;

	if (!err)
		s->leaves[line->cpu] = s->text->n;
	return err;
}

/* A text in another order, such as one CPU after the other, has the times of each CPU in order. */
static void note_time(struct scanning *s, const struct dkt__line *line)
{
	uint64_t latest = s->latest[line->cpu].ts;

	if (s->latest[line->cpu].restarts != s->restarts)
		latest = 0;
	if (line->ts && line->ts < latest && latest - line->ts > DKT__RESTART_NS) {
		s->restarts++;
		latest = 0;
	}
	s->latest[line->cpu].ts = DKT__MAX(latest, line->ts);
	s->latest[line->cpu].restarts = s->restarts;
}

static int scan_record(struct scanning *s, const struct dkt__line *line, uint64_t at)
{
	struct dkt__text_name *text_name;
	char name[DKT__TEXT_NAME];
	int err;

	end_leaf(s, line);
	note_time(s, line);
	s->text->names.retval |= line->graph.has_retval;
	dkt__text_name(line, name);
	text_name = dkt__text_get(&s->text->names, name);
	if (text_name && !text_name->line) {
		text_name->line = line->text;
		text_name->line_len = line->text_len;
	}
	err = text_name ? add_row(s->text, line->ts, at, false) : -ENOMEM;
	return err || line->graph.call != DKT__CALL_LEAF ? err : scan_leaf(s, line, at);
}

/* Stores no name for PID 0, because it also stands for an unknown process. */
static int scan_task(struct dkt__text *text, const struct dkt__line *line, uint64_t at)
{
	const struct dkt__graph *graph = &line->graph;
	int err = dkt__text_calls_task(&text->calls, at, line);

	if (!err && line->pid)
		err = dkt__comms_set(&text->comms, line->pid, line->comm, line->comm_len);
	if (!err && graph->before)
		err = dkt__comms_set(&text->comms, graph->before, graph->comm, graph->comm_len);
	return err;
}

static int scan_line(struct scanning *s, const struct dkt__line *line, uint64_t at)
{
	struct dkt__text *text = s->text;
	bool frame = line->kind == DKT__LINE_FRAME && s->frames;

	s->graph |= line->graph.is_strong;
	s->frames = frame || line->kind == DKT__LINE_RECORD;
	switch (line->kind) {
	case DKT__LINE_FRAME:
		text->loss[0].bad += !frame;
		return frame ? dkt__text_stacks_names(&text->names) : 0;
	case DKT__LINE_RECORD:
		if (!line->graph.call || line->graph.is_strong || s->graph || line->graph.has_time)
			return scan_record(s, line, at);
		s->frames = false;
		text->loss[0].bad++;
		return 0;
	case DKT__LINE_LOST:
		return add_row(text, UINT64_MAX, at, false);
	case DKT__LINE_TASK:
		return scan_task(text, line, at);
	case DKT__LINE_NONE:
		text->before += line->lost;
		return 0;
	default:
		text->loss[0].bad++;
		return 0;
	}
}

int dkt__text_scan(struct dkt__text *text)
{
	static const char graph[] = "# tracer: function_graph";
	struct scanning s = { .text = text,
			      .leaves = calloc(DKT__TEXT_CPUS_MAX, sizeof(*s.leaves)),
			      .latest = calloc(DKT__TEXT_CPUS_MAX, sizeof(*s.latest)) };
	uint64_t at = 0, next;
	struct dkt__line line;
	unsigned int lines = 0;
	bool seconds = false;
	int err = s.leaves && s.latest ? 0 : -ENOMEM;

	for (; !err && at < text->file.size; at = next) {
		tell(text, at, &lines);
		if (text->file.size - at >= sizeof(graph) &&
		    !memcmp(text->file.data + at, graph, sizeof(graph) - 1))
			s.graph = true;
		next = dkt__text_line(&text->file, at, &line);
		err = scan_line(&s, &line, at);
		seconds |= line.kind == DKT__LINE_RECORD && !line.ticks;
		if (line.kind == DKT__LINE_RECORD || line.kind == DKT__LINE_LOST)
			text->base.info.cpus = DKT__MAX(text->base.info.cpus, (int)line.cpu + 1);
	}
	/* The kernel prints the times of all clocks that do not count ns in the same way. */
	if (text->n && !seconds)
		text->base.info.clock = "counter";
	/* Invalid lines are counted for the first CPU. */
	text->base.info.cpus = DKT__MAX(text->base.info.cpus, 1);
	dkt__progress(text->base.ctx, "file", text->file.size, text->file.size);
	free(s.leaves);
	free(s.latest);
	if (s.restarts)
		dkt__log(
			text->base.ctx, DKT_LOG_WARN,
			"%s: times begin again, as after a boot; its records are sorted by time all the"
			" same, so split the file there",
			text->file.name);
	if (!err)
		sort_rows(text);
	return err;
}
