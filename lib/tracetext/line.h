/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses a line of the kernel's trace or trace_pipe, or of trace-cmd report. */
#pragma once

#include "lib/ctx.h"

enum dkt__line_kind {
	DKT__LINE_BAD, /* not a line of a trace */
	DKT__LINE_NONE, /* a header, a separator or an empty line */
	DKT__LINE_RECORD,
	DKT__LINE_LOST, /* CPU:1 [LOST 5 EVENTS] */
	DKT__LINE_FRAME, /* a function in the stack of the record above */
	DKT__LINE_TASK, /* function_graph: the CPU switches to the process comm, pid */
};

enum dkt__call {
	DKT__CALL_NONE, /* not a function call */
	DKT__CALL_ENTRY, /* func() { */
	DKT__CALL_LEAF, /* func(); this line is both entry and exit */
	DKT__CALL_EXIT, /* } */
};

/* The parts of a function_graph line. The function is the line's text, "" if unknown. */
struct dkt__graph {
	enum dkt__call call;
	bool is_strong; /* only function_graph prints such lines */
	bool has_time, has_duration, has_retval;
	uint32_t depth;
	uint64_t duration; /* ns */
	uint64_t retval;
	int32_t before; /* DKT__LINE_TASK: PID of the previous process; comm is its name */
	const char *comm;
	size_t comm_len;
};

struct dkt__line {
	enum dkt__line_kind kind;
	const char *comm;
	size_t comm_len;
	int32_t pid;
	uint32_t cpu;
	uint8_t flags, preempt; /* as in struct dkt_record */
	uint64_t ts;
	bool ticks; /* ts is a number of a clock that does not count ns */
	uint64_t lost; /* DKT__LINE_LOST: lost here; header: overwritten before the first record */
	/* The event's name and its text follow the time. A frame's text is the function. */
	const char *name;
	size_t name_len; /* 0: the line has no event name */
	const char *text;
	size_t text_len;
	struct dkt__graph graph;
};

/* Parses a line, given without its newline. */
void dkt__line_read(const char *text, size_t len, struct dkt__line *line);
