/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the fields of a record safely, whatever lengths and offsets its bytes claim. */
#include "lib/event.h"

/*
 * True if the field belongs to another event, so that its offset is wrong for this record. A field that
 * a caller has created belongs to no event.
 */
static bool is_of_other_event(const struct dkt_record *record, const struct dkt_field *field)
{
	return dkt__unlikely(field->event != record->event) && field->event && record->event &&
	       !(field->flags & DKT_FIELD_COMMON);
}

int64_t dkt_record_int(const struct dkt_record *record, const struct dkt_field *field)
{
	const char *p;
	bool is_signed;
	uint8_t u8;
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;

	if (dkt__unlikely(!record || !field) || field->offset > record->size ||
	    record->size - field->offset < field->size || is_of_other_event(record, field))
		return 0;
	is_signed = field->flags & DKT_FIELD_SIGNED;
	p = (const char *)record->data + field->offset;
	switch (field->size) {
	case 1:
		memcpy(&u8, p, sizeof(u8));
		return is_signed ? (int8_t)u8 : u8;
	case 2:
		memcpy(&u16, p, sizeof(u16));
		return is_signed ? (int16_t)u16 : u16;
	case 4:
		memcpy(&u32, p, sizeof(u32));
		return is_signed ? (int32_t)u32 : (int64_t)u32;
	case 8:
		memcpy(&u64, p, sizeof(u64));
		return (int64_t)u64;
	default:
		return 0;
	}
}

/* Finds a dynamic field's data: its word has the length in the upper half, the offset in the lower. */
static bool find_dynamic(const struct dkt_record *record, const struct dkt_field *field,
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

static const struct dkt_stack *stack_in(const struct dkt_record *record, size_t i)
{
	const struct dkt_stack *stack = record->event ? record->stacks : NULL;

	while (stack && i--)
		stack = stack->next;
	return stack;
}

uint64_t dkt__record_stack_number(const struct dkt_record *record, size_t i, uint32_t *own)
{
	const struct dkt_stack *stack = stack_in(record, i);

	*own = stack ? stack->own : 0;
	return stack ? stack->number : 0;
}

int dkt_record_stack(const struct dkt_record *record, size_t i, struct dkt_record *stack)
{
	dkt__needs(NULL, record && stack);

	const struct dkt_stack *in_record = stack_in(record, i);

	if (!in_record)
		return 1;
	*stack = *record;
	stack->event = in_record->event;
	stack->data = in_record->data;
	stack->size = in_record->size;
	stack->first = false;
	stack->stacks = NULL;
	return 0;
}

const void *dkt_record_bytes(const struct dkt_record *record, const struct dkt_field *field,
			     size_t *len)
{
	uint32_t at, n;
	size_t none;

	len = len ? len : &none;
	*len = 0;
	if (!record || !field)
		return NULL;
	at = field->offset;
	n = field->size;
	if (is_of_other_event(record, field))
		return record->data;
	if (field->flags & DKT_FIELD_DYNAMIC) {
		if (!find_dynamic(record, field, &at, &n))
			return record->data;
	} else if (!n && field->flags & DKT_FIELD_ARRAY) {
		/* An array without a bound, such as buf of ftrace:print, is the rest of the record. */
		n = UINT32_MAX;
	}
	if (at > record->size)
		return record->data;
	*len = DKT__MIN(n, record->size - at);
	return (const char *)record->data + at;
}
