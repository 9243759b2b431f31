/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints a record's text: by its event's plan, or by libtraceevent, or field by field. */
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>

#include "lib/base/escape.h"
#include "lib/event.h"
#include "lib/plan.h"
#include "lib/plan/call_args.h"

#define SLACK 16 /* zero bytes after a copied record, so that any string in it ends */

/* ---- plans ---- */

void *dkt__plan_alloc(struct dkt__plan *plan, size_t n)
{
	void *room;

	plan->full |= n > DKT__PLAN_MAX || plan->bytes > DKT__PLAN_MAX - n;
	if (plan->full)
		return NULL;
	plan->bytes += n;
	room = dkt__arena_alloc(&plan->memory, n);
	plan->starved |= !room;
	return room;
}

void dkt__plan_free(struct dkt__plan *plan)
{
	if (!plan)
		return;
	dkt__arena_free(&plan->memory);
	free(plan->steps);
	free(plan);
}

/* Stack events need code of their own: their format prints eight addresses for every stack. */
static bool is_stack(const struct dkt_event *event)
{
	return !strcmp(event->system, "ftrace") &&
	       (!strcmp(event->name, "kernel_stack") || !strcmp(event->name, "user_stack")) &&
	       tep_find_field(event->tep, "caller");
}

static bool is_graph(struct dkt_event *event)
{
	if (strcmp(event->system, "ftrace") != 0)
		return false;
	if (!strcmp(event->name, "funcgraph_entry") || !strcmp(event->name, "fgraph_retaddr_entry"))
		return dkt_event_field(event, "func") && dkt_event_field(event, "depth");
	return !strcmp(event->name, "funcgraph_exit") && dkt_event_field(event, "func") &&
	       dkt_event_field(event, "depth") && dkt_event_field(event, "calltime") &&
	       dkt_event_field(event, "rettime");
}

/* The print format does not know of the arguments. */
static bool is_call(struct dkt_event *event)
{
	return !strcmp(event->system, "ftrace") && !strcmp(event->name, "function") &&
	       dkt_event_field(event, "ip") && dkt_event_field(event, "parent_ip") &&
	       dkt_event_field(event, "args");
}

/* Compiles a parsed print format; false if it is not supported. */
static bool compiles(struct dkt__plan *plan, struct dkt_event *event,
		     const struct tep_print_fmt *print)
{
	int err = dkt__plan_compile(plan, event->tep, print);

	plan->starved |= err == -ENOMEM && !plan->full;
	return !err;
}

/* Compiles the print format as parsed by dktrace; false if it is empty or not supported. */
static bool has_own_steps(struct dkt__plan *plan, struct dkt_event *event)
{
	struct tep_print_fmt print;

	if (!event->print || dkt__plan_parse(plan, event->tep, event->print, &print) ||
	    !*print.format)
		return false;
	plan->args = print.args;
	return compiles(plan, event, &print);
}

/* The same, but with libtraceevent's parse of the format if dktrace's parser does not support it. */
static bool has_steps(struct dkt__plan *plan, struct dkt_event *event)
{
	if (has_own_steps(plan, event))
		return true;
	plan->need = 0;
	return !((unsigned int)event->tep->flags & TEP_EVENT_FL_FAILED) &&
	       compiles(plan, event, &event->tep->print_fmt);
}

/* Properties of a step. */
enum {
	SHORT = 1, /* prints at most DKT__STEP_ROOM bytes after its literal */
	PLAIN = 2, /* prints numbers or texts of the print format, never strings of the record */
};

static const uint8_t properties[DKT__STEP_PAD_END + 1] = {
	[DKT__STEP_TEXT] = SHORT | PLAIN,
	[DKT__STEP_END] = SHORT | PLAIN,
	[DKT__STEP_DEC] = SHORT | PLAIN,
	[DKT__STEP_UDEC] = SHORT | PLAIN,
	[DKT__STEP_HEX] = SHORT | PLAIN,
	[DKT__STEP_HEX_ZERO] = SHORT | PLAIN,
	[DKT__STEP_UNLESS] = SHORT | PLAIN,
	[DKT__STEP_JUMP] = SHORT | PLAIN,
	[DKT__STEP_CHAR] = SHORT,
	[DKT__STEP_COMM] = SHORT,
	[DKT__STEP_INT] = PLAIN,
	[DKT__STEP_SYMBOLIC] = PLAIN,
	[DKT__STEP_FLAGS] = PLAIN,
};

/* Returns a limit on the bytes that the steps print; 0: unknown. Jumps lead forward only. */
static uint32_t room_for(const struct dkt__plan *plan)
{
	uint32_t room = 0;

	for (uint32_t i = 0; i < plan->n_steps; i++) {
		if (!(properties[plan->steps[i].op] & SHORT) || room > UINT16_MAX)
			return 0;
		room += plan->steps[i].literal_len + DKT__STEP_ROOM;
	}
	return room;
}

static bool table_is_plain(const struct dkt__table *table)
{
	for (uint32_t i = 0; i < table->n; i++)
		if (!dkt__is_plain(table->names[i].text, table->names[i].len))
			return false;
	return dkt__is_plain(table->delim, table->delim_len);
}

/* True if no text of the plan needs escapes. */
static bool is_plain(const struct dkt__plan *plan)
{
	for (uint32_t i = 0; i < plan->n_steps; i++) {
		const struct dkt__step *step = &plan->steps[i];
		bool has_table = step->op == DKT__STEP_SYMBOLIC || step->op == DKT__STEP_FLAGS;

		if (!(properties[step->op] & PLAIN) ||
		    !dkt__is_plain(step->literal, step->literal_len) ||
		    (has_table && !table_is_plain(step->table)))
			return false;
	}
	return true;
}

static enum dkt__plan_way choose_way(struct dkt__plan *plan, struct dkt_event *event)
{
	const char *format;

	if (dkt__event_load(event) || !event->tep)
		return DKT__PLAN_FIELDS;
	if (is_stack(event))
		return DKT__PLAN_STACK;
	if (is_graph(event))
		return DKT__PLAN_GRAPH;
	if (is_call(event) && has_steps(plan, event))
		return DKT__PLAN_CALL;
	/* libtraceevent does not check the bounds of a trace_printk() record: never let it print one. */
	if (event->tep->flags & TEP_EVENT_FL_ISBPRINT)
		return dkt__plan_is_bprint(event) ? DKT__PLAN_BPRINT : DKT__PLAN_FIELDS;
	if (event->bare)
		return has_own_steps(plan, event) ? DKT__PLAN_STEPS : DKT__PLAN_FIELDS;
	/* Some system calls without arguments have an empty format. */
	format = event->tep->print_fmt.format;
	if (format && !*format)
		return DKT__PLAN_FIELDS;
	if (format && has_steps(plan, event))
		return DKT__PLAN_STEPS;
	return (unsigned int)event->tep->flags & TEP_EVENT_FL_FAILED ? DKT__PLAN_FIELDS :
								       DKT__PLAN_TEP;
}

const struct dkt__plan *dkt__plan_get(struct dkt_event *event)
{
	if (dkt__likely(event->plan))
		return event->plan;
	event->plan = calloc(1, sizeof(*event->plan));
	if (!event->plan) {
		dkt__starve(event->ctx, -ENOMEM);
		return NULL;
	}
	event->plan_free = dkt__plan_free;
	event->plan->full = event->ctx->plan_bytes > DKT__PLANS_MAX;
	event->plan->way = choose_way(event->plan, event);
	dkt__starve(event->ctx, event->plan->starved ? -ENOMEM : 0);
	if (event->plan->full)
		dkt__log(event->ctx, DKT_LOG_WARN,
			 "event %s:%s: its print format takes too much memory;"
			 " its records are printed field by field",
			 event->system, event->name);
	if (event->plan->way == DKT__PLAN_STEPS) {
		event->plan->room = room_for(event->plan);
		event->plan->plain = is_plain(event->plan);
	}
	event->ctx->plan_bytes += event->plan->bytes;
	return event->plan;
}

/* ---- by steps ---- */

/* Returns a copy of the record, extended with zeros to at least need bytes. The caller frees it. */
static uint8_t *copy_record(const struct dkt_record *record, uint32_t need)
{
	size_t n = DKT__MAX(record->size, need);
	uint8_t *copy = calloc(1, n + SLACK);

	if (copy && record->size)
		memcpy(copy, record->data, record->size);
	return copy;
}

static void text_by_steps(const struct dkt__plan *plan, const struct dkt_record *record,
			  struct dkt_buf *buf)
{
	uint8_t *copy __cleanup(free) = NULL;
	struct dkt_record longer;

	if (dkt__likely(record->size >= plan->need)) {
		dkt__plan_run(plan, record, buf);
		return;
	}
	/* In a record that is shorter than its format says, missing fields read as zero. */
	copy = copy_record(record, plan->need);
	if (!copy) {
		buf->err = -ENOMEM;
		return;
	}
	longer = *record;
	longer.data = copy;
	dkt__plan_run(plan, &longer, buf);
}

/* ---- stacks ---- */

static void text_of_stack(const struct dkt_record *record, struct dkt_buf *buf)
{
	const struct tep_format_field *caller = tep_find_field(record->event->tep, "caller");
	size_t at = caller->offset < 0 ? SIZE_MAX : (size_t)caller->offset;
	uint32_t element = caller->elementsize == 4 ? 4 : 8;

	dkt__buf_add(buf, "<stack>", 7);
	for (; at < record->size && record->size - at >= element; at += element) {
		uint64_t address = dkt__load_at((const uint8_t *)record->data + at,
						dkt__plan_load(element, false));

		if (!dkt__is_caller(address))
			break;
		dkt__buf_add(buf, " => ", 4);
		dkt__function_text(record->event->ctx, address, false, buf);
	}
}

/* ---- function_graph: indented by depth, as in the kernel's trace file ---- */

/* THREAD_SIZE does not hold a deeper call stack, so a greater depth is damaged data. */
#define MAX_DEPTH 200

#define INDENT 2 /* columns for each call, TRACE_GRAPH_INDENT */

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

static void put_args(const struct dkt_record *record, uint64_t function, struct dkt_buf *buf)
{
	const struct dkt_field *args = dkt__call_args_field(record->event);

	dkt_buf_str(buf, "(");
	if (args)
		dkt__call_args_text(record->event->ctx, function, record, args, buf);
	dkt_buf_str(buf, ")");
}

/* Where the function returns to, which the kernel records by its option funcgraph-retaddr. */
static void put_return(const struct dkt_record *record, struct dkt_buf *buf)
{
	const struct dkt_field *to = dkt_event_field(record->event, "retaddr");

	if (!to)
		return;
	dkt_buf_str(buf, " /* <-");
	dkt__function_text(record->event->ctx, (uint64_t)dkt_record_int(record, to), false, buf);
	dkt_buf_str(buf, " */");
}

static void text_of_graph(const struct dkt_record *record, struct dkt_buf *buf)
{
	bool is_exit = !strcmp(record->event->name, "funcgraph_exit");
	uint64_t function = (uint64_t)dkt__record_value(record, "func");
	int64_t depth = dkt__record_value(record, "depth");

	depth = DKT__MIN(DKT__MAX(depth, (int64_t)0), (int64_t)MAX_DEPTH);
	put_time(record, is_exit, buf);
	dkt_buf_printf(buf, " |  %*s%s", (int)depth * INDENT, "", is_exit ? "} /* " : "");
	dkt__function_text(record->event->ctx, function, false, buf);
	if (is_exit) {
		dkt_buf_str(buf, " */");
		return;
	}
	put_args(record, function, buf);
	put_return(record, buf);
	dkt_buf_str(buf, " {");
}

/* As the print format, with the arguments. */
static void text_of_call(const struct dkt_record *record, struct dkt_buf *buf)
{
	const struct dkt_field *args = dkt_event_field(record->event, "args");
	uint64_t function = (uint64_t)dkt__record_value(record, "ip");

	dkt_buf_str(buf, " ");
	dkt__function_text(record->event->ctx, function, false, buf);
	if (args->offset < record->size)
		put_args(record, function, buf);
	dkt_buf_str(buf, " <-- ");
	dkt__function_text(record->event->ctx, (uint64_t)dkt__record_value(record, "parent_ip"),
			   false, buf);
}

/* ---- by libtraceevent ---- */

/* libtraceevent trusts the offsets in a record, so all fields must lie inside the record. */
static bool record_is_sound(const struct dkt_record *record)
{
	const struct tep_format_field *field = record->event->tep->format.fields;
	const uint8_t *data = record->data;
	uint32_t loc, at;

	for (; field; field = field->next) {
		if (field->offset < 0 || field->size < 0 ||
		    (uint64_t)field->offset + (uint64_t)field->size > record->size)
			return false;
		if (!(field->flags & TEP_FIELD_IS_DYNAMIC))
			continue;
		if (field->size != sizeof(loc))
			return false;
		memcpy(&loc, data + field->offset, sizeof(loc));
		at = loc & 0xffff;
		if (field->flags & DKT__TEP_RELATIVE)
			at += (uint32_t)(field->offset + field->size);
		if (at + (loc >> 16) > record->size)
			return false;
	}
	return true;
}

/* True if libtraceevent reports in the text that it could not print the record. */
static bool is_failure(const char *text)
{
	return strstr(text, "FAILED TO PARSE") || strstr(text, "ARG TYPE NOT FIELD") ||
	       strstr(text, "ARG NOT FIELD");
}

static bool text_by_tep(const struct dkt_record *record, struct dkt_buf *buf)
{
	struct tep_event *tep = record->event->tep;
	uint8_t *copy __cleanup(free) = NULL;
	struct tep_record rec = { 0 };
	struct trace_seq seq;
	bool good;

	if (!record_is_sound(record))
		return false;
	copy = copy_record(record, record->size);
	if (!copy)
		return false;
	rec.ts = record->ts;
	rec.cpu = (int)record->cpu;
	rec.size = rec.record_size = (int)record->size;
	rec.data = copy;
	trace_seq_init(&seq);
	tep_print_event(tep->tep, &seq, &rec, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(&seq);
	good = !seq.state && seq.len && !is_failure(seq.buffer);
	if (good)
		dkt__buf_add(buf, seq.buffer, seq.len);
	trace_seq_destroy(&seq);
	return good;
}

/* ---- as name=value, if neither a plan nor libtraceevent can print it ---- */

static bool is_text(const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len && p[i]; i++)
		if (!isprint(p[i]) && !isspace(p[i]))
			return false;
	return true;
}

static void put_array(struct dkt_buf *buf, const struct dkt_field *field, const uint8_t *p,
		      size_t len)
{
	if (field->flags & DKT_FIELD_STRING && is_text(p, len)) {
		dkt__buf_add(buf, p, strnlen((const char *)p, len));
		return;
	}
	dkt_buf_str(buf, "ARRAY[");
	for (size_t i = 0; i < len; i++) {
		if (i)
			dkt_buf_str(buf, ", ");
		dkt__buf_hex(buf, p[i], 2, '0');
	}
	dkt_buf_str(buf, "]");
}

static void put_number(struct dkt_buf *buf, const struct dkt_field *field, int64_t v)
{
	bool hex = field->flags & DKT_FIELD_POINTER || strstr(field->type, "long");
	char text[24];

	if (hex && !(field->flags & DKT_FIELD_SIGNED)) {
		dkt_buf_str(buf, "0x");
		dkt__buf_hex(buf, (uint64_t)v, 0, ' ');
	} else if (field->flags & DKT_FIELD_SIGNED) {
		dkt__buf_add(buf, text, (size_t)(dkt__put_int(text, v) - text));
	} else {
		dkt__buf_u64(buf, (uint64_t)v, 0, ' ');
	}
}

static void put_bytes(struct dkt_buf *buf, const struct dkt_record *record)
{
	const uint8_t *p = record->data;

	dkt_buf_str(buf, "data=");
	for (uint32_t i = 0; i < record->size; i++)
		dkt__buf_hex(buf, p[i], 2, '0');
}

static void put_field(struct dkt_buf *buf, const struct dkt_record *record,
		      const struct dkt_field *field)
{
	const void *p;
	size_t len;

	dkt_buf_str(buf, field->name);
	dkt_buf_str(buf, "=");
	if (field->flags & (DKT_FIELD_ARRAY | DKT_FIELD_DYNAMIC)) {
		p = dkt_record_bytes(record, field, &len);
		put_array(buf, field, p, len);
	} else {
		put_number(buf, field, dkt_record_int(record, field));
	}
}

static void text_of_fields(const struct dkt_record *record, struct dkt_buf *buf)
{
	const struct dkt_field *const *fields;
	bool first = true;
	size_t n;

	/* The event's module is unloaded, or its format cannot be parsed. */
	if (dkt_event_fields(record->event, &fields, &n)) {
		put_bytes(buf, record);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		if (fields[i]->flags & DKT_FIELD_COMMON)
			continue;
		if (!first)
			dkt_buf_str(buf, " ");
		first = false;
		put_field(buf, record, fields[i]);
	}
}

/* ---- the text ---- */

void dkt_record_text(const struct dkt_record *record, struct dkt_buf *buf)
{
	if (!record || !buf)
		return;

	const struct dkt__plan *plan = dkt__plan_get(record->event);
	size_t from = buf->len;

	if (!plan) {
		buf->err = -ENOMEM;
		return;
	}
	if (dkt__likely(plan->way == DKT__PLAN_STEPS))
		text_by_steps(plan, record, buf);
	else if (plan->way == DKT__PLAN_STACK)
		text_of_stack(record, buf);
	else if (plan->way == DKT__PLAN_GRAPH)
		text_of_graph(record, buf);
	else if (plan->way == DKT__PLAN_CALL)
		text_of_call(record, buf);
	else if (plan->way == DKT__PLAN_BPRINT)
		dkt__plan_bprint_text(record, buf);
	else if (plan->way != DKT__PLAN_TEP || !text_by_tep(record, buf))
		text_of_fields(record, buf);
	/* The style ends the line; the text of ftrace:print often ends in a newline of its own. */
	while (buf->len > from && buf->data[buf->len - 1] == '\n')
		buf->len--;
}

void dkt__record_line(const struct dkt_record *record, struct dkt_buf *buf)
{
	if (!record || !buf)
		return;

	size_t from = buf->len;

	dkt_record_text(record, buf);
	if (!buf->err && !dkt__plan_get(record->event)->plain)
		dkt__buf_escape(buf, from);
}
