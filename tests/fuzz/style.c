/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzzes styles: whatever records say, json is JSON, csv has as many cells as its header, and
 * perfetto is a sequence of messages in which no slice ends that was not begun, and no line of the
 * others has a control character, or holds more than one record. The input is a byte
 * that chooses the style and then records: a byte that chooses the event, one of flags, a length and
 * so many bytes.
 */
#include "lib/style.h"
#include "tests/fuzz/check_text.h"
#include "tests/fuzz/replay.h"
#include "tests/helper/perfetto_walk.h"
#include "tests/helper/style_event.h"

#define EVENTS 7

static const char *const names[] = { "json", "csv", "perfetto", "raw", "trace", "folded" };

/* System and name; the fields are those of tests/helper/style_event.h but for the stack. */
static const char *const events[EVENTS][2] = {
	{ "styled", "sample" },          { "ftrace", "kernel_stack" },
	{ "raw_syscalls", "sys_enter" }, { "raw_syscalls", "sys_exit" },
	{ "irq", "irq_handler_entry" },  { "irq", "irq_handler_exit" },
	{ "ftrace", "funcgraph_entry" },
};

/* Names of processes; one address has one name. */
static const char *const comms[] = { "", "co\"m\xffm", "=a\n\033[2J", "\xc2\x9b\xe2\x80\xae" };

struct kept {
	struct dkt_ctx *ctx;
	struct dkt_event *events[EVENTS];
};

static struct kept *kept_events(void)
{
	static struct kept kept;
	size_t i;

	if (kept.ctx)
		return &kept;
	DKT_OPTS(dkt_ctx_opts, opts, .root = "/nonexistent");
	must(!dkt_ctx_new(&opts, &kept.ctx));
	for (i = 0; i < EVENTS; i++) {
		kept.events[i] = i == 0 ? styled_event_print(kept.ctx, events[i][0], events[i][1],
							     8, STYLED_NAMES) :
				 i == 1 ? styled_stack(kept.ctx, events[i][1], 9) :
					  styled_event_of(kept.ctx, events[i][0], events[i][1],
							  (int)i + 100);
		must(kept.events[i]);
	}
	return &kept;
}

static size_t one_record(const struct kept *kept, struct dkt_style *style, struct dkt_buf *buf,
			 const uint8_t *data, size_t size)
{
	size_t len = size > 2 ? DKT__MIN(data[2], size - 3) : 0;
	struct dkt_record record = {
		.event = data[0] < EVENTS ? kept->events[data[0]] : NULL,
		.ts = UINT64_C(1000000) * data[1],
		.cpu = data[1] & 3,
		.pid = data[1] >> 2 & 3,
		.flags = data[1],
		.lost = data[0] == 255 ? DKT_LOST_UNKNOWN : data[0],
		.size = (uint32_t)len,
	};
	uint8_t *exact = malloc(len + 1);
	struct dkt_stack stack = { .event = kept->events[1], .size = record.size };

	must(exact);
	stack.data = exact;
	if (data[1] & 0x40)
		record.stacks = &stack;
	if (len)
		memcpy(exact, data + 3, len);
	record.data = exact;
	must(!dkt_style_record(style, &record, comms[data[1] % ARRAY_SIZE(comms)], buf));
	free(exact);
	return 3 + len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	DKT_OPTS(dkt_source_info, source, .has_wall = true, .wall = INT64_C(1795171713811608000));
	struct kept *kept = kept_events();
	struct dkt_style *style;
	struct dkt_buf *buf;
	size_t at = 1, len;
	const char *text;

	if (size < 3 || size > 65536)
		return 0;
	DKT_OPTS(dkt_style_opts, opts, .source = &source);
	must(!dkt_style_new(kept->ctx, names[data[0] % ARRAY_SIZE(names)], &opts, &style));
	must(!dkt_buf_new(&buf) && !dkt_style_begin(style, buf));
	while (at + 2 <= size)
		at += one_record(kept, style, buf, data + at, size - at);
	must(!dkt_style_end(style, buf) && !dkt_buf_error(buf));
	text = dkt_buf_data(buf, &len);
	if (data[0] % ARRAY_SIZE(names) == 0)
		check_json(text, len);
	else if (data[0] % ARRAY_SIZE(names) == 1)
		check_csv(text, len);
	else if (data[0] % ARRAY_SIZE(names) == 2)
		walk_trace(&(struct walk){ 0 }, text, len);
	if (data[0] % ARRAY_SIZE(names) != 2)
		check_shown(text, len, data[0] % ARRAY_SIZE(names) == 1 ? "\r\n" : "\n");
	dkt_style_free(style);
	dkt_buf_free(buf);
	return 0;
}
