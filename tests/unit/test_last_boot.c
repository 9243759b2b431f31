/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* last_boot_info, and the sources of buffers that the kernel does not fill any more. */
#include "lib/last_boot.h"
#include "lib/source/live.h"
#include "lib/symbol.h"
#include "tests/helper/check.h"
#include "tests/helper/pages.h"

#define EVENT_ID 7

struct tree {
	char root[TREE_NAME];
	char spool[48];
	struct dkt_ctx *ctx;
	struct dkt_instance *in;
};

static int setup(void **state)
{
	DKT_OPTS(dkt_instance_opts, opts);
	struct tree *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	assert_int_equal(tree_make(t->root), 0);
	snprintf(t->spool, sizeof(t->spool), "%s/spool", t->root);
	assert_int_equal(tree_event(t->root, "made", "up", EVENT_ID,
				    "\tfield:u64 value;\toffset:8;\tsize:8;\tsigned:0;\n",
				    "\"%llu\", REC->value"),
			 0);
	assert_int_equal(tree_text(t->root, "available_events", "made:up\n"), 0);
	assert_int_equal(tree_text(t->root, "trace", ""), 0);
	assert_int_equal(tree_text(t->root, "trace_clock", "local [mono]\n"), 0);
	assert_int_equal(tree_text(t->root, "saved_cmdlines", "42 worker\n"), 0);
	assert_int_equal(tree_text(t->root, "per_cpu/cpu0/stats", "entries: 1\noverrun: 5\n"), 0);
	assert_int_equal(tree_text(t->root, "kallsyms",
				   "ffffffff90800000 T _text\n"
				   "ffffffff90c45480 T vfs_read\n"
				   "ffffffff90c45500 T vfs_write\n"
				   "ffffffff92621bc0 D init_uts_ns\n"
				   "ffffffffc0001000 t gone_read\t[gone]\n"),
			 0);
	t->ctx = tree_ctx(t->root);
	assert_non_null(t->ctx);
	opts.spool = t->spool;
	assert_ok(t->ctx, dkt_instance_open(t->ctx, NULL, &opts, &t->in));
	*state = t;
	return 0;
}

static int teardown(void **state)
{
	struct tree *t = *state;

	dkt_instance_close(t->in);
	dkt_ctx_free(t->ctx);
	assert_int_equal(tree_remove(t->root), 0);
	free(t);
	return 0;
}

/* The kernel has a page with one record in that buffer. */
static void hand_out(struct tree *t, const char *file, uint64_t value)
{
	struct made_page page;
	char name[48];

	page_begin(&page, 100);
	page_record(&page, 0, EVENT_ID, value);
	snprintf(name, sizeof(name), "per_cpu/cpu0/%s", file);
	assert_int_equal(tree_write(t->root, name, page.bytes, PAGE_BYTES), 0);
}

static void hand_out_nothing(struct tree *t, const char *file)
{
	char name[48];

	snprintf(name, sizeof(name), "per_cpu/cpu0/%s", file);
	assert_int_equal(tree_write(t->root, name, "", 0), 0);
}

static void shows(struct tree *t, unsigned int flags, uint64_t value, const char *comm)
{
	DKT_OPTS(dkt_live_opts, opts, .flags = flags | DKT_LIVE_KEEP);
	struct dkt_source *source;
	struct dkt_record record;
	struct dkt_loss loss;

	assert_ok(t->ctx, dkt_source_live(t->in, &opts, &source));
	assert_int_equal(dkt_source_next(source, &record), 0);
	assert_int_equal(dkt_record_int(&record, dkt_event_field(record.event, "value")), value);
	assert_string_equal(dkt_source_comm(source, &record), comm);
	assert_int_equal(dkt_source_next(source, &record), 1);
	/* The kernel's counts are those of the buffers that record. */
	assert_int_equal(dkt_source_get_loss(source, 0, &loss, sizeof(loss)), 0);
	assert_int_equal(loss.lost, 0);
	dkt_source_close(source);
}

/* ---- the file ---- */

static void deltas_are_read(void **state)
{
	struct dkt__last_boot boot;

	(void)state;
	assert_int_equal(dkt__last_boot_parse("text delta:\t-603979776\ndata delta:\t-603979776\n",
					      &boot),
			 0);
	assert_true(boot.has_delta);
	assert_false(boot.current);
	assert_int_equal(boot.text_delta, -603979776);
	assert_int_equal(boot.data_delta, -603979776);
	dkt__last_boot_clear(&boot);
}

static void addresses_are_read(void **state)
{
	struct dkt__last_boot boot;

	(void)state;
	assert_int_equal(dkt__last_boot_parse("ffffffff81000000\t[kernel]\n"
					      "ffffffffc0000000\tkvm\nffffffffc0100000\text4\n",
					      &boot),
			 0);
	assert_int_equal(boot.text, 0xffffffff81000000);
	assert_int_equal(boot.n_modules, 2);
	assert_string_equal(boot.modules[1].name, "ext4");
	assert_int_equal(boot.modules[1].address, 0xffffffffc0100000);
	dkt__last_boot_clear(&boot);
	assert_int_equal(dkt__last_boot_parse("# Current\n", &boot), 0);
	assert_true(boot.current);
	dkt__last_boot_clear(&boot);
	assert_int_equal(dkt__last_boot_parse("0\t[kernel]\n", &boot), 0);
	assert_true(boot.current);
	dkt__last_boot_clear(&boot);
}

static void other_texts_are_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"\n",
		"text delta:\n",
		"text delta:\tx\n",
		"Offset: 12\n",
		"ffffffff81000000\n",
		"ffffffffc0000000\tkvm\n",
		"# current\n",
		"ffffffff81000000\t[kernel]\nx\tkvm\n",
	};
	struct dkt__last_boot boot;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		assert_int_equal(dkt__last_boot_parse(texts[i], &boot), -EINVAL);
		assert_null(boot.modules);
	}
}

/* ---- names ---- */

static void a_kernel_that_moved_has_its_names_elsewhere(void **state)
{
	const struct dkt__last_boot boot = { .has_delta = true,
					     .text_delta = 0x10000000,
					     .data_delta = 0x10000000 };
	struct tree *t = *state;
	uint64_t offset;

	assert_string_equal(dkt_symbol_name(t->ctx, 0xffffffff90c45484, &offset), "vfs_read");
	assert_ok(t->ctx, dkt__last_boot_symbols(t->ctx, &boot, NULL));
	assert_string_equal(dkt_symbol_name(t->ctx, 0xffffffff80c45484, &offset), "vfs_read");
	assert_int_equal(offset, 4);
	assert_null(dkt_symbol_name(t->ctx, 0xffffffff90c45484, &offset));
	/* Where its module was is unknown. */
	assert_null(dkt_symbol_name(t->ctx, 0xffffffffc0001000, &offset));
	assert_null(dkt_symbol_name(t->ctx, 0xffffffffb0001000, &offset));
	/* Once more changes nothing: the names do not move on. */
	assert_ok(t->ctx, dkt__last_boot_symbols(t->ctx, &boot, NULL));
	assert_string_equal(dkt_symbol_name(t->ctx, 0xffffffff80c45484, &offset), "vfs_read");
}

static void an_address_of_the_kernel_tells_how_far_it_moved(void **state)
{
	const struct dkt__last_boot boot = { .text = 0xffffffff81800000 };
	struct tree *t = *state;

	assert_int_equal(dkt__last_boot_moved(t->ctx, &boot), 0xf000000);
	assert_ok(t->ctx, dkt__last_boot_symbols(t->ctx, &boot, NULL));
	assert_string_equal(dkt_symbol_name(t->ctx, 0xffffffff81c45480, NULL), "vfs_read");
}

static void a_module_has_its_names_where_it_was(void **state)
{
	struct dkt__last_module modules[] = {
		{ .name = (char[]){ "other" }, .address = 0x1000 },
		{ .name = (char[]){ "gone" }, .address = 0xffffffffc0700000 },
	};
	const struct dkt__last_boot boot = { .text = 0xffffffff81800000,
					     .modules = modules,
					     .n_modules = 2 };
	struct tree *t = *state;

	assert_ok(t->ctx, dkt__last_boot_symbols(t->ctx, &boot,
						 "gone_too 4096 0 - Live 0xffffffffc0900000\n"
						 "gone 4096 0 - Live 0xffffffffc0000000"));
	assert_string_equal(dkt_symbol_name(t->ctx, 0xffffffffc0701000, NULL), "gone_read");
	/* No address, as without privileges, and no line of the module. */
	assert_ok(t->ctx, dkt__last_boot_symbols(t->ctx, &boot, "gone 4096 0 - Live 0x0\n"));
	assert_null(dkt_symbol_name(t->ctx, 0xffffffffc0701000, NULL));
	assert_ok(t->ctx, dkt__last_boot_symbols(t->ctx, &boot, "gone"));
	assert_null(dkt_symbol_name(t->ctx, 0xffffffffc0701000, NULL));
}

static void another_kernel_has_no_names(void **state)
{
	const struct dkt__last_boot boot = { .has_delta = true,
					     .text_delta = 16,
					     .data_delta = 32 };
	struct tree *t = *state;

	assert_ok(t->ctx, dkt__last_boot_symbols(t->ctx, &boot, NULL));
	assert_null(dkt_symbol_name(t->ctx, 0xffffffff90c45484, NULL));
	assert_null(dkt_symbol_name(t->ctx, 0xffffffff90c45474, NULL));
}

/* ---- what the last boot left ---- */

static void the_last_boot_can_be_read_twice(void **state)
{
	struct tree *t = *state;
	struct dkt__boot_before boot;

	assert_int_equal(tree_text(t->root, "last_boot_info", "text delta:\t0\ndata delta:\t0\n"),
			 0);
	hand_out(t, "trace_pipe_raw", 1);
	assert_ok(t->ctx, dkt__instance_last_boot_get(t->in, &boot, sizeof(boot)));
	assert_int_equal(boot.kernel, DKT__KERNEL_SAME);
	assert_false(boot.kept);
	shows(t, DKT_LIVE_LAST_BOOT, 1, "<...>");
	/* The instance records again: what it has now is of this boot. */
	assert_int_equal(tree_text(t->root, "last_boot_info", "# Current\n"), 0);
	hand_out(t, "trace_pipe_raw", 2);
	shows(t, DKT_LIVE_LAST_BOOT, 1, "<...>");
	assert_ok(t->ctx, dkt__instance_last_boot_get(t->in, &boot, sizeof(boot)));
	assert_true(boot.kept);
	assert_ok(t->ctx, dkt__instance_last_boot_clear(t->in));
	assert_fails(t->ctx, -ENODATA, NULL,
		     dkt__instance_last_boot_get(t->in, &boot, sizeof(boot)));
}

/* struct trace_entry, then the fields of sched_switch that name processes. */
struct switched {
	uint16_t type;
	uint8_t flags, preempt;
	int32_t pid;
	char prev_comm[16], next_comm[16];
	int32_t prev_pid, next_pid;
};

static void records_name_the_processes_of_that_boot(void **state)
{
	static const struct switched first = { .type = EVENT_ID + 1,
					       .prev_comm = "starter",
					       .next_comm = "a name of 15 ch",
					       .prev_pid = 42,
					       .next_pid = 43 };
	static const struct switched last = { .type = EVENT_ID + 1,
					      .prev_comm = "started",
					      .prev_pid = 42 };
	DKT_OPTS(dkt_live_opts, opts, .flags = DKT_LIVE_LAST_BOOT | DKT_LIVE_KEEP);
	struct tree *t = *state;
	struct dkt_source *source;
	struct dkt_record record;
	struct made_page page;

	assert_int_equal(tree_text(t->root, "last_boot_info", "text delta:\t0\ndata delta:\t0\n"),
			 0);
	assert_int_equal(tree_event(t->root, "sched", "sched_switch", EVENT_ID + 1,
				    "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
				    "\tfield:char next_comm[16];\toffset:24;\tsize:16;\tsigned:0;\n"
				    "\tfield:pid_t prev_pid;\toffset:40;\tsize:4;\tsigned:1;\n"
				    "\tfield:pid_t next_pid;\toffset:44;\tsize:4;\tsigned:1;\n",
				    "\"%d\", REC->prev_pid"),
			 0);
	assert_int_equal(tree_text(t->root, "available_events", "made:up\nsched:sched_switch\n"),
			 0);
	page_begin(&page, 100);
	page_record(&page, 0, EVENT_ID, 1);
	page_event(&page, 1, &first, sizeof(first));
	page_event(&page, 1, &last, sizeof(last));
	assert_int_equal(tree_write(t->root, "per_cpu/cpu0/trace_pipe_raw", page.bytes, PAGE_BYTES),
			 0);
	assert_ok(t->ctx, dkt_source_live(t->in, &opts, &source));
	/* Also a record before the one that has the name; the last name counts. */
	assert_int_equal(dkt_source_next(source, &record), 0);
	assert_int_equal(record.pid, 42);
	assert_string_equal(dkt_source_comm(source, &record), "started");
	record.pid = 43;
	assert_string_equal(dkt_source_comm(source, &record), "a name of 15 ch");
	record.pid = 44;
	assert_string_equal(dkt_source_comm(source, &record), "<...>");
	assert_int_equal(dkt_source_next(source, &record), 0);
	assert_int_equal(dkt_source_next(source, &record), 0);
	assert_int_equal(dkt_source_next(source, &record), 1);
	dkt_source_close(source);
}

/* struct trace_entry, then the fields of ftrace:print. */
struct printed {
	uint16_t type;
	uint8_t flags, preempt;
	int32_t pid;
	uint64_t ip;
	char text[80];
};

static void the_last_mark_tells_the_time_of_that_boot(void **state)
{
	static const char *const texts[] = { DKT__LAST_BOOT_MARK "1000\n",
					     DKT__LAST_BOOT_MARK "1795434720000000000\n",
					     "dktrace: wall clock\n", DKT__LAST_BOOT_MARK "x\n" };
	DKT_OPTS(dkt_live_opts, opts, .flags = DKT_LIVE_LAST_BOOT | DKT_LIVE_KEEP);
	struct printed mark = { .type = EVENT_ID + 1 };
	struct tree *t = *state;
	struct dkt_source *source;
	struct made_page page;

	assert_int_equal(tree_text(t->root, "last_boot_info", "text delta:\t0\ndata delta:\t0\n"),
			 0);
	assert_int_equal(tree_event(t->root, "ftrace", "print", EVENT_ID + 1,
				    "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
				    "\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:0;\n",
				    "\"%s\", REC->buf"),
			 0);
	page_begin(&page, 100);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		snprintf(mark.text, sizeof(mark.text), "%s", texts[i]);
		page_event(&page, 1, &mark, sizeof(mark));
	}
	assert_int_equal(tree_write(t->root, "per_cpu/cpu0/trace_pipe_raw", page.bytes, PAGE_BYTES),
			 0);
	assert_ok(t->ctx, dkt_source_live(t->in, &opts, &source));
	assert_true(dkt_source_info(source)->has_wall);
	assert_int_equal(dkt_source_info(source)->wall, INT64_C(1795434720000000000));
	dkt_source_close(source);
}

static void records_of_this_boot_are_not_the_last_ones(void **state)
{
	DKT_OPTS(dkt_live_opts, opts, .flags = DKT_LIVE_LAST_BOOT | DKT_LIVE_KEEP);
	struct tree *t = *state;
	struct dkt__boot_before boot;
	struct dkt_source *source;

	assert_fails(t->ctx, -EOPNOTSUPP, NULL,
		     dkt__instance_last_boot_get(t->in, &boot, sizeof(boot)));
	assert_int_equal(tree_text(t->root, "last_boot_info", "# Current\n"), 0);
	hand_out(t, "trace_pipe_raw", 1);
	assert_fails(t->ctx, -ENODATA, NULL,
		     dkt__instance_last_boot_get(t->in, &boot, sizeof(boot)));
	assert_fails(t->ctx, -ENODATA, NULL, dkt_source_live(t->in, &opts, &source));
	assert_int_equal(tree_text(t->root, "last_boot_info", "Offset: 1\n"), 0);
	assert_fails(t->ctx, -EINVAL, NULL,
		     dkt__instance_last_boot_get(t->in, &boot, sizeof(boot)));
	assert_int_equal(tree_text(t->root, "last_boot_info", "text delta:\t1\ndata delta:\t2\n"),
			 0);
	assert_ok(t->ctx, dkt__instance_last_boot_get(t->in, &boot, sizeof(boot)));
	assert_int_equal(boot.kernel, DKT__KERNEL_OTHER);
	assert_int_equal(tree_text(t->root, "per_cpu/cpu0/stats", "entries: 0\n"), 0);
	assert_fails(t->ctx, -ENODATA, NULL,
		     dkt__instance_last_boot_get(t->in, &boot, sizeof(boot)));
}

/* Makes the spool of the last boot as a reader leaves it that ended before it saved any page. */
static void leave(struct tree *t, const char *file, const char *text)
{
	char name[64];

	snprintf(name, sizeof(name), "spool/last-boot/%s", file);
	assert_int_equal(tree_text(t->root, name, text), 0);
}

static void a_reader_that_ended_early_leaves_the_records(void **state)
{
	static const char info[] = "text delta:\t-16\ndata delta:\t-16\n";
	struct tree *t = *state;
	struct dkt__boot_before boot;

	assert_int_equal(tree_text(t->root, "last_boot_info", info), 0);
	hand_out(t, "trace_pipe_raw", 1);
	leave(t, "last_boot_info.new", "text delta:\t-1");
	assert_ok(t->ctx, dkt__instance_last_boot_get(t->in, &boot, sizeof(boot)));
	assert_int_equal(boot.moved, -16);
	leave(t, "last_boot_info", info);
	assert_ok(t->ctx, dkt__instance_last_boot_get(t->in, &boot, sizeof(boot)));
	assert_int_equal(boot.moved, -16);
	assert_false(boot.kept);
	shows(t, DKT_LIVE_LAST_BOOT, 1, "<...>");
	assert_ok(t->ctx, dkt__instance_last_boot_get(t->in, &boot, sizeof(boot)));
	assert_true(boot.kept);
}

/* ---- snapshots ---- */

#define FREED     "# tracer: nop\n#\n#\n# * Snapshot is freed *\n#\n"
#define ALLOCATED "# tracer: nop\n#\n#\n# * Snapshot is allocated *\n#\n"
#define RECORDS   "# tracer: nop\n#\n# entries-in-buffer/entries-written: 1/1   #P:1\n#\n"

static enum dkt__snapshot_state snapshot(struct tree *t)
{
	enum dkt__snapshot_state state;

	assert_ok(t->ctx, dkt__instance_snapshot_get(t->in, &state));
	return state;
}

static void a_snapshot_can_be_read_twice(void **state)
{
	struct tree *t = *state;

	hand_out_nothing(t, "trace_pipe_raw");
	assert_int_equal(tree_text(t->root, "snapshot", FREED), 0);
	assert_int_equal(snapshot(t), DKT__SNAPSHOT_NONE);
	assert_int_equal(tree_text(t->root, "snapshot", RECORDS), 0);
	hand_out(t, "snapshot_raw", 1);
	assert_int_equal(snapshot(t), DKT__SNAPSHOT_FULL);
	shows(t, DKT_LIVE_SNAPSHOT, 1, "worker");
	/* The kernel has given it away. */
	assert_int_equal(tree_text(t->root, "snapshot", ALLOCATED), 0);
	hand_out_nothing(t, "snapshot_raw");
	assert_int_equal(snapshot(t), DKT__SNAPSHOT_FULL);
	shows(t, DKT_LIVE_SNAPSHOT, 1, "worker");
	/* A later one, of a trigger, replaces it. */
	assert_int_equal(tree_text(t->root, "snapshot", RECORDS), 0);
	hand_out(t, "snapshot_raw", 2);
	shows(t, DKT_LIVE_SNAPSHOT, 2, "worker");
	assert_ok(t->ctx, dkt_instance_snapshot_take(t->in));
	assert_int_equal(tree_text(t->root, "snapshot", ALLOCATED), 0);
	assert_int_equal(snapshot(t), DKT__SNAPSHOT_EMPTY);
}

static void a_kernel_may_have_no_snapshots(void **state)
{
	DKT_OPTS(dkt_live_opts, opts, .flags = DKT_LIVE_SNAPSHOT | DKT_LIVE_FOLLOW);
	struct tree *t = *state;
	struct dkt_source *source;
	enum dkt__snapshot_state now;

	assert_fails(t->ctx, -EOPNOTSUPP, "this kernel has no snapshots",
		     dkt__instance_snapshot_get(t->in, &now));
	assert_fails(t->ctx, -EOPNOTSUPP, "take a snapshot: this kernel has no snapshots",
		     dkt_instance_snapshot_take(t->in));
	assert_fails(t->ctx, -EOPNOTSUPP, "free the snapshot: this kernel has no snapshots",
		     dkt_instance_snapshot_free(t->in));
	assert_fails(t->ctx, -EINVAL,
		     "only one of DKT_LIVE_SNAPSHOT, DKT_LIVE_LAST_BOOT and DKT_LIVE_FOLLOW",
		     dkt_source_live(t->in, &opts, &source));
	opts.flags = DKT_LIVE_SNAPSHOT | DKT_LIVE_LAST_BOOT;
	assert_fails(t->ctx, -EINVAL, NULL, dkt_source_live(t->in, &opts, &source));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(deltas_are_read),
		cmocka_unit_test(addresses_are_read),
		cmocka_unit_test(other_texts_are_refused),
		cmocka_unit_test_setup_teardown(a_kernel_that_moved_has_its_names_elsewhere, setup,
						teardown),
		cmocka_unit_test_setup_teardown(an_address_of_the_kernel_tells_how_far_it_moved,
						setup, teardown),
		cmocka_unit_test_setup_teardown(a_module_has_its_names_where_it_was, setup,
						teardown),
		cmocka_unit_test_setup_teardown(another_kernel_has_no_names, setup, teardown),
		cmocka_unit_test_setup_teardown(the_last_boot_can_be_read_twice, setup, teardown),
		cmocka_unit_test_setup_teardown(records_name_the_processes_of_that_boot, setup,
						teardown),
		cmocka_unit_test_setup_teardown(the_last_mark_tells_the_time_of_that_boot, setup,
						teardown),
		cmocka_unit_test_setup_teardown(records_of_this_boot_are_not_the_last_ones, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_reader_that_ended_early_leaves_the_records, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_snapshot_can_be_read_twice, setup, teardown),
		cmocka_unit_test_setup_teardown(a_kernel_may_have_no_snapshots, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
