/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The panels and their columns, one row each. */
#include <limits.h>

#include "compat/lustre/event_names.h"
#include "compat/lustre/mask.h"
#include "ctl/top/top.h"
#include "lib/base/buf.h"

#define UNKNOWN (-1.0)

double top_per_second(const struct top *top, double number)
{
	const double ns = (double)(top->frame.to - top->frame.from);

	return ns > 0 ? number / ns * 1e9 : 0;
}

/* A share of one CPU, in percent. A sum can be slightly negative, if an interval ended before late records. */
static double percent(const struct top *top, int64_t ns)
{
	return ns > 0 ? top_per_second(top, (double)ns) / 1e7 : 0;
}

/* Defines a function of a column, which gets a number or a text of an item. */
#define GETTER(returns, kind, it, name, expression)                                                \
	static returns it##_##name(const struct top *top, const void *item)                        \
	{                                                                                          \
		const struct kind *it = item;                                                      \
                                                                                                   \
		(void)top;                                                                         \
		return expression;                                                                 \
	}
#define NUMBER(kind, it, name, expression) GETTER(double, kind, it, name, expression)
#define TEXT(kind, it, name, expression)   GETTER(char *, kind, it, name, expression)

/* Defines the function that gets an item of a panel. */
#define ITEMS(it, list, n)                                                                         \
	static const void *it##_item(const struct top *top, size_t i)                              \
	{                                                                                          \
		return i < (n) ? &(list)[i] : NULL;                                                \
	}

/* ---- processes, or the threads of one ---- */

ITEMS(task, top->process ? top->frame.threads : top->frame.processes,
      top->process ? top->frame.n_threads : top->frame.n_processes)

static bool task_shows(const struct top *top, const void *item)
{
	const struct activity_task *task = item;

	return !top->process || task->process == top->process;
}

NUMBER(activity_task, task, pid, task->pid)
NUMBER(activity_task, task, threads, (double)task->threads)
NUMBER(activity_task, task, cpu, percent(top, task->cpu))
NUMBER(activity_task, task, wait, percent(top, task->wait))
NUMBER(activity_task, task, calls, top_per_second(top, (double)task->calls))
NUMBER(activity_task, task, read, top_per_second(top, (double)task->read))
NUMBER(activity_task, task, written, top_per_second(top, (double)task->written))
TEXT(activity_task, task, comm, strdup(task->comm))

static const struct top_column task_columns[] = {
	/* clang-format off */
	{ { .key = "pid", .type = COL_NUMBER, .heading = "    PID" }, 0, task_pid, NULL },
	{ { .key = "threads", .type = COL_NUMBER, .heading = "THREADS" }, 0, task_threads, NULL },
	{ { .key = "cpu", .type = COL_RATE, .heading = "  %CPU", .none = "-" }, ACTIVITY_CPU, task_cpu, NULL },
	{ { .key = "wait", .type = COL_RATE, .heading = " %WAIT", .none = "-" }, ACTIVITY_WAIT, task_wait, NULL },
	{ { .key = "calls", .type = COL_RATE, .heading = " CALLS/S", .none = "-" }, ACTIVITY_CALLS, task_calls, NULL },
	{ { .key = "read", .type = COL_BYTES, .heading = "  READ/S", .none = "-" }, ACTIVITY_CALLS, task_read, NULL },
	{ { .key = "written", .type = COL_BYTES, .heading = " WRITE/S", .none = "-" }, ACTIVITY_CALLS, task_written, NULL },
	{ { .key = "command", .heading = "COMMAND" }, 0, NULL, task_comm },
	/* clang-format on */
};

/* ---- system calls that have not returned ---- */

ITEMS(call, top->frame.calls, top->frame.n_calls)

static bool call_shows(const struct top *top, const void *item)
{
	const struct activity_call *call = item;

	if (top->process)
		return call->process == top->process;
	return top->waiting || !(call->flags & ACTIVITY_CALL_WAITS);
}

NUMBER(activity_call, call, time,
       top->frame.to > call->since ? (double)(top->frame.to - call->since) : 0)
NUMBER(activity_call, call, pid, call->process)
NUMBER(activity_call, call, thread, call->pid)
TEXT(activity_call, call, comm, strdup(call->comm))

static char *call_note(const struct top *top, const void *item)
{
	const unsigned int flags = ((const struct activity_call *)item)->flags;

	(void)top;
	if (flags & ACTIVITY_CALL_UNSURE)
		return strdup("?");
	return strdup(flags & ACTIVITY_CALL_OLDER ? "+" : "");
}

static char *call_name(const struct top *top, const void *item)
{
	const struct activity_call *call = item;
	const char *name = dkt_syscall_name(top->app->ctx, call->number);

	return name ? strdup(name) : dkt__format("%d", call->number);
}

#define SHOWN_ARGS 3

/* From here on an argument is rather an address or bits than a number. */
#define LARGE 1000000ul

static bool file_of(const struct activity_call *call, char file[PATH_MAX])
{
	char *path __cleanup(free) = dkt__format("/proc/%d/fd/%lu", call->process, call->args[0]);
	ssize_t len = path ? readlink(path, file, PATH_MAX - 1) : -1;

	if (len < 0)
		return false;
	file[len] = '\0';
	return true;
}

/*
 * The file of the first argument if it is a descriptor and the process lets us look, otherwise the first
 * three arguments.
 */
static char *call_args(const struct top *top, const void *item)
{
	const struct activity_call *call = item;
	char file[PATH_MAX], text[SHOWN_ARGS * 24] = "";
	size_t used = 0;

	(void)top;
	if (call->flags & ACTIVITY_CALL_FD && file_of(call, file))
		return dkt__format("%lu<%s>", call->args[0], file);
	for (size_t i = 0; i < SHOWN_ARGS; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 call->args[i] < LARGE ? "%s%lu" : "%s%#lx", i ? ", " : "",
					 call->args[i]);
	return strdup(text);
}

static const struct top_column call_columns[] = {
	/* clang-format off */
	{ { .key = "time", .type = COL_DURATION, .heading = "    TIME" }, 0, call_time, NULL },
	{ { .key = "note", .heading = " " }, 0, NULL, call_note },
	{ { .key = "pid", .type = COL_NUMBER, .heading = "    PID" }, 0, call_pid, NULL },
	{ { .key = "thread", .type = COL_NUMBER, .heading = " THREAD" }, 0, call_thread, NULL },
	{ { .key = "command", .heading = "COMMAND        " }, 0, NULL, call_comm },
	{ { .key = "call", .heading = "CALL" }, 0, NULL, call_name },
	{ { .key = "argument", .heading = "ARGUMENT" }, 0, NULL, call_args },
	/* clang-format on */
};

/* ---- disks ---- */

ITEMS(disk, top->frame.disks, top->frame.n_disks)
TEXT(activity_disk, disk, name, strdup(disk->name))

/* From the records; for a disk without records of requests from the kernel's statistics, in ms. */
static double mean_latency(const struct activity_disk *disk)
{
	const uint64_t n = disk->reads + disk->writes;

	if (disk->timed)
		return (double)disk->latency_sum / (double)disk->timed;
	return n ? (double)disk->ms * 1e6 / (double)n : UNKNOWN;
}

NUMBER(activity_disk, disk, reads, top_per_second(top, (double)disk->reads))
NUMBER(activity_disk, disk, writes, top_per_second(top, (double)disk->writes))
NUMBER(activity_disk, disk, read, top_per_second(top, (double)disk->read_bytes))
NUMBER(activity_disk, disk, written, top_per_second(top, (double)disk->written_bytes))
NUMBER(activity_disk, disk, mean, mean_latency(disk))
NUMBER(activity_disk, disk, max, disk->timed ? (double)disk->latency_max : UNKNOWN)
NUMBER(activity_disk, disk, queue, top_per_second(top, (double)disk->queue_ms) / 1e3)
NUMBER(activity_disk, disk, now, (double)disk->in_flight)

static const struct top_column disk_columns[] = {
	/* clang-format off */
	{ { .key = "device", .heading = "DEVICE" }, 0, NULL, disk_name },
	{ { .key = "reads", .type = COL_RATE, .heading = " READS/S" }, 0, disk_reads, NULL },
	{ { .key = "writes", .type = COL_RATE, .heading = "WRITES/S" }, 0, disk_writes, NULL },
	{ { .key = "read", .type = COL_BYTES, .heading = "  READ/S" }, 0, disk_read, NULL },
	{ { .key = "written", .type = COL_BYTES, .heading = " WRITE/S" }, 0, disk_written, NULL },
	{ { .key = "mean", .type = COL_DURATION, .heading = "    MEAN", .none = "-" }, 0, disk_mean, NULL },
	{ { .key = "max", .type = COL_DURATION, .heading = "     MAX", .none = "-" }, 0, disk_max, NULL },
	{ { .key = "queue", .type = COL_RATE, .heading = "QUEUE" }, 0, disk_queue, NULL },
	{ { .key = "now", .type = COL_NUMBER, .heading = "NOW" }, 0, disk_now, NULL },
	/* clang-format on */
};

/* ---- classes of the log ---- */

ITEMS(class, top->counts.classes, top->counts.n_classes)
NUMBER(log_class, class, rate, top_per_second(top, (double)class->records))
NUMBER(log_class, class, events, (double)class->events)
TEXT(log_class, class, name,
     strdup(class->bit == LOG_NO_CLASS ? "-" : dkl_mask_name(MASK_DEBUG, class->bit)))

/* The part of the log's records, in percent. */
static double class_share(const struct top *top, const void *item)
{
	uint64_t all = 0;

	for (size_t i = 0; i < top->counts.n_events; i++)
		all += top->counts.events[i].records;
	return all ? 100 * (double)((const struct log_class *)item)->records / (double)all : 0;
}

static const struct top_column class_columns[] = {
	/* clang-format off */
	{ { .key = "class", .heading = "CLASS     " }, 0, NULL, class_name },
	{ { .key = "log", .type = COL_RATE, .heading = "   LOG/S" }, 0, class_rate, NULL },
	{ { .key = "share", .type = COL_RATE, .heading = "%LOG" }, 0, class_share, NULL },
	{ { .key = "events", .type = COL_NUMBER, .heading = "EVENTS" }, 0, class_events, NULL },
	/* clang-format on */
};

/* ---- events ---- */

ITEMS(event, top->events, top->n_events)
NUMBER(top_event, event, log,
       event->in_log ? top_per_second(top, (double)event->log_records) : UNKNOWN)
NUMBER(top_event, event, own,
       event->own ? top_per_second(top, (double)event->own_records) : UNKNOWN)
TEXT(top_event, event, name, dkl_event_full_name(event->event))

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

static const struct top_column event_columns[] = {
	/* clang-format off */
	{ { .key = "event", .heading = "EVENT" }, 0, NULL, event_name },
	{ { .key = "log", .type = COL_RATE, .heading = "   LOG/S", .none = "-" }, 0, event_log, NULL },
	{ { .key = "top", .type = COL_RATE, .heading = "   TOP/S", .none = "-" }, 0, event_own, NULL },
	{ { .key = "classes", .heading = "CLASSES" }, 0, NULL, event_classes },
	/* clang-format on */
};

/* ---- buffers ---- */

ITEMS(buffer, top->buffers, top->buffers[TOP_LOG].name ? N_TOP_BUFFERS : N_TOP_BUFFERS - 1)

static char *buffer_name(const struct top *top, const void *item)
{
	const struct top_buffer *buffer = item;

	return dkt__format("%s%s", buffer->name ? buffer->name : "",
			   buffer == &top->buffers[TOP_LOG] ? " (log)" : "");
}

NUMBER(top_buffer, buffer, rate,
       buffer->known ? top_per_second(top, (double)buffer->records) : UNKNOWN)
NUMBER(top_buffer, buffer, lost,
       buffer->known ? top_per_second(top, (double)buffer->lost) : UNKNOWN)
NUMBER(top_buffer, buffer, all_lost, (double)buffer->all_lost)
NUMBER(top_buffer, buffer, bytes, buffer->size ? (double)buffer->bytes : UNKNOWN)
NUMBER(top_buffer, buffer, size, buffer->size ? (double)buffer->size : UNKNOWN)

static const struct top_column buffer_columns[] = {
	/* clang-format off */
	{ { .key = "buffer", .heading = "BUFFER" }, 0, NULL, buffer_name },
	{ { .key = "rate", .type = COL_RATE, .heading = "RECORDS/S", .none = "-" }, 0, buffer_rate, NULL },
	{ { .key = "lost", .type = COL_RATE, .heading = "  LOST/S", .none = "-" }, 0, buffer_lost, NULL },
	{ { .key = "all_lost", .type = COL_NUMBER, .heading = "    LOST" }, 0, buffer_all_lost, NULL },
	{ { .key = "used", .type = COL_BYTES, .heading = "    USED", .none = "-" }, 0, buffer_bytes, NULL },
	{ { .key = "size", .type = COL_BYTES, .heading = "    SIZE", .none = "-" }, 0, buffer_size, NULL },
	/* clang-format on */
};

/* ---- ready-made intervals ---- */

ITEMS(interval, top->frame.intervals, top->frame.n_intervals)
TEXT(activity_interval, interval, name, strdup(interval->name))
NUMBER(activity_interval, interval, count, (double)interval->count)
NUMBER(activity_interval, interval, rate, top_per_second(top, (double)interval->count))
NUMBER(activity_interval, interval, p50, interval->count ? (double)interval->p50 : UNKNOWN)
NUMBER(activity_interval, interval, p90, interval->count ? (double)interval->p90 : UNKNOWN)
NUMBER(activity_interval, interval, p99, interval->count ? (double)interval->p99 : UNKNOWN)
NUMBER(activity_interval, interval, max, interval->count ? (double)interval->max : UNKNOWN)
/* Several at once are more than all of the time. */
NUMBER(activity_interval, interval, share, top_per_second(top, (double)interval->total) / 1e7)

static const struct top_column interval_columns[] = {
	/* clang-format off */
	{ { .key = "interval", .heading = "INTERVAL   " }, 0, NULL, interval_name },
	{ { .key = "count", .type = COL_NUMBER, .heading = "   COUNT" }, 0, interval_count, NULL },
	{ { .key = "rate", .type = COL_RATE, .heading = "      /S" }, 0, interval_rate, NULL },
	{ { .key = "p50", .type = COL_DURATION, .heading = "     P50", .none = "-" }, 0, interval_p50, NULL },
	{ { .key = "p90", .type = COL_DURATION, .heading = "     P90", .none = "-" }, 0, interval_p90, NULL },
	{ { .key = "p99", .type = COL_DURATION, .heading = "     P99", .none = "-" }, 0, interval_p99, NULL },
	{ { .key = "max", .type = COL_DURATION, .heading = "     MAX", .none = "-" }, 0, interval_max, NULL },
	{ { .key = "share", .type = COL_RATE, .heading = "  %TIME" }, 0, interval_share, NULL },
	/* clang-format on */
};

/* ---- functions ---- */

/* Stacks of a function in JSON. */
#define STACKS 5

ITEMS(function, top->functions.list, top->functions.n)
NUMBER(top_function, function, cpu, percent(top, (int64_t)function->value.weight))
NUMBER(top_function, function, share,
       100 * (double)function->value.weight / (double)DKT__MAX(top->functions.weight, UINT64_C(1)))
NUMBER(top_function, function, samples, (double)function->value.samples)
TEXT(top_function, function, name,
     strdup(profile_names_text(&top->functions.round.names, function->name)))
TEXT(top_function, function, where,
     strdup(profile_names_where(&top->functions.round.names, function->name)))
TEXT(top_function, function, program,
     strdup(profile_names_text(&top->functions.round.names, function->program)))

static struct json_object *function_stacks(const struct top *top, const void *item)
{
	struct rows *rows = top_functions_stacks(top, item, STACKS);
	struct json_object *list = rows_json(rows);

	rows_free(rows);
	return list;
}

static const struct top_column function_columns[] = {
	/* clang-format off */
	{ { .key = "cpu", .type = COL_RATE, .heading = "  %CPU" }, 0, function_cpu, NULL },
	{ { .key = "share", .type = COL_RATE, .heading = " SHARE%" }, 0, function_share, NULL },
	{ { .key = "samples", .type = COL_NUMBER, .flags = COL_SPARE, .heading = "SAMPLES" }, 0, function_samples, NULL },
	{ { .key = "function", .heading = "FUNCTION                 " }, 0, NULL, function_name },
	{ { .key = "where", .heading = "WHERE        " }, 0, NULL, function_where },
	{ { .key = "command", .heading = "COMMAND" }, 0, NULL, function_program },
	{ { .key = "stacks", .type = COL_LIST, .flags = COL_DATA }, 0, NULL, NULL },
	/* clang-format on */
};

/* ---- all ---- */

#define COLUMNS(columns) columns, ARRAY_SIZE(columns)

const struct top_panel top_panels[N_TOP_PANELS] = {
	/* clang-format off */
	[TOP_PROCESSES] = { "processes", "Processes", COLUMNS(task_columns), { .column = 2 }, 5, task_item, task_shows, NULL },
	[TOP_CALLS] = { "calls", "System calls that have not returned", COLUMNS(call_columns), { .column = 0 }, 5, call_item, call_shows, NULL },
	[TOP_DISKS] = { "disks", "Disks", COLUMNS(disk_columns), { .column = 4 }, 3, disk_item, NULL, NULL },
	[TOP_CLASSES] = { "classes", "Classes of the log", COLUMNS(class_columns), { .column = 1 }, 5, class_item, NULL, NULL },
	[TOP_EVENTS] = { "events", "Events", COLUMNS(event_columns), { .column = 1 }, 4, event_item, NULL, NULL },
	[TOP_BUFFERS] = { "buffers", "Buffers", COLUMNS(buffer_columns), { .column = 1 }, 2, buffer_item, NULL, NULL },
	[TOP_INTERVALS] = { "intervals", "Ready-made intervals", COLUMNS(interval_columns), { .column = 7 }, 4, interval_item, NULL, NULL },
	[TOP_FUNCTIONS] = { "functions", "Functions", COLUMNS(function_columns), { .column = 0 }, 5, function_item, NULL, function_stacks },
	/* clang-format on */
};
