/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the reader of hist files: each resulting table can be sorted and printed. */
#include <string.h>

#include "lib/inside.h"
#include "tests/fuzz/replay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct dkt_table_info *info;
	struct dkt_table *table = NULL;
	struct dkt_ctx *ctx = NULL;
	struct dkt_buf *buf = NULL;
	size_t row, column;

	if (dkt_ctx_new(NULL, &ctx) || dkt_buf_new(&buf))
		abort();
	if (!dkt__table_parse(ctx, (const char *)data, size, &table)) {
		info = dkt_table_info(table);
		if (dkt_table_sort(table, NULL) || info->n_columns <= info->n_keys)
			abort();
		for (row = 0; row < info->n_rows; row++) {
			for (column = 0; column < info->n_columns; column++)
				dkt_table_text(table, row, column, buf);
			dkt_table_value(table, row, 0);
			dkt_buf_str(buf, dkt_table_more(table, row));
		}
		if (info->n_columns && dkt_table_sort(table, "no such column") != -2)
			abort();
	} else if (!*dkt_error(ctx)) {
		abort();
	}
	dkt_table_free(table);
	dkt_buf_free(buf);
	dkt_ctx_free(ctx);
	return 0;
}
