/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The values of a record's fields. */
#include "answers/tables/schema.h"

#include "lib/base/buf.h"

static void read_bytes(const struct dkt_record *record, const struct dkt_field *field,
		       enum schema_type type, struct schema_value *value)
{
	value->bytes = dkt_record_bytes(record, field, &value->len);
	value->known = value->bytes;
	/* Beyond the first NUL there may be anything. */
	if (type == SCHEMA_TEXT && value->bytes)
		value->len = strnlen(value->bytes, value->len);
	value->element = field->element ? field->element : 1;
	value->is_signed = field->flags & DKT_FIELD_SIGNED;
}

void schema_value(const struct dkt_record *record, const struct dkt_field *field,
		  enum schema_type type, struct schema_value *value)
{
	value->known = false;
	if (!field || field->offset > record->size || record->size - field->offset < field->size)
		return;
	if (type > SCHEMA_UNSIGNED) {
		read_bytes(record, field, type, value);
		return;
	}
	value->known = true;
	value->number = dkt_record_int(record, field);
}

int64_t schema_element(const struct schema_value *list, size_t i)
{
	const char *p = (const char *)list->bytes + i * list->element;
	int64_t number;
	uint32_t four;
	uint16_t two;

	switch (list->element) {
	case 2:
		memcpy(&two, p, sizeof(two));
		return list->is_signed ? (int16_t)two : two;
	case 4:
		memcpy(&four, p, sizeof(four));
		return list->is_signed ? (int32_t)four : (int64_t)four;
	default:
		memcpy(&number, p, sizeof(number));
		return number;
	}
}

void schema_list_text(const struct schema_value *list, struct dkt_buf *buf)
{
	size_t n = schema_elements(list);

	dkt_buf_add(buf, "[", 1);
	for (size_t i = 0; i < n; i++) {
		int64_t number = schema_element(list, i);

		if (i)
			dkt_buf_add(buf, ",", 1);
		if (number < 0 && list->is_signed) {
			dkt_buf_add(buf, "-", 1);
			number = (int64_t) - (uint64_t)number;
		}
		dkt_buf_u64(buf, (uint64_t)number, 0, ' ');
	}
	dkt_buf_add(buf, "]", 1);
}
