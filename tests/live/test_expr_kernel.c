/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Gives generated filter expressions to the running kernel and to the library, which must agree. */
#include <sched.h>
#include <signal.h>

#include "lib/event.h"
#include "tests/helper/check.h"
#include "tests/live/expr_gen.h"
#include "tests/live/expr_side.h"
#include "tests/live/expr_workload.h"

#include "lib/base/banned.h"

#define SEED     0x5eed5eed5eedULL
#define SKIP     77
#define N_ACCEPT 400
#define N_ROUNDS 60

/* Events that the workload below causes; their records are compared. */
static const char *const seen_names[][2] = {
	{ "task", "task_rename" },         { "syscalls", "sys_enter_openat" },
	{ "syscalls", "sys_exit_openat" }, { "net", "net_dev_start_xmit" },
	{ "sched", "sched_process_exec" },
};

#define N_SEEN ARRAY_SIZE(seen_names)

/* More fields of more types, to be accepted or refused only. */
static const char *const other_names[][2] = {
	{ "sched", "sched_switch" },     { "irq", "softirq_entry" },
	{ "kmem", "kmem_cache_alloc" },  { "ipi", "ipi_send_cpumask" },
	{ "timer", "timer_start" },      { "block", "block_rq_issue" },
	{ "signal", "signal_generate" }, { "tcp", "tcp_probe" },
	{ "irq", "irq_handler_entry" },  { "syscalls", "sys_enter_execve" },
};

/* Expressions that only the library refuses, each with the reason. */
static const struct {
	const char *words;
	const char *reason;
} no_exceptions[] = {
	{ "is not a number that can be compared", "the kernel's answer would never be true" },
	{ "is neither a CPU nor a set", "the kernel's answer would never be true" },
	{ "is a set of CPUs", "the kernel compares where the set is, not the set" },
	{ "has no bits", "the kernel's answer would never be true" },
	{ "a control character", "the filter file is read by lines" },
	{ ".ustring or .function, not", "the kernel takes the rest of the word for a blank" },
};

struct test {
	struct dkt_ctx *ctx;
	struct side all; /* without filters */
	struct side some; /* with them */
	struct dkt_event *seen[N_SEEN];
	struct dkt_event *others[ARRAY_SIZE(other_names)];
	struct gen gen;
	char *tmp; /* directory of links to a program */
	int failures;
	int exceptions[ARRAY_SIZE(no_exceptions)];
	int extensions;
};

static int both_on(struct test *t, const char *on)
{
	return write(t->all.on, on, 1) == 1 && write(t->some.on, on, 1) == 1 ? 0 : -EIO;
}

static int run_workload(struct test *t)
{
	int err;

	err = both_on(t, "1");
	rename_often();
	open_often();
	send_often();
	exec_often(t->tmp);
	err = err ? err : both_on(t, "0");
	err = err ? err : side_read(&t->all);
	return err ? err : side_read(&t->some);
}

/* ---- accepted or refused ---- */

static bool ends_open(const char *text)
{
	size_t len = strlen(text);

	while (len && dkt__expr_is_space(text[len - 1]))
		len--;
	return !len || strchr("&|!", text[len - 1]);
}

static bool is_exception(struct test *t, const char *words)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(no_exceptions); i++)
		if (strstr(words, no_exceptions[i].words)) {
			t->exceptions[i]++;
			return true;
		}
	return false;
}

static void check_accept(struct test *t, struct dkt_event *event, const char *text)
{
	char *plain __cleanup(free) = NULL;
	struct dkt_expr *expr = NULL;
	int ours, kernels;

	/*
	 * The kernel takes an expression that ends in an operator, of some even with a WARNING in its
	 * log, so it is not asked.
	 */
	if (ends_open(text) || strpbrk(text, "\n"))
		return;
	ours = dkt_expr_new(t->ctx, text, NULL, &expr);
	ours = ours ? ours : dkt_expr_text(expr, event, &plain);
	dkt_expr_free(expr);
	kernels = put_filter(&t->some, event, text);
	if (!ours == !kernels)
		return;
	if (ours && is_exception(t, dkt_error(t->ctx)))
		return;
	/* The kernel accepts our translation of each extension. */
	if (!ours && strcmp(plain, text) != 0 && !put_filter(&t->some, event, plain)) {
		t->extensions++;
		return;
	}
	/* It knows which CPUs it may have; we must take a file of any kernel. */
	if (kernels && side_refused(&t->some, "Invalid cpulist"))
		return;
	/* Kernels before 5.18 compare no strings of programs. */
	if (kernels && strstr(text, ".ustring") &&
	    put_filter(&t->some, dkt_event_find(t->ctx, "syscalls", "sys_enter_openat"),
		       "filename.ustring == a"))
		return;
	t->failures++;
	fprintf(stderr, "%s:%s: %s\n  kernel %s, we %s\n  %s\n", event->system, event->name, text,
		kernels ? "refuses" : "accepts", ours ? "refuse" : "accept",
		ours ? dkt_error(t->ctx) : plain);
}

static void gen_for(struct test *t, struct dkt_event *event, struct dkt_record *samples, size_t max)
{
	size_t i;

	t->gen.event = event;
	t->gen.samples = samples;
	t->gen.n_samples = 0;
	for (i = 0; i < t->all.n && t->gen.n_samples < max; i++)
		if (t->all.records[i].event == event)
			samples[t->gen.n_samples++] = t->all.records[i];
}

static void the_kernel_accepts_the_same(void **state)
{
	struct test *t = *state;
	struct dkt_record samples[64];
	struct dkt_event *event;
	int i, n = 0;

	t->gen.strict = false;
	for (i = 0; i < N_ACCEPT; i++) {
		size_t pick = (size_t)i % (N_SEEN + ARRAY_SIZE(other_names));

		event = pick < N_SEEN ? t->seen[pick] : t->others[pick - N_SEEN];
		if (!event)
			continue;
		gen_for(t, event, samples, ARRAY_SIZE(samples));
		check_accept(t, event, gen_make(&t->gen, 3, i & 1));
		n++;
	}
	printf("%d expressions accepted or refused as by the kernel, %d of them our extensions\n",
	       n, t->extensions);
	for (i = 0; i < (int)ARRAY_SIZE(no_exceptions); i++)
		if (t->exceptions[i])
			printf("%d refused here only (%s): %s\n", t->exceptions[i],
			       no_exceptions[i].words, no_exceptions[i].reason);
	for (i = 0; i < (int)N_SEEN; i++)
		if (t->seen[i])
			put_filter(&t->some, t->seen[i], "0");
	assert_int_equal(t->failures, 0);
}

/* Extensions of the kernel's language, and their text for the kernel. */
static void extensions_are_translated_for_the_kernel(void **state)
{
	static const struct {
		const char *system;
		const char *event;
		const char *text;
		const char *kernel; /* NULL: whatever, but it is accepted */
	} rows[] = {
		{ "sched", "sched_switch", "prev_state & D|Z", "prev_state & 0x22" },
		{ "sched", "sched_switch", "prev_comm ~ *sh", "prev_comm ~ \"*\\sh\"" },
		{ "irq", "softirq_entry", "vec == TIMER", "vec == 1" },
		{ "irq", "softirq_entry", "vec == RCU || vec == NET_RX", NULL },
		{ "signal", "signal_generate", "sig == SIGKILL && comm == dd",
		  "sig == 9 && comm == \"dd\"" },
		{ "kmem", "kmem_cache_alloc", "gfp_flags & GFP_KERNEL", NULL },
		{ "kmem", "kmem_cache_alloc", "bytes_req > 4k", "bytes_req > 4096" },
		{ "raw_syscalls", "sys_enter", "id == openat || id == read", NULL },
		{ "syscalls", "sys_exit_openat", "ret == -ENOENT", "ret == -2" },
		{ "syscalls", "sys_enter_openat", "flags & O_CREAT|O_EXCL", "flags & 0xc0" },
		{ "block", "block_rq_issue", "bytes >= 1M", "bytes >= 1048576" },
	};
	struct test *t = *state;
	int n = 0;
	size_t i;

	t->failures = 0;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct dkt_event *event = dkt_event_find(t->ctx, rows[i].system, rows[i].event);
		char *plain __cleanup(free) = NULL;
		struct dkt_expr *expr;
		int err;

		if (!event)
			continue;
		err = dkt_expr_new(t->ctx, rows[i].text, NULL, &expr);
		err = err ? err : dkt_expr_text(expr, event, &plain);
		dkt_expr_free(expr);
		if (err || put_filter(&t->some, event, plain) ||
		    (rows[i].kernel && strcmp(plain, rows[i].kernel) != 0)) {
			t->failures++;
			fprintf(stderr, "%s:%s: %s\n%s\n", rows[i].system, rows[i].event,
				rows[i].text, err ? dkt_error(t->ctx) : plain);
		}
		n++;
	}
	printf("%d expressions with names and units put into the kernel's words\n", n);
	assert_int_equal(t->failures, 0);
}

/* ---- matched or not ---- */

/* The name that the process had when it caused the record. */
static void comm_of(struct test *t, const struct dkt_record *record, char comm[static 16])
{
	const char *field = record->event == t->seen[0] ? "oldcomm" : "filename";
	const char *str = COMM, *slash;
	size_t len = strlen(COMM);

	if (record->event == t->seen[0] || record->event == t->seen[4]) {
		str = dkt_record_bytes(record, dkt_event_field(record->event, field), &len);
		len = strnlen(str, len);
		slash = memrchr(str, '/', len);
		if (slash && record->event == t->seen[4]) {
			len -= (size_t)(slash + 1 - str);
			str = slash + 1;
		}
	}
	len = DKT__MIN(len, (size_t)15);
	memcpy(comm, str, len);
	comm[len] = '\0';
}

/* After the end of a string, an array holds any bytes of the memory, which may differ. */
static bool same_field(const struct dkt_record *a, const struct dkt_record *b,
		       const struct dkt_field *field)
{
	const char *in_a, *in_b;
	size_t len_a, len_b;

	if (!gen_is_string(field) || gen_is_pointer(field))
		return dkt_record_int(a, field) == dkt_record_int(b, field);
	in_a = dkt_record_bytes(a, field, &len_a);
	in_b = dkt_record_bytes(b, field, &len_b);
	len_a = strnlen(in_a, len_a);
	return len_a == strnlen(in_b, len_b) && !memcmp(in_a, in_b, len_a);
}

static bool same_record(const struct dkt_record *a, const struct dkt_record *b)
{
	const struct dkt_field *const *fields;
	size_t n, i;

	if (dkt_event_fields(a->event, &fields, &n))
		return false;
	for (i = 0; i < n; i++)
		if (!gen_is_fleeting(fields[i]) && !same_field(a, b, fields[i]))
			return false;
	return true;
}

/* Both sides saw the same calls, so the same records match; -1 if not, else their number. */
static int compare_event(struct test *t, struct dkt_event *event, struct dkt_expr *expr)
{
	char comm[16];
	size_t i, j = 0;
	int hits = 0;

	for (i = 0; i < t->all.n; i++) {
		const struct dkt_record *record = &t->all.records[i];

		if (record->event != event)
			continue;
		comm_of(t, record, comm);
		if (!dkt_expr_match(expr, record, comm))
			continue;
		while (j < t->some.n && t->some.records[j].event != event)
			j++;
		if (j == t->some.n || !same_record(record, &t->some.records[j]))
			return -1;
		hits++;
		j++;
	}
	for (; j < t->some.n; j++)
		if (t->some.records[j].event == event)
			return -1;
	return hits;
}

static struct dkt_expr *make_match(struct test *t, struct dkt_event *event)
{
	char *text __cleanup(free) = NULL, *plain __cleanup(free) = NULL;
	struct dkt_record samples[64];
	struct dkt_expr *expr;
	int err;

	gen_for(t, event, samples, ARRAY_SIZE(samples));
	/* The programs that are started open files as well, under names of their own. */
	if (asprintf(&text, "%s%d && (%s)",
		     strstr(event->name, "openat") ? "common_pid == " : "common_pid != 1", getpid(),
		     gen_make(&t->gen, 3, false)) < 0)
		return NULL;
	err = dkt_expr_new(t->ctx, text, NULL, &expr);
	err = err ? err : dkt_expr_text(expr, event, &plain);
	if (err) {
		fprintf(stderr, "%s\n", dkt_error(t->ctx));
		t->failures++;
		return expr;
	}
	err = put_filter(&t->some, event, plain);
	if (err) {
		fprintf(stderr, "%s:%s: the kernel refuses %s\n", event->system, event->name,
			plain);
		t->failures++;
	}
	return expr;
}

static void the_kernel_matches_the_same(void **state)
{
	struct test *t = *state;
	struct dkt_expr *exprs[N_SEEN] = { NULL };
	int round, hits, all = 0, n = 0, err = 0;
	size_t i;

	t->failures = 0;
	t->gen.strict = true;
	for (round = 0; round < N_ROUNDS && !err; round++) {
		for (i = 0; i < N_SEEN; i++)
			exprs[i] = t->seen[i] ? make_match(t, t->seen[i]) : NULL;
		err = run_workload(t);
		for (i = 0; i < N_SEEN; i++) {
			if (!exprs[i])
				continue;
			hits = compare_event(t, t->seen[i], exprs[i]);
			if (hits < 0) {
				t->failures++;
				fprintf(stderr, "%s:%s: other records match\n  %s\n",
					t->seen[i]->system, t->seen[i]->name, exprs[i]->text);
			}
			all += hits > 0 ? hits : 0;
			n++;
			dkt_expr_free(exprs[i]);
		}
	}
	printf("%d expressions matched the kernel's %d records\n", n, all);
	assert_int_equal(err, 0);
	assert_int_equal(t->failures, 0);
	/* Were nothing ever recorded, all would agree. */
	assert_true(all >= N_ROUNDS);
}

/* ---- the whole ---- */

static int enable_seen(struct test *t)
{
	char *file;
	size_t i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(other_names); i++)
		t->others[i] = dkt_event_find(t->ctx, other_names[i][0], other_names[i][1]);
	t->all.events = t->some.events = t->seen;
	t->all.n_events = t->some.n_events = N_SEEN;
	for (i = 0; i < N_SEEN && !err; i++) {
		t->seen[i] = dkt_event_find(t->ctx, seen_names[i][0], seen_names[i][1]);
		if (!t->seen[i])
			continue;
		if (asprintf(&file, "events/%s/%s/enable", seen_names[i][0], seen_names[i][1]) < 0)
			return -ENOMEM;
		err = put(t->all.dir, file, "1");
		err = err ? err : put(t->some.dir, file, "1");
		free(file);
	}
	return err;
}

static int set_up(struct test *t)
{
	cpu_set_t one;
	int err;

	t->all.cpu = t->some.cpu = sched_getcpu();
	CPU_ZERO(&one);
	CPU_SET(t->all.cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		return -errno;
	prctl(PR_SET_NAME, COMM);
	err = make_links(&t->tmp);
	err = err ? err : side_open(t->ctx, &t->all, "all");
	err = err ? err : side_open(t->ctx, &t->some, "some");
	err = err ? err : both_on(t, "0");
	err = err ? err : enable_seen(t);
	/* The first run finds values to ask for. */
	err = err ? err : run_workload(t);
	if (err)
		return err;
	t->gen.cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	t->gen.has_cpus = t->seen[0] && !put_filter(&t->some, t->seen[0], "CPU & CPUS{0}");
	t->gen.has_functions = t->seen[1] &&
			       !put_filter(&t->some, t->seen[1], "filename.function != vfs_read ");
	return 0;
}

/* Whatever happens, the instances go. */
static void clean_up(struct test *t)
{
	free(t->gen.out.data);
	side_close(&t->some);
	side_close(&t->all);
	remove_links(t->tmp);
	dkt_ctx_free(t->ctx);
}

/* Another seed may be given, to try other expressions. */
int main(int argc, char **argv)
{
	struct test t = { .gen.state = argc > 1 ? strtoull(argv[1], NULL, 0) | 1 : SEED };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(the_kernel_accepts_the_same, &t),
		cmocka_unit_test_prestate(extensions_are_translated_for_the_kernel, &t),
		cmocka_unit_test_prestate(the_kernel_matches_the_same, &t),
	};
	int err;

	if (argc > 1 && !strcmp(argv[1], QUIT))
		return 0;
	/* Ignore a closed pipe: the instances must be removed. */
	signal(SIGPIPE, SIG_IGN);
	if (geteuid()) {
		fprintf(stderr, "skipped: not root\n");
		return SKIP;
	}
	if (dkt_ctx_new(NULL, &t.ctx))
		return 1;
	if (dkt_tracefs_open(t.ctx, DKT_MOUNT)) {
		fprintf(stderr, "skipped: %s\n", dkt_error(t.ctx));
		dkt_ctx_free(t.ctx);
		return SKIP;
	}
	err = set_up(&t);
	if (err)
		fprintf(stderr, "%s\n", strerror(-err));
	else
		err = cmocka_run_group_tests_name("filters beside the kernel", tests, NULL, NULL);
	clean_up(&t);
	return err != 0;
}
