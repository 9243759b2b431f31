/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints records as lines of Lustre's debug log.
 *
 * Most events have no source location: the event's system is printed as the file, and its name as
 * the function. Events that record their call site have its symbol there, and their name in the
 * text.
 */
#include "compat/lustre/style_legacy.h"

#include <inttypes.h>
#include <string.h>

#include "compat/lustre/legacy_common.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/inside.h"

/* The bits of a marker: D_CONSOLE | D_WARNING, subsystem undefined. */
#define NOTICE_CLASSES   0x02000400u
#define NOTICE_SUBSYSTEM 0x00000001u

/* The text of system calls with lower numbers is kept. */
#define N_CALLS 512

/* D_TRACE */
#define TRACE_CLASSES 0x00000001u

/* The fields of kretprobes, and of fprobes at returns; probes at other places have __probe_ip. */
#define FUNCTION "__probe_func"
#define CALLER   "__probe_ret_ip"

/* The name that `probe add FUNCTION%return '$retval'` gives it. */
#define VALUE "ret"

/*
 * True if the event is a probe at the return of a function that records only the return value; gets the fields
 * with the function's address and return value.
 */
static bool is_return_probe(struct dkt_event *event, const struct dkt_field **function,
			    const struct dkt_field **value)
{
	const struct dkt_field *caller = dkt_event_field(event, CALLER);
	const struct dkt_field *const *fields;
	size_t n, own = 0;

	*function = dkt_event_field(event, FUNCTION);
	*value = dkt_event_field(event, VALUE);
	if (!caller || !*function || !*value || (*value)->flags & DKT_FIELD_STRING)
		return false;
	if (dkt_event_fields(event, &fields, &n))
		return false;
	for (size_t i = 0; i < n; i++)
		own += fields[i]->offset > caller->offset;
	return own == 1;
}

enum shape {
	SHAPE_EVENT,
	SHAPE_CALL_SITE,
	SHAPE_MARK, /* ftrace:print: text written to trace_marker */
	SHAPE_ENTRY, /* raw_syscalls:sys_enter */
	SHAPE_EXIT,
	SHAPE_FUNCTION_ENTRY, /* ftrace:funcgraph_entry */
	SHAPE_FUNCTION_EXIT, /* or a probe at the return */
	SHAPE_MESSAGE, /* has its own location, class and subsystem */
};

/* The text that all lines of an event share, built at its first record. */
struct kind {
	const struct dkt_event *event;
	enum shape shape;
	struct class_bits bits;
	char *head; /* "SUBSYS:MASK:" */
	size_t head_len;
	char *place; /* "(SYSTEM:0:EVENT()) " */
	size_t place_len;
	char *calls[N_CALLS]; /* by system call number; NULL: none so far */
	const struct dkt_field *field; /* call site, function, or system call number */
	const struct dkt_field *ret;
	const struct message *message; /* NULL: not a message */
};

struct legacy_style {
	struct dkt_ctx *ctx;
	const struct class_map *map;
	bool raw_text;
	size_t n; /* number of kinds by event index; one more is shared by all others */
	struct kind **kinds;
	struct message_reader *messages;
	struct message_reader *own; /* the same, if the style created it */
	struct legacy_common common;
	char module[64]; /* the last module that was looked up */
	uint32_t module_subsystems;
};

int dkl_legacy_style_new(struct dkt_ctx *ctx, const struct class_map *map,
			 struct message_reader *messages, struct legacy_style **out)
{
	struct legacy_style *style = calloc(1, sizeof(*style));
	struct dkt_event *const *events;
	int err;

	*out = NULL;
	if (!style)
		return dkt__no_memory(ctx);
	*style = (struct legacy_style){ .ctx = ctx, .map = map, .messages = messages };
	err = dkt_events(ctx, &events, &style->n);
	if (!err) {
		/* The tracer's own events have higher indexes; there are only a few. */
		style->n += 64;
		style->kinds = calloc(style->n + 1, sizeof(struct kind *));
		err = style->kinds ? 0 : dkt__no_memory(ctx);
	}
	if (!err && !messages) {
		err = dkl_message_reader_new(ctx, &style->own);
		style->messages = style->own;
	}
	if (err) {
		dkl_legacy_style_free(style);
		return err;
	}
	*out = style;
	return 0;
}

static void kind_free(struct kind *kind)
{
	if (!kind)
		return;
	for (size_t i = 0; i < N_CALLS; i++)
		free(kind->calls[i]);
	free(kind->head);
	free(kind->place);
	free(kind);
}

void dkl_legacy_style_free(struct legacy_style *style)
{
	if (!style)
		return;
	for (size_t i = 0; style->kinds && i <= style->n; i++)
		kind_free(style->kinds[i]);
	free(style->kinds);
	dkl_message_reader_free(style->own);
	free(style);
}

/* ---- kinds of events ---- */

static const struct dkt_field *find_call_site(struct dkt_event *event)
{
	static const char *const names[] = { "call_site", "caller_ip", "caller", "location", "ip" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct dkt_field *field = dkt_event_field(event, names[i]);

		if (field && field->size == sizeof(void *) && !(field->flags & DKT_FIELD_STRING))
			return field;
	}
	return NULL;
}

/* The tracer's own events. Only some kernels record the return value of a function. */
static void find_own_shape(struct dkt_event *event, struct kind *kind)
{
	const char *name = dkt_event_name(event);

	if (!strcmp(name, "print"))
		kind->shape = SHAPE_MARK;
	if (strncmp(name, "funcgraph_", strlen("funcgraph_")) &&
	    strcmp(name, "fgraph_retaddr_entry"))
		return;
	kind->field = dkt_event_field(event, "func");
	kind->ret = dkt_event_field(event, "retval");
	if (kind->field)
		kind->shape = !strcmp(name, "funcgraph_exit") ? SHAPE_FUNCTION_EXIT :
								SHAPE_FUNCTION_ENTRY;
}

static void find_shape(const struct legacy_style *style, struct dkt_event *event, struct kind *kind)
{
	const char *system = dkt_event_system(event);

	if (!strcmp(system, "raw_syscalls")) {
		kind->field = dkt_event_field(event, "id");
		kind->ret = dkt_event_field(event, "ret");
		if (kind->field)
			kind->shape = kind->ret ? SHAPE_EXIT : SHAPE_ENTRY;
	} else if (!strcmp(system, "ftrace")) {
		find_own_shape(event, kind);
	} else if ((kind->message = dkl_message_reader_get(style->messages, event))) {
		kind->shape = SHAPE_MESSAGE;
	} else if (is_return_probe(event, &kind->field, &kind->ret)) {
		kind->shape = SHAPE_FUNCTION_EXIT;
	} else {
		kind->ret = NULL;
		kind->field = find_call_site(event);
		if (kind->field)
			kind->shape = SHAPE_CALL_SITE;
	}
}

void dkl_legacy_style_raw_text(struct legacy_style *style, bool raw_text)
{
	style->raw_text = raw_text;
}

void dkl_legacy_style_ticks(struct legacy_style *style)
{
	style->common.ticks = true;
}

static DKT_PRINTF(2, 3) char *place_of(const struct legacy_style *style, const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	text = style->raw_text ? dkt__vformat(fmt, ap) : dkt__words(fmt, ap);
	va_end(ap);
	return text;
}

static struct kind *kind_new(const struct legacy_style *style, struct dkt_event *event)
{
	const struct class_bits *bits = dkl_class_map_event(style->map, event);
	struct kind *kind = calloc(1, sizeof(*kind));

	if (!kind)
		return NULL;
	kind->event = event;
	find_shape(style, event, kind);
	if (bits)
		kind->bits = *bits;
	if (kind->shape == SHAPE_MARK)
		kind->bits.classes = NOTICE_CLASSES;
	if (!kind->bits.subsystems)
		kind->bits.subsystems = NOTICE_SUBSYSTEM;
	kind->head = dkt__format("%08" PRIx32 ":%08" PRIx32 ":", kind->bits.subsystems,
				 kind->bits.classes);
	kind->place =
		place_of(style, "(%s:0:%s()) ", dkt_event_system(event), dkt_event_name(event));
	if (!kind->head || !kind->place) {
		kind_free(kind);
		return NULL;
	}
	kind->head_len = strlen(kind->head);
	kind->place_len = strlen(kind->place);
	return kind;
}

static struct kind *kind_get(struct legacy_style *style, struct dkt_event *event)
{
	size_t i = dkt__event_index(event);

	/* Events that the kernel does not have share the last entry. */
	if (i > style->n)
		i = style->n;
	if (style->kinds[i] && style->kinds[i]->event != event) {
		kind_free(style->kinds[i]);
		style->kinds[i] = NULL;
	}
	if (!style->kinds[i])
		style->kinds[i] = kind_new(style, event);
	dkt__starve(style->ctx, style->kinds[i] ? 0 : -ENOMEM);
	return style->kinds[i];
}

static bool is_function(const struct kind *kind)
{
	return kind->shape == SHAPE_FUNCTION_ENTRY || kind->shape == SHAPE_FUNCTION_EXIT;
}

/* Returns the subsystems of the module that the function belongs to. */
static uint32_t function_subsystems(struct legacy_style *style, const struct kind *kind,
				    const struct dkt_record *rec)
{
	const char *module =
		dkt__symbol_module(style->ctx, (uint64_t)dkt_record_int(rec, kind->field));

	if (!module)
		return NOTICE_SUBSYSTEM;
	if (strcmp(module, style->module)) {
		snprintf(style->module, sizeof(style->module), "%s", module);
		style->module_subsystems = dkl_class_map_module(style->map, module);
		if (!style->module_subsystems)
			style->module_subsystems = NOTICE_SUBSYSTEM;
	}
	return style->module_subsystems;
}

struct class_bits dkl_legacy_style_bits(struct legacy_style *style, const struct dkt_record *rec)
{
	const struct kind *kind = rec->event ? kind_get(style, rec->event) : NULL;
	struct class_bits bits = { .classes = NOTICE_CLASSES, .subsystems = NOTICE_SUBSYSTEM };

	if (!kind)
		return bits;
	if (is_function(kind)) {
		bits.classes = TRACE_CLASSES;
		bits.subsystems = function_subsystems(style, kind, rec);
		return bits;
	}
	if (kind->shape != SHAPE_MESSAGE)
		return kind->bits;
	bits.subsystems = dkl_message_subsystems(kind->message, rec);
	bits.classes = dkl_message_classes(kind->message, rec);
	return bits;
}

/* ---- the line ---- */

static void put_gap(struct legacy_style *style, const struct dkt_record *rec, int64_t wall,
		    struct dkt_buf *buf)
{
	dkt_buf_str(buf, "00000001:02000400:");
	dkl_legacy_put_context(&style->common, rec, wall, buf);
	dkt_buf_str(buf, "(ring_buffer:0:lost_events()) ");
	if (rec->lost == DKT_LOST_UNKNOWN)
		dkt_buf_str(buf, "some");
	else
		dkt__buf_u64(buf, rec->lost, 0, ' ');
	dkt_buf_str(buf, " records lost before this on CPU ");
	dkt__buf_u64(buf, rec->cpu, 0, ' ');
	dkt_buf_str(buf, rec->paused ? ": nothing was recorded\n" : "\n");
}

static void put_call_site(struct legacy_style *style, const struct kind *kind,
			  const struct dkt_record *rec, struct dkt_buf *buf)
{
	uint64_t offset, address = (uint64_t)dkt_record_int(rec, kind->field);
	const char *symbol = dkt_symbol_name(style->ctx, address, &offset);

	if (!symbol) {
		dkt__buf_add(buf, kind->place, kind->place_len);
		return;
	}
	dkt__buf_add(buf, "(", 1);
	dkt_buf_str(buf, dkt_event_system(rec->event));
	dkt__buf_add(buf, ":0:", 3);
	dkt_buf_str(buf, symbol);
	dkt__buf_add(buf, "()) ", 4);
	dkt_buf_str(buf, dkt_event_name(rec->event));
	dkt__buf_add(buf, ": ", 2);
}

/*
 * Returns "(raw_syscalls:0:sys_read()) Process entered\n", which the caller frees; NULL: no memory.
 */
static char *call_text(struct dkt_ctx *ctx, const struct kind *kind, int64_t number)
{
	const char *name = dkt_syscall_name(ctx, (int)number);
	const char *verb = kind->shape == SHAPE_ENTRY ? "entered\n" : "leaving";

	return name ? dkt__format("(raw_syscalls:0:sys_%s()) Process %s", name, verb) :
		      dkt__format("(raw_syscalls:0:sys_%" PRIu64 "()) Process %s", (uint64_t)number,
				  verb);
}

/* Prints the texts of Lustre's ENTRY and RETURN. */
static void put_syscall(struct legacy_style *style, struct kind *kind, const struct dkt_record *rec,
			struct dkt_buf *buf)
{
	int64_t number = dkt_record_int(rec, kind->field);
	char *rare __cleanup(free) = NULL, **text = &rare;

	if (number >= 0 && number < N_CALLS)
		text = &kind->calls[number];
	if (!*text)
		*text = call_text(style->ctx, kind, number);
	dkt_buf_str(buf, *text ? *text : "");
	if (kind->shape == SHAPE_EXIT)
		dkl_legacy_put_rc(&style->common, dkt_record_int(rec, kind->ret), buf);
}

/* Prints the texts of Lustre's ENTRY and RETURN, or EXIT if the return value is unknown. */
static void put_function(struct legacy_style *style, const struct kind *kind,
			 const struct dkt_record *rec, struct dkt_buf *buf)
{
	uint64_t offset, address = (uint64_t)dkt_record_int(rec, kind->field);
	const char *module = dkt__symbol_module(style->ctx, address);
	const char *name = dkt_symbol_name(style->ctx, address, &offset);

	dkt__buf_add(buf, "(", 1);
	dkt_buf_str(buf, module ? module : "ftrace");
	dkt__buf_add(buf, ":0:", 3);
	if (name) {
		dkt_buf_str(buf, name);
	} else {
		dkt_buf_str(buf, "0x");
		dkt__buf_hex(buf, address, 0, ' ');
	}
	dkt_buf_str(buf, kind->shape == SHAPE_FUNCTION_ENTRY ? "()) Process entered" :
							       "()) Process leaving");
	if (kind->ret)
		dkl_legacy_put_rc(&style->common, dkt_record_int(rec, kind->ret), buf);
}

/* Adds a newline unless the text ends with one. */
static void put_newline(struct dkt_buf *buf)
{
	size_t len;
	const char *data = dkt_buf_data(buf, &len);

	if (!len || data[len - 1] != '\n')
		dkt__buf_add(buf, "\n", 1);
}

/* Prints the text written to trace_marker, without the address that the kernel adds. */
static void put_mark(const struct kind *kind, const struct dkt_record *rec, struct dkt_buf *buf)
{
	const struct dkt_field *text = dkt_event_field(rec->event, "buf");

	dkt__buf_add(buf, kind->place, kind->place_len);
	if (text && text->offset < rec->size)
		dkt__buf_add(buf, (const char *)rec->data + text->offset,
			     strnlen((const char *)rec->data + text->offset,
				     rec->size - text->offset));
}

void dkl_legacy_style_line(struct legacy_style *style, const struct dkt_record *rec, int64_t wall,
			   struct dkt_buf *buf)
{
	struct kind *kind;
	size_t from = 0;

	if (!rec->event) {
		put_gap(style, rec, wall, buf);
		return;
	}
	kind = kind_get(style, rec->event);
	if (!kind)
		return;
	if (kind->shape == SHAPE_MESSAGE || is_function(kind)) {
		struct class_bits bits = dkl_legacy_style_bits(style, rec);

		dkt__buf_hex(buf, bits.subsystems, 8, '0');
		dkt__buf_add(buf, ":", 1);
		dkt__buf_hex(buf, bits.classes, 8, '0');
		dkt__buf_add(buf, ":", 1);
	} else {
		dkt__buf_add(buf, kind->head, kind->head_len);
	}
	dkl_legacy_put_context(&style->common, rec, wall, buf);
	if (kind->shape != SHAPE_EVENT)
		dkt_buf_data(buf, &from);
	switch (kind->shape) {
	case SHAPE_MESSAGE:
		dkl_message_line(kind->message, rec, "()) ", buf);
		break;
	case SHAPE_ENTRY:
	case SHAPE_EXIT:
		put_syscall(style, kind, rec, buf);
		return;
	case SHAPE_FUNCTION_ENTRY:
	case SHAPE_FUNCTION_EXIT:
		put_function(style, kind, rec, buf);
		break;
	case SHAPE_MARK:
		put_mark(kind, rec, buf);
		break;
	case SHAPE_CALL_SITE:
		put_call_site(style, kind, rec, buf);
		dkt_record_text(rec, buf);
		break;
	case SHAPE_EVENT:
	default:
		dkt__buf_add(buf, kind->place, kind->place_len);
		if (style->raw_text)
			dkt_record_text(rec, buf);
		else
			dkt__record_line(rec, buf);
		break;
	}
	put_newline(buf);
	if (!style->raw_text && kind->shape != SHAPE_EVENT)
		dkt__buf_escape(buf, from);
}

const struct message *dkl_legacy_style_message(struct legacy_style *style,
					       const struct dkt_record *rec)
{
	const struct kind *kind = rec->event ? kind_get(style, rec->event) : NULL;

	return kind ? kind->message : NULL;
}

bool dkl_legacy_style_keep(struct legacy_style *style, const struct dkt_record *rec)
{
	return dkl_message_reader_keep(style->messages, rec);
}

bool dkl_legacy_style_left(struct legacy_style *style, struct dkt_record *record)
{
	return dkl_message_reader_left(style->messages, record);
}
