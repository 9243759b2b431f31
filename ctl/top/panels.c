/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The panels and their columns, one row each. */
#include "compat/lustre/event_names.h"
#include "compat/lustre/mask.h"
#include "ctl/top/args.h"
#include "ctl/top/top.h"
#include "lib/base/buf.h"

#define UNKNOWN (-1.0)

double top_per_second(const struct top *top, double number)
{
	const double ns = (double)(top->frame.to - top->frame.from);

	return ns > 0 ? number / ns * 1e9 : 0;
}

/* A share of one CPU, in percent. A sum can be slightly negative: see struct activity. */
static double percent(const struct top *top, int64_t ns)
{
	return ns > 0 ? top_per_second(top, (double)ns) / 1e7 : 0;
}

/* ---- processes, or the threads of one ---- */

static size_t task_count(const struct top *top)
{
	return top->process ? top->frame.n_threads : top->frame.n_processes;
}

static const void *task_item(const struct top *top, size_t i)
{
	return top->process ? &top->frame.threads[i] : &top->frame.processes[i];
}

static bool task_shows(const struct top *top, const void *item)
{
	const struct activity_task *task = item;

	return !top->process || task->process == top->process;
}

#define TASK_NUMBER(name, expression)                                                              \
	static double task_##name(const struct top *top, const void *item)                         \
	{                                                                                          \
		const struct activity_task *task = item;                                           \
                                                                                                   \
		(void)top;                                                                         \
		return expression;                                                                 \
	}

TASK_NUMBER(pid, task->pid)
TASK_NUMBER(threads, (double)task->threads)
TASK_NUMBER(cpu, percent(top, task->cpu))
TASK_NUMBER(wait, percent(top, task->wait))
TASK_NUMBER(calls, top_per_second(top, (double)task->calls))
TASK_NUMBER(read, top_per_second(top, (double)task->read))
TASK_NUMBER(written, top_per_second(top, (double)task->written))

static char *task_comm(const struct top *top, const void *item)
{
	const struct activity_task *task = item;

	(void)top;
	return strdup(task->comm);
}

static const struct top_column task_columns[] = {
	{ { .key = "pid", .type = COL_NUMBER, .heading = "    PID" }, 0, task_pid, NULL },
	{ { .key = "threads", .type = COL_NUMBER, .heading = "THREADS" }, 0, task_threads, NULL },
	{ { .key = "cpu", .type = COL_RATE, .heading = "  %CPU", .none = "-" },
	  ACTIVITY_CPU,
	  task_cpu,
	  NULL },
	{ { .key = "wait", .type = COL_RATE, .heading = " %WAIT", .none = "-" },
	  ACTIVITY_WAIT,
	  task_wait,
	  NULL },
	{ { .key = "calls", .type = COL_RATE, .heading = " CALLS/S", .none = "-" },
	  ACTIVITY_CALLS,
	  task_calls,
	  NULL },
	{ { .key = "read", .type = COL_BYTES, .heading = "  READ/S", .none = "-" },
	  ACTIVITY_CALLS,
	  task_read,
	  NULL },
	{ { .key = "written", .type = COL_BYTES, .heading = " WRITE/S", .none = "-" },
	  ACTIVITY_CALLS,
	  task_written,
	  NULL },
	{ { .key = "command", .heading = "COMMAND" }, 0, NULL, task_comm },
};

/* ---- system calls that have not returned ---- */

static size_t call_count(const struct top *top)
{
	return top->frame.n_calls;
}

static const void *call_item(const struct top *top, size_t i)
{
	return &top->frame.calls[i];
}

static bool call_shows(const struct top *top, const void *item)
{
	const struct activity_call *call = item;

	if (top->process)
		return call->process == top->process;
	return top->waiting || !(call->flags & ACTIVITY_CALL_WAITS);
}

static double call_time(const struct top *top, const void *item)
{
	const struct activity_call *call = item;

	return top->frame.to > call->since ? (double)(top->frame.to - call->since) : 0;
}

static double call_pid(const struct top *top, const void *item)
{
	(void)top;
	return ((const struct activity_call *)item)->process;
}

static double call_thread(const struct top *top, const void *item)
{
	(void)top;
	return ((const struct activity_call *)item)->pid;
}

static char *call_note(const struct top *top, const void *item)
{
	const unsigned int flags = ((const struct activity_call *)item)->flags;

	(void)top;
	if (flags & ACTIVITY_CALL_UNSURE)
		return strdup("?");
	return strdup(flags & ACTIVITY_CALL_OLDER ? "+" : "");
}

static char *call_comm(const struct top *top, const void *item)
{
	(void)top;
	return strdup(((const struct activity_call *)item)->comm);
}

static char *call_name(const struct top *top, const void *item)
{
	const struct activity_call *call = item;
	const char *name = dkt_syscall_name(top->app->ctx, call->number);

	return name ? strdup(name) : dkt__format("%d", call->number);
}

static char *call_args(const struct top *top, const void *item)
{
	(void)top;
	return top_args_text(item);
}

static const struct top_column call_columns[] = {
	{ { .key = "time", .type = COL_DURATION, .heading = "    TIME" }, 0, call_time, NULL },
	{ { .key = "note", .heading = " " }, 0, NULL, call_note },
	{ { .key = "pid", .type = COL_NUMBER, .heading = "    PID" }, 0, call_pid, NULL },
	{ { .key = "thread", .type = COL_NUMBER, .heading = " THREAD" }, 0, call_thread, NULL },
	{ { .key = "command", .heading = "COMMAND        " }, 0, NULL, call_comm },
	{ { .key = "call", .heading = "CALL" }, 0, NULL, call_name },
	{ { .key = "argument", .heading = "ARGUMENT" }, 0, NULL, call_args },
};

/* ---- disks ---- */

static size_t disk_count(const struct top *top)
{
	return top->frame.n_disks;
}

static const void *disk_item(const struct top *top, size_t i)
{
	return &top->frame.disks[i];
}

static char *disk_name(const struct top *top, const void *item)
{
	(void)top;
	return strdup(((const struct activity_disk *)item)->name);
}

/* From the records; for a disk without records of requests from the kernel's statistics, in ms. */
static double mean_latency(const struct activity_disk *disk)
{
	const uint64_t n = disk->reads + disk->writes;

	if (disk->timed)
		return (double)disk->latency_sum / (double)disk->timed;
	return n ? (double)disk->ms * 1e6 / (double)n : UNKNOWN;
}

#define DISK_NUMBER(name, expression)                                                              \
	static double disk_##name(const struct top *top, const void *item)                         \
	{                                                                                          \
		const struct activity_disk *disk = item;                                           \
                                                                                                   \
		(void)top;                                                                         \
		return expression;                                                                 \
	}

DISK_NUMBER(reads, top_per_second(top, (double)disk->reads))
DISK_NUMBER(writes, top_per_second(top, (double)disk->writes))
DISK_NUMBER(read, top_per_second(top, (double)disk->read_bytes))
DISK_NUMBER(written, top_per_second(top, (double)disk->written_bytes))
DISK_NUMBER(mean, mean_latency(disk))
DISK_NUMBER(max, disk->timed ? (double)disk->latency_max : UNKNOWN)
DISK_NUMBER(queue, top_per_second(top, (double)disk->queue_ms) / 1e3)
DISK_NUMBER(now, (double)disk->in_flight)

static const struct top_column disk_columns[] = {
	{ { .key = "device", .heading = "DEVICE" }, 0, NULL, disk_name },
	{ { .key = "reads", .type = COL_RATE, .heading = " READS/S" }, 0, disk_reads, NULL },
	{ { .key = "writes", .type = COL_RATE, .heading = "WRITES/S" }, 0, disk_writes, NULL },
	{ { .key = "read", .type = COL_BYTES, .heading = "  READ/S" }, 0, disk_read, NULL },
	{ { .key = "written", .type = COL_BYTES, .heading = " WRITE/S" }, 0, disk_written, NULL },
	{ { .key = "mean", .type = COL_DURATION, .heading = "    MEAN", .none = "-" },
	  0,
	  disk_mean,
	  NULL },
	{ { .key = "max", .type = COL_DURATION, .heading = "     MAX", .none = "-" },
	  0,
	  disk_max,
	  NULL },
	{ { .key = "queue", .type = COL_RATE, .heading = "QUEUE" }, 0, disk_queue, NULL },
	{ { .key = "now", .type = COL_NUMBER, .heading = "NOW" }, 0, disk_now, NULL },
};

/* ---- classes of the log ---- */

static size_t class_count(const struct top *top)
{
	return top->counts.n_classes;
}

static const void *class_item(const struct top *top, size_t i)
{
	return &top->counts.classes[i];
}

static char *class_name(const struct top *top, const void *item)
{
	const unsigned int bit = ((const struct log_class *)item)->bit;

	(void)top;
	return strdup(bit == LOG_NO_CLASS ? "-" : dkl_mask_name(MASK_DEBUG, bit));
}

/* The part of the log's records, in percent. */
static double class_share(const struct top *top, const void *item)
{
	uint64_t all = 0;

	for (size_t i = 0; i < top->counts.n_events; i++)
		all += top->counts.events[i].records;
	return all ? 100 * (double)((const struct log_class *)item)->records / (double)all : 0;
}

static double class_rate(const struct top *top, const void *item)
{
	return top_per_second(top, (double)((const struct log_class *)item)->records);
}

static double class_events(const struct top *top, const void *item)
{
	(void)top;
	return (double)((const struct log_class *)item)->events;
}

static const struct top_column class_columns[] = {
	{ { .key = "class", .heading = "CLASS     " }, 0, NULL, class_name },
	{ { .key = "log", .type = COL_RATE, .heading = "   LOG/S" }, 0, class_rate, NULL },
	{ { .key = "share", .type = COL_RATE, .heading = "%LOG" }, 0, class_share, NULL },
	{ { .key = "events", .type = COL_NUMBER, .heading = "EVENTS" }, 0, class_events, NULL },
};

/* ---- events ---- */

static size_t event_count(const struct top *top)
{
	return top->n_events;
}

static const void *event_item(const struct top *top, size_t i)
{
	return &top->events[i];
}

static char *event_name(const struct top *top, const void *item)
{
	(void)top;
	return dkl_event_full_name(((const struct top_event *)item)->event);
}

static char *event_classes(const struct top *top, const void *item)
{
	const uint32_t classes = ((const struct top_event *)item)->classes;
	char text[512] = "";
	size_t used = 0;

	(void)top;
	for (unsigned int bit = 0; bit < 32 && used < sizeof(text); bit++)
		if (classes & UINT32_C(1) << bit)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
						 used ? "," : "", dkl_mask_name(MASK_DEBUG, bit));
	return strdup(text);
}

static double event_log(const struct top *top, const void *item)
{
	const struct top_event *event = item;

	return event->in_log ? top_per_second(top, (double)event->log_records) : UNKNOWN;
}

static double event_own(const struct top *top, const void *item)
{
	const struct top_event *event = item;

	return event->own ? top_per_second(top, (double)event->own_records) : UNKNOWN;
}

static const struct top_column event_columns[] = {
	{ { .key = "event", .heading = "EVENT" }, 0, NULL, event_name },
	{ { .key = "log", .type = COL_RATE, .heading = "   LOG/S", .none = "-" },
	  0,
	  event_log,
	  NULL },
	{ { .key = "top", .type = COL_RATE, .heading = "   TOP/S", .none = "-" },
	  0,
	  event_own,
	  NULL },
	{ { .key = "classes", .heading = "CLASSES" }, 0, NULL, event_classes },
};

/* ---- buffers ---- */

static size_t buffer_count(const struct top *top)
{
	return top->buffers[TOP_LOG].name ? N_TOP_BUFFERS : N_TOP_BUFFERS - 1;
}

static const void *buffer_item(const struct top *top, size_t i)
{
	return &top->buffers[i];
}

static char *buffer_name(const struct top *top, const void *item)
{
	const struct top_buffer *buffer = item;

	return dkt__format("%s%s", buffer->name ? buffer->name : "",
			   buffer == &top->buffers[TOP_LOG] ? " (log)" : "");
}

#define BUFFER_NUMBER(name, expression)                                                            \
	static double buffer_##name(const struct top *top, const void *item)                       \
	{                                                                                          \
		const struct top_buffer *buffer = item;                                            \
                                                                                                   \
		(void)top;                                                                         \
		return expression;                                                                 \
	}

BUFFER_NUMBER(rate, buffer->known ? top_per_second(top, (double)buffer->records) : UNKNOWN)
BUFFER_NUMBER(lost, buffer->known ? top_per_second(top, (double)buffer->lost) : UNKNOWN)
BUFFER_NUMBER(all_lost, (double)buffer->all_lost)
BUFFER_NUMBER(bytes, buffer->size ? (double)buffer->bytes : UNKNOWN)
BUFFER_NUMBER(size, buffer->size ? (double)buffer->size : UNKNOWN)

static const struct top_column buffer_columns[] = {
	{ { .key = "buffer", .heading = "BUFFER" }, 0, NULL, buffer_name },
	{ { .key = "rate", .type = COL_RATE, .heading = "RECORDS/S", .none = "-" },
	  0,
	  buffer_rate,
	  NULL },
	{ { .key = "lost", .type = COL_RATE, .heading = "  LOST/S", .none = "-" },
	  0,
	  buffer_lost,
	  NULL },
	{ { .key = "all_lost", .type = COL_NUMBER, .heading = "    LOST" },
	  0,
	  buffer_all_lost,
	  NULL },
	{ { .key = "used", .type = COL_BYTES, .heading = "    USED", .none = "-" },
	  0,
	  buffer_bytes,
	  NULL },
	{ { .key = "size", .type = COL_BYTES, .heading = "    SIZE", .none = "-" },
	  0,
	  buffer_size,
	  NULL },
};

/* ---- all ---- */

#define COLUMNS(columns) columns, ARRAY_SIZE(columns)

const struct top_panel top_panels[N_TOP_PANELS] = {
	[TOP_PROCESSES] = { "processes",
			    "Processes",
			    COLUMNS(task_columns),
			    { .column = 2 },
			    5,
			    task_count,
			    task_item,
			    task_shows },
	[TOP_CALLS] = { "calls",
			"System calls that have not returned",
			COLUMNS(call_columns),
			{ .column = 0 },
			5,
			call_count,
			call_item,
			call_shows },
	[TOP_DISKS] = { "disks",
			"Disks",
			COLUMNS(disk_columns),
			{ .column = 4 },
			3,
			disk_count,
			disk_item,
			NULL },
	[TOP_CLASSES] = { "classes",
			  "Classes of the log",
			  COLUMNS(class_columns),
			  { .column = 1 },
			  5,
			  class_count,
			  class_item,
			  NULL },
	[TOP_EVENTS] = { "events",
			 "Events",
			 COLUMNS(event_columns),
			 { .column = 1 },
			 4,
			 event_count,
			 event_item,
			 NULL },
	[TOP_BUFFERS] = { "buffers",
			  "Buffers",
			  COLUMNS(buffer_columns),
			  { .column = 1 },
			  2,
			  buffer_count,
			  buffer_item,
			  NULL },
};
