/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints function_graph's records: entry and exit indented by depth, as in the kernel's trace file.
 */
#include <inttypes.h>

#include "lib/event.h"
#include "lib/plan.h"

/* THREAD_SIZE does not hold a deeper call stack, so a greater depth is damaged data. */
#define MAX_DEPTH 200

#define INDENT 2 /* columns for each call, TRACE_GRAPH_INDENT */

bool dkt__plan_is_graph(struct dkt_event *event)
{
	if (strcmp(event->system, "ftrace") != 0)
		return false;
	if (!strcmp(event->name, "funcgraph_entry"))
		return dkt_event_field(event, "func") && dkt_event_field(event, "depth");
	return !strcmp(event->name, "funcgraph_exit") && dkt_event_field(event, "func") &&
	       dkt_event_field(event, "depth") && dkt_event_field(event, "calltime") &&
	       dkt_event_field(event, "rettime");
}

/* Marks long times as trace_find_mark() of kernel/trace/trace_output.c does. */
static char mark(uint64_t ns)
{
	static const struct {
		uint64_t above;
		char mark;
	} marks[] = {
		{ 1000000000, '$' }, { 100000000, '@' }, { 10000000, '*' },
		{ 1000000, '#' },    { 100000, '!' },    { 10000, '+' },
	};

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
		if (ns > marks[i].above)
			return marks[i].mark;
	return ' ';
}

/* Prints the duration, known on exit only, or as many spaces. */
static void put_time(const struct dkt_record *record, bool is_exit, struct dkt_buf *buf)
{
	uint64_t ns;

	if (!is_exit) {
		dkt_buf_printf(buf, "%18s", "");
		return;
	}
	ns = (uint64_t)dkt__record_value(record, "rettime") -
	     (uint64_t)dkt__record_value(record, "calltime");
	dkt_buf_printf(buf, "%c %9" PRIu64 ".%03u us", mark(ns), ns / 1000,
		       (unsigned int)(ns % 1000));
}

void dkt__plan_graph_text(const struct dkt_record *record, struct dkt_buf *buf)
{
	bool is_exit = !strcmp(record->event->name, "funcgraph_exit");
	int64_t depth = dkt__record_value(record, "depth");

	depth = DKT__MIN(DKT__MAX(depth, (int64_t)0), (int64_t)MAX_DEPTH);
	put_time(record, is_exit, buf);
	dkt_buf_printf(buf, " |  %*s%s", (int)depth * INDENT, "", is_exit ? "} /* " : "");
	dkt__function_text(record->event->ctx, (uint64_t)dkt__record_value(record, "func"), false,
			   buf);
	dkt_buf_str(buf, is_exit ? " */" : "() {");
}
