/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records of a machine of the other byte order: turned round, so that nothing else knows of it. */
#include <byteswap.h>

#include "swap.h"

#include "banned.h"

/* type, flags and preempt count, pid: what dkt_record has of every record. */
#define TYPE_SIZE 2
#define PID_AT    4
#define PID_SIZE  4

static void turn(uint8_t *p, uint32_t size)
{
	uint32_t i;

	for (i = 0; i < size / 2; i++) {
		uint8_t byte = p[i];

		p[i] = p[size - 1 - i];
		p[size - 1 - i] = byte;
	}
}

static void turn_all(uint8_t *p, uint32_t len, uint32_t element)
{
	if (element != 2 && element != 4 && element != 8)
		return;
	for (; len >= element; len -= element, p += element)
		turn(p, element);
}

static void turn_field(const struct dkt_field *field, uint8_t *data, uint32_t size)
{
	uint32_t word, at, len;

	if (field->offset > size || field->size > size - field->offset)
		return;
	if (!(field->flags & DKT_FIELD_DYNAMIC)) {
		if (!(field->flags & DKT_FIELD_STRING))
			turn_all(data + field->offset,
				 field->size ? field->size : size - field->offset,
				 field->flags & DKT_FIELD_ARRAY ? field->element : field->size);
		return;
	}
	turn(data + field->offset, field->size);
	if (field->flags & DKT_FIELD_STRING || field->size != sizeof(word))
		return;
	memcpy(&word, data + field->offset, sizeof(word));
	at = (word & 0xffff) + (field->flags & DKT_FIELD_RELATIVE ? field->offset + 4 : 0);
	len = word >> 16;
	if (at <= size && len <= size - at)
		turn_all(data + at, len, field->element);
}

void dkt__record_swap(struct dkt_ctx *ctx, const void *data, uint32_t size, uint8_t *copy)
{
	const struct dkt_field *fields;
	struct dkt_event *event;
	uint16_t type;
	size_t i, n;

	memcpy(copy, data, size);
	memcpy(&type, data, sizeof(type));
	event = dkt_event_by_id(ctx, bswap_16(type));
	if (event && !dkt_event_fields(event, &fields, &n)) {
		for (i = 0; i < n; i++)
			turn_field(&fields[i], copy, size);
		return;
	}
	turn(copy, TYPE_SIZE);
	turn(copy + PID_AT, PID_SIZE);
}
