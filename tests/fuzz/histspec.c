/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the options of histograms and pairs: lines of keys, values, variables, actions, key, by. */
#include "lib/event.h"
#include "lib/hist.h"
#include "lib/inside.h"
#include "tests/fuzz/replay.h"
#include "tests/helper/made_up.h"

enum { KEYS, VALS, VARS, ACTIONS, KEY, BY, N_LINES };

static char *lines[N_LINES];

/* A refusal has a message, and a caret can only be in its last line. */
static void check_words(struct dkt_ctx *ctx)
{
	const char *words = dkt_error(ctx), *caret = strrchr(words, '\n');

	if (!*words)
		abort();
	if (caret && strspn(caret + 1, " ") + 2 != strlen(caret))
		abort();
}

static void try_hist(struct dkt_ctx *ctx, struct dkt_event *event)
{
	DKT_OPTS(dkt_hist_opts, opts, .keys = lines[KEYS],
		 .vals = *lines[VALS] ? lines[VALS] : NULL,
		 .vars = *lines[VARS] ? lines[VARS] : NULL,
		 .actions = *lines[ACTIONS] ? lines[ACTIONS] : NULL, .skip = 7);
	uint8_t bytes[64] = { 1 };
	struct dkt_record record = { .event = event, .data = bytes, .size = sizeof(bytes) };
	struct dkt_table *table = NULL;
	struct dkt_hist *hist;
	char *text = NULL;

	if (dkt_hist_new(ctx, &opts, &hist)) {
		check_words(ctx);
		return;
	}
	if (dkt_hist_event(hist, event)) {
		check_words(ctx);
		dkt_hist_free(hist);
		return;
	}
	if (dkt__hist_trigger(hist, event, &text) || strncmp(text, "hist:keys=", 10) != 0 ||
	    strpbrk(text, "\n;"))
		abort();
	if (!strstr(lines[KEYS], "stacktrace"))
		dkt_hist_add(hist, NULL, &record);
	dkt_hist_read(hist, NULL, &table);
	dkt_table_free(table);
	dkt_hist_free(hist);
	free(text);
}

static void try_pairs(struct dkt_ctx *ctx, struct dkt_event *event)
{
	DKT_OPTS(dkt_intervals_opts, opts, .key = lines[KEY], .by = *lines[BY] ? lines[BY] : NULL,
		 .slowest = 1);
	uint8_t bytes[64] = { 1 };
	struct dkt_record record = { .event = event, .data = bytes, .size = sizeof(bytes) };
	struct dkt_intervals *pairs;

	if (dkt_intervals_new(ctx, &opts, &pairs)) {
		check_words(ctx);
		return;
	}
	if (dkt_intervals_event(pairs, event, DKT_INTERVAL_BEGIN | DKT_INTERVAL_END)) {
		check_words(ctx);
	} else {
		dkt_intervals_add(pairs, NULL, &record);
		dkt_intervals_add(pairs, NULL, &record);
	}
	dkt_intervals_free(pairs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size), *rest = text;
	struct dkt_event event = {
		.system = "test",
		.name = "made_up",
	};
	static char none[] = "";
	struct dkt_ctx *ctx = NULL;
	int i;

	if (!text || dkt_ctx_new(NULL, &ctx))
		abort();
	event.ctx = ctx;
	made_up_event(&event);
	for (i = 0; i < N_LINES; i++) {
		lines[i] = strsep(&rest, "\n");
		if (!lines[i])
			lines[i] = none;
	}
	try_hist(ctx, &event);
	dkt_fail(ctx, 0, "%s", "");
	try_pairs(ctx, &event);
	dkt__plan_free(event.plan);
	dkt_ctx_free(ctx);
	free(text);
	return 0;
}
