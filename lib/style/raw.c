/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The raw style: the columns of the trace style, then every field as name=value. */
#include "lib/style.h"

static bool is_bare(unsigned char c)
{
	return c > ' ' && c < 0x7f && c != '"' && c != '\\' && c != '=';
}

/* Puts a word unchanged, other text in quotes and escaped as in C. */
static char *put_text(char *p, const char *text, size_t len)
{
	size_t i = 0;

	while (i < len && is_bare((unsigned char)text[i]))
		i++;
	if (len && i == len) {
		dkt__copy_few(p, text, len);
		return p + len;
	}
	*p++ = '"';
	for (i = 0; i < len;) {
		struct dkt__char c = dkt__char_at(text + i, len - i);

		if (c.code == '"' || c.code == '\\')
			*p++ = '\\';
		if (c.shown)
			memcpy(p, text + i, c.len);
		p = c.shown ? p + c.len : dkt__put_escape(p, c);
		i += c.len;
	}
	*p++ = '"';
	return p;
}

/* Puts numbers like trace-cmd report -R: in hex if they are addresses or unsigned longs. */
static char *put_number(char *p, const struct dkt__column *column, uint64_t v)
{
	if (column->hex) {
		*p++ = '0';
		*p++ = 'x';
		return dkt__put_hex(p, v);
	}
	return column->is_signed ? dkt__put_int(p, (int64_t)v) : dkt__put_dec(p, v);
}

static char *put_many(char *p, const struct dkt__column *column, const uint8_t *data, uint32_t len)
{
	if (column->kind == DKT__COLUMN_TEXT)
		return put_text(p, (const char *)data, strnlen((const char *)data, len));
	if (column->kind != DKT__COLUMN_BYTES)
		return dkt__put_array(p, column, data, len, put_number);
	for (uint32_t i = 0; i < len; i++)
		p = dkt__put_hex_digits(p, data[i], 2);
	return p;
}

static int raw_record(struct dkt_style *style, const struct dkt_record *record, const char *comm,
		      struct dkt_buf *buf)
{
	struct dkt_record shown = *record;
	const struct dkt__form *form;
	size_t from = buf->len;
	int err;

	shown.ts = dkt__style_time(style, record);
	if (!record->event) {
		dkt_style_trace(&shown, comm, buf);
		return buf->err;
	}
	form = dkt__style_form(style, record->event);
	if (!form)
		return -ENOMEM;
	dkt__style_trace_head(&shown, comm, style->ticks, buf);
	dkt__buf_escape(buf, from);
	err = dkt__put_columns(buf, form, record, put_number, put_many);
	dkt__buf_add(buf, "\n", 1);
	return err ? err : buf->err;
}

static int raw_learn(struct dkt_style *style, struct dkt__form *form)
{
	return dkt__style_keys(style, form, "", " ", "=");
}

const struct dkt__style_ops dkt__style_raw_ops = {
	.name = "raw",
	.words = "the fields as they were recorded, name=value",
	.size = sizeof(struct dkt_style),
	.learn = raw_learn,
	.record = raw_record,
};
