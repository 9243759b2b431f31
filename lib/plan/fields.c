/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints a record's fields as name=value, if neither plan nor libtraceevent can print it. */
#include <ctype.h>

#include "lib/plan.h"

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
		dkt_buf_add(buf, p, strnlen((const char *)p, len));
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
		dkt_buf_add(buf, text, (size_t)(dkt__put_int(text, v) - text));
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

void dkt__fields_text(const struct dkt_record *record, struct dkt_buf *buf)
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
