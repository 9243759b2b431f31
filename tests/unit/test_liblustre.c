/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libdktrace-lustre through its installed header: masks, class map, style and sources. */
#include <dktrace/lustre.h>

#include "lib/base/buf.h"
#include "tests/helper/class_kernel.h"

static struct dkt_lustre_map *map_of(struct dkt_ctx *ctx)
{
	static const char *const dirs[] = { SHIPPED_MAP };
	DKT_OPTS(dkt_lustre_map_opts, opts, .dirs = dirs, .n_dirs = 1);
	struct dkt_lustre_map *map;

	assert_ok(ctx, dkt_lustre_map_new(ctx, &opts, &map));
	return map;
}

/* ---- masks ---- */

static void masks_are_read(void **state)
{
	static const struct {
		enum dkt_lustre_mask mask;
		const char *text;
		uint32_t current, value;
	} masks[] = {
		{ DKT_LUSTRE_DEBUG, "0x100", 7, 0x100 },
		{ DKT_LUSTRE_DEBUG, "-1", 7, UINT32_MAX },
		{ DKT_LUSTRE_DEBUG, "+rpctrace -inode", 2, 0x100000 },
		{ DKT_LUSTRE_DEBUG, "", 42, 42 },
		{ DKT_LUSTRE_SUBSYSTEM, "ldlm", 1, 0x10000 },
		/* Emergencies always go to the console. */
		{ DKT_LUSTRE_PRINTK, "0", 0, 0x40000 },
	};
	struct dkt_ctx *ctx = ctx_new("/nowhere");
	uint32_t value;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(masks); i++) {
		assert_ok(ctx, dkt_lustre_mask_parse(ctx, masks[i].mask, masks[i].text,
						     masks[i].current, &value));
		assert_int_equal(value, masks[i].value);
	}
	dkt_ctx_free(ctx);
}

static void invalid_masks_are_refused(void **state)
{
	static char text[1 << 17];
	struct dkt_ctx *ctx = ctx_new("/nowhere");
	uint32_t value = 0;

	(void)state;
	assert_fails(ctx, -EINVAL, "unknown mask 'bogus'",
		     dkt_lustre_mask_parse(ctx, DKT_LUSTRE_DEBUG, "+rpctrace+bogus", 5, &value));
	assert_int_equal(value, 5);
	assert_fails(ctx, -EINVAL, "mask '+': nothing follows the operator",
		     dkt_lustre_mask_parse(ctx, DKT_LUSTRE_DEBUG, "+", 5, &value));
	memset(text, ' ', sizeof(text) - 1);
	assert_fails(ctx, -E2BIG, "a mask has at most 65535 bytes",
		     dkt_lustre_mask_parse(ctx, DKT_LUSTRE_SUBSYSTEM, text, 5, &value));
	dkt_ctx_free(ctx);
}

static void masks_are_printed(void **state)
{
	struct dkt_buf *buf;
	size_t len;

	(void)state;
	assert_int_equal(dkt_buf_new(&buf), 0);
	dkt_lustre_mask_put(DKT_LUSTRE_DEBUG, 0x100001, buf);
	dkt_buf_str(buf, ",");
	dkt_lustre_mask_put(DKT_LUSTRE_SUBSYSTEM, 0, buf);
	dkt__buf_add(buf, "", 1);
	assert_string_equal(dkt_buf_data(buf, &len), "trace rpctrace,0");
	dkt_buf_free(buf);
	assert_string_equal(dkt_lustre_mask_name(DKT_LUSTRE_SUBSYSTEM, 16), "ldlm");
	assert_null(dkt_lustre_mask_name(DKT_LUSTRE_SUBSYSTEM, 22));
	assert_null(dkt_lustre_mask_name(DKT_LUSTRE_DEBUG, 32));
	assert_int_equal(dkt_lustre_mask_bit(DKT_LUSTRE_DEBUG, "RPCtrace"), 20);
	assert_int_equal(dkt_lustre_mask_bit(DKT_LUSTRE_DEBUG, "ldlm"), -ENOENT);
}

/* ---- the class map ---- */

static void the_map_knows_the_events_of_a_kernel(void **state)
{
	uint32_t debug, subsystems, filtered;
	struct dkt_lustre_map *map;
	struct dkt_event *event;
	struct kernel k;
	char *filter;

	(void)state;
	kernel_open_fixture(&k, "6.1");
	map = map_of(k.ctx);
	event = dkt_event_find(k.ctx, "syscalls", "sys_enter_ioctl");
	dkt_lustre_map_event(map, event, &debug, &subsystems);
	filtered = 1u << dkt_lustre_mask_bit(DKT_LUSTRE_DEBUG, "ioctl");
	assert_true(debug & filtered);
	assert_true(subsystems & 1u << dkt_lustre_mask_bit(DKT_LUSTRE_SUBSYSTEM, "llite"));
	assert_ok(k.ctx, dkt_lustre_map_filter(map, event, debug, &filter));
	assert_string_equal(filter, "");
	free(filter);
	assert_true(dkt_lustre_map_count(map, DKT_LUSTRE_DEBUG, 7) >= 2);
	assert_int_equal(dkt_lustre_map_count(map, DKT_LUSTRE_DEBUG, 32), 0);
	assert_true(*dkt_lustre_map_about(map, DKT_LUSTRE_SUBSYSTEM, 16));
	assert_string_equal(dkt_lustre_map_about(map, DKT_LUSTRE_SUBSYSTEM, 99), "");
	dkt_lustre_map_free(map);
	kernel_close(&k);
}

static void invalid_maps_are_refused(void **state)
{
	static const char *const nowhere[] = { "/nowhere" };
	DKT_OPTS(dkt_lustre_map_opts, opts, .dirs = nowhere, .n_dirs = 1);
	struct dkt_lustre_map_opts unset = { 0 };
	struct dkt_lustre_map *map;
	struct dkt_ctx *ctx;
	struct kernel k;

	(void)state;
	kernel_open(&k, "a:b\n");
	assert_fails(k.ctx, -ENOENT, "class map /nowhere: No such file or directory",
		     dkt_lustre_map_new(k.ctx, &opts, &map));
	assert_null(map);
	assert_fails(k.ctx, -EINVAL, "dkt_lustre_map_opts: sz is 0, not the size of the struct",
		     dkt_lustre_map_new(k.ctx, &unset, &map));
	kernel_close(&k);
	/* A context without tracefs says so. */
	ctx = ctx_new("/nowhere");
	assert_true(dkt_lustre_map_new(ctx, NULL, &map) < 0);
	assert_null(map);
	assert_true(*dkt_error(ctx));
	dkt_ctx_free(ctx);
	dkt_lustre_map_free(NULL);
}

/* ---- files and lines ---- */

#define TWO_LINES                                                                                  \
	"00000100:00100000:2.0:1495061256.496695:0:14615:0:(client.c:1498:send()) one\n"           \
	"00010000:00010000:3.0:1495061257.000001:0:14616:0:(ldlm.c:7:lock()) two\n"

static void a_saved_text_is_a_source_and_a_style(void **state)
{
	static const uint32_t debug[] = { 0x100000, 0x10000 }, subsystems[] = { 0x100, 0x10000 };
	DKT_OPTS(dkt_style_opts, opts, .source = NULL);
	uint32_t type, subsystem;
	struct dkt_source *source;
	struct dkt_lustre_map *map;
	struct dkt_style *style;
	struct dkt_record record, gap = { .lost = 3 };
	struct dkt_expr *expr;
	char dir[TREE_NAME], path[64];
	struct dkt_buf *buf;
	struct dkt_ctx *ctx;
	size_t len;
	int n = 0;

	(void)state;
	assert_int_equal(tree_make(dir), 0);
	assert_int_equal(tree_text(dir, "log", TWO_LINES), 0);
	snprintf(path, sizeof(path), "%s/log", dir);
	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	assert_ok(ctx, dkt_lustre_source_open(ctx, path, NULL, &source));
	map = map_of(ctx);
	opts.source = dkt_source_info(source);
	assert_ok(ctx, dkt_lustre_style_new(map, "legacy", &opts, &style));
	assert_ok(ctx, dkt_lustre_expr_new(ctx, "msg_subsys & rpc", &expr));
	assert_int_equal(dkt_buf_new(&buf), 0);
	for (; !dkt_source_next(source, &record); n++) {
		assert_ok(ctx, dkt_lustre_map_record(map, &record, &type, &subsystem));
		assert_int_equal(type, debug[n]);
		assert_int_equal(subsystem, subsystems[n]);
		assert_int_equal(dkt_expr_match(expr, &record, ""), !n);
		assert_ok(ctx, dkt_style_record(style, &record, "", buf));
	}
	assert_int_equal(n, 2);
	dkt__buf_add(buf, "", 1);
	assert_string_equal(dkt_buf_data(buf, &len), TWO_LINES);
	assert_ok(ctx, dkt_lustre_map_record(map, &gap, &type, &subsystem));
	assert_int_equal(type, 0x02000400);
	dkt_buf_free(buf);
	dkt_expr_free(expr);
	dkt_style_free(style);
	dkt_lustre_map_free(map);
	dkt_source_close(source);
	dkt_ctx_free(ctx);
	assert_int_equal(tree_remove(dir), 0);
}

static void files_that_cannot_be_opened_are_reported(void **state)
{
	struct dkt_source_opts unset = { 0 };
	struct dkt_source *source;
	struct dkt_lustre_map *map;
	struct dkt_style *style;
	struct dkt_ctx *ctx = ctx_new(NULL);
	struct kernel k;

	(void)state;
	assert_fails(ctx, -ENOENT, "open /nowhere: No such file or directory",
		     dkt_lustre_source_open(ctx, "/nowhere", NULL, &source));
	assert_null(source);
	assert_fails(ctx, -EINVAL, "dkt_source_opts: sz is 0, not the size of the struct",
		     dkt_lustre_source_open(ctx, "/nowhere", &unset, &source));
	dkt_ctx_free(ctx);
	kernel_open(&k, "a:b\n");
	map = map_of(k.ctx);
	assert_fails(k.ctx, -ENOENT, "there is no style 'none'",
		     dkt_lustre_style_new(map, "none", NULL, &style));
	assert_null(style);
	assert_ok(k.ctx, dkt_lustre_style_new(map, "json", NULL, &style));
	dkt_style_free(style);
	dkt_lustre_map_free(map);
	kernel_close(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(masks_are_read),
		cmocka_unit_test(invalid_masks_are_refused),
		cmocka_unit_test(masks_are_printed),
		cmocka_unit_test(the_map_knows_the_events_of_a_kernel),
		cmocka_unit_test(invalid_maps_are_refused),
		cmocka_unit_test(a_saved_text_is_a_source_and_a_style),
		cmocka_unit_test(files_that_cannot_be_opened_are_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
