/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes layouts of tables for ClickHouse, and the answers of servers. */
#include <string.h>

#include "answers/load/layout.h"
#include "answers/load/rowbinary.h"
#include "lib/base/buf.h"
#include "tests/fuzz/replay.h"

static void read_answer(const uint8_t *data, size_t size)
{
	struct row_reader in = { .at = (const char *)data, .left = size };

	while (in.left && !in.bad) {
		size_t len = 0;
		const char *text = row_take_text(&in, &len);

		must(!text ||
		     (text >= (const char *)data && text + len <= (const char *)data + size));
		row_take_u64(&in);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct layout_values values = { .table = "t`'\\",
					      .database = "d`'",
					      .columns = "a",
					      .column = "b",
					      .view = "v",
					      .select = "s" };
	struct layout layout = { .text = strndup((const char *)data, size) };
	struct dkt_ctx *ctx;
	struct dkt_buf *buf;
	int err;

	must(!dkt_ctx_new(NULL, &ctx) && !dkt_buf_new(&buf) && layout.text);
	err = layout_parse(ctx, layout.text, "file", &layout);
	must(err == 0 || err == -EINVAL);
	must(!err || *dkt_error(ctx));
	for (size_t i = 0; i < LAYOUT_N; i++)
		for (size_t j = 0; j < layout.n[i]; j++)
			layout_fill(layout.statements[i][j], &values, buf);
	must(!dkt_buf_error(buf));
	layout_clear(&layout);
	read_answer(data, size);
	dkt_buf_free(buf);
	dkt_ctx_free(ctx);
	return 0;
}
