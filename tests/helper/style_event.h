/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An event with a field of every type that styles tell apart, for tests of styles. */
#ifndef DKT_STYLE_EVENT_H
#define DKT_STYLE_EVENT_H

#include "lib/ctx.h"

/* A record of it. */
struct styled {
	uint16_t common_type;
	uint8_t common_flags;
	uint8_t common_preempt_count;
	int32_t common_pid;
	int32_t i;
	uint32_t u;
	int64_t s64;
	uint64_t u64;
	uint64_t pointer;
	uint64_t ip;
	char name[16];
	uint32_t text; /* __data_loc */
	uint32_t late; /* __rel_loc */
	uint16_t shorts[3];
	uint8_t mac[6];
	uint32_t longs; /* __data_loc */
	int8_t tiny;
	uint8_t yes;
	uint8_t odd[3];
	uint8_t pad[3];
	char tail[64]; /* what the dynamic ones point at */
};

#define STYLED_FIELD(type_name, member, is_signed)                                                 \
	"\tfield:%s;\toffset:%zu;\tsize:%zu;\tsigned:%d;\n", type_name,                            \
		offsetof(struct styled, member), sizeof(((struct styled *)NULL)->member),          \
		is_signed

#define STYLED_LOC(at, len)                                                                        \
	((uint32_t)(len) << 16 | (uint32_t)(offsetof(struct styled, tail) + (at)))
#define STYLED_REL(at, len)                                                                        \
	(STYLED_LOC(at, len) - (uint32_t)offsetof(struct styled, late) - sizeof(uint32_t))

static inline void styled_fields(FILE *f)
{
	fprintf(f, STYLED_FIELD("unsigned short common_type", common_type, 0));
	fprintf(f, STYLED_FIELD("unsigned char common_flags", common_flags, 0));
	fprintf(f, STYLED_FIELD("unsigned char common_preempt_count", common_preempt_count, 0));
	fprintf(f, STYLED_FIELD("int common_pid", common_pid, 1));
	fputs("\n", f);
	fprintf(f, STYLED_FIELD("int i", i, 1));
	fprintf(f, STYLED_FIELD("unsigned int u", u, 0));
	fprintf(f, STYLED_FIELD("long s64", s64, 1));
	fprintf(f, STYLED_FIELD("u64 u64", u64, 0));
	fprintf(f, STYLED_FIELD("void * pointer", pointer, 0));
	fprintf(f, STYLED_FIELD("unsigned long ip", ip, 0));
	fprintf(f, STYLED_FIELD("char name[16]", name, 0));
	fprintf(f, STYLED_FIELD("__data_loc char[] text", text, 0));
	fprintf(f, STYLED_FIELD("__rel_loc char[] late", late, 0));
	fprintf(f, STYLED_FIELD("u16 shorts[3]", shorts, 0));
	fprintf(f, STYLED_FIELD("u8 mac[6]", mac, 0));
	fprintf(f, STYLED_FIELD("__data_loc u64[] longs", longs, 0));
	fprintf(f, STYLED_FIELD("s8 tiny", tiny, 1));
	fprintf(f, STYLED_FIELD("bool yes", yes, 0));
	fprintf(f, STYLED_FIELD("struct odd odd", odd, 0));
}

/* The event in that context, by names that make it one of several, with that print format. */
static inline struct dkt_event *styled_event_print(struct dkt_ctx *ctx, const char *system,
						   const char *name, int id, const char *print)
{
	struct dkt_event *event = NULL;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	fprintf(f, "name: %s\nID: %d\nformat:\n", name, id);
	styled_fields(f);
	fprintf(f, "\nprint fmt: %s\n", print);
	fclose(f);
	if (dkt__event_define(ctx, system, name, text, &event))
		event = NULL;
	free(text);
	return event;
}

static inline struct dkt_event *styled_event_of(struct dkt_ctx *ctx, const char *system,
						const char *name, int id)
{
	return styled_event_print(
		ctx, system, name, id,
		"\"i=%d ip=%pS text=%s\", REC->i, (void *)REC->ip, __get_str(text)");
}

/* A print format that has names for values. */
#define STYLED_NAMES                                                                                   \
	"\"%s %s %s\", __print_symbolic(REC->i, { -5, \"minus\" }, { 1, \"o\\\"n\\\"e\" }), "          \
	"REC->u & 0xff ? __print_flags(REC->u & 0xff, \"|\", { 1, \"a\" }, { 6, \"b\" }) : \"none\", " \
	"__print_symbolic(REC->tiny + REC->yes, { 1, \"both\" })"

static inline struct dkt_event *styled_event(struct dkt_ctx *ctx, const char *name, int id)
{
	return styled_event_of(ctx, "styled", name, id);
}

/* kernel_stack or user_stack: addresses from offset 16 on. */
static inline struct dkt_event *styled_stack(struct dkt_ctx *ctx, const char *name, int id)
{
	struct dkt_event *event = NULL;
	char *text = NULL;

	if (asprintf(&text,
		     "name: %s\nID: %d\nformat:\n"
		     "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
		     "\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"
		     "\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n\n"
		     "print fmt: \"%%ps\", (void *)REC->caller[0]\n",
		     name, id) < 0)
		return NULL;
	if (dkt__event_define(ctx, "ftrace", name, text, &event))
		event = NULL;
	free(text);
	return event;
}

/* A sound record. */
static inline struct styled styled_record(void)
{
	struct styled s = {
		.common_type = 7,
		.common_flags = 0x11,
		.common_preempt_count = 2,
		.common_pid = 4711,
		.i = -5,
		.u = 4000000000U,
		.s64 = INT64_MIN,
		.u64 = UINT64_MAX,
		.pointer = UINT64_C(0xffff888100a00000),
		.ip = UINT64_C(0xffffffff81000010),
		.name = "dd",
		.text = STYLED_LOC(0, 9),
		.late = STYLED_REL(9, 6),
		.shorts = { 1, 2, 65535 },
		.mac = { 0, 1, 2, 0xab, 0xcd, 0xef },
		.longs = STYLED_LOC(16, 16),
		.tiny = -1,
		.yes = 1,
		.odd = { 1, 2, 3 },
	};
	const uint64_t longs[2] = { 1, UINT64_C(9007199254740993) };

	memcpy(s.tail, "some text\0late", 14);
	s.tail[8] = '\0';
	memcpy(s.tail + 9, "later", 6);
	memcpy(s.tail + 16, longs, sizeof(longs));
	return s;
}

#endif
