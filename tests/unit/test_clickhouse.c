/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Blocks for ClickHouse, layouts, and the answers of servers. */
#include "tests/helper/check.h"

#include "answers/load/columns.h"
#include "answers/load/layout.h"
#include "answers/load/rowbinary.h"
#include "answers/load/server.h"
#include "lib/base/buf.h"
#include "lib/base/util.h"

#define COLUMN(name, type)                                                                         \
	{                                                                                          \
		(char[]){ name }, (char[])                                                         \
		{                                                                                  \
			type                                                                       \
		}                                                                                  \
	}

static const struct column_type types[] = {
	COLUMN("a", "UInt8"),        COLUMN("b", "Nullable(Int64)"),
	COLUMN("c", "String"),       COLUMN("d", "LowCardinality(Nullable(String))"),
	COLUMN("e", "Array(Int64)"),
};

static void put_row(struct columns *rows, uint8_t a, bool known, const char *c, const char *d,
		    uint64_t n)
{
	rows->at = 0;
	row_u8(rows, a);
	row_known_u64(rows, known, 0x0102);
	row_text(rows, c, strlen(c));
	row_known_text(rows, d);
	row_list(rows, n);
	for (uint64_t i = 0; i < n; i++)
		row_element(rows, i);
	rows->rows++;
}

/* Returns the bytes that are sent. */
static struct dkt_buf *pack(struct columns *rows)
{
	struct statement_piece *pieces;
	struct dkt_buf *all;
	size_t n;

	assert_int_equal(dkt_buf_new(&all), 0);
	assert_int_equal(columns_pack(rows, types, &pieces, &n), 0);
	for (size_t i = 0; i < n; i++)
		dkt__buf_add(all, pieces[i].data, pieces[i].len);
	free(pieces);
	return all;
}

#define U64(n) n, 0, 0, 0, 0, 0, 0, 0
#define U32(n) n, 0, 0, 0

static void a_block_has_the_form_native(void **state)
{
	/* clang-format off */
	static const uint8_t wanted[] = {
		5, 2,
		1, 'a', 5, 'U', 'I', 'n', 't', '8', 7, 255,
		1, 'b', 15, 'N', 'u', 'l', 'l', 'a', 'b', 'l', 'e', '(', 'I', 'n', 't', '6', '4', ')',
		0, 1, 2, 1, 0, 0, 0, 0, 0, 0, U64(0),
		1, 'c', 6, 'S', 't', 'r', 'i', 'n', 'g', 2, 'h', 'i', 0,
		1, 'd', 32, 'L', 'o', 'w', 'C', 'a', 'r', 'd', 'i', 'n', 'a', 'l', 'i', 't', 'y', '(',
		'N', 'u', 'l', 'l', 'a', 'b', 'l', 'e', '(', 'S', 't', 'r', 'i', 'n', 'g', ')', ')',
		U64(1), 2, 2, 0, 0, 0, 0, 0, 0, U64(3), 0, 0, 1, 'x', U64(2), U32(2), U32(0),
		1, 'e', 12, 'A', 'r', 'r', 'a', 'y', '(', 'I', 'n', 't', '6', '4', ')',
		U64(0), U64(2), U64(0), U64(1),
	};
	/* clang-format on */
	struct chunks *chunks;
	struct columns *rows;
	struct dkt_buf *all;

	(void)state;
	assert_int_equal(chunks_new(&chunks), 0);
	assert_int_equal(columns_new(chunks, types, ARRAY_SIZE(types), &rows), 0);
	put_row(rows, 7, true, "hi", "x", 0);
	put_row(rows, 255, false, "", NULL, 2);
	assert_int_equal(columns_size(rows), 2 + 18 + 4 + 12 + 32);
	all = pack(rows);
	assert_int_equal(all->len, sizeof(wanted));
	assert_memory_equal(all->data, wanted, sizeof(wanted));
	dkt_buf_free(all);
	columns_free(rows);
	chunks_free(chunks);
}

/* Returns how many of the first texts the block has. */
static size_t count_texts(const struct dkt_buf *all, size_t n)
{
	size_t found = 0;
	char text[64];

	for (size_t i = 0; i < n; i++) {
		int len = snprintf(text, sizeof(text), "text %zu of many", i);

		found += !!memmem(all->data, all->len, text, (size_t)len);
	}
	return found;
}

static void many_rows_keep_their_bytes_across_chunks_that_are_used_again(void **state)
{
	const size_t n = 20000;
	struct chunks *chunks;
	char text[64];
	size_t len = 0;

	(void)state;
	assert_int_equal(chunks_new(&chunks), 0);
	for (int round = 0; round < 2; round++) {
		struct columns *rows;
		struct dkt_buf *all;

		assert_int_equal(columns_new(chunks, types, ARRAY_SIZE(types), &rows), 0);
		for (size_t i = 0; i < n; i++) {
			snprintf(text, sizeof(text), "text %zu of many", i);
			put_row(rows, 1, true, text, i % 2 ? "one" : "two", 1);
		}
		all = pack(rows);
		assert_true(!len || all->len == len);
		len = all->len;
		assert_int_equal(count_texts(all, 100), 100);
		dkt_buf_free(all);
		columns_free(rows);
	}
	chunks_free(chunks);
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
	assert_true(link_may_pass(500, "Code: 319, e.displayText() = ..."));
	assert_true(link_may_pass(503, "<html>"));
	assert_true(link_may_pass(408, "Code: 159. DB::Exception: Timeout exceeded"));
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
	assert_false(server_is_here(&server));
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
	const struct layout_values values = { .table = "a`b'",
					      .columns = "`x` Int64",
					      .database = "d'" };
	struct layout layout;
	struct dkt_ctx *ctx;
	struct dkt_buf *buf;

	(void)state;
	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	assert_int_equal(dkt_buf_new(&buf), 0);
	assert_ok(
		ctx,
		parse(ctx,
		      "-- about\n\n-- [table]\nA @TABLE_x@ @NAME@\n\n(@COLUMNS@) @VIEW@ @DATABASE@ @DATABASE_NAME@ @;\nB;\n"
		      "-- [view]\nC;",
		      &layout));
	assert_int_equal(layout.n[LAYOUT_TABLE], 2);
	assert_int_equal(layout.n[LAYOUT_VIEW], 1);
	assert_string_equal(layout.statements[LAYOUT_TABLE][1], "B");
	layout_fill(layout.statements[LAYOUT_TABLE][0], &values, buf);
	dkt__buf_add(buf, "", 1);
	assert_string_equal(buf->data, "A `a\\`b'_x` a`b\\'\n\n(`x` Int64) @VIEW@ `d'` d\\' @");
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

static void names_are_quoted_or_not(void **state)
{
	(void)state;
	assert_true(layout_is_name("files (", "d", "files"));
	assert_true(layout_is_name("`a\\`b` ON", "d", "a`b"));
	assert_true(layout_is_name("`d`.`files` ON", "d", "files"));
	assert_true(layout_is_name("d.files", "d", "files"));
	assert_true(layout_is_name("d (", "d", "d"));
	assert_false(layout_is_name("d.files", "d", "d"));
	assert_false(layout_is_name("files_local", "d", "files"));
	assert_false(layout_is_name("`files_local`", "d", "files"));
	assert_false(layout_is_name("", "d", "files"));
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
		cmocka_unit_test(a_block_has_the_form_native),
		cmocka_unit_test(many_rows_keep_their_bytes_across_chunks_that_are_used_again),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_address),
		cmocka_unit_test(test_layout),
		cmocka_unit_test(names_are_quoted_or_not),
		cmocka_unit_test(test_own_layouts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
