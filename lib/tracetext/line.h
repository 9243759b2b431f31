/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses a line of the kernel's trace or trace_pipe, or of trace-cmd report. */
#pragma once

#include "ctx.h"

enum dkt__line_kind {
	DKT__LINE_BAD, /* not a line of a trace */
	DKT__LINE_NONE, /* a head, or an empty one */
	DKT__LINE_RECORD,
	DKT__LINE_LOST, /* CPU:1 [LOST 5 EVENTS] */
	DKT__LINE_FRAME, /* a function of the stack of the record before */
	DKT__LINE_TASK, /* function_graph: another process runs on the CPU, comm and pid */
};

enum dkt__call {
	DKT__CALL_NONE, /* another record */
	DKT__CALL_ENTRY, /* func() { */
	DKT__CALL_LEAF, /* func(); which is entry and exit */
	DKT__CALL_EXIT, /* } */
};

/* The parts of a line of function_graph; the function is the line's text, "" if it has none. */
struct dkt__graph {
	enum dkt__call call;
	bool is_strong; /* no other text has such lines */
	bool has_time, has_duration, has_retval;
	uint32_t depth;
	uint64_t duration; /* ns */
	uint64_t retval;
	int32_t before; /* TASK: the process that ran, and its name */
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
	uint64_t lost; /* LOST, and of a head: overwritten before the first record */
	/* Behind the time: the event's name and its text; of a frame the function. */
	const char *name;
	size_t name_len; /* 0: it begins as no event's text does */
	const char *text;
	size_t text_len;
	struct dkt__graph graph;
};

/* Takes a line without its newline apart. */
void dkt__line_read(const char *text, size_t len, struct dkt__line *line);
