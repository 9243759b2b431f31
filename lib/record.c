/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a record holds for a field, whatever lengths and places its bytes claim. */
#include "internal.h"

#include "banned.h"

int64_t dkt_record_int(const struct dkt_record *record, const struct dkt_field *field)
{
	bool is_signed = field->flags & DKT_FIELD_SIGNED;
	union {
		uint8_t u8;
		uint16_t u16;
		uint32_t u32;
		uint64_t u64;
	} value = { .u64 = 0 };

	if (field->offset > record->size || record->size - field->offset < field->size)
		return 0;
	if (field->size > sizeof(value))
		return 0;
	memcpy(&value, (const char *)record->data + field->offset, field->size);
	switch (field->size) {
	case 1:
		return is_signed ? (int8_t)value.u8 : value.u8;
	case 2:
		return is_signed ? (int16_t)value.u16 : value.u16;
	case 4:
		return is_signed ? (int32_t)value.u32 : (int64_t)value.u32;
	case 8:
		return (int64_t)value.u64;
	default:
		return 0;
	}
}

/* Where a dynamic field's bytes are: its word holds their length over their place. */
static bool dynamic_place(const struct dkt_record *record, const struct dkt_field *field,
			  uint32_t *at, uint32_t *len)
{
	uint32_t word;

	if (field->offset > record->size || record->size - field->offset < sizeof(word))
		return false;
	memcpy(&word, (const char *)record->data + field->offset, sizeof(word));
	*at = word & 0xffff;
	*len = word >> 16;
	if (field->flags & DKT_FIELD_RELATIVE)
		*at += field->offset + (uint32_t)sizeof(word);
	return true;
}

const void *dkt_record_bytes(const struct dkt_record *record, const struct dkt_field *field,
			     size_t *len)
{
	uint32_t at = field->offset, n = field->size;

	*len = 0;
	if (field->flags & DKT_FIELD_DYNAMIC) {
		if (!dynamic_place(record, field, &at, &n))
			return record->data;
	} else if (!n && field->flags & DKT_FIELD_ARRAY) {
		/* As buf of ftrace:print: an array with no bound is the record's tail. */
		n = UINT32_MAX;
	}
	if (at > record->size)
		return record->data;
	*len = DKT__MIN(n, record->size - at);
	return (const char *)record->data + at;
}
