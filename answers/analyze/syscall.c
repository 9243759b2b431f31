/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* System calls: all of them, and those that open, read, write and sync. */
#include "answers/analyze/io.h"
#include "answers/analyze/kinds.h"

static const struct result_column all_columns[] = {
	{ "process", RESULT_PROCESS, "Process", NULL, "pid" },
	{ "syscall", RESULT_SYSCALL, "System call", NULL, NULL },
	{ "result", RESULT_NUMBER, "Result", NULL, NULL },
};

static const struct span_set all_sets[] = {
	{ "syscalls",
	  "System calls",
	  all_columns,
	  ARRAY_SIZE(all_columns),
	  { 0, 1 },
	  .one_cpu = true },
};

static const struct result_column io_columns[] = {
	{ "op", RESULT_TEXT, "Operation", NULL, NULL },
	{ "process", RESULT_PROCESS, "Process", NULL, "pid" },
	{ "syscall", RESULT_SYSCALL, "System call", NULL, NULL },
	{ "fd", RESULT_NUMBER, "Descriptor", NULL, NULL },
	{ "result", RESULT_NUMBER, "Result", NULL, NULL },
};

static const struct span_set io_sets[] = {
	{ "io",
	  "System calls that open, read, write and sync",
	  io_columns,
	  ARRAY_SIZE(io_columns),
	  { 0, -1 },
	  .one_cpu = true },
};

static int add_call(struct analyze *a, void *state, const struct call *call,
		    const struct io_call *row)
{
	uint32_t process = io_process(state, call);
	const char *name = io_name(state, call);
	struct span span; /* zeroes for cells that the set does not have would cost time */

	(void)row;
	if (process == PROCESS_NONE || !name)
		return -ENOMEM;
	span.begin = call->begin;
	span.end = call->end;
	span.set = 0;
	span.lost = false;
	span.more = NULL;
	span.cells[0] = analyze_cell(a, process);
	span.cells[1] = cell_text(name);
	span.cells[2] = cell_number((uint64_t)call->ret);
	return span_add(a, &span);
}

static int add_io(struct analyze *a, void *state, const struct call *call,
		  const struct io_call *row)
{
	struct span span = { .begin = call->begin, .end = call->end };
	uint32_t process;

	if (!row || row->op == IO_CLOSE)
		return 0;
	process = io_process(state, call);
	if (process == PROCESS_NONE)
		return -ENOMEM;
	span.cells[0] = cell_text(io_op_names[row->op]);
	span.cells[1] = analyze_cell(a, process);
	span.cells[2] = cell_text(row->name);
	if (row->op != IO_OPEN && call->n_args && strcmp(row->name, "sync") != 0)
		span.cells[3] = cell_number((uint64_t)(int64_t)(int32_t)call->args[0]);
	span.cells[4] = cell_number((uint64_t)call->ret);
	return span_add(a, &span);
}

static int begin_all(struct analyze *a, void *state)
{
	((struct io *)state)->call = add_call;
	return io_begin(a, state);
}

static int begin_io(struct analyze *a, void *state)
{
	((struct io *)state)->call = add_io;
	return io_begin(a, state);
}

static int on_end(struct analyze *a, void *state)
{
	(void)a;
	return io_end(state);
}

static void clear(void *state)
{
	io_clear(state);
}

static const struct analysis_event events[] = { IO_EVENTS(io_record) };

const struct analysis_kind syscall_kind = {
	.events = events,
	.n_events = ARRAY_SIZE(events),
	.size = sizeof(struct io),
	.begin = begin_all,
	.gap = io_gap,
	.end = on_end,
	.clear = clear,
	.sets = all_sets,
	.n_sets = ARRAY_SIZE(all_sets),
};

const struct analysis_kind io_kind = {
	.events = events,
	.n_events = ARRAY_SIZE(events),
	.size = sizeof(struct io),
	.begin = begin_io,
	.gap = io_gap,
	.end = on_end,
	.clear = clear,
	.sets = io_sets,
	.n_sets = ARRAY_SIZE(io_sets),
};
