/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzzes records of the probes on Lustre's messages. The first byte of each says which of the events,
 * the next two how long it is; the rest is the record.
 */
#include "cdebug.h"
#include "internal.h"
#include "message_parts.h"
#include "replay.h"

#define EVENTS 5

static const struct {
	const char *name;
	enum cdebug_place place;
} events[EVENTS] = {
	{ CDEBUG_NAME, CDEBUG_MSG },        { CDEBUG_NAME, CDEBUG_LIGHT },
	{ CDEBUG_STRINGS, CDEBUG_BEHIND },  { CDEBUG_NESTED, CDEBUG_CALL },
	{ "cdebug_of_2_12", CDEBUG_VMSG2 },
};

static struct dkt_ctx *ctx;
static struct dkt_event *defined[EVENTS];

/* The format file that the kernel makes of the fields: packed, strings as an offset and a length. */
static void put_format(FILE *f, unsigned int i, char *fields)
{
	unsigned int at = 16;
	char *save = NULL, *word;

	fprintf(f,
		"name: %s\nID: %u\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n",
		events[i].name, 65000 + i);
	for (word = strtok_r(fields, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		const char *type = strrchr(word, ':');
		bool is_string = type && !strcmp(type, ":string");
		unsigned int size = type && (is_string || !strcmp(type + 2, "32")) ? 4 : 8;

		fprintf(f, "\tfield:%s %.*s;\toffset:%u;\tsize:%u;\tsigned:%d;\n",
			is_string ? "__data_loc char[]" :
			size == 4 ? "s32" :
				    "u64",
			(int)strcspn(word, "="), word, at, size, is_string || size == 4);
		at += size;
	}
	fprintf(f, "\nprint fmt: \"\"\n");
}

static void define(unsigned int i)
{
	char *fields = NULL, *format = NULL;
	size_t len;
	FILE *f;

	if (cdebug_fields(CDEBUG_X86_64, events[i].place, 0, &fields))
		abort();
	f = open_memstream(&format, &len);
	if (!f)
		abort();
	put_format(f, i, fields);
	fclose(f);
	/* Two events may have the same name, in other groups. */
	if (dkt_event_define(ctx, events[i].place == CDEBUG_LIGHT ? "light" : "dktrace",
			     events[i].name, format, &defined[i]))
		abort();
	free(fields);
	free(format);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct message_parts *parts = message_parts_new();
	struct message *messages[EVENTS];
	uint64_t ts = 1000;
	struct dkt_buf *buf;
	unsigned int i;

	for (i = 0; !ctx || i < EVENTS; i++) {
		if (!ctx && dkt_ctx_new(NULL, &ctx))
			abort();
		if (!defined[i])
			define(i);
	}
	if (!parts || dkt_buf_new(&buf))
		abort();
	for (i = 0; i < EVENTS; i++) {
		messages[i] = message_new(ctx, defined[i], parts);
		if (!messages[i])
			abort();
	}
	while (size >= 3) {
		struct dkt_record rec = { .event = defined[data[0] % EVENTS], .ts = ts++ };
		const struct message *m = messages[data[0] % EVENTS];
		size_t n = DKT__MIN((size_t)(data[1] | data[2] << 8), size - 3);
		/* Of the very size, so that one byte too far is seen. */
		void *copy = malloc(n + 1);
		struct message_key key;

		if (!copy)
			abort();
		memcpy(copy, data + 3, n);
		rec.data = copy;
		rec.size = (uint32_t)n;
		message_key(m, &rec, 0, &key);
		if (!message_parts_take(parts, m, &rec))
			message_line(m, &rec, ") ", buf);
		data += 3 + n;
		size -= 3 + n;
		free(copy);
	}
	for (i = 0; i < EVENTS; i++)
		message_free(messages[i]);
	message_parts_free(parts);
	dkt_buf_free(buf);
	return 0;
}
