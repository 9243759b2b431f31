/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints a record's text: by its event's plan, or by libtraceevent, or field by field. */
#include <limits.h>

#include "lib/base/escape.h"
#include "lib/event.h"
#include "lib/plan.h"

#define SLACK 16 /* zero bytes after a copied record, so that any string in it ends */

/* ---- plans ---- */

void *dkt__plan_alloc(struct dkt__plan *plan, size_t n)
{
	plan->full |= n > DKT__PLAN_MAX || plan->bytes > DKT__PLAN_MAX - n;
	if (plan->full)
		return NULL;
	plan->bytes += n;
	return dkt__arena_alloc(&plan->memory, n);
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

/* Compiles the print format as parsed by dktrace; false if it is empty or not supported. */
static bool has_own_steps(struct dkt__plan *plan, struct dkt_event *event)
{
	struct tep_print_fmt print;

	if (!event->print || dkt__plan_parse(plan, event->tep, event->print, &print) ||
	    !*print.format)
		return false;
	plan->args = print.args;
	return !dkt__plan_compile(plan, event->tep, &print);
}

/* The same, but with libtraceevent's parse of the format if dktrace's parser does not support it. */
static bool has_steps(struct dkt__plan *plan, struct dkt_event *event)
{
	if (has_own_steps(plan, event))
		return true;
	plan->need = 0;
	return !((unsigned int)event->tep->flags & TEP_EVENT_FL_FAILED) &&
	       !dkt__plan_compile(plan, event->tep, &event->tep->print_fmt);
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
	if (dkt__plan_is_graph(event))
		return DKT__PLAN_GRAPH;
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
	if (!event->plan)
		return NULL;
	event->plan_free = dkt__plan_free;
	event->plan->full = event->ctx->plan_bytes > DKT__PLANS_MAX;
	event->plan->way = choose_way(event->plan, event);
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

	dkt_buf_add(buf, "<stack>", 7);
	for (; at < record->size && record->size - at >= element; at += element) {
		uint64_t address = dkt__load_at((const uint8_t *)record->data + at,
						dkt__plan_load(element, false));

		if (!dkt__is_caller(address))
			break;
		dkt_buf_add(buf, " => ", 4);
		dkt__function_text(record->event->ctx, address, false, buf);
	}
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
		if (field->flags & TEP_FIELD_IS_RELATIVE)
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
		dkt_buf_add(buf, seq.buffer, seq.len);
	trace_seq_destroy(&seq);
	return good;
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
		dkt__plan_graph_text(record, buf);
	else if (plan->way == DKT__PLAN_BPRINT)
		dkt__plan_bprint_text(record, buf);
	else if (plan->way != DKT__PLAN_TEP || !text_by_tep(record, buf))
		dkt__fields_text(record, buf);
	/* The style ends the line; the text of ftrace:print often ends in a newline of its own. */
	while (buf->len > from && buf->data[buf->len - 1] == '\n')
		buf->len--;
}

void dkt_record_line(const struct dkt_record *record, struct dkt_buf *buf)
{
	if (!record || !buf)
		return;

	size_t from = buf->len;

	dkt_record_text(record, buf);
	if (!buf->err && !dkt__plan_get(record->event)->plain)
		dkt__buf_escape(buf, from);
}
