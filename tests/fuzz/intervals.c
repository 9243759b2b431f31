/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the files of ready-made intervals: each is refused with a place, or can be measured by. */
#include <stdlib.h>
#include <string.h>

#include "lib/intervals.h"
#include "tests/fuzz/replay.h"

static void check(struct dkt_ctx *ctx)
{
	const struct dkt_interval *list;
	size_t n;

	if (dkt_interval_list(ctx, &list, &n))
		abort();
	for (size_t i = 0; i < n; i++) {
		const struct dkt_interval *interval = &list[i];
		DKT_OPTS(dkt_intervals_opts, opts, .key = interval->match, .by = interval->keys);
		struct dkt_intervals *pairs;

		if (!interval->begin || !interval->end || dkt_intervals_new(ctx, &opts, &pairs) ||
		    !dkt_interval_find(ctx, interval->name) ||
		    (interval->within && !dkt_interval_find(ctx, interval->within)))
			abort();
		dkt_intervals_free(pairs);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dkt_ctx *ctx;

	if (dkt_ctx_new(NULL, &ctx))
		return 0;
	if (!dkt__interval_load_text(ctx, "file", (const char *)data, size))
		check(ctx);
	else if (strncmp(dkt_error(ctx), "file:", 5) != 0 &&
		 strncmp(dkt_error(ctx), "intervals:", 10) != 0)
		abort();
	dkt_ctx_free(ctx);
	return 0;
}
