/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An event's fields as typed columns: all fields, or the chosen ones. */
#include "lib/base/every_field.h"
#include "lib/event.h"
#include "lib/style.h"

/* Stands for all fields of the event. */
#define ALL_FIELDS "*"

/* Columns that every record has, beside the event's fields. */
static const struct {
	const char *name;
	enum dkt__column_kind kind;
} others[] = {
	{ "ts", DKT__COLUMN_TS },
	{ "wall", DKT__COLUMN_WALL },
	{ "cpu", DKT__COLUMN_CPU },
	{ "pid", DKT__COLUMN_PID },
	{ "comm", DKT__COLUMN_COMM },
	{ "flags", DKT__COLUMN_FLAGS },
	{ "system", DKT__COLUMN_SYSTEM },
	{ "event", DKT__COLUMN_EVENT },
	{ "text", DKT__COLUMN_RECORD_TEXT },
	{ "lost", DKT__COLUMN_LOST },
	{ "from", DKT__COLUMN_FROM },
	{ "kernel_stack", DKT__COLUMN_CARRIED },
	{ "user_stack", DKT__COLUMN_CARRIED },
};

const char *dkt__style_field(size_t i)
{
	if (!i)
		return ALL_FIELDS;
	return i <= ARRAY_SIZE(others) ? others[i - 1].name : NULL;
}

/* ---- types ---- */

/* True for characters. libtraceevent also flags arrays of small numbers as strings. */
static bool is_text(const struct dkt_field *field)
{
	return field->flags & DKT_FIELD_STRING && strstr(field->type, "char") &&
	       !strstr(field->type, "unsigned char") && !strstr(field->type, "signed char");
}

static bool is_hex(const struct dkt_field *field, bool is_signed)
{
	return field->flags & DKT_FIELD_POINTER || (!is_signed && strstr(field->type, "long"));
}

static void set_array(struct dkt__column *column, const struct dkt_field *field)
{
	struct dkt__type type;

	column->kind = DKT__COLUMN_BYTES;
	column->element = 1;
	if (is_text(field)) {
		column->kind = DKT__COLUMN_TEXT;
		return;
	}
	if (!dkt__type_element(field->type, &type)) {
		if (field->flags & DKT_FIELD_DYNAMIC)
			return;
		type.size = (uint8_t)DKT__MIN(field->element, 16U);
		type.is_signed = field->flags & DKT_FIELD_SIGNED;
	}
	column->load = dkt__plan_load(type.size, type.is_signed);
	if (type.size < 2 || column->load == DKT__LOAD_CONST)
		return;
	column->kind = DKT__COLUMN_ARRAY;
	column->element = type.size;
	column->is_signed = type.is_signed;
	column->hex = is_hex(field, type.is_signed);
}

static void set_number(struct dkt__column *column, const struct dkt_field *field)
{
	column->is_signed = field->flags & DKT_FIELD_SIGNED;
	column->hex = is_hex(field, column->is_signed);
	column->load = dkt__plan_load(field->size, column->is_signed);
	if (column->load == DKT__LOAD_CONST) {
		column->kind = DKT__COLUMN_BYTES;
		column->element = 1;
	} else if (field->flags & DKT_FIELD_POINTER) {
		column->kind = DKT__COLUMN_ADDRESS;
	} else {
		column->kind = column->is_signed ? DKT__COLUMN_INT : DKT__COLUMN_UINT;
	}
}

static void set_place(struct dkt__column *column, const struct dkt_field *field)
{
	column->bytes.offset = field->offset;
	column->bytes.size = field->size;
	if (field->flags & DKT_FIELD_DYNAMIC)
		column->bytes.kind = field->flags & DKT_FIELD_RELATIVE ? DKT__BYTES_RELATIVE :
									 DKT__BYTES_DYNAMIC;
	else if (!field->size)
		column->bytes.kind = DKT__BYTES_REST;
	else
		column->bytes.kind = DKT__BYTES_FIXED;
}

/* True if the print format prints the number as an address. */
static bool prints_as_address(const struct dkt__plan *plan, const struct dkt__column *column)
{
	bool has_steps = plan->way == DKT__PLAN_STEPS || plan->way == DKT__PLAN_CALL;

	for (uint32_t i = 0; has_steps && i < plan->n_steps; i++) {
		const struct dkt__step *step = &plan->steps[i];

		if ((step->op == DKT__STEP_POINTER || step->op == DKT__STEP_FUNCTION) &&
		    step->value.load == column->load && step->value.offset == column->bytes.offset)
			return true;
	}
	return false;
}

/* The print format shows which numbers are addresses, and which field begins a stack. */
static void refine(const struct dkt__form *form, struct dkt__column *column,
		   const struct dkt__plan *plan)
{
	if (column->kind == DKT__COLUMN_UINT && prints_as_address(plan, column)) {
		column->kind = DKT__COLUMN_ADDRESS;
		column->hex = true;
	}
	if (plan->way == DKT__PLAN_STACK && !strcmp(column->name, "caller")) {
		column->kind = DKT__COLUMN_STACK;
		column->bytes.kind = DKT__BYTES_REST;
		column->element = form->event->ctx->long_size;
		column->load = dkt__plan_load(column->element, false);
	}
}

static void set_field(struct dkt__form *form, struct dkt__column *column,
		      const struct dkt_field *field)
{
	const struct dkt__plan *plan = dkt__plan_get(form->event);
	bool dynamic = field->flags & DKT_FIELD_DYNAMIC;

	column->name = field->name;
	set_place(column, field);
	if (dynamic || field->flags & DKT_FIELD_ARRAY)
		set_array(column, field);
	else
		set_number(column, field);
	if (plan)
		refine(form, column, plan);
	if (column->kind != DKT__COLUMN_STACK)
		form->need = DKT__MAX(form->need, field->offset + field->size);
}

/* ---- the choice of fields ---- */

bool dkt__style_wants(const struct dkt_style *style, const char *name)
{
	for (size_t i = 0; i < style->opts.n_fields; i++)
		if (!strcmp(style->opts.fields[i], name))
			return true;
	return false;
}

bool dkt__style_takes(const struct dkt_style *style, const char *name)
{
	return !style->opts.n_fields || dkt__style_wants(style, ALL_FIELDS) ||
	       dkt__style_wants(style, name);
}

static void add_all(struct dkt__form *form, const struct dkt_field *const *fields, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!(fields[i]->flags & DKT_FIELD_COMMON))
			set_field(form, &form->columns[form->n++], fields[i]);
}

struct dkt__column dkt__column_other(const char *name)
{
	static const enum dkt__column_kind every[] = {
		[DKT__EVERY_NONE] = DKT__COLUMN_NONE,
		[DKT__EVERY_COMM] = DKT__COLUMN_COMM,
		[DKT__EVERY_PID] = DKT__COLUMN_PID,
		[DKT__EVERY_CPU] = DKT__COLUMN_CPU,
	};
	struct dkt__column column = { .name = name,
				      .kind = every[dkt__every_field(name, strlen(name))] };

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (!strcmp(others[i].name, name))
			column.kind = others[i].kind;
	return column;
}

static void add_named(struct dkt__form *form, const char *name)
{
	const struct dkt_field *field = dkt_event_field(form->event, name);
	struct dkt__column *column = &form->columns[form->n++];

	*column = dkt__column_other(name);
	/* A field of the event takes precedence over a common column of the same name. */
	if (field)
		set_field(form, column, field);
}

/* True if the text has more than the fields. */
static bool needs_text(struct dkt_event *event)
{
	const struct dkt__plan *plan = dkt__plan_get(event);

	return plan && (plan->way == DKT__PLAN_STACK || plan->way == DKT__PLAN_BPRINT ||
			plan->way == DKT__PLAN_TEP);
}

/* Maximum output of a column of fixed size in any style, without its key. */
static uint32_t room_of(const struct dkt__column *column)
{
	if (column->kind <= DKT__COLUMN_ADDRESS || column->bytes.kind != DKT__BYTES_FIXED)
		return 64;
	return column->bytes.size * ROOM_OF_BYTE + 64;
}

int dkt__style_columns(struct dkt_style *style, struct dkt__form *form)
{
	const struct dkt_field *const *fields;
	size_t n;

	/* If the event's format is missing, it has no fields. */
	dkt_event_fields(form->event, &fields, &n);
	form->columns =
		dkt__style_alloc(style, (n + style->opts.n_fields + 1) * sizeof(*form->columns));
	if (!form->columns)
		return -ENOMEM;
	form->room = 64;
	form->text = needs_text(form->event) || dkt__style_wants(style, "text");
	if (dkt__style_takes(style, ALL_FIELDS))
		add_all(form, fields, n);
	for (size_t i = 0; i < style->opts.n_fields; i++)
		if (strcmp(style->opts.fields[i], ALL_FIELDS))
			add_named(form, style->opts.fields[i]);
	for (size_t i = 0; i < form->n; i++)
		form->room += room_of(&form->columns[i]);
	return 0;
}

static const char *make_key(struct dkt_style *style, const char *before, const char *name,
			    const char *after, uint32_t *len)
{
	char *text, *p;

	text = dkt__style_alloc(style, strlen(before) + strlen(name) * 6 + strlen(after) + 48);
	if (!text)
		return NULL;
	p = stpcpy(text, before);
	p = dkt__put_json(p, name, strlen(name));
	p = stpcpy(p, after);
	*len = (uint32_t)(p - text);
	return text;
}

int dkt__style_keys(struct dkt_style *style, struct dkt__form *form, const char *first,
		    const char *before, const char *after)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < form->n; i++) {
		struct dkt__column *column = &form->columns[n];

		if (form->columns[i].kind > DKT__COLUMN_STACK)
			continue;
		*column = form->columns[i];
		column->key = make_key(style, n++ ? before : first, after ? column->name : "",
				       after ? after : "", &column->key_len);
		if (!column->key)
			return -ENOMEM;
		form->room += column->key_len + 16;
	}
	form->n = n;
	return 0;
}

/* ---- records ---- */

bool dkt__body_extend(struct dkt__body *body, const struct dkt_record *record, uint32_t need)
{
	body->copy = calloc(1, (size_t)need + 16);
	if (!body->copy)
		return false;
	if (record->size)
		memcpy(body->copy, record->data, record->size);
	body->data = body->copy;
	return true;
}
