/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Histograms: their definitions, the kernel's hist files, counting in user space. */
#include <sys/syscall.h>

#include "lib/hist.h"
#include "lib/inside.h"
#include "tests/helper/check.h"
#include "tests/helper/pages.h"

#define ID_READ  7
#define ID_OTHER 8
#define ID_STACK 4

struct tree {
	char root[TREE_NAME];
	struct dkt_ctx *ctx;
	struct dkt_event *read, *other, *stack;
	struct dkt_hist *hist;
	struct dkt_table *table;
};

struct entry {
	uint16_t type;
	uint8_t flags, preempt;
	int32_t pid;
	uint64_t count;
	int32_t ret;
	char name[8];
} __attribute__((packed));

static int setup(void **state)
{
	static const char fields[] = "\tfield:u64 count;\toffset:8;\tsize:8;\tsigned:0;\n"
				     "\tfield:int ret;\toffset:16;\tsize:4;\tsigned:1;\n"
				     "\tfield:char name[8];\toffset:20;\tsize:8;\tsigned:0;\n"
				     "\tfield:u32 list[4];\toffset:28;\tsize:16;\tsigned:0;\n";
	struct tree *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	assert_int_equal(tree_make(t->root), 0);
	tree_event(t->root, "made", "read", ID_READ, fields, "\"%llu\", REC->count");
	tree_event(t->root, "made", "other", ID_OTHER,
		   "\tfield:u64 count;\toffset:8;\tsize:8;\tsigned:0;\n", "\"%llu\", REC->count");
	tree_event(t->root, "ftrace", "kernel_stack", ID_STACK,
		   "\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"
		   "\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n",
		   "\"%d\", REC->size");
	tree_text(t->root, "available_events", "made:other\nmade:read\n");
	t->ctx = tree_ctx(t->root);
	assert_non_null(t->ctx);
	t->read = dkt_event_find(t->ctx, "made", "read");
	t->other = dkt_event_find(t->ctx, "made", "other");
	t->stack = dkt_event_find(t->ctx, "ftrace", "kernel_stack");
	assert_non_null(t->read);
	assert_non_null(t->other);
	assert_non_null(t->stack);
	*state = t;
	return 0;
}

static int teardown(void **state)
{
	struct tree *t = *state;

	dkt_table_free(t->table);
	dkt_hist_free(t->hist);
	dkt_ctx_free(t->ctx);
	assert_int_equal(tree_remove(t->root), 0);
	free(t);
	return 0;
}

static void start(struct tree *t, const char *keys, const char *vals, uint32_t size)
{
	DKT_OPTS(dkt_hist_opts, opts, .keys = keys, .vals = vals, .size = size);

	assert_ok(t->ctx, dkt_hist_new(t->ctx, &opts, &t->hist));
	assert_int_equal(dkt_hist_event(t->hist, t->read), 0);
}

static void add(struct tree *t, uint64_t count, int32_t ret, const char *name)
{
	struct entry entry = { .type = ID_READ, .pid = 42, .count = count, .ret = ret };
	struct dkt_record record = { .ts = 5000,
				     .event = t->read,
				     .data = &entry,
				     .size = sizeof(entry),
				     .cpu = 1,
				     .pid = 42 };

	memcpy(entry.name, name, strnlen(name, sizeof(entry.name)));
	assert_int_equal(dkt_hist_add(t->hist, NULL, &record), 0);
}

/* Rows as text: "key key: hitcount val\n". */
static void expect(struct tree *t, const char *sort, const char *rows)
{
	const struct dkt_table_info *info = dkt_table_info(t->table);
	struct dkt_buf *buf;
	size_t row, i, len;

	assert_int_equal(dkt_table_sort(t->table, sort), 0);
	assert_int_equal(dkt_buf_new(&buf), 0);
	for (row = 0; row < info->n_rows; row++) {
		for (i = 0; i < info->n_columns; i++) {
			dkt_buf_str(buf, i == info->n_keys ? ": " : i ? " " : "");
			dkt_table_text(t->table, row, i, buf);
		}
		if (*dkt_table_more(t->table, row))
			dkt_buf_printf(buf, " (%s)", dkt_table_more(t->table, row));
		dkt_buf_str(buf, "\n");
	}
	dkt__buf_add(buf, "", 1);
	assert_string_equal(dkt_buf_data(buf, &len), rows);
	dkt_buf_free(buf);
}

static void expect_here(struct tree *t, const char *sort, const char *rows)
{
	assert_int_equal(dkt_hist_read(t->hist, NULL, &t->table), 0);
	expect(t, sort, rows);
}

/* ---- counting in user space ---- */

/* Events that the kernel does not have are told apart from each other and from its own. */
static void defined_events_are_counted_apart(void **state)
{
	static const char format[] = "name: %s\nID: 8\nformat:\n"
				     "\tfield:u64 count;\toffset:%d;\tsize:8;\tsigned:0;\n\n"
				     "print fmt: \"%%llu\", REC->count\n";
	struct tree *t = *state;
	struct dkt_ctx *fresh = tree_ctx(t->root);
	uint64_t words[4] = { 0, 1, 2, 3 };
	struct dkt_event *events[3];
	struct dkt_hist *hist;

	assert_non_null(fresh);
	for (int i = 0; i < 2; i++) {
		char name[16], text[256];

		snprintf(name, sizeof(name), "own%d", i);
		snprintf(text, sizeof(text), format, name, 8 + 8 * i);
		assert_ok(fresh, dkt__event_define(fresh, "own", name, text, &events[i]));
	}
	/* The catalogue is read after the others are defined, which have no place in it. */
	events[2] = dkt_event_find(fresh, "made", "other");
	assert_non_null(events[2]);
	assert_int_equal(dkt__event_index(events[2]), 0);
	assert_int_equal(dkt__event_index(events[0]), SIZE_MAX);
	{
		DKT_OPTS(dkt_hist_opts, opts, .keys = "event,count");

		assert_ok(fresh, dkt_hist_new(fresh, &opts, &hist));
	}
	for (int i = 0; i < 3; i++)
		assert_ok(fresh, dkt_hist_event(hist, events[i]));
	for (int i = 0; i < 3; i++) {
		struct dkt_record record = { .event = events[i], .data = words, .size = 32 };

		assert_int_equal(dkt_hist_add(hist, NULL, &record), 0);
	}
	assert_int_equal(dkt_hist_read(hist, NULL, &t->table), 0);
	expect(t, "event", "made:other 1: 1\nown:own0 1: 1\nown:own1 2: 1\n");
	dkt_table_free(t->table);
	t->table = NULL;
	dkt_hist_free(hist);
	dkt_ctx_free(fresh);
}

static void log2_rows_have_the_kernels_edges(void **state)
{
	static const uint64_t values[] = { 0,          1,    2, 3,          4,
					   5,          8,    9, 1ULL << 40, (1ULL << 40) + 1,
					   1ULL << 63, ~0ULL };
	struct tree *t = *state;
	size_t i;

	start(t, "count.log2", NULL, 0);
	for (i = 0; i < ARRAY_SIZE(values); i++)
		add(t, values[i], 0, "");
	/* A value above 2^63 counts in the row of 0, as in the kernel: rounding up overflows. */
	expect_here(t, NULL,
		    "0-1: 3\n2: 1\n3-4: 2\n5-8: 2\n9-16: 1\n549755813889-1099511627776: 1\n"
		    "1099511627777-2199023255552: 1\n4611686018427387905-9223372036854775808: 1\n");
}

static void buckets_have_sums(void **state)
{
	struct tree *t = *state;

	start(t, "count.buckets=10", "ret,count.percent", 0);
	add(t, 9, -1, "");
	add(t, 10, 5, "");
	add(t, 19, -7, "");
	expect_here(t, NULL, "0-9: 1 -1 9\n10-19: 2 -2 29\n");
	assert_int_equal(dkt_table_info(t->table)->hits, 3);
}

static void strings_and_signed_numbers_are_keys(void **state)
{
	struct tree *t = *state;

	start(t, "name,ret", NULL, 0);
	add(t, 0, -2, "b");
	add(t, 0, -2, "b");
	add(t, 0, 3, "b");
	add(t, 0, 3, "a,\"}");
	add(t, 0, 3, "12345678"); /* no NUL in the field */
	expect_here(t, "ret,name.descending", "b -2: 2\nb 3: 1\na,\"} 3: 1\n12345678 3: 1\n");
	dkt_table_free(t->table);
	expect_here(t, NULL, "b -2: 2\n12345678 3: 1\na,\"} 3: 1\nb 3: 1\n");
}

static void event_process_and_cpu_are_keys(void **state)
{
	struct tree *t = *state;

	start(t, "event,common_pid.execname,common_cpu", NULL, 0);
	add(t, 0, 0, "");
	expect_here(t, NULL, "made:read <...>[42] 1: 1\n");
}

static void hits_beyond_the_size_are_counted(void **state)
{
	struct tree *t = *state;
	uint64_t i;

	start(t, "count", NULL, 128);
	for (i = 0; i < 200; i++)
		add(t, i, 0, "");
	add(t, 5, 0, "");
	assert_int_equal(dkt_hist_read(t->hist, NULL, &t->table), 0);
	assert_int_equal(dkt_table_info(t->table)->n_rows, 128);
	assert_int_equal(dkt_table_info(t->table)->dropped, 72);
	assert_int_equal(dkt_table_info(t->table)->hits, 201);
}

static void stacks_are_keys(void **state)
{
	struct tree *t = *state;
	uint64_t stack[6] = { ID_STACK, 2, 0x1000, 0x2000 };
	struct dkt_record record = { .event = t->stack, .data = stack, .size = 32, .cpu = 1 };

	start(t, "stacktrace", NULL, 0);
	add(t, 0, 0, "");
	assert_int_equal(dkt_hist_add(t->hist, NULL, &record), 0);
	/* A stack that belongs to no record that is counted. */
	assert_int_equal(dkt_hist_add(t->hist, NULL, &record), 0);
	add(t, 0, 0, "");
	assert_int_equal(dkt_hist_add(t->hist, NULL, &record), 0);
	add(t, 0, 0, ""); /* without one */
	expect_here(t, NULL, "0x2000;0x1000: 2\n: 1\n");
}

/* More than the sixteen that the kernel's histograms keep. */
static void deep_stacks_are_complete(void **state)
{
	struct tree *t = *state;
	uint64_t stack[2 + 20] = { ID_STACK, 20 };
	struct dkt_record record = {
		.event = t->stack, .data = stack, .size = sizeof(stack), .cpu = 1
	};
	char wanted[400], *p = wanted;
	int i;

	for (i = 20; i; i--) {
		stack[1 + i] = (uint64_t)i << 12;
		p += sprintf(p, "0x%x000%s", i, i > 1 ? ";" : ": 1\n");
	}
	start(t, "stacktrace", NULL, 0);
	add(t, 0, 0, "");
	assert_int_equal(dkt_hist_add(t->hist, NULL, &record), 0);
	expect_here(t, NULL, wanted);
}

static void short_records_count_as_bad(void **state)
{
	struct tree *t = *state;
	struct dkt_record record = { .event = t->read, .data = "\7\0\0\0\0\0\0\0\1", .size = 9 };

	start(t, "count,name", "ret", 0);
	assert_int_equal(dkt_hist_add(t->hist, NULL, &record), 0);
	assert_int_equal(dkt_hist_read(t->hist, NULL, &t->table), 0);
	assert_int_equal(dkt_table_info(t->table)->n_rows, 0);
	assert_int_equal(dkt_table_info(t->table)->bad, 1);
}

/* ---- the trigger ---- */

static void options_become_a_trigger(void **state)
{
	struct tree *t = *state;
	DKT_OPTS(dkt_hist_opts, opts, .keys = "event,cpu,common_stacktrace,count.buckets=5",
		 .vals = "hitcount.percent,ret.graph,$x", .sort = NULL, .vars = "x=count-1",
		 .actions = "onmax($x).save(ret)", .size = 256, .skip = 77);
	struct dkt_expr *expr;
	char *text;

	assert_ok(t->ctx, dkt_expr_new(t->ctx, "ret == -ENOENT", NULL, &expr));
	opts.filter = expr;
	assert_ok(t->ctx, dkt_hist_new(t->ctx, &opts, &t->hist));
	assert_int_equal(dkt_hist_event(t->hist, t->read), 0);
	assert_int_equal(dkt__hist_trigger(t->hist, t->read, &text), 0);
	assert_string_equal(text, "hist:keys=common_cpu,stacktrace,count.buckets=5:vals=ret,$x:"
				  "x=count-1:size=256:onmax($x).save(ret)"
				  " if common_pid != 77 && (ret == -2)");
	free(text);
	assert_int_equal(dkt_hist_read(t->hist, NULL, &t->table), -EOPNOTSUPP);
	dkt_expr_free(expr);
}

static void errors_of_options_show_their_place(void **state)
{
	static const struct {
		const char *keys, *vals, *vars, *actions;
		uint32_t size;
		const char *words;
	} bad[] = {
		{ "", NULL, NULL, NULL, 0, "keys: a field's name is expected here\n  \n  ^" },
		{ "a,b,c,d", NULL, NULL, NULL, 0,
		  "keys: the kernel's limit is 3 keys\n  a,b,c,d\n        ^" },
		{ "a.percent", NULL, NULL, NULL, 0,
		  "keys: percent and graph go with values only\n  a.percent\n  ^" },
		{ "a b", NULL, NULL, NULL, 0,
		  "keys: a comma, a modifier or the end is expected here\n  a b\n   ^" },
		{ "a.hex=3", NULL, NULL, NULL, 0,
		  "keys: only buckets takes a number\n  a.hex=3\n        ^" },
		{ "count", "a,b,c", NULL, NULL, 0,
		  "vals: the kernel's limit is 2 values beside hitcount\n"
		  "  a,b,c\n      ^" },
		{ "count", "a.log2", NULL, NULL, 0,
		  "vals: a value can have hex, percent and graph\n  a.log2\n  ^" },
		{ "count", "$x:clear", NULL, NULL, 0,
		  "vals: this cannot be in an expression\n  $x:clear\n    ^" },
		{ "count", NULL, "x", NULL, 0,
		  "var: a variable is written NAME=EXPRESSION\n  x\n   ^" },
		{ "count", NULL, "x=a:y", NULL, 0,
		  "var: this cannot be in a variable\n  x=a:y\n     ^" },
		{ "count", NULL, NULL, "onmin($x).save(a)", 0,
		  "do: onmatch(SYSTEM.EVENT), onmax($VAR) or onchange($VAR) is expected here\n"
		  "  onmin($x).save(a)\n  ^" },
		{ "count", NULL, NULL, "onmax($x", 0,
		  "do: a ')' is expected here\n  onmax($x\n          ^" },
		{ "count", NULL, NULL, "onmax($x).save(a):", 0,
		  "do: onmatch(SYSTEM.EVENT), onmax($VAR) or onchange($VAR) is expected here\n"
		  "  onmax($x).save(a):\n                    ^" },
		{ "count", NULL, NULL, NULL, 100,
		  "size: 100 is not a power of two from 128 to 131072" },
		{ "count", NULL, NULL, NULL, 64,
		  "size: 64 is not a power of two from 128 to 131072" },
		{ "cuont", NULL, NULL, NULL, 0,
		  "made:read has no field 'cuont'; did you mean count?" },
		{ "list", NULL, NULL, NULL, 0,
		  "made:read: 'list' is an array, which cannot be a key or value" },
		{ "name.hex", NULL, NULL, NULL, 0,
		  "made:read: .hex does not work with a string, and 'name' is one" },
		{ "count.execname", NULL, NULL, NULL, 0,
		  "made:read: .execname works with a process ID only, and 'count' is none" },
		{ "count", "name", NULL, NULL, 0, "made:read: 'name' cannot be summed" },
	};
	struct tree *t = *state;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		DKT_OPTS(dkt_hist_opts, opts, .keys = bad[i].keys, .vals = bad[i].vals,
			 .vars = bad[i].vars, .actions = bad[i].actions, .size = bad[i].size);
		int err = dkt_hist_new(t->ctx, &opts, &t->hist);

		if (!err)
			err = dkt_hist_event(t->hist, t->read);
		assert_true(err == -EINVAL || err == -ENOENT);
		assert_string_equal(dkt_error(t->ctx), bad[i].words);
		dkt_hist_free(t->hist);
		t->hist = NULL;
	}
}

/* ---- the kernel's hist files ---- */

static void parse(struct tree *t, const char *text)
{
	assert_ok(t->ctx, dkt__table_parse(t->ctx, text, strlen(text), &t->table));
}

static void the_kernels_numbers_and_names_are_read(void **state)
{
	char *text __cleanup(free) = dkt__format(
		"# event histogram\n#\n"
		"# trigger info: hist:keys=common_pid.execname,id.syscall,f.hex:vals=hitcount,x,"
		"y.hex:sort=hitcount:size=2048 if id != 3 [active]\n#\n\n"
		"{ common_pid: a] } b          [      1382], id: openat                        [%3d],"
		" f: ff } hitcount:          1  x:         -  y:          a\n"
		"{ common_pid: kworker/0:1     [        12], id: read                          [%3d],"
		" f: 1f } hitcount:          3  x:         77  y:         1f\n"
		"{ common_pid: a] } b          [      1382], id: unknown_syscall               [999],"
		" f: 0 } hitcount:          1  x: 18446744073709551615  y:          a\n"
		"\nTotals:\n    Hits: 5\n    Entries: 2\n    Dropped: 7\n",
		SYS_openat, SYS_read);

	assert_non_null(text);
	parse(*state, text);
	expect(*state, "hitcount.descending,x",
	       "kworker/0:1[12] read 0x1f: 3 77 0x1f\n"
	       "a] } b[1382] syscall 999 0x0: 1 18446744073709551615 0xa\n");
	assert_int_equal(dkt_table_info(((struct tree *)*state)->table)->dropped, 7);
	assert_int_equal(dkt_table_info(((struct tree *)*state)->table)->bad, 1);
}

static void the_kernels_ranges_are_read(void **state)
{
	parse(*state, "# trigger info: hist:keys=a.log2,b.buckets=100:vals=hitcount:sort=hitcount:"
		      "size=2048 [active]\n#\n\n"
		      "{ a: ~ 2^0 , b: ~ 0-99 } hitcount:          1\n"
		      "{ a: ~ 2^12, b: ~ 4000-4099 } hitcount:          9\n\n"
		      "Totals:\n    Hits: 10\n");
	expect(*state, "a", "0-1 0-99: 1\n2049-4096 4000-4099: 9\n");
}

static void the_kernels_strings_are_read(void **state)
{
	static const char *const names[] = {
		"/bin/x, pid: 3 } hitcount: 4", "123", "",
		"/a/very/long/name/that/is/longer/than/fifty/characters/is"
	};
	char text[2048];
	size_t i, n;

	n = (size_t)snprintf(text, sizeof(text),
			     "# trigger info: hist:keys=filename,pid:vals=hitcount:sort=hitcount:"
			     "size=2048 [active]\n");
	for (i = 0; i < ARRAY_SIZE(names); i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "{ filename: %-50s, pid: %10zu } hitcount: %10zu\n", names[i],
				      i, i + 5);
	parse(*state, text);
	expect(*state, "pid",
	       "/bin/x, pid: 3 } hitcount: 4 0: 5\n123 1: 6\n 2: 7\n"
	       "/a/very/long/name/that/is/longer/than/fifty/characters/is 3: 8\n");
}

/* Strings and names of processes come back as they are, whatever bytes they hold. */
static void the_kernels_keys_may_contain_lines(void **state)
{
	static const char *const names[] = {
		"Process entered\n", "\n{ fmt: 5 } hitcount: 9\n", "a \"b\", c\n",
		"more than fifty bytes, and then some: \"%s\" has %d, %p\n", "77"
	};
	static const char *const comms[] = { "sh", "a\n } hit", "b\n", "\n", "c" };
	char text[2048];
	size_t i, n;

	n = (size_t)snprintf(text, sizeof(text),
			     "# trigger info: hist:keys=fmt:vals=hitcount:sort=hitcount:size=2048 "
			     "[active]\n#\n\n");
	for (i = 0; i < ARRAY_SIZE(names); i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "{ fmt: %-50s } hitcount: %10zu\n", names[i], i + 1);
	parse(*state, text);
	expect(*state, "hitcount",
	       "Process entered\n: 1\n\n{ fmt: 5 } hitcount: 9\n: 2\na \"b\", c\n: 3\n"
	       "more than fifty bytes, and then some: \"%s\" has %d, %p\n: 4\n77: 5\n");
	assert_int_equal(dkt_table_info(((struct tree *)*state)->table)->bad, 0);
	dkt_table_free(((struct tree *)*state)->table);

	n = (size_t)snprintf(text, sizeof(text),
			     "# trigger info: hist:keys=fmt,common_pid.execname:vals=hitcount:"
			     "sort=hitcount:size=2048 [active]\n#\n\n");
	for (i = 0; i < ARRAY_SIZE(names); i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "{ fmt: %-50s, common_pid: %-16s[%10zu] } hitcount: %10zu\n",
				      names[i], comms[i], i, i + 1);
	parse(*state, text);
	expect(*state, "hitcount",
	       "Process entered\n sh[0]: 1\n\n{ fmt: 5 } hitcount: 9\n a\n } hit[1]: 2\n"
	       "a \"b\", c\n b\n[2]: 3\n"
	       "more than fifty bytes, and then some: \"%s\" has %d, %p\n \n[3]: 4\n77 c[4]: 5\n");
	assert_int_equal(dkt_table_info(((struct tree *)*state)->table)->bad, 0);
}

static void the_kernels_stacks_are_read(void **state)
{
	parse(*state,
	      "# trigger info: hist:keys=common_stacktrace,common_cpu:vals=hitcount:sort=hitcount:"
	      "size=2048 [active]\n#\n\n"
	      "{ common_stacktrace:\n         vfs_read+0x1/0x20\n         ksys_read+0x5/0x70\n"
	      "         do_syscall_64+0x5/0x10 [mod]\n, common_cpu:          1} hitcount:          2\n"
	      "{ common_stacktrace:\n         vfs_read+0x9/0x20\n         ksys_read+0x5/0x70\n"
	      "         do_syscall_64+0x5/0x10 [mod]\n, common_cpu:          1} hitcount:          3\n");
	/* They differ in offsets only. */
	expect(*state, NULL, "do_syscall_64;ksys_read;vfs_read 1: 5\n");
	dkt_table_free(((struct tree *)*state)->table);
	parse(*state,
	      "# trigger info: hist:keys=common_cpu,stacktrace:vals=hitcount,b:sort=hitcount:"
	      "size=2048 [active]\n#\n\n"
	      "{ common_cpu:          0, stacktrace:\n         vfs_read+0x1/0x20\n"
	      "         ksys_read+0x5/0x70\n} hitcount:          2  b:          9\n");
	expect(*state, NULL, "0 ksys_read;vfs_read: 2 9\n");
}

/* One of sixteen has perhaps lost its outermost functions. */
static void the_kernels_full_stacks_are_marked_as_truncated(void **state)
{
	char text[2000], wanted[400], *p = text, *to;
	int n, i;

	p += sprintf(p, "# trigger info: hist:keys=stacktrace:vals=hitcount:sort=hitcount:"
			"size=2048 [active]\n#\n\n");
	for (n = 15; n <= 16; n++) {
		p += sprintf(p, "{ stacktrace:\n");
		for (i = 1; i <= n; i++)
			p += sprintf(p, "         f%d+0x1/0x20\n", i);
		p += sprintf(p, "} hitcount:          %d\n", n);
	}
	parse(*state, text);
	to = stpcpy(wanted, "[...];f16");
	for (i = 15; i; i--)
		to += sprintf(to, ";f%d", i);
	to = stpcpy(to, ": 16\nf15");
	for (i = 14; i; i--)
		to += sprintf(to, ";f%d", i);
	strcpy(to, ": 15\n");
	expect(*state, NULL, wanted);
}

static void the_kernels_actions_are_read(void **state)
{
	parse(*state, "# trigger info: hist:keys=pid:vals=hitcount:r=ret:sort=hitcount:size=2048:"
		      "onmax($r).save(comm) [active]\n#\n\n"
		      "{ pid:          5 } hitcount:          3\n"
		      "\tmax:       4097  comm: dd                              \n"
		      "{ pid:          6 } hitcount:          1\n");
	expect(*state, "pid", "5: 3 (max: 4097 comm: dd)\n6: 1\n");
}

static void invalid_hist_files_are_refused(void **state)
{
	struct tree *t = *state;

	assert_int_equal(dkt__table_parse(t->ctx, "", 0, &t->table), -ENOENT);
	assert_null(t->table);
	assert_int_equal(dkt__table_parse(t->ctx, "# trigger info: hist:foo\n", 25, &t->table),
			 -EINVAL);
	parse(t, "# trigger info: hist:keys=a:vals=hitcount:\n{ a: 3\n{ b\n{ \n{ a: 5 } hit\n");
	assert_int_equal(dkt_table_info(t->table)->n_rows, 0);
	assert_int_equal(dkt_table_info(t->table)->bad, 4);
	assert_fails(t->ctx, -ENOENT,
		     "sort: 'b' is not a column; the columns are a, hitcount\n  b\n  ^",
		     dkt_table_sort(t->table, "b"));
	assert_int_equal(dkt_table_sort(t->table, "a.up"), -EINVAL);
	assert_int_equal(dkt_table_sort(t->table, "a,a,a"), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(defined_events_are_counted_apart, setup, teardown),
		cmocka_unit_test_setup_teardown(log2_rows_have_the_kernels_edges, setup, teardown),
		cmocka_unit_test_setup_teardown(buckets_have_sums, setup, teardown),
		cmocka_unit_test_setup_teardown(strings_and_signed_numbers_are_keys, setup,
						teardown),
		cmocka_unit_test_setup_teardown(event_process_and_cpu_are_keys, setup, teardown),
		cmocka_unit_test_setup_teardown(hits_beyond_the_size_are_counted, setup, teardown),
		cmocka_unit_test_setup_teardown(stacks_are_keys, setup, teardown),
		cmocka_unit_test_setup_teardown(deep_stacks_are_complete, setup, teardown),
		cmocka_unit_test_setup_teardown(short_records_count_as_bad, setup, teardown),
		cmocka_unit_test_setup_teardown(options_become_a_trigger, setup, teardown),
		cmocka_unit_test_setup_teardown(errors_of_options_show_their_place, setup,
						teardown),
		cmocka_unit_test_setup_teardown(the_kernels_numbers_and_names_are_read, setup,
						teardown),
		cmocka_unit_test_setup_teardown(the_kernels_ranges_are_read, setup, teardown),
		cmocka_unit_test_setup_teardown(the_kernels_strings_are_read, setup, teardown),
		cmocka_unit_test_setup_teardown(the_kernels_keys_may_contain_lines, setup,
						teardown),
		cmocka_unit_test_setup_teardown(the_kernels_stacks_are_read, setup, teardown),
		cmocka_unit_test_setup_teardown(the_kernels_full_stacks_are_marked_as_truncated,
						setup, teardown),
		cmocka_unit_test_setup_teardown(the_kernels_actions_are_read, setup, teardown),
		cmocka_unit_test_setup_teardown(invalid_hist_files_are_refused, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
