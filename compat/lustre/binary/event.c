/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Presents Lustre's binary records as records of an event, and lines of text as binary records. */
#include "compat/lustre/binary/event.h"
#include "lib/inside.h"

#include "lib/base/parse.h"

/* The tracepoint's layout in the kernel. The ID is higher than any ID of the kernel. */
static const char format[] =
	"name: libcfs_debug_msg\n"
	"ID: 65536\n"
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:__data_loc char[] msg_file;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc char[] msg_fn;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned int msg_subsys;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:int msg_line;\toffset:20;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned int msg_mask;\toffset:24;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc char[] msg;\toffset:28;\tsize:4;\tsigned:0;\n"
	"\n"
	"print fmt: \"subsys=0x%x mask=0x%x %s:%d %s() %s\", REC->msg_subsys, REC->msg_mask,"
	" __get_str(msg_file), REC->msg_line, __get_str(msg_fn), __get_str(msg)\n";

struct layout {
	uint16_t type;
	uint8_t flags;
	uint8_t preempt;
	int32_t pid;
	uint32_t file; /* offset; length in the upper half */
	uint32_t function;
	uint32_t subsystem;
	int32_t line;
	uint32_t mask;
	uint32_t text;
};

int dkl_record_event(struct dkt_ctx *ctx, struct dkt_event **event)
{
	return dkt__event_define(ctx, RECORD_EVENT_SYSTEM, RECORD_EVENT_NAME, format, event);
}

struct dkt_event *dkl_record_event_find(struct dkt_ctx *ctx)
{
	return dkt_event_find(ctx, RECORD_EVENT_SYSTEM, RECORD_EVENT_NAME);
}

bool dkl_record_is_event(const struct dkt_event *event)
{
	return !strcmp(dkt_event_name(event), RECORD_EVENT_NAME) &&
	       !strcmp(dkt_event_system(event), RECORD_EVENT_SYSTEM);
}

/* Appends a string and a NUL. Returns its offset, and its length in the upper 16 bits. */
static uint32_t put_string(uint8_t *data, uint32_t *size, const char *text, size_t len)
{
	uint32_t at = *size;

	if (len > UINT16_MAX - 1)
		len = UINT16_MAX - 1;
	memcpy(data + at, text, len);
	data[at + len] = '\0';
	*size = at + (uint32_t)len + 1;
	return at | (uint32_t)(len + 1) << 16;
}

void dkl_record_event_head(struct dkt_event *event, const uint8_t *rec, struct dkt_record *out)
{
	struct record_head head = record_head(rec);

	*out = (struct dkt_record){ .ts = (uint64_t)record_time(rec),
				    .event = event,
				    .cpu = head.cpu,
				    .pid = (int32_t)head.pid,
				    .flags = head.type == 2 ? DKT_REC_HARDIRQ :
					     head.type == 1 ? DKT_REC_SOFTIRQ :
							      0,
				    .first = head.flags & RECORD_FIRST };
}

void dkl_record_event_fill(struct dkt_event *event, const uint8_t *rec, size_t len, uint8_t *data,
			   struct dkt_record *out)
{
	struct record_head head = record_head(rec);
	uint32_t size = sizeof(struct layout);
	struct record_texts texts;
	struct layout layout = { .pid = (int32_t)head.pid,
				 .subsystem = head.subsystem,
				 .line = (int32_t)head.line,
				 .mask = head.mask };

	dkl_record_texts(rec, len, &texts);
	while (texts.text_len && texts.text[texts.text_len - 1] == '\n')
		texts.text_len--;
	layout.file = put_string(data, &size, texts.file, texts.file_len);
	layout.function = put_string(data, &size, texts.function, texts.function_len);
	layout.text = put_string(data, &size, texts.text, texts.text_len);
	dkl_record_event_head(event, rec, out);
	out->data = data;
	out->size = size;
	layout.flags = out->flags;
	memcpy(data, &layout, sizeof(layout));
}

/* Sets a text from the offset and length of a string. */
static void get_string(const struct dkt_record *record, uint32_t at, const char **text, size_t *len)
{
	*text = (const char *)record->data + (at & UINT16_MAX);
	*len = (at >> 16) - 1;
}

bool dkl_record_event_read(const struct dkt_record *record, struct record_head *head,
			   struct record_texts *texts)
{
	struct layout layout;

	if (record->size < sizeof(layout))
		return false;
	memcpy(&layout, record->data, sizeof(layout));
	head->subsystem = layout.subsystem;
	head->mask = layout.mask;
	head->line = (uint32_t)layout.line;
	get_string(record, layout.file, &texts->file, &texts->file_len);
	get_string(record, layout.function, &texts->function, &texts->function_len);
	get_string(record, layout.text, &texts->text, &texts->text_len);
	return true;
}

/* Copies the text before the mark, with a NUL. Returns the text after the mark; NULL: no mark. */
static const char *take_part(const char *text, const char *end, const char *mark, uint8_t *rec,
			     size_t *size)
{
	const char *at = memmem(text, (size_t)(end - text), mark, strlen(mark));
	size_t len = at ? (size_t)(at - text) : 0;

	if (!at || *size + len + 1 > RECORD_FROM_LINE_MAX / 2)
		return NULL;
	memcpy(rec + *size, text, len);
	rec[*size + len] = '\0';
	*size += len + 1;
	return at + strlen(mark);
}

/* Copies the parts of "(FILE:LINE:FUNC()) " and returns the text after it; NULL: not found. */
static const char *take_place(const char *line, const char *end, struct record_head *head,
			      uint8_t *rec, size_t *size)
{
	const char *text = memchr(line, '(', (size_t)(end - line));
	uint64_t nr;

	text = text ? take_part(text + 1, end, ":", rec, size) : NULL;
	if (!text)
		return NULL;
	dkt__take_u64(&text, end, DKT__DEC, &nr);
	head->line = (uint32_t)nr;
	text = memchr(text, ':', (size_t)(end - text));
	return text ? take_part(text + 1, end, "()) ", rec, size) : NULL;
}

size_t dkl_record_from_line(const struct dkt_record *from, const struct class_bits *bits,
			    int64_t wall, const char *line, size_t len,
			    uint8_t rec[RECORD_FROM_LINE_MAX])
{
	uint64_t ns = from->ts + (uint64_t)wall;
	struct record_head head = { .flags = from->first ? RECORD_FIRST : 0,
				    .subsystem = bits->subsystems,
				    .mask = bits->classes,
				    .cpu = (uint16_t)from->cpu,
				    .sec = (uint32_t)(ns / 1000000000),
				    .usec = ns / 1000 % 1000000,
				    .pid = (uint32_t)from->pid };
	const char *end = line + len, *text;
	size_t size = sizeof(head);

	if (from->flags & (DKT_REC_HARDIRQ | DKT_REC_NMI))
		head.type = 2;
	else if (from->flags & DKT_REC_SOFTIRQ)
		head.type = 1;
	text = take_place(line, end, &head, rec, &size);
	/* A line of another form becomes text as a whole. */
	if (!text) {
		size = sizeof(head);
		rec[size++] = '\0';
		rec[size++] = '\0';
		text = line;
	}
	len = (size_t)(end - text);
	if (len > RECORD_FROM_LINE_MAX - size)
		len = RECORD_FROM_LINE_MAX - size;
	memcpy(rec + size, text, len);
	size += len;
	if (len)
		rec[size - 1] = '\n';
	head.len = (uint32_t)size;
	memcpy(rec, &head, sizeof(head));
	return size;
}
