/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzzes formats: a file may describe its events as it likes. The input is the text of a format
 * file up to a NUL and then a record of that event, printed in each style that decodes fields by
 * themselves: json is JSON and csv is CSV whatever an event and its fields are called.
 */
#include "check_text.h"
#include "event.h"

static const char *const names[] = { "trace", "raw", "csv", "json" };

static void print_in(const char *name, struct dkt_record *record)
{
	DKT_OPTS(dkt_style_opts, opts);
	struct dkt_style *style;
	struct dkt_buf *buf = NULL;
	const char *text;
	size_t len;

	must(!dkt_style_new(record->event->ctx, name, &opts, &style) && !dkt_buf_new(&buf));
	must(!dkt_style_record(style, record, "comm", buf) && !dkt_style_end(style, buf));
	must(!dkt_buf_error(buf));
	text = dkt_buf_data(buf, &len);
	if (!strcmp(name, "json"))
		check_json(text, len);
	else if (!strcmp(name, "csv"))
		check_csv(text, len);
	dkt_style_free(style);
	dkt_buf_free(buf);
}

static void take(struct dkt_ctx *ctx, const uint8_t *data, size_t size)
{
	struct dkt_event *const *events;
	const struct dkt_field *fields;
	struct dkt_record record = { .ts = 1 };
	uint8_t *exact;
	size_t i, n;

	if (dkt_events(ctx, &events, &n) || n != 1)
		return;
	exact = malloc(size ? size : 1);
	must(exact);
	memcpy(exact, data, size);
	record.event = events[0];
	record.data = exact;
	record.size = (uint32_t)size;
	/* Without fields it is shown as bytes. */
	dkt_event_fields(record.event, &fields, &n);
	for (i = 0; i < ARRAY_SIZE(names); i++)
		print_in(names[i], &record);
	free(exact);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = memchr(data, '\0', size);
	struct dkt__given given = { .system = "fuzz", .text = (const char *)data };
	struct dkt_ctx *ctx;

	if (!end)
		return 0;
	given.len = (size_t)(end - data);
	must(!dkt_ctx_new(NULL, &ctx));
	must(!dkt__events_given(ctx, &given, 1));
	take(ctx, end + 1, size - given.len - 1);
	dkt_ctx_free(ctx);
	return 0;
}
