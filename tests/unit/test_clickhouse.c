/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows for ClickHouse, layouts, and the answers of servers. */
#include "check.h"

#include "base/buf.h"
#include "base/util.h"
#include "clickhouse/layout.h"
#include "clickhouse/rowbinary.h"
#include "clickhouse/server.h"

static void test_rows(void **state)
{
	static const uint8_t wanted[] = {
		0xff, 0x78, 0x56, 0x34, 0x12, 1,    0,    0, 0,   0, 0,    0, 0x80, 0,
		0,    0,    0,    0,    0,    0xf8, 0x3f, 2, 'a', 0, 0xac, 2, 1,
	};
	struct dkt_buf *row;

	(void)state;
	assert_int_equal(dkt_buf_new(&row), 0);
	row_u8(row, 0xff);
	row_u32(row, 0x12345678);
	row_u64(row, UINT64_C(0x8000000000000001));
	row_real(row, 1.5);
	row_text(row, "a", 2);
	row_length(row, 300);
	row_known(row, false);
	assert_int_equal(row->len, sizeof(wanted));
	assert_memory_equal(row->data, wanted, sizeof(wanted));
	dkt_buf_free(row);
}

static void test_answers(void **state)
{
	struct row_reader in = { .at = "\5\0\0\0\0\0\0\0\3abc\0", .left = 13 };
	struct row_reader endless = { .at = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
				      .left = 11 };
	size_t len;

	(void)state;
	assert_int_equal(row_take_u64(&in), 5);
	assert_memory_equal(row_take_text(&in, &len), "abc", 3);
	assert_int_equal(len, 3);
	assert_non_null(row_take_text(&in, &len));
	assert_int_equal(len, 0);
	assert_false(in.bad);
	assert_null(row_take_text(&in, &len));
	assert_true(in.bad);
	assert_int_equal(row_take_u64(&in), 0);
	assert_null(row_take_text(&endless, &len));
	assert_true(endless.bad);
}

/* A refusal is final unless the state of the server passes. */
static void test_errors(void **state)
{
	(void)state;
	assert_false(link_may_pass(404, "Code: 81, e.displayText() = ..."));
	assert_false(link_may_pass(500, "Code: 53, e.displayText() = ..."));
	assert_true(link_may_pass(500, "Code: 252, e.displayText() = ..."));
	assert_true(link_may_pass(503, "<html>"));
}

static void test_address(void **state)
{
	struct server server;
	struct dkt_ctx *ctx;

	(void)state;
	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	setenv("CLICKHOUSE_USER", "other", 1);
	setenv("CLICKHOUSE_PASSWORD", "secret", 1);
	assert_ok(ctx, server_parse(ctx, "https://me%40here@db:8443/traces", NULL, &server));
	assert_string_equal(server.url, "https://db:8443/");
	assert_string_equal(server.user, "me@here");
	assert_string_equal(server.password, "secret");
	assert_string_equal(server.database, "traces");
	server_clear(&server);
	unsetenv("CLICKHOUSE_USER");
	unsetenv("CLICKHOUSE_PASSWORD");
	assert_ok(ctx, server_parse(ctx, "http://db/", NULL, &server));
	assert_null(server.user);
	assert_null(server.database);
	server_clear(&server);
	assert_int_equal(server_parse(ctx, "http://", NULL, &server), -EINVAL);
	server_clear(&server);
	dkt_ctx_free(ctx);
}

static int parse(struct dkt_ctx *ctx, const char *text, struct layout *layout)
{
	*layout = (struct layout){ .text = strdup(text) };
	assert_non_null(layout->text);
	return layout_parse(ctx, layout->text, "file", layout);
}

static void test_layout(void **state)
{
	const struct layout_values values = { .table = "a`b'", .columns = "`x` Int64" };
	struct layout layout;
	struct dkt_ctx *ctx;
	struct dkt_buf *buf;

	(void)state;
	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	assert_int_equal(dkt_buf_new(&buf), 0);
	assert_ok(ctx,
		  parse(ctx,
			"-- about\n\n-- [table]\nA @TABLE_x@ @NAME@\n\n(@COLUMNS@) @VIEW@ @;\nB;\n"
			"-- [view]\nC;",
			&layout));
	assert_int_equal(layout.n[LAYOUT_TABLE], 2);
	assert_int_equal(layout.n[LAYOUT_VIEW], 1);
	assert_string_equal(layout.statements[LAYOUT_TABLE][1], "B");
	layout_fill(layout.statements[LAYOUT_TABLE][0], &values, buf);
	dkt_buf_add(buf, "", 1);
	assert_string_equal(buf->data, "A `a\\`b'_x` a`b\\'\n\n(`x` Int64) @VIEW@ @");
	layout_clear(&layout);
	assert_int_equal(parse(ctx, "A;\n", &layout), -EINVAL);
	layout_clear(&layout);
	assert_int_equal(parse(ctx, "-- [table]\nA\n", &layout), -EINVAL);
	layout_clear(&layout);
	assert_int_equal(parse(ctx, "-- [view]\nA;\n", &layout), -EINVAL);
	layout_clear(&layout);
	dkt_buf_free(buf);
	dkt_ctx_free(ctx);
}

/* Every layout of the program is one. */
static void test_own_layouts(void **state)
{
	static const char *const names[] = { NULL, "single", "recent", "replicated",
					     "distributed" };
	struct layout layout = { 0 };
	struct dkt_ctx *ctx;

	(void)state;
	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		assert_ok(ctx, layout_read(ctx, names[i], &layout));
		for (size_t j = 0; j < LAYOUT_N; j++)
			assert_true(layout.n[j]);
		layout_clear(&layout);
	}
	assert_int_equal(layout_read(ctx, "none", &layout), -ENOENT);
	dkt_ctx_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),   cmocka_unit_test(test_answers),
		cmocka_unit_test(test_errors), cmocka_unit_test(test_address),
		cmocka_unit_test(test_layout), cmocka_unit_test(test_own_layouts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
