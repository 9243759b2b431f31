/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzzes records of the probes on Lustre's messages. The first byte of each says which of the events,
 * the next two how long it is; the rest is the record.
 */
#include "compat/lustre/message.h"
#include "compat/lustre/message/joiner.h"
#include "lib/ctx.h"
#include "tests/fuzz/replay.h"
#include "tests/helper/cdebug_event.h"

#define EVENTS 5

static const struct {
	const char *name;
	enum cdebug_place place;
} events[EVENTS] = {
	{ CDEBUG_NAME, CDEBUG_MSG },         { CDEBUG_NAME, CDEBUG_WORDS },
	{ CDEBUG_STRINGS, CDEBUG_POINTEES }, { CDEBUG_NESTED, CDEBUG_CALL },
	{ "cdebug_of_2_12", CDEBUG_VMSG2 },
};

static struct dkt_ctx *ctx;
static struct dkt_event *defined[EVENTS];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct message_joiner *parts = dkl_message_joiner_new();
	struct message *messages[EVENTS];
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
	if (!parts || dkt_buf_new(&buf))
		abort();
	for (i = 0; i < EVENTS; i++) {
		messages[i] = dkl_message_new(ctx, defined[i], parts);
		if (!messages[i])
			abort();
	}
	while (size >= 3) {
		struct dkt_record rec = { .event = defined[data[0] % EVENTS], .ts = ts++ };
		const struct message *m = messages[data[0] % EVENTS];
		size_t n = DKT__MIN((size_t)(data[1] | data[2] << 8), size - 3);
		/* The buffer has exactly this size, so that the sanitizer sees one byte too far. */
		void *copy = malloc(n + 1);
		struct message_key key;

		if (!copy)
			abort();
		memcpy(copy, data + 3, n);
		rec.data = copy;
		rec.size = (uint32_t)n;
		dkl_message_key(m, &rec, 0, &key);
		dkl_message_fits(copy, n / 2, (const char *)copy + n / 2, n - n / 2);
		if (!dkl_message_joiner_take(parts, m, &rec))
			dkl_message_line(m, &rec, ") ", buf);
		data += 3 + n;
		size -= 3 + n;
		free(copy);
	}
	for (i = 0; i < EVENTS; i++)
		dkl_message_free(messages[i]);
	dkl_message_joiner_free(parts);
	dkt_buf_free(buf);
	return 0;
}
