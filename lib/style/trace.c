/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The trace style: lines with the columns of trace-cmd report and of the kernel's trace file. */
#include "lib/style.h"

#define COMM_WIDTH 16
#define NAME_WIDTH 20

static char *put_spaces(char *p, size_t n)
{
	memset(p, ' ', n);
	return p + n;
}

static char *put_comm(char *p, const char *comm, size_t len)
{
	if (len < COMM_WIDTH)
		p = put_spaces(p, COMM_WIDTH - len);
	memcpy(p, comm, len);
	return p + len;
}

/* %-5d */
static char *put_pid(char *p, int32_t pid)
{
	char *end = dkt__put_int(p, pid);

	return end - p < 5 ? put_spaces(end, (size_t)(5 - (end - p))) : end;
}

/* %03u */
static char *put_cpu(char *p, uint32_t cpu)
{
	if (cpu < 100)
		*p++ = '0';
	if (cpu < 10)
		*p++ = '0';
	return dkt__put_dec(p, cpu);
}

/* Microseconds, rounded as trace-cmd rounds them. */
static uint64_t to_us(uint64_t ts)
{
	return ts / 1000 + (ts % 1000 >= 500);
}

/* %5llu. */
static char *put_seconds(char *p, uint64_t seconds)
{
	for (uint64_t limit = 10000; limit > 1 && seconds < limit; limit /= 10)
		*p++ = ' ';
	p = dkt__put_dec(p, seconds);
	*p++ = '.';
	return p;
}

/* Ticks are %12llu, as the kernel and trace-cmd have them. */
static char *put_time(char *p, uint64_t ts, bool ticks)
{
	uint64_t us = to_us(ts);

	if (dkt__unlikely(ticks)) {
		for (uint64_t limit = 100000000000; limit > 1 && ts < limit; limit /= 10)
			*p++ = ' ';
		return dkt__put_dec(p, ts);
	}
	return dkt__put_six(put_seconds(p, us / 1000000), (uint32_t)(us % 1000000));
}

/* "comm-pid   [cpu] " */
static char *put_process(char *p, const struct dkt_record *record, const char *comm, size_t len)
{
	p = put_comm(p, comm, len);
	*p++ = '-';
	p = put_pid(p, record->pid);
	memcpy(p, " [", 2);
	p = put_cpu(p + 2, record->cpu);
	memcpy(p, "] ", 2);
	return p + 2;
}

/* ": name:       " */
static char *put_name(char *p, const char *name, size_t len)
{
	memcpy(p, ": ", 2);
	memcpy(p + 2, name, len);
	p += 2 + len;
	memcpy(p, ": ", 2);
	p += 2;
	return len < NAME_WIDTH ? put_spaces(p, NAME_WIDTH - len) : p;
}

static void style_gap(const struct dkt_record *record, struct dkt_buf *buf)
{
	dkt_buf_str(buf, "CPU:");
	dkt__buf_u64(buf, record->cpu, 0, ' ');
	dkt_buf_str(buf, " [");
	if (record->lost != DKT_LOST_UNKNOWN) {
		dkt__buf_u64(buf, record->lost, 0, ' ');
		dkt_buf_str(buf, " ");
	}
	dkt_buf_str(buf, record->paused ? "EVENTS NOT RECORDED]\n" : "EVENTS DROPPED]\n");
}

void dkt__style_trace_head(const struct dkt_record *record, const char *comm, bool ticks,
			   struct dkt_buf *buf)
{
	const char *name = record->event->name;
	size_t comm_len = strlen(comm), name_len = strlen(name);
	char *p = dkt__buf_room(buf, comm_len + name_len + 160);

	if (!p)
		return;
	p = put_process(p, record, comm, comm_len);
	p = put_time(p, record->ts, ticks);
	p = put_name(p, name, name_len);
	buf->len = (size_t)(p - buf->data);
}

void dkt_style_trace(const struct dkt_record *record, const char *comm, struct dkt_buf *buf)
{
	if (!record || !comm || !buf)
		return;

	size_t from = buf->len;

	if (!record->event) {
		style_gap(record, buf);
		return;
	}
	dkt__style_trace_head(record, comm, false, buf);
	dkt_record_text(record, buf);
	dkt__buf_add(buf, "\n", 1);
	dkt__buf_escape(buf, from);
}

/* ---- the style: caches what consecutive lines have in common ---- */

/* Longer names of processes are not cached. */
#define PROCESS_MAX 64
#define COMM_MAX    24

/* The number of CPUs whose last process is cached; a power of 2. */
#define CPUS 64

/* "comm-pid   [cpu] " of a CPU's last process. */
struct process {
	const char *comm; /* NULL: none so far */
	int32_t pid;
	uint32_t cpu;
	uint32_t len;
	bool escaped; /* the line must be escaped */
	char text[PROCESS_MAX];
};

struct trace_style {
	struct dkt_style base;
	struct process processes[CPUS];
	uint64_t since; /* the first time that is rounded to this millisecond; 0: none so far */
	uint32_t millisecond_len;
	char millisecond[16]; /* "12099.123" */
};

/* How to print an event's records; set at its first record. */
struct printer {
	const struct dkt__plan *plan; /* has a maximum output; NULL: dkt__style_text() prints */
	size_t room; /* for a line, without a text that the plan does not print */
	bool plain; /* the text needs no escapes */
};

/* Appends the event's name as it is printed. */
static void add_name(const struct dkt_style *style, const struct dkt_event *event,
		     struct dkt_buf *buf)
{
	if (style->opts.raw_text)
		dkt_buf_str(buf, event->name);
	else
		dkt_buf_text(buf, event->name, strlen(event->name));
}

static int trace_learn(struct dkt_style *style, struct dkt__form *form)
{
	struct dkt_buf name = { 0 };
	char *head;

	add_name(style, form->event, &name);
	head = name.err ? NULL : malloc(name.len + NAME_WIDTH + 8);
	if (head) {
		form->head_len = (uint32_t)(put_name(head, name.data, name.len) - head);
		form->head = dkt__style_keep(style, head, form->head_len);
	}
	free(head);
	free(name.data);
	return form->head ? 0 : -ENOMEM;
}

static struct printer *printer_new(struct dkt_style *style, struct dkt__form *form,
				   const struct dkt_record *record)
{
	struct printer *printer = dkt__style_alloc(style, sizeof(*printer));
	const struct dkt__plan *plan = dkt__plan_get(form->event);
	bool other = style->opts.text && style->opts.text(style->opts.data, record, NULL);

	form->data = printer;
	if (!printer)
		return NULL;
	printer->room = PROCESS_MAX + 64 + form->head_len;
	if (plan && plan->way == DKT__PLAN_STEPS && plan->room && !other) {
		printer->plan = plan;
		printer->plain = plan->plain || style->opts.raw_text;
		printer->room += plan->room;
	}
	return printer;
}

static const struct process *process_of(struct trace_style *style, const struct dkt_record *record,
					const char *comm)
{
	struct process *process = &style->processes[record->cpu & (CPUS - 1)];
	size_t comm_len;

	if (dkt__likely(process->comm == comm && process->pid == record->pid &&
			process->cpu == record->cpu))
		return process;
	*process = (struct process){ .comm = comm, .pid = record->pid, .cpu = record->cpu };
	comm_len = strnlen(comm, COMM_MAX);
	process->len =
		(uint32_t)(put_process(process->text, record, comm, comm_len) - process->text);
	process->escaped = !style->base.opts.raw_text && !dkt__is_plain(comm, comm_len);
	return process;
}

/* Most records share their millisecond with the record before. */
static void set_millisecond(struct trace_style *style, uint64_t ts)
{
	uint64_t ms = to_us(ts) / 1000;
	char text[32];

	style->millisecond_len = (uint32_t)(put_time(text, ms * 1000000, false) - text) - 3;
	memcpy(style->millisecond, text, sizeof(style->millisecond));
	style->since = ms * 1000000 - 500;
}

static char *put_cached_time(struct trace_style *style, char *p, uint64_t ts)
{
	uint32_t us;

	/* The first millisecond would begin before 0. */
	if (dkt__unlikely(ts < 1000000 || style->base.ticks))
		return put_time(p, ts, style->base.ticks);
	if (dkt__unlikely(ts - style->since >= 1000000))
		set_millisecond(style, ts);
	memcpy(p, style->millisecond, sizeof(style->millisecond));
	p += style->millisecond_len;
	us = (uint32_t)(ts - style->since) / 1000;
	memcpy(p, dkt__digit_pairs + us / 10 * 2, 2);
	p[2] = (char)('0' + us % 10);
	return p + 3;
}

/* Escapes control characters after from, except a newline at the end. */
static int escape(const struct dkt_style *style, size_t from, struct dkt_buf *buf)
{
	if (!style->opts.raw_text)
		dkt__buf_escape(buf, from);
	return buf->err;
}

/* Ends a line with the record's text, and escapes it after from. */
static int end_line(const struct dkt_style *style, const struct dkt_record *record, size_t from,
		    struct dkt_buf *buf)
{
	dkt__style_text(style, record, buf);
	dkt__buf_add(buf, "\n", 1);
	return escape(style, from, buf);
}

/* ---- on a terminal ---- */

/* Select Graphic Rendition, ECMA-48. */
#define NAME_COLOR "\033[36m"
#define LOST_COLOR "\033[31m"
#define NO_COLOR   "\033[0m"

/* Prints a line with colours. */
static int color_record(struct dkt_style *base, const struct dkt_record *record, const char *comm,
			struct dkt_buf *buf)
{
	size_t from = buf->len, comm_len = strlen(comm);
	char *p = dkt__buf_room(buf, comm_len + 160);

	if (!p)
		return -ENOMEM;
	if (!record->event) {
		dkt_buf_str(buf, LOST_COLOR);
		style_gap(record, buf);
		buf->len--;
		dkt_buf_str(buf, NO_COLOR "\n");
		return buf->err;
	}
	p = put_time(put_process(p, record, comm, comm_len), dkt__style_time(base, record),
		     base->ticks);
	buf->len = (size_t)(p - buf->data);
	escape(base, from, buf);
	dkt_buf_str(buf, ": " NAME_COLOR);
	add_name(base, record->event, buf);
	dkt_buf_str(buf, NO_COLOR ": ");
	for (size_t name_len = strlen(record->event->name); name_len < NAME_WIDTH; name_len++)
		dkt__buf_add(buf, " ", 1);
	return end_line(base, record, buf->len, buf);
}

/* ---- lines ---- */

/* Prints a line without the caches, because the name of its process must be escaped. */
static int escaped_record(struct dkt_style *base, const struct dkt_record *record, const char *comm,
			  struct dkt_buf *buf)
{
	struct dkt_record shown = *record;
	size_t from = buf->len;

	shown.ts = dkt__style_time(base, record);
	dkt__style_trace_head(&shown, comm, base->ticks, buf);
	return end_line(base, record, from, buf);
}

static int trace_record(struct dkt_style *base, const struct dkt_record *record, const char *comm,
			struct dkt_buf *buf)
{
	struct trace_style *style = (struct trace_style *)base;
	const struct process *process;
	struct dkt__form *form;
	struct printer *printer;
	char *p, *text;

	if (dkt__unlikely(base->opts.color))
		return color_record(base, record, comm, buf);
	if (dkt__unlikely(!record->event)) {
		style_gap(record, buf);
		return buf->err;
	}
	form = dkt__style_form(base, record->event);
	printer = form ? form->data : NULL;
	if (dkt__unlikely(form && !printer))
		printer = printer_new(base, form, record);
	p = printer ? dkt__buf_room(buf, printer->room) : NULL;
	if (!p)
		return -ENOMEM;
	process = process_of(style, record, comm);
	if (dkt__unlikely(process->escaped))
		return escaped_record(base, record, comm, buf);
	memcpy(p, process->text, PROCESS_MAX);
	p = put_cached_time(style, p + process->len, dkt__style_time(base, record));
	text = p = dkt__put_kept(p, form->head, form->head_len);
	if (dkt__likely(printer->plan && record->size >= printer->plan->need)) {
		p = dkt__plan_put(printer->plan, record, p);
		while (dkt__unlikely(p[-1] == '\n' && p > text))
			p--;
		*p = '\n';
		buf->len = (size_t)(p - buf->data) + 1;
		if (dkt__likely(printer->plain || dkt__is_plain(text, (size_t)(p - text))))
			return 0;
		dkt__buf_escape(buf, (size_t)(text - buf->data));
		return buf->err;
	}
	buf->len = (size_t)(p - buf->data);
	return end_line(base, record, buf->len, buf);
}

/* ---- stacks: lines below the record, as in the kernel's trace file ---- */

static int trace_stacks(struct dkt_style *style, const struct dkt_record *record, const char *comm,
			struct dkt_buf *buf)
{
	uint64_t address;

	(void)comm;
	for (const struct dkt_stack *stack = record->stacks; stack; stack = stack->next) {
		bool user = dkt__stack_is_user(stack->event);

		for (uint32_t i = 0; (address = dkt__stack_caller(stack, i)); i++) {
			size_t from = buf->len;

			dkt_buf_str(buf, " => ");
			dkt__stack_put(style, address, user, buf);
			dkt__buf_add(buf, "\n", 1);
			escape(style, from, buf);
		}
	}
	return buf->err;
}

const struct dkt__style_ops dkt__style_trace_ops = {
	.name = "trace",
	.words = "the columns of trace-cmd report",
	.traits = DKT_STYLE_COLOR,
	.size = sizeof(struct trace_style),
	.learn = trace_learn,
	.record = trace_record,
	.stacks = trace_stacks,
};
