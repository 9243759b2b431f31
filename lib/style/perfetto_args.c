/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints a record's fields as arguments of the perfetto style. */
#include "lib/style/perfetto.h"

static void put_number(struct dkt_buf *buf, const struct dkt__column *column, uint64_t v)
{
	uint32_t field = column->is_signed ? ANNOTATION_INT : ANNOTATION_UINT;

	if (column->kind == DKT__COLUMN_ADDRESS || column->kind == DKT__COLUMN_STACK)
		field = ANNOTATION_POINTER;
	dkt__proto_uint(buf, field, v);
}

static void put_many(struct dkt_buf *buf, const struct dkt__column *column, const uint8_t *data,
		     uint32_t len)
{
	size_t part;

	if (column->kind == DKT__COLUMN_TEXT) {
		dkt__proto_utf8(buf, ANNOTATION_STRING, (const char *)data,
				strnlen((const char *)data, len));
		return;
	}
	if (column->kind == DKT__COLUMN_BYTES) {
		part = dkt__proto_open(buf, ANNOTATION_STRING);
		for (uint32_t i = 0; i < len; i++)
			dkt__buf_hex(buf, data[i], 2, '0');
		dkt__proto_close(buf, part);
		return;
	}
	for (uint32_t i = 0; len - i >= column->element; i += column->element) {
		uint64_t v = dkt__load_at(data + i, column->load);

		if (column->kind == DKT__COLUMN_STACK && !dkt__is_caller(v))
			break;
		part = dkt__proto_open(buf, ANNOTATION_ARRAY);
		put_number(buf, column, v);
		dkt__proto_close(buf, part);
	}
}

int dkt__perfetto_arguments(const struct dkt_style *style, const struct dkt__form *form,
			    uint64_t first_iid, const struct dkt_record *record,
			    struct dkt_buf *buf)
{
	char *text __cleanup(free) = NULL;
	__body body = { 0 };
	size_t from, part;
	uint32_t len;

	if (!dkt__body_get(&body, record, form))
		return -ENOMEM;
	part = dkt__proto_open(buf, EVENT_ANNOTATIONS);
	dkt__proto_uint(buf, ANNOTATION_NAME_IID, IID_CPU);
	dkt__proto_uint(buf, ANNOTATION_UINT, record->cpu);
	dkt__proto_close(buf, part);
	for (uint32_t i = 0; i < form->n; i++) {
		const struct dkt__column *column = &form->columns[i];
		const uint8_t *data = body.data + column->bytes.offset;

		part = dkt__proto_open(buf, EVENT_ANNOTATIONS);
		dkt__proto_uint(buf, ANNOTATION_NAME_IID, first_iid + i);
		if (column->kind <= DKT__COLUMN_ADDRESS) {
			put_number(buf, column, dkt__load_at(data, column->load));
		} else {
			data = dkt__column_bytes(column, &body, record->size, &len);
			put_many(buf, column, data, len);
		}
		dkt__proto_close(buf, part);
	}
	if (!form->text || buf->err)
		return buf->err;
	from = buf->len;
	dkt__style_text(style, record, buf);
	text = dkt__style_cut(buf, from);
	if (!text)
		return -ENOMEM;
	part = dkt__proto_open(buf, EVENT_ANNOTATIONS);
	dkt__proto_uint(buf, ANNOTATION_NAME_IID, IID_TEXT);
	dkt__proto_utf8(buf, ANNOTATION_STRING, text, strlen(text));
	dkt__proto_close(buf, part);
	return buf->err;
}
