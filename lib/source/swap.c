/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts records of a machine with the other byte order, so that no other code has to know. */
#include <byteswap.h>

#include "lib/event.h"
#include "lib/plan.h"
#include "lib/source/swap.h"

/* The common fields of all records: type, flags, preempt count, and PID. */
#define TYPE_SIZE 2
#define PID_AT    4
#define PID_SIZE  4

static void turn_all(uint8_t *p, uint32_t len, uint32_t element)
{
	if (element != 2 && element != 4 && element != 8)
		return;
	for (; len >= element; len -= element, p += element)
		dkt__turn(p, element);
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
	dkt__turn(data + field->offset, field->size);
	if (field->flags & DKT_FIELD_STRING || field->size != sizeof(word))
		return;
	memcpy(&word, data + field->offset, sizeof(word));
	at = (word & 0xffff) + (field->flags & DKT_FIELD_RELATIVE ? field->offset + 4 : 0);
	len = word >> 16;
	if (at <= size && len <= size - at)
		turn_all(data + at, len, field->element);
}

/* Swaps a field if only the print format defines its layout. Returns true if it did. */
static bool turn_special(const struct dkt__plan *plan, const struct dkt_field *field, uint8_t *data,
			 uint32_t size)
{
	/* A stack extends to the end of its record, whatever the field's size. */
	if (plan->way == DKT__PLAN_STACK && !strcmp(field->name, "caller")) {
		if (field->offset <= size)
			turn_all(data + field->offset, size - field->offset, field->element);
		return true;
	}
	return plan->way == DKT__PLAN_BPRINT && !strcmp(field->name, "buf");
}

static void record_swap(struct dkt_ctx *ctx, const void *data, uint32_t size, uint8_t *copy)
{
	const struct dkt__plan *plan;
	struct dkt_event *event;
	uint16_t type;

	memcpy(copy, data, size);
	memcpy(&type, data, sizeof(type));
	event = dkt__event_by_id(ctx, bswap_16(type));
	plan = event && !dkt__event_load(event) ? dkt__plan_get(event) : NULL;
	if (plan) {
		for (size_t i = 0; i < event->n_fields; i++)
			if (!turn_special(plan, &event->fields[i], copy, size))
				turn_field(&event->fields[i], copy, size);
		if (plan->way == DKT__PLAN_BPRINT)
			dkt__plan_bprint_turn(event, copy, size);
		return;
	}
	dkt__turn(copy, TYPE_SIZE);
	dkt__turn(copy + PID_AT, PID_SIZE);
}

const void *dkt__swapped(struct dkt__swapped *room, struct dkt_ctx *ctx, const void *data,
			 uint32_t size)
{
	if (room->size < size) {
		free(room->bytes);
		room->bytes = malloc(size);
		room->size = room->bytes ? size : 0;
	}
	if (room->size < size)
		return NULL;
	record_swap(ctx, data, size, room->bytes);
	return room->bytes;
}
