/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The way of a call, from messages and the kernel's events of one recording. */
#include "compat/lustre_log/paths.h"
#include "tests/helper/lustre_lines.h"
#include "tests/helper/tree.h"

enum { CLIENT, SERVER };

enum { ID_ENTER = 11, ID_LEAVE, ID_QUEUE, ID_COMPLETE, ID_SWITCH, ID_BEGIN, ID_END };

#define FIELD(type, at, size, sign)                                                                \
	"\tfield:" type ";\toffset:" #at ";\tsize:" #size ";\tsigned:" #sign ";\n"

/* A record: the common fields, then those of its event. */
struct entry {
	uint16_t type;
	uint16_t unused; /* flags and preemption depth */
	int32_t pid;
	union {
		struct {
			int32_t from, to;
		} change;
		struct {
			uint32_t dev, nr_sector;
			uint64_t sector;
		} disk;
		uint32_t dev;
	};
};

struct room {
	char root[TREE_NAME];
	struct dkt_ctx *ctx;
	struct paths paths;
};

static void write_events(const char *root)
{
	static const char disk[] = FIELD("dev_t dev", 8, 4, 0)
		FIELD("unsigned int nr_sector", 12, 4, 0) FIELD("sector_t sector", 16, 8, 0);

	tree_event(root, "syscalls", "sys_enter_pwrite64", ID_ENTER, "", "\"\"");
	tree_event(root, "syscalls", "sys_exit_pwrite64", ID_LEAVE, "", "\"\"");
	tree_event(root, "block", "block_bio_queue", ID_QUEUE, disk, "\"\"");
	tree_event(root, "block", "block_rq_complete", ID_COMPLETE, disk, "\"\"");
	tree_event(root, "sched", "sched_switch", ID_SWITCH,
		   FIELD("pid_t prev_pid", 8, 4, 1) FIELD("pid_t next_pid", 12, 4, 1), "\"\"");
	tree_event(root, "jbd2", "jbd2_start_commit", ID_BEGIN, FIELD("dev_t dev", 8, 4, 0),
		   "\"\"");
	tree_event(root, "jbd2", "jbd2_end_commit", ID_END, FIELD("dev_t dev", 8, 4, 0), "\"\"");
	tree_text(root, "available_events",
		  "syscalls:sys_enter_pwrite64\nsyscalls:sys_exit_pwrite64\n"
		  "block:block_bio_queue\nblock:block_rq_complete\nsched:sched_switch\n"
		  "jbd2:jbd2_start_commit\njbd2:jbd2_end_commit\n");
}

static int setup(void **state)
{
	DKT_OPTS(dkt_ctx_opts, opts, .machine = "x86_64");
	const struct path_wants all = { .opcode = OPCODE_UNKNOWN };
	struct room *r = calloc(1, sizeof(*r));

	assert_non_null(r);
	assert_int_equal(tree_make(r->root), 0);
	write_events(r->root);
	opts.root = r->root;
	assert_int_equal(dkt_ctx_new(&opts, &r->ctx), 0);
	assert_ok(r->ctx, dkt_tracefs_open(r->ctx, 0));
	assert_ok(r->ctx, dkl_paths_init(&r->paths, r->ctx, PATH_BY_CALL, &all, 5, 0));
	*state = r;
	return 0;
}

static int teardown(void **state)
{
	struct room *r = *state;

	dkl_paths_clear(&r->paths);
	dkt_ctx_free(r->ctx);
	assert_int_equal(tree_remove(r->root), 0);
	free(r);
	return 0;
}

static void say(struct room *r, uint32_t host, uint64_t us, int32_t pid, const char *text)
{
	struct log_line line = lustre_line(host, us, text);

	line.pid = pid;
	assert_ok(r->ctx, dkl_paths_add(&r->paths, &line));
}

static void happen(struct room *r, uint32_t host, uint64_t us, const char *system, const char *name,
		   struct entry entry, const char *comm)
{
	const struct dkt_record record = { .ts = LINES_START + us * 1000,
					   .event = dkt_event_find(r->ctx, system, name),
					   .data = &entry,
					   .size = sizeof(entry),
					   .pid = entry.pid };

	assert_non_null(record.event);
	assert_ok(r->ctx, dkl_paths_record(&r->paths, host, &record, comm));
}

static void change(struct room *r, uint64_t us, int32_t from, int32_t to)
{
	happen(r, SERVER, us, "sched", "sched_switch",
	       (struct entry){ .type = ID_SWITCH, .pid = from, .change = { from, to } }, NULL);
}

static void disk(struct room *r, uint64_t us, const char *name, int32_t pid, uint32_t dev,
		 uint64_t sector, uint32_t n)
{
	happen(r, SERVER, us, "block", name,
	       (struct entry){ .type = *name == 'b' && name[6] == 'b' ? ID_QUEUE : ID_COMPLETE,
			       .pid = pid,
			       .disk = { dev, n, sector } },
	       NULL);
}

static void commit(struct room *r, uint64_t us, bool ends)
{
	happen(r, SERVER, us, "jbd2", ends ? "jbd2_end_commit" : "jbd2_start_commit",
	       (struct entry){ .type = ends ? ID_END : ID_BEGIN, .pid = 80, .dev = 8 << 20 }, NULL);
}

static void call(struct room *r, uint64_t us, int32_t pid, bool ends, const char *comm)
{
	happen(r, CLIENT, us, "syscalls", ends ? "sys_exit_pwrite64" : "sys_enter_pwrite64",
	       (struct entry){ .type = ends ? ID_LEAVE : ID_ENTER, .pid = pid }, comm);
}

/* The time of a part in all paths, in us. */
static uint64_t part(const struct room *r, enum path_part part)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < r->paths.n_groups; i++)
		sum += r->paths.groups[i].parts[part].sum;
	return sum / 1000;
}

/* A write of 1200 us, of which the server works 800: 200 for the disk, 100 for the journal. */
static void write_of_dd(struct room *r)
{
	change(r, 0, 5, 6);
	call(r, 0, 700, false, "dd");
	call(r, 10, 701, false, "cp");
	say(r, CLIENT, 100, 50, "Sending " LUSTRE_CLIENT "1780:10.0.0.9@tcp:4:dd.0");
	say(r, SERVER, 200, 900, "Handling " LUSTRE_SERVER "1780:12345-10.0.0.1@tcp:4:dd.0");
	/* The disk is one of which a part is asked for, and completes two requests at once. */
	disk(r, 300, "block_bio_queue", 900, 8 << 20 | 1, 2048, 8);
	change(r, 310, 900, 0);
	disk(r, 400, "block_rq_complete", 0, 9 << 20, 2040, 16);
	disk(r, 500, "block_rq_complete", 0, 8 << 20, 2040, 16);
	change(r, 520, 0, 900);
	commit(r, 550, false);
	change(r, 600, 900, 0);
	commit(r, 700, true);
	change(r, 750, 0, 900);
	say(r, SERVER, 1000, 900,
	    "Handled " LUSTRE_SERVER "1780:12345-10.0.0.1@tcp:4:dd.0"
	    " Request processed in 800us (800us total) trans 0 rc 0/0");
	say(r, CLIENT, 1100, 50, "Completed " LUSTRE_CLIENT "1780:10.0.0.9@tcp:4:dd.0");
	call(r, 1200, 700, true, "dd");
	call(r, 1300, 701, true, "cp");
}

static void the_disk_the_journal_and_the_cpu_have_their_times(void **state)
{
	static const uint64_t want[PATH_PARTS] = {
		[PATH_BEFORE] = 100, [PATH_SEND] = 100,  [PATH_DISK] = 200,  [PATH_JOURNAL] = 100,
		[PATH_CPU] = 430,    [PATH_REPLY] = 100, [PATH_AFTER] = 100, [PATH_UNKNOWN] = 70,
	};
	struct room *r = *state;

	write_of_dd(r);
	assert_ok(r->ctx, dkl_paths_finish(&r->paths));
	/* The request belongs to the call of dd, and not to that of cp. */
	assert_int_equal(r->paths.count, 1);
	assert_int_equal(r->paths.with_call, 1);
	assert_int_equal(r->paths.open_ends, 0);
	assert_int_equal(r->paths.groups[0].whole.sum, 1200000);
	for (size_t i = 0; i < PATH_PARTS; i++)
		assert_int_equal(part(r, (enum path_part)i), want[i]);
	assert_string_equal(path_name(&r->paths, r->paths.slowest[0].call), "pwrite64");
}

static void a_request_of_which_two_calls_may_wait_is_alone(void **state)
{
	struct room *r = *state;

	call(r, 0, 700, false, "dd");
	call(r, 0, 701, false, "dd");
	say(r, CLIENT, 100, 50, "Sending " LUSTRE_CLIENT "1780:10.0.0.9@tcp:4:dd.0");
	say(r, CLIENT, 1100, 50, "Completed " LUSTRE_CLIENT "1780:10.0.0.9@tcp:4:dd.0");
	call(r, 1200, 700, true, "dd");
	call(r, 1200, 701, true, "dd");
	assert_ok(r->ctx, dkl_paths_finish(&r->paths));
	assert_int_equal(r->paths.count, 1);
	assert_int_equal(r->paths.with_call, 0);
	assert_int_equal(part(r, PATH_AWAY), 1000);
}

static void a_call_does_not_wait_for_a_request_that_ends_later(void **state)
{
	struct room *r = *state;

	call(r, 0, 700, false, "dd");
	say(r, CLIENT, 100, 50, "Sending " LUSTRE_CLIENT "1780:10.0.0.9@tcp:4:dd.0");
	call(r, 200, 700, true, "dd");
	say(r, CLIENT, 1100, 50, "Completed " LUSTRE_CLIENT "1780:10.0.0.9@tcp:4:dd.0");
	assert_ok(r->ctx, dkl_paths_finish(&r->paths));
	assert_int_equal(r->paths.count, 1);
	assert_int_equal(r->paths.with_call, 0);
}

static void a_loss_on_the_server_leaves_its_part_unknown(void **state)
{
	struct room *r = *state;

	call(r, 0, 700, false, "dd");
	say(r, CLIENT, 100, 50, "Sending " LUSTRE_CLIENT "1780:10.0.0.9@tcp:4:dd.0");
	say(r, SERVER, 200, 900, "Handling " LUSTRE_SERVER "1780:12345-10.0.0.1@tcp:4:dd.0");
	dkl_paths_cut(&r->paths, SERVER, false);
	say(r, CLIENT, 1100, 50, "Completed " LUSTRE_CLIENT "1780:10.0.0.9@tcp:4:dd.0");
	call(r, 1200, 700, true, "dd");
	assert_ok(r->ctx, dkl_paths_finish(&r->paths));
	assert_int_equal(r->paths.with_call, 1);
	assert_int_equal(part(r, PATH_AWAY), 1000);
	assert_int_equal(part(r, PATH_BEFORE) + part(r, PATH_AFTER), 200);
}

static void the_longest_spans_are_found(void **state)
{
	static const uint64_t lengths[] = { 10, 40, 20, 30 };
	struct path_spans spans = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++)
		assert_int_equal(dkl_path_spans_add(
					 &spans, (struct path_span){ .from = i * 100,
								     .to = i * 100 + lengths[i] }),
				 0);
	assert_int_equal(dkl_path_spans_shortest(&spans, 2), 30);
	assert_int_equal(dkl_path_spans_shortest(&spans, 4), 0);
	dkl_path_spans_clear(&spans);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_disk_the_journal_and_the_cpu_have_their_times),
		TEST(a_request_of_which_two_calls_may_wait_is_alone),
		TEST(a_call_does_not_wait_for_a_request_that_ends_later),
		TEST(a_loss_on_the_server_leaves_its_part_unknown),
		TEST(the_longest_spans_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
