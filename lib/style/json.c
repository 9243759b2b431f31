/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The json style: one line with a JSON object for each record, with typed fields. */
#include "lib/style.h"

#define LITERAL(p, text) (memcpy(p, text, sizeof(text) - 1), (p) + sizeof(text) - 1)

/* Maximum length of a stream's name. */
#define FROM_MAX 512

/* Maximum output before the fields, without texts of the record. */
#define HEAD_ROOM (256 + 6 * FROM_MAX)

char *dkt__put_json_odd(char *p, const char *text, size_t len)
{
	size_t i = 0;

	while (i < len) {
		struct dkt__char c = dkt__char_at(text + i, len - i);

		if (!c.is_utf8 || (c.code == '\\' && i + 1 < len && text[i + 1] == 'x')) {
			p = LITERAL(p, "\\\\x");
			p = dkt__put_hex_digits(p, c.code, 2);
		} else if (c.code == '"' || c.code == '\\') {
			*p++ = '\\';
			*p++ = (char)c.code;
		} else if (c.code == '\n' || c.code == '\t') {
			*p++ = '\\';
			*p++ = c.code == '\n' ? 'n' : 't';
		} else if (!c.shown) {
			p = LITERAL(p, "\\u");
			p = dkt__put_hex_digits(p, c.code, 4);
		} else {
			memcpy(p, text + i, c.len);
			p += c.len;
		}
		i += c.len;
	}
	return p;
}

/* ---- columns ---- */

static char *put_number(char *p, const struct dkt__column *column, uint64_t v)
{
	if (column->kind == DKT__COLUMN_ADDRESS || column->kind == DKT__COLUMN_STACK) {
		p = LITERAL(p, "\"0x");
		p = dkt__put_hex(p, v);
		*p++ = '"';
		return p;
	}
	return column->is_signed ? dkt__put_int(p, (int64_t)v) : dkt__put_dec(p, v);
}

/* Puts two digits for each byte. */
static char *put_bytes(char *p, const uint8_t *data, uint32_t len)
{
	*p++ = '"';
	for (uint32_t i = 0; i < len; i++)
		p = dkt__put_hex_digits(p, data[i], 2);
	*p++ = '"';
	return p;
}

static char *put_many(char *p, const struct dkt__column *column, const uint8_t *data, uint32_t len)
{
	switch (column->kind) {
	case DKT__COLUMN_TEXT:
		*p++ = '"';
		p = dkt__put_json(p, (const char *)data, strnlen((const char *)data, len));
		*p++ = '"';
		return p;
	case DKT__COLUMN_NAMES:
		*p++ = '"';
		p = dkt__put_names(p, column, data, len);
		*p++ = '"';
		return p;
	case DKT__COLUMN_ARRAY:
	case DKT__COLUMN_STACK:
		return dkt__put_array(p, column, data, len, put_number);
	default:
		return put_bytes(p, data, len);
	}
}

/* ---- lines ---- */

static char *put_from(struct dkt_style *style, char *p, const struct dkt_record *record)
{
	const char *name = dkt_source_stream(style->opts.streams, record->stream);

	if (!name || !*name)
		return p;
	p = LITERAL(p, ",\"from\":\"");
	p = dkt__put_json(p, name, strnlen(name, FROM_MAX));
	*p++ = '"';
	return p;
}

static char *put_time(struct dkt_style *style, char *p, const struct dkt_record *record)
{
	p = LITERAL(p, "{\"ts\":");
	p = dkt__style_put_ts(style, p, record->ts);
	if (style->source.has_wall) {
		p = LITERAL(p, ",\"wall\":\"");
		p = dkt__style_put_wall(style, p, record->ts);
		*p++ = '"';
	}
	p = LITERAL(p, ",\"cpu\":");
	p = dkt__put_dec(p, record->cpu);
	if (record->stream) {
		p = LITERAL(p, ",\"stream\":");
		p = dkt__put_dec(p, record->stream);
	}
	return style->opts.streams ? put_from(style, p, record) : p;
}

static int json_lost(struct dkt_style *style, const struct dkt_record *record, struct dkt_buf *buf)
{
	char *p = dkt__buf_room(buf, HEAD_ROOM);

	if (!p)
		return -ENOMEM;
	p = put_time(style, p, record);
	p = LITERAL(p, ",\"lost\":");
	if (record->lost == DKT_LOST_UNKNOWN)
		p = LITERAL(p, "null");
	else
		p = dkt__put_dec(p, record->lost);
	if (record->paused)
		p = LITERAL(p, ",\"paused\":true");
	p = LITERAL(p, "}\n");
	buf->len = (size_t)(p - buf->data);
	return 0;
}

/* Escapes the text after from as the inside of a JSON string. */
static int escape_tail(struct dkt_buf *buf, size_t from)
{
	if (dkt__likely(dkt__json_is_plain(buf->data + from, buf->len - from)))
		return buf->err;
	return dkt__style_escape(buf, from, dkt__put_json_odd);
}

static int put_text(const struct dkt_style *style, const struct dkt_record *record,
		    struct dkt_buf *buf)
{
	size_t from;
	int err;

	dkt_buf_str(buf, "},\"text\":\"");
	from = buf->len;
	dkt__style_text(style, record, buf);
	err = escape_tail(buf, from);
	dkt_buf_str(buf, "\"}\n");
	return err;
}

static int json_record(struct dkt_style *style, const struct dkt_record *record, const char *comm,
		       struct dkt_buf *buf)
{
	const struct dkt__form *form;
	size_t comm_len;
	char *p;
	int err;

	if (!record->event)
		return json_lost(style, record, buf);
	form = dkt__style_form_of(style, record);
	if (!form)
		return -ENOMEM;
	comm_len = strlen(comm);
	p = dkt__buf_room(buf, HEAD_ROOM + comm_len * 6 + form->head_len);
	if (!p)
		return -ENOMEM;
	p = put_time(style, p, record);
	p = LITERAL(p, ",\"pid\":");
	p = dkt__put_int(p, record->pid);
	p = LITERAL(p, ",\"comm\":\"");
	p = dkt__put_json(p, comm, comm_len);
	p = LITERAL(p, "\",\"flags\":\"");
	p = dkt__style_put_flags(p, record);
	p = dkt__put_kept(p, form->head, form->head_len);
	buf->len = (size_t)(p - buf->data);
	err = dkt__put_columns(buf, form, record, put_number, put_many);
	if (form->text && !err)
		err = put_text(style, record, buf);
	else
		dkt__buf_add(buf, "}}\n", 3);
	return err ? err : buf->err;
}

/* ---- stacks that the record carries ---- */

static int put_caller(struct dkt_style *style, uint64_t address, bool user, struct dkt_buf *buf)
{
	size_t from = buf->len;
	uint64_t offset;
	const char *name = dkt__stack_symbol(style->ctx, address, user, &offset);

	dkt__style_put_symbol(buf, name, address);
	if (name && offset)
		dkt_buf_printf(buf, "+0x%llx", (unsigned long long)offset);
	return escape_tail(buf, from);
}

static int put_stack(struct dkt_style *style, const struct dkt_stack *stack, struct dkt_buf *buf)
{
	bool user = dkt__stack_is_user(stack->event);
	uint64_t address;
	int err = 0;

	dkt_buf_str(buf, user ? ",\"user_stack\":[" : ",\"kernel_stack\":[");
	for (uint32_t i = 0; !err && (address = dkt__stack_caller(stack, i)); i++) {
		dkt_buf_str(buf, i ? ",\"" : "\"");
		err = put_caller(style, address, user, buf);
		dkt__buf_add(buf, "\"", 1);
	}
	dkt__buf_add(buf, "]", 1);
	return err;
}

/* Stacks are keys of the record's object, so its end is removed and put after them. */
static int json_stacks(struct dkt_style *style, const struct dkt_record *record, const char *comm,
		       struct dkt_buf *buf)
{
	int err = 0;

	(void)comm;
	buf->len -= strlen("}\n");
	for (const struct dkt_stack *stack = record->stacks; stack && !err; stack = stack->next)
		if (dkt__style_takes(style, stack->event->name))
			err = put_stack(style, stack, buf);
	dkt_buf_str(buf, "}\n");
	return err ? err : buf->err;
}

/* ---- an event ---- */

/* Adds a column with the names of a number after its column. */
static int add_names(struct dkt_style *style, struct dkt__form *form)
{
	struct dkt__column *columns, *to;
	int err;

	columns = to = dkt__style_alloc(style, (2 * form->n + 1) * sizeof(*columns));
	if (!columns)
		return -ENOMEM;
	for (uint32_t i = 0; i < form->n; i++) {
		*to++ = form->columns[i];
		err = dkt__style_names(style, form, &form->columns[i], to);
		if (err < 0)
			return err;
		to += !err;
	}
	form->columns = columns;
	form->n = (uint32_t)(to - columns);
	return 0;
}

static int json_learn(struct dkt_style *style, struct dkt__form *form)
{
	const struct dkt_event *event = form->event;
	size_t system_len = strlen(event->system), name_len = strlen(event->name);
	char *p;
	char *head = dkt__style_alloc(style, (system_len + name_len) * 6 + HEAD_ROOM);

	if (!head)
		return -ENOMEM;
	p = stpcpy(head, "\",\"system\":\"");
	p = dkt__put_json(p, event->system, system_len);
	p = stpcpy(p, "\",\"event\":\"");
	p = dkt__put_json(p, event->name, name_len);
	p = stpcpy(p, "\",\"fields\":{");
	form->head = head;
	form->head_len = (uint32_t)(p - head);
	if (add_names(style, form))
		return -ENOMEM;
	return dkt__style_keys(style, form, "\"", ",\"", "\":");
}

const struct dkt__style_ops dkt__style_json_ops = {
	.name = "json",
	.words = "an object a line for each record, for jq and its like",
	.traits = DKT_STYLE_DATA,
	.size = sizeof(struct dkt_style),
	.learn = json_learn,
	.record = json_record,
	.stacks = json_stacks,
};
