/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzzes records of the probes on Lustre's messages. The first byte of each says which of the events,
 * the next two how long it is; the rest is the record.
 */
#include "compat/lustre/message/reader.h"
#include "lib/ctx.h"
#include "tests/fuzz/replay.h"
#include "tests/helper/cdebug_event.h"

#define EVENTS 6

static const struct {
	const char *name;
	enum cdebug_place place;
} events[EVENTS] = {
	{ CDEBUG_NAME, CDEBUG_MSG },         { CDEBUG_NAME, CDEBUG_WORDS },
	{ CDEBUG_STRINGS, CDEBUG_POINTEES }, { CDEBUG_NESTED, CDEBUG_CALL },
	{ "cdebug_of_2_12", CDEBUG_VMSG2 },  { CDEBUG_NESTED_THIRD, CDEBUG_CALL_THIRD },
};

static struct dkt_ctx *ctx;
static struct dkt_event *defined[EVENTS];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct message_reader *reader = NULL;
	struct dkt_record left;
	uint64_t ts = 1000;
	struct dkt_buf *buf;
	unsigned int i;

	for (i = 0; !ctx || i < EVENTS; i++) {
		if (!ctx && dkt_ctx_new(NULL, &ctx))
			abort();
		if (!defined[i])
			/* Two events may have the same name, in other groups. */
			defined[i] = cdebug_event(
				ctx, events[i].place == CDEBUG_WORDS ? "light" : "dktrace",
				65000 + i, events[i].name, events[i].place);
	}
	if (dkl_message_reader_new(ctx, &reader) || dkt_buf_new(&buf))
		abort();
	while (size >= 3) {
		struct dkt_record rec = { .event = defined[data[0] % EVENTS], .ts = ts++ };
		const struct message *m = dkl_message_reader_get(reader, rec.event);
		size_t n = DKT__MIN((size_t)(data[1] | data[2] << 8), size - 3);
		/* The buffer has exactly this size, so that the sanitizer sees one byte too far. */
		void *copy = malloc(n + 1);
		struct message_key key;

		if (!copy || !m)
			abort();
		memcpy(copy, data + 3, n);
		rec.data = copy;
		rec.size = (uint32_t)n;
		dkl_message_key(m, &rec, 0, &key);
		dkl_message_fits(copy, n / 2, (const char *)copy + n / 2, n - n / 2);
		if (!dkl_message_reader_keep(reader, &rec))
			dkl_message_line(m, &rec, ") ", buf);
		data += 3 + n;
		size -= 3 + n;
		free(copy);
	}
	while (dkl_message_reader_left(reader, &left))
		dkl_message_line(dkl_message_reader_get(reader, left.event), &left, ") ", buf);
	dkl_message_reader_free(reader);
	dkt_buf_free(buf);
	return 0;
}
