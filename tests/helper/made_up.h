/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A made-up event with a field of every type that filters can test. */
#ifndef DKT_MADE_UP_H
#define DKT_MADE_UP_H

#include "lib/ctx.h"

/* A record as the kernel lays it out, with a field of every sort. */
struct made_up {
	uint16_t common_type;
	uint8_t common_flags;
	uint8_t common_preempt_count;
	int32_t common_pid;
	int8_t s8;
	uint8_t u8;
	int16_t s16;
	uint16_t u16;
	int32_t s32;
	uint32_t u32;
	int64_t s64;
	uint64_t u64;
	char name[16];
	uint32_t text; /* __data_loc */
	uint32_t late; /* __rel_loc */
	uint64_t pointer;
	uint32_t mask; /* __data_loc */
	uint8_t wide[6];
	char bytes[64];
};

#define AT(member)   offsetof(struct made_up, member)
#define SIZE(member) sizeof(((struct made_up *)NULL)->member)
#define FIELD(type_, name_, flags_)                                                                \
	{                                                                                          \
		.name = #name_, .type = type_, .offset = AT(name_), .size = SIZE(name_),           \
		.element = SIZE(name_), .flags = flags_                                            \
	}

static struct dkt_field made_up_fields[] = {
	FIELD("unsigned short", common_type, DKT_FIELD_COMMON),
	FIELD("unsigned char", common_flags, DKT_FIELD_COMMON),
	FIELD("unsigned char", common_preempt_count, DKT_FIELD_COMMON),
	FIELD("int", common_pid, DKT_FIELD_COMMON | DKT_FIELD_SIGNED),
	FIELD("s8", s8, DKT_FIELD_SIGNED),
	FIELD("u8", u8, 0),
	FIELD("s16", s16, DKT_FIELD_SIGNED),
	FIELD("u16", u16, 0),
	FIELD("int", s32, DKT_FIELD_SIGNED),
	FIELD("unsigned int", u32, 0),
	FIELD("long", s64, DKT_FIELD_SIGNED),
	FIELD("unsigned long", u64, 0),
	FIELD("char[16]", name, DKT_FIELD_STRING | DKT_FIELD_ARRAY),
	FIELD("__data_loc char[]", text, DKT_FIELD_STRING | DKT_FIELD_ARRAY | DKT_FIELD_DYNAMIC),
	FIELD("__rel_loc char[]", late,
	      DKT_FIELD_STRING | DKT_FIELD_ARRAY | DKT_FIELD_DYNAMIC | DKT_FIELD_RELATIVE),
	FIELD("const char *", pointer, DKT_FIELD_STRING | DKT_FIELD_POINTER),
	FIELD("__data_loc cpumask_t", mask, DKT_FIELD_ARRAY | DKT_FIELD_DYNAMIC),
	FIELD("__u8[6]", wide, DKT_FIELD_ARRAY | DKT_FIELD_STRING),
};

/* Gives the event those n fields. list has room for their addresses. */
static inline void made_up_give(struct dkt_event *event, struct dkt_field *fields, size_t n,
				const struct dkt_field **list)
{
	for (size_t i = 0; i < n; i++)
		list[i] = &fields[i];
	event->fields = fields;
	event->field_list = list;
	event->n_fields = n;
}

/* All of them. */
static inline void made_up_event(struct dkt_event *event)
{
	static const struct dkt_field *list[ARRAY_SIZE(made_up_fields)];

	made_up_give(event, made_up_fields, ARRAY_SIZE(made_up_fields), list);
}

#endif
