/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints each system call as a line, an object or a row. */
#include <inttypes.h>

#include "ctl/app/groups.h"
#include "ctl/app/print.h"
#include "ctl/out/bar.h"
#include "ctl/out/json.h"
#include "ctl/out/rows.h"
#include "ctl/strace/strace.h"
#include "lib/base/buf.h"
#include "lib/base/when.h"

/* Write the buffer when it has so many bytes. */
#define FULL (64 << 10)

static const char *const states[] = {
	[CALL_ENDED] = "ended",       [CALL_LOST] = "lost",     [CALL_UNFINISHED] = "unfinished",
	[CALL_NO_BEGIN] = "no begin", [CALL_NO_END] = "no end",
};

/* ---- parts ---- */

static const char *name_at(const struct strace_lines *lines, const struct strace_origin *origin,
			   const struct dkt_record *record)
{
	const char *name = strace_programs_name(&origin->programs, record->pid);

	return name ? name : dkt_source_comm(lines->source, record);
}

static const char *comm_of(const struct strace_lines *lines, const struct strace_origin *origin,
			   const struct call *call)
{
	const struct dkt_record record = { .pid = call->tid,
					   .cpu = call->cpu,
					   .stream = call->stream,
					   .ts = call->end ? call->end : call->begin };

	return name_at(lines, origin, &record);
}

/* The time of a call without a begin is that of its end. */
static uint64_t ts_of(const struct call *call)
{
	return call->begin ? call->begin : call->end;
}

/* The time of day if it is known, otherwise seconds of the trace's clock. */
static void put_time(struct strace_lines *lines, uint64_t ts)
{
	const struct dkt_source_info *info = dkt_source_info(lines->source);
	int64_t ns = dkt__wall_time(ts, info->wall), second = ns / DKT__NSEC_PER_SEC;
	char text[UNIT_SIZE];
	struct tm tm;

	if (!info->has_wall || ns < 0) {
		time_text(ts, text);
		dkt_buf_str(lines->buf, text);
		return;
	}
	if (second != lines->second || !*lines->clock) {
		lines->second = second;
		if (!localtime_r(&lines->second, &tm) ||
		    !strftime(lines->clock, sizeof(lines->clock), "%H:%M:%S", &tm))
			snprintf(lines->clock, sizeof(lines->clock), "?");
	}
	dkt_buf_str(lines->buf, lines->clock);
	dkt_buf_str(lines->buf, ".");
	dkt__buf_u64(lines->buf, (uint64_t)(ns % DKT__NSEC_PER_SEC) / 1000, 6, '0');
}

static void put_duration(struct strace_lines *lines, const struct call *call)
{
	uint64_t us = (call->end - call->begin + 500) / 1000;

	if (call->state == CALL_ENDED)
		dkt_buf_printf(lines->buf, " (%3" PRIu64 ".%03u ms) ", us / 1000,
			       (unsigned int)(us % 1000));
	else
		dkt_buf_str(lines->buf, " (      ? ms) ");
}

static void put_name(struct strace_lines *lines, const struct strace_origin *origin)
{
	if (!origin->name)
		return;
	dkt_buf_text(lines->buf, origin->name, strlen(origin->name));
	dkt_buf_str(lines->buf, " ");
}

static int write_if_full(struct strace_lines *lines)
{
	size_t len;

	dkt_buf_data(lines->buf, &len);
	if (dkt_buf_error(lines->buf))
		return -ENOMEM;
	return len < FULL ? 0 : strace_lines_flush(lines);
}

/* ---- a line ---- */

static int put_line(struct strace_lines *lines, const struct strace_origin *origin,
		    const struct call *call)
{
	const char *comm = comm_of(lines, origin, call);

	put_time(lines, ts_of(call));
	put_duration(lines, call);
	put_name(lines, origin);
	dkt_buf_text(lines->buf, comm, strlen(comm));
	dkt_buf_printf(lines->buf, "/%d ", call->tid);
	call_text(&origin->text, call, lines->buf);
	dkt_buf_str(lines->buf, "\n");
	if (call->stacks)
		strace_stacks_text(origin, call, lines->buf);
	return write_if_full(lines);
}

/* ---- programs ---- */

static struct json_object *cell_value(const struct strace_lines *lines)
{
	size_t len;
	const char *text = dkt_buf_data(lines->cell, &len);

	return json_object_new_string_len(text ? text : "", (int)len);
}

static struct json_object *args_of(struct strace_lines *lines, const struct strace_origin *origin,
				   const struct call *call)
{
	struct json_object *args = json_object_new_array();
	enum call_text_arg shown;

	for (unsigned int i = 0; i < CALL_ARGS; i++) {
		dkt_buf_reset(lines->cell);
		shown = call_text_arg(&origin->text, call, i, lines->cell);
		if (shown == CALL_TEXT_NO_MORE)
			break;
		if (shown == CALL_TEXT_SHOWN)
			json_object_array_add(args, cell_value(lines));
	}
	return args;
}

static const char *error_of(const struct strace_origin *origin, const struct call *call)
{
	const char *words;
	bool restarts;

	return call_failed(call) ?
		       call_error((int)-call->ret, origin->text.machine, &words, &restarts) :
		       NULL;
}

static struct json_object *name_of(struct strace_lines *lines, const struct call *call)
{
	dkt_buf_reset(lines->cell);
	call_text_name(call, lines->cell);
	return cell_value(lines);
}

/* The time of day if it is known. */
static uint64_t time_ns(const struct strace_lines *lines, uint64_t ts)
{
	const struct dkt_source_info *info = dkt_source_info(lines->source);

	return info->has_wall ? (uint64_t)dkt__wall_time(ts, info->wall) : ts;
}

/* Creates an object with the values that begin each: when, where from, and of which thread on which CPU. */
static struct json_object *new_object(const struct strace_lines *lines,
				      const struct strace_origin *origin, uint64_t ts,
				      const char *comm, int tid, unsigned int cpu)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "time_ns", val_number(time_ns(lines, ts)));
	if (origin->name)
		json_object_object_add(object, "from", val_text(origin->name));
	json_object_object_add(object, "comm", val_text(comm));
	json_object_object_add(object, "tid", json_object_new_int(tid));
	json_object_object_add(object, "cpu", val_number(cpu));
	return object;
}

static void add_stacks(const struct strace_origin *origin, const struct call *call,
		       struct json_object *object)
{
	const struct call_stacks *stacks = call->stacks;

	json_object_object_add(object, "waited_ns",
			       stacks->waited && !call->lost ? val_number(stacks->waited) : NULL);
	json_object_object_add(object, "kernel_stack", strace_stack_json(origin, call, false));
	json_object_object_add(object, "user_stack", strace_stack_json(origin, call, true));
}

static int put_row(struct strace_lines *lines, const struct strace_origin *origin,
		   const struct call *call)
{
	struct json_object *object = new_object(lines, origin, ts_of(call),
						comm_of(lines, origin, call), call->tid, call->cpu);
	int err;

	json_object_object_add(object, "call", name_of(lines, call));
	json_object_object_add(object, "args",
			       call->state == CALL_NO_BEGIN ? NULL : args_of(lines, origin, call));
	json_object_object_add(object, "state", val_text(states[call->state]));
	json_object_object_add(object, "duration_ns",
			       call->state == CALL_ENDED ? val_number(call->end - call->begin) :
							   NULL);
	json_object_object_add(object, "ret", call->end ? json_object_new_int64(call->ret) : NULL);
	json_object_object_add(object, "error", val_text(error_of(origin, call)));
	if (call->stacks)
		add_stacks(origin, call, object);
	err = json_line(object, stdout);
	json_object_put(object);
	return err;
}

static void put_word(struct strace_lines *lines, const char *text)
{
	dkt_buf_str(lines->buf, ",");
	if (text)
		dkt__buf_cell(lines->buf, text, strlen(text));
}

static void put_cell(struct strace_lines *lines)
{
	size_t len;
	const char *text = dkt_buf_data(lines->cell, &len);

	dkt_buf_str(lines->buf, ",");
	dkt__buf_cell(lines->buf, text ? text : "", len);
}

static void put_heading(struct strace_lines *lines, const struct strace_origin *origin,
			const struct call *call)
{
	if (lines->any)
		return;
	lines->any = true;
	dkt_buf_str(lines->buf, origin->name ? "time_ns,from" : "time_ns");
	dkt_buf_str(lines->buf, ",comm,tid,cpu,call,text,state,duration_ns,ret,error");
	dkt_buf_str(lines->buf, call->stacks ? ",waited_ns,kernel_stack,user_stack\n" : "\n");
}

static void put_stack_cells(struct strace_lines *lines, const struct strace_origin *origin,
			    const struct call *call)
{
	dkt_buf_str(lines->buf, ",");
	if (call->stacks->waited && !call->lost)
		dkt__buf_u64(lines->buf, call->stacks->waited, 0, ' ');
	for (int user = 0; user < 2; user++) {
		dkt_buf_reset(lines->cell);
		strace_stack_folded(origin, call, user, lines->cell);
		put_cell(lines);
	}
}

static int put_csv(struct strace_lines *lines, const struct strace_origin *origin,
		   const struct call *call)
{
	struct dkt_buf *buf = lines->buf;

	put_heading(lines, origin, call);
	dkt__buf_u64(buf, time_ns(lines, ts_of(call)), 0, ' ');
	if (origin->name)
		put_word(lines, origin->name);
	put_word(lines, comm_of(lines, origin, call));
	dkt_buf_printf(buf, ",%d,%u", call->tid, call->cpu);
	dkt_buf_reset(lines->cell);
	call_text_name(call, lines->cell);
	put_cell(lines);
	dkt_buf_reset(lines->cell);
	call_text(&origin->text, call, lines->cell);
	put_cell(lines);
	put_word(lines, states[call->state]);
	dkt_buf_str(buf, ",");
	if (call->state == CALL_ENDED)
		dkt__buf_u64(buf, call->end - call->begin, 0, ' ');
	dkt_buf_str(buf, ",");
	if (call->end)
		dkt_buf_printf(buf, "%lld", (long long)call->ret);
	put_word(lines, error_of(origin, call));
	if (call->stacks)
		put_stack_cells(lines, origin, call);
	dkt_buf_str(buf, "\n");
	return write_if_full(lines);
}

/* ---- ends of threads ---- */

/* Appends the words of strace(1), which always knows how. */
static void put_exit_words(const struct strace_origin *origin, const struct call_task *task,
			   struct dkt_buf *buf)
{
	switch (task->exit) {
	case CALL_EXIT_STATUS:
		dkt_buf_printf(buf, "+++ exited with %d +++", task->code);
		break;
	case CALL_EXIT_SIGNAL:
		dkt_buf_str(buf, "+++ killed by ");
		call_words(ARG_SIGNAL, (uint64_t)task->code, origin->text.machine, buf);
		dkt_buf_str(buf, " +++");
		break;
	case CALL_EXIT_KILLED:
		dkt_buf_str(buf, "+++ killed +++");
		break;
	case CALL_EXIT_UNKNOWN:
		dkt_buf_str(buf, "+++ ended +++");
		break;
	}
}

static int put_exit_row(struct strace_lines *lines, const struct strace_origin *origin,
			const struct call_task *task, const char *comm)
{
	struct json_object *object =
		new_object(lines, origin, task->ts, comm, task->tid, task->cpu);
	struct json_object *signal = NULL;
	int err;

	dkt_buf_reset(lines->cell);
	if (task->exit == CALL_EXIT_SIGNAL) {
		call_words(ARG_SIGNAL, (uint64_t)task->code, origin->text.machine, lines->cell);
		signal = cell_value(lines);
	}
	json_object_object_add(object, "exit_status",
			       task->exit == CALL_EXIT_STATUS ? json_object_new_int(task->code) :
								NULL);
	json_object_object_add(object, "exit_signal", signal);
	err = json_line(object, stdout);
	json_object_put(object);
	return err;
}

int strace_lines_exit(struct strace_lines *lines, const struct strace_origin *origin,
		      const struct call_task *task)
{
	const struct dkt_record record = {
		.pid = task->tid, .cpu = task->cpu, .stream = task->stream, .ts = task->ts
	};
	const char *comm = name_at(lines, origin, &record);

	if (OPT(lines->app, print)->csv)
		return 0;
	if (OPT(lines->app, print)->json)
		return put_exit_row(lines, origin, task, comm);
	put_time(lines, task->ts);
	dkt_buf_str(lines->buf, " ");
	put_name(lines, origin);
	dkt_buf_text(lines->buf, comm, strlen(comm));
	dkt_buf_printf(lines->buf, "/%d ", task->tid);
	put_exit_words(origin, task, lines->buf);
	dkt_buf_str(lines->buf, "\n");
	return write_if_full(lines);
}

/* ---- all ---- */

int strace_lines_put(struct strace_lines *lines, const struct strace_origin *origin,
		     const struct call *call)
{
	if (OPT(lines->app, print)->json)
		return put_row(lines, origin, call);
	return OPT(lines->app, print)->csv ? put_csv(lines, origin, call) :
					     put_line(lines, origin, call);
}

int strace_lines_gap(struct strace_lines *lines, const struct strace_origin *origin,
		     const struct dkt_record *gap)
{
	struct json_object *object;
	int err;

	if (OPT(lines->app, print)->csv)
		return 0;
	if (OPT(lines->app, print)->json) {
		object = json_object_new_object();
		json_object_object_add(object, "lost_before_ns", val_number(gap->ts));
		if (origin->name)
			json_object_object_add(object, "from", val_text(origin->name));
		json_object_object_add(object, "cpu", val_number(gap->cpu));
		json_object_object_add(object, "lost",
				       gap->lost == DKT_LOST_UNKNOWN ? NULL :
								       val_number(gap->lost));
		err = json_line(object, stdout);
		json_object_put(object);
		return err;
	}
	put_time(lines, gap->ts);
	dkt_buf_str(lines->buf, " ");
	put_name(lines, origin);
	if (gap->paused)
		dkt_buf_printf(lines->buf, "CPU %u: nothing was recorded for a time\n", gap->cpu);
	else if (gap->lost == DKT_LOST_UNKNOWN)
		dkt_buf_printf(lines->buf, "CPU %u: records are lost\n", gap->cpu);
	else
		dkt_buf_printf(lines->buf, "CPU %u: %" PRIu64 " records are lost\n", gap->cpu,
			       gap->lost);
	return write_if_full(lines);
}

int strace_lines_begin(struct strace_lines *lines, const struct app *app)
{
	int err = dkt_buf_new(&lines->buf);

	lines->app = app;
	return err ? err : dkt_buf_new(&lines->cell);
}

int strace_lines_flush(struct strace_lines *lines)
{
	size_t len;
	const char *text = dkt_buf_data(lines->buf, &len);

	if (len)
		fwrite(text, 1, len, stdout);
	dkt_buf_reset(lines->buf);
	/* Whoever sees standard output close checks for its errors at the end. */
	fflush(stdout);
	return 0;
}

void strace_lines_clear(struct strace_lines *lines)
{
	dkt_buf_free(lines->buf);
	dkt_buf_free(lines->cell);
}
