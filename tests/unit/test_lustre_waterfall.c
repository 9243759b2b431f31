/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Requests and locks as spans of time. */
#include <inttypes.h>

#include "compat/lustre_log/paths.h"
#include "compat/lustre_log/waterfall.h"
#include "tests/helper/lustre_lines.h"

struct line {
	uint32_t host;
	uint64_t us;
	const char *text;
};

#define LOCK(modes)                                                                                \
	"ns: filter-x_UUID lock: 0000000012345678/0x5d3c lrc: 3/0,0 mode: " modes                  \
	" res: [0x1:0x2:0x0].0x0 rrc: 3 type: EXT nid: 10.0.0.1@tcp remote: 0x77 expref: 1"

/* The rows, and the tables that they are of. */
struct made {
	struct paths paths;
	struct waterfall fall;
};

static void make(struct dkt_ctx *ctx, struct made *made, const struct line *lines, size_t n)
{
	const struct path_wants all = { .opcode = OPCODE_UNKNOWN };
	struct paths *paths = &made->paths;

	assert_ok(ctx, dkl_paths_init(paths, ctx, PATH_BY_NONE, &all, 0, 10));
	for (size_t i = 0; i < n; i++) {
		const struct log_line line = lustre_line(lines[i].host, lines[i].us, lines[i].text);

		if (*lines[i].text)
			assert_ok(ctx, dkl_paths_add(paths, &line));
		else
			dkl_paths_cut(paths, lines[i].host, false);
	}
	assert_ok(ctx, dkl_paths_finish(paths));
	assert_ok(ctx, dkl_waterfall_make(&made->fall, ctx, &paths->rpcs, &paths->locks, 10));
}

static void clear(struct made *made)
{
	dkl_waterfall_clear(&made->fall);
	dkl_paths_clear(&made->paths);
}

/* Compares a row, written as "client 0 10-20; queue 1 12-13", with * for a span without an end. */
static void same_row(const struct waterfall_row *row, const char *want)
{
	char have[512] = "";

	for (size_t i = 0; i < row->n; i++) {
		const struct waterfall_span *span = &row->spans[i];
		size_t len = strlen(have);

		snprintf(have + len, sizeof(have) - len, "%s%s %u %" PRIu64 "-%" PRIu64 "%s",
			 i ? "; " : "", dkl_waterfall_name(span->kind), span->host,
			 (span->from - LINES_START) / 1000, (span->to - LINES_START) / 1000,
			 span->open ? "*" : "");
	}
	assert_string_equal(have, want);
}

static void a_request_with_both_sides_has_a_span_for_each_part(void **state)
{
	static const struct line lines[] = {
		{ 0, 10, "Sending " LUSTRE_CLIENT "1780:10.0.0.9@tcp:3:dd.0" },
		{ 1, 15, "got req x1780" },
		{ 1, 20, "Handling " LUSTRE_SERVER "1780:12345-10.0.0.1@tcp:3:dd.0" },
		{ 1, 25,
		  "Transferring 1 pages 4096 bytes via portal 8 id 12345-10.0.0.1@tcp mbits 0x6f4-0x6f4" },
		{ 1, 45, "@@@ sending reply" LUSTRE_REQUEST("1780") },
		{ 1, 50,
		  "Handled " LUSTRE_SERVER "1780:12345-10.0.0.1@tcp:3:dd.0"
		  " Request processed in 30us (35us total) trans 0 rc 0/0" },
		{ 0, 60, "Completed " LUSTRE_CLIENT "1780:10.0.0.9@tcp:3:dd.0" },
	};
	struct dkt_ctx *ctx = *state;
	struct made made;
	char label[64];

	make(ctx, &made, lines, ARRAY_SIZE(lines));
	assert_int_equal(made.fall.n, 1);
	same_row(
		&made.fall.rows[0],
		"client 0 10-60; send 1 10-15; queue 1 15-20; service 1 20-50; bulk 1 25-45; reply 0 45-60");
	dkl_waterfall_label(&made.fall.rows[0], label, sizeof(label));
	assert_string_equal(label, "OST_READ x1780");
	assert_string_equal(made.fall.rows[0].nid, "10.0.0.1@tcp");
	assert_string_equal(made.fall.rows[0].job, "dd.0");
	assert_string_equal(made.fall.rows[0].thread, "ll_ost00_001");
	clear(&made);
}

static void what_did_not_end_is_open_to_the_last_message(void **state)
{
	static const struct line lines[] = {
		{ 0, 10, "Sending " LUSTRE_CLIENT "1780:10.0.0.9@tcp:400:" },
		{ 0, 11, "Sending " LUSTRE_CLIENT "1781:10.0.0.9@tcp:400:" },
		{ 1, 12, "Handling " LUSTRE_SERVER "1781:12345-10.0.0.1@tcp:400:" },
		{ 0, 20, "Completed " LUSTRE_CLIENT "1781:10.0.0.9@tcp:400:" },
		{ 1, 30, "### server-side enqueue handler, new lock created " LOCK("--/PW") },
	};
	struct dkt_ctx *ctx = *state;
	struct made made;

	make(ctx, &made, lines, ARRAY_SIZE(lines));
	assert_int_equal(made.fall.n, 3);
	same_row(&made.fall.rows[0], "client 0 10-30*");
	/* The server works although the client has given up. */
	same_row(&made.fall.rows[1], "client 0 11-20; send 1 11-12; service 1 12-30*");
	same_row(&made.fall.rows[2], "wait 1 30-30*");
	clear(&made);
}

static void a_lock_waits_is_held_and_called_back(void **state)
{
	static const struct line lines[] = {
		{ 0, 10, "### server-side enqueue handler, new lock created " LOCK("--/PW") },
		{ 0, 30,
		  "### server-side enqueue handler, sending reply(err=0, rc=0) " LOCK("PW/PW") },
		{ 0, 70, "### server preparing blocking AST " LOCK("PW/PW") },
		{ 0, 90, "### server cancels blocked lock after 0s " LOCK("PW/PW") },
	};
	struct dkt_ctx *ctx = *state;
	struct made made;
	char label[64];

	make(ctx, &made, lines, ARRAY_SIZE(lines));
	assert_int_equal(made.fall.n, 1);
	same_row(&made.fall.rows[0], "wait 0 10-30; held 0 30-90; callback 0 70-90");
	dkl_waterfall_label(&made.fall.rows[0], label, sizeof(label));
	assert_string_equal(label, "PW [0x1:0x2:0x0].0x0");
	assert_string_equal(made.fall.rows[0].ns, "filter-x_UUID");
	clear(&made);
}

static void no_span_lies_across_a_loss(void **state)
{
	static const struct line lines[] = {
		{ 0, 10, "Handling " LUSTRE_SERVER "1780:12345-10.0.0.1@tcp:3:" },
		{ 0, 11, "### server-side enqueue handler, new lock created " LOCK("--/PW") },
		{ 0, 15, "" },
		{ 0, 20, "Handled " LUSTRE_SERVER "1780:12345-10.0.0.1@tcp:3:" },
		{ 0, 30,
		  "### server-side enqueue handler, sending reply(err=0, rc=0) " LOCK("PW/PW") },
	};
	struct dkt_ctx *ctx = *state;
	struct made made;

	make(ctx, &made, lines, ARRAY_SIZE(lines));
	assert_int_equal(made.fall.n, 0);
	clear(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_with_both_sides_has_a_span_for_each_part),
		cmocka_unit_test(what_did_not_end_is_open_to_the_last_message),
		cmocka_unit_test(a_lock_waits_is_held_and_called_back),
		cmocka_unit_test(no_span_lies_across_a_loss),
	};

	return cmocka_run_group_tests(tests, open_context, close_context);
}
