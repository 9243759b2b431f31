/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Analyses: the tables of made-up records whose answers are known. */
#include <inttypes.h>
#include <sys/mman.h>
#include <unistd.h>

#include "answers/analyze/analyze.h"
#include "tests/helper/check.h"

#define FORMATS "tests/fixture/analyze"

/* ---- records as text: all numbers without quotes ---- */

#define AT(time, cpu, pid, event) "p" #pid "-" #pid " [00" #cpu "] d..2. " time ": " event "\n"

/* usec: three digits of microseconds */
#define RECORD(usec, cpu, pid, event) AT("1.000" #usec, cpu, pid, event)

#define SWITCH(ts, cpu, prev, state, next)                                                         \
	RECORD(ts, cpu, prev,                                                                      \
	       "sched_switch: prev_comm=p" #prev " prev_pid=" #prev                                \
	       " prev_prio=120 prev_state=" #state " ==> next_comm=p" #next " next_pid=" #next     \
	       " next_prio=120")

#define WAKEUP(ts, cpu, waker, pid)                                                                \
	RECORD(ts, cpu, waker, "sched_wakeup: comm=p" #pid " pid=" #pid " prio=120 target_cpu=000")

#define ENTER(ts, pid, nr, args) RECORD(ts, 0, pid, "sys_enter: NR " #nr " (" args ")")
#define EXIT(ts, pid, nr, ret)   RECORD(ts, 0, pid, "sys_exit: NR " #nr " = " #ret)
#define LOST(cpu)                "CPU:" #cpu " [LOST 5 EVENTS]\n"

/* ---- answers as text ---- */

static void add_cell(FILE *f, enum result_type type, const struct result_cell *cell)
{
	if (!cell->known) {
		fputs("-", f);
		return;
	}
	switch (type) {
	case RESULT_REAL:
	case RESULT_SHARE:
		fprintf(f, "%.4g", cell->real);
		break;
	case RESULT_PROCESS:
	case RESULT_IRQ:
	case RESULT_SOFTIRQ:
		fprintf(f, "%s/%" PRId64, cell->text ? cell->text : "", (int64_t)cell->number);
		break;
	case RESULT_TEXT:
	case RESULT_DISK:
	case RESULT_SYSCALL:
	case RESULT_PATH:
		fputs(cell->text, f);
		break;
	default:
		fprintf(f, "%" PRId64, (int64_t)cell->number);
	}
}

/* A line "TABLE CELL CELL...", of statistics only the count, the minimum and the mean. */
static int add_row(void *data, const struct result_table *table, const struct result_cell *cells)
{
	FILE *f = data;

	fputs(table->key, f);
	for (size_t i = 0; i < table->n && strcmp(table->columns[i].key, "p50") != 0; i++) {
		fputs(" ", f);
		add_cell(f, table->columns[i].type, &cells[i]);
	}
	fputs("\n", f);
	return 0;
}

static void add_missed(FILE *f, const struct analyze_missed *missed)
{
	const struct {
		const char *word;
		uint64_t n;
	} rows[] = {
		{ "lost", missed->lost },       { "open", missed->open },
		{ "endless", missed->endless }, { "unbegun", missed->unbegun },
		{ "back", missed->backwards },  { "restarts", missed->restarts },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].n)
			fprintf(f, "%s %" PRIu64 "\n", rows[i].word, rows[i].n);
}

static int open_text(struct dkt_ctx *ctx, const char *text, struct dkt_source **source)
{
	DKT_OPTS(dkt_source_opts, opts, .name = "text", .formats = FORMATS);
	int fd = memfd_create("text", MFD_CLOEXEC), err;

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		return -errno;
	opts.fd = fd + 1;
	err = dkt_source_open(ctx, "text", &opts, source);
	close(fd);
	return err;
}

/* With step, the clock goes back by so many ns before the third record. */
static int read_all(struct dkt_source *source, struct analyze *a, uint64_t step)
{
	struct dkt_record record;
	int err = 0;

	for (int i = 0; !err && !(err = dkt_source_next(source, &record)); i++) {
		record.ts -= i < 2 ? 0 : step;
		err = analyze_record(a, source, &record);
	}
	return err == DKT_NEXT_END ? analyze_end(a) : err;
}

/* Returns the rows of an analysis of the text, and what they leave out; the caller frees it. */
static char *answer(const char *name, struct analyze_opts opts, const char *text, uint64_t step)
{
	char *rows = NULL;
	size_t size;
	FILE *f = open_memstream(&rows, &size);
	struct dkt_source *source;
	struct analyze *a;
	struct dkt_ctx *ctx;

	assert_non_null(f);
	opts.row = add_row;
	opts.data = f;
	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	assert_ok(ctx, open_text(ctx, text, &source));
	assert_ok(ctx, analyze_new(ctx, analysis_find(name), &opts, &a));
	assert_ok(ctx, read_all(source, a, step));
	add_missed(f, analyze_missed(a));
	assert_int_equal(fclose(f), 0);
	analyze_free(a);
	dkt_source_close(source);
	dkt_ctx_free(ctx);
	return rows;
}

/* The analysis gives exactly these lines. */
static void answers(const char *name, const char *text, const char *wanted)
{
	char *have = answer(name, (struct analyze_opts){ 0 }, text, 0);

	assert_string_equal(have, wanted);
	free(have);
}

/* The same with groups. */
static void answers_by(const char *name, const char *group_by, const char *text, const char *wanted)
{
	char *have = answer(name, (struct analyze_opts){ .group_by = group_by }, text, 0);

	assert_string_equal(have, wanted);
	free(have);
}

/* A record is a line. */
/* clang-format off */

/* ---- the CPUs ---- */

static void cputop_counts_the_time_before_the_first_and_after_the_last_switch(void **state)
{
	(void)state;
	answers("cputop",
		SWITCH(000, 0, 1, S, 2)
		SWITCH(000, 1, 0, R, 9)
		SWITCH(300, 0, 2, S, 0)
		SWITCH(400, 0, 0, R, 1)
		AT("1.001000", 0, 1, "sched_wakeup: comm=p2 pid=2 prio=120 target_cpu=000"),
		"processes p1/1 0.6 600000 1 - 120\n"
		"processes p2/2 0.3 300000 1 - 120\n"
		"processes p9/9 1 1000000 1 - 120\n"
		"cpus 0 0.9 900000 100000 0 3\n"
		"cpus 1 1 1000000 0 0 1\n"
		"total 0.95 2 1000000\n");
}

static void cputop_counts_no_time_in_which_records_are_lost(void **state)
{
	(void)state;
	answers("cputop",
		SWITCH(000, 0, 0, R, 2)
		WAKEUP(100, 0, 2, 9)
		LOST(0)
		SWITCH(500, 0, 3, S, 2)
		SWITCH(900, 0, 2, S, 0)
		SWITCH(950, 0, 0, R, 3),
		"processes p2/2 0.5263 500000 2 - 120\n"
		"processes p3/3 0 0 1 - 120\n"
		"cpus 0 0.5263 500000 50000 400000 4\n"
		"total 0.5263 1 950000\n");
}

static void a_pid_that_is_used_again_is_another_process(void **state)
{
	static const char text[] =
		SWITCH(000, 0, 0, R, 5)
		SWITCH(100, 0, 5, Z, 0)
		SWITCH(200, 0, 0, R, 5)
		SWITCH(500, 0, 5, S, 0);

	(void)state;
	answers_by("cpustats", "process", text,
		   "runs p5/5 1 100000 100000\n"
		   "runs p5/5 1 300000 300000\n"
		   "total runs 2 100000 200000\n");
	/* It was never off the CPU: it is another process. */
	answers("offcpulog", text,
		"open 1\n"
		"unbegun 2\n");
}

static void no_interval_crosses_a_loss(void **state)
{
	(void)state;
	answers("schedlog",
		WAKEUP(000, 0, 7, 1)
		SWITCH(010, 0, 0, R, 1)
		WAKEUP(100, 0, 1, 2)
		SWITCH(150, 0, 1, S, 3)
		LOST(1)
		SWITCH(400, 1, 0, R, 4)
		SWITCH(500, 0, 3, S, 2)
		WAKEUP(600, 0, 2, 5)
		SWITCH(700, 0, 2, S, 5),
		"waits 1000600000 1000700000 100000 p5/5 0 120 p2/2\n"
		"lost 2\n");
}

static void schedlog_takes_the_first_wakeup_and_none_of_a_process_that_runs(void **state)
{
	(void)state;
	answers("schedlog",
		SWITCH(000, 0, 0, R, 1)
		WAKEUP(050, 1, 2, 1)
		WAKEUP(100, 0, 1, 2)
		WAKEUP(200, 0, 1, 2)
		SWITCH(300, 0, 1, S, 2)
		SWITCH(400, 0, 2, S, 1),
		"waits 1000100000 1000300000 200000 p2/2 0 120 p1/1\n");
}

static void offcpustats_divides_a_wait_at_the_wakeup(void **state)
{
	(void)state;
	answers("offcpulog",
		SWITCH(000, 0, 1, S, 2)
		WAKEUP(100, 0, 2, 1)
		SWITCH(300, 0, 2, R, 1)
		SWITCH(350, 0, 1, D, 2)
		SWITCH(400, 0, 2, S, 0)
		SWITCH(900, 0, 0, R, 1),
		"waits 1000000000 1000100000 100000 p1/1 sleeping -\n"
		"waits 1000100000 1000300000 200000 p1/1 waiting for a CPU -\n"
		"waits 1000300000 1000350000 50000 p2/2 preempted -\n"
		"waits 1000350000 1000900000 550000 p1/1 uninterruptible -\n"
		"open 1\n"
		"unbegun 1\n");
}

static void a_stack_tells_which_function_waits(void **state)
{
	(void)state;
	answers("offcpulog",
		SWITCH(000, 0, 1, S, 2)
		RECORD(001, 0, 1, "kernel_stack: <stack trace>")
		" => __schedule\n => schedule_timeout\n => pipe_read\n => vfs_read\n"
		WAKEUP(100, 0, 2, 1)
		RECORD(101, 0, 2, "kernel_stack: <stack trace>")
		" => try_to_wake_up\n"
		SWITCH(300, 0, 2, D, 1)
		SWITCH(350, 0, 1, D, 2),
		"waits 1000000000 1000100000 100000 p1/1 sleeping pipe_read\n"
		"waits 1000100000 1000300000 200000 p1/1 waiting for a CPU pipe_read\n"
		"waits 1000300000 1000350000 50000 p2/2 uninterruptible -\n"
		"open 1\n"
		"unbegun 1\n");
}

static const char two_waits[] =
	SWITCH(500, 0, 0, R, 1)
	WAKEUP(600, 0, 1, 2)
	SWITCH(700, 0, 1, S, 2)
	WAKEUP(710, 0, 2, 1)
	SWITCH(800, 0, 2, S, 1);

static void a_clock_that_steps_back_is_reported_and_gives_no_negative_time(void **state)
{
	char *have = answer("schedlog", (struct analyze_opts){ 0 }, two_waits, 400000);

	(void)state;
	assert_string_equal(have, "waits 1000600000 1000600000 0 p2/2 0 120 p1/1\n"
				  "waits 1000310000 1000400000 90000 p1/1 0 120 p2/2\n"
				  "back 3\n");
	free(have);
}

static void nothing_is_joined_across_a_boot(void **state)
{
	/* Process 2 waits for a CPU when the machine boots again. */
	char *have = answer("schedlog", (struct analyze_opts){ 0 }, two_waits, 1000400000);

	(void)state;
	assert_string_equal(have, "waits 310000 400000 90000 p1/1 0 120 p2/2\n"
				  "lost 1\n"
				  "restarts 1\n");
	free(have);
}

/* ---- interrupts and disks ---- */

#define IRQ(ts, cpu, name, text) RECORD(ts, cpu, 7, name ": " text)

static void irqstats_pairs_handlers_on_their_cpu_and_softirqs_with_the_raise_before(void **state)
{
	static const char text[] =
		IRQ(000, 0, "irq_handler_entry", "irq=9 name=eth0")
		IRQ(001, 1, "irq_handler_entry", "irq=9 name=eth0")
		IRQ(002, 0, "softirq_raise", "vec=3 [action=NET_RX]")
		IRQ(003, 0, "softirq_raise", "vec=3 [action=NET_RX]")
		IRQ(005, 0, "irq_handler_exit", "irq=9 ret=handled")
		IRQ(010, 0, "softirq_entry", "vec=3 [action=NET_RX]")
		IRQ(011, 1, "irq_handler_exit", "irq=9 ret=handled")
		IRQ(030, 0, "softirq_exit", "vec=3 [action=NET_RX]");

	(void)state;
	answers("irqstats", text,
		"irq eth0/9 2 5000 7500\n"
		"total irq 2 5000 7500\n"
		"softirq NET_RX/3 1 20000 20000\n"
		"total softirq 1 20000 20000\n"
		"raise NET_RX/3 1 8000 8000\n"
		"total raise 1 8000 8000\n");
	answers_by("irqstats", "cpu", text,
		   "irq 0 1 5000 5000\n"
		   "irq 1 1 10000 10000\n"
		   "total irq 2 5000 7500\n"
		   "softirq 0 1 20000 20000\n"
		   "total softirq 1 20000 20000\n"
		   "raise 0 1 8000 8000\n"
		   "total raise 1 8000 8000\n");
}

static void blockstats_has_the_queue_the_device_its_depth_and_its_errors(void **state)
{
	(void)state;
	answers("blockstats",
		IRQ(000, 0, "block_rq_insert", "8,0 R 4096 () 100 + 8 none,0,0 [p7]")
		IRQ(010, 0, "block_rq_issue", "8,0 R 4096 () 100 + 8 none,0,0 [p7]")
		IRQ(020, 1, "block_rq_issue", "8,0 W 8192 () 200 + 16 none,0,0 [p7]")
		IRQ(110, 1, "block_rq_complete", "8,0 R () 100 + 8 none,0,0 [0]")
		IRQ(220, 1, "block_rq_complete", "8,0 W () 200 + 16 none,0,0 [-5]")
		IRQ(230, 1, "block_rq_complete", "8,0 W () 300 + 16 none,0,0 [0]"),
		"disks 8,0 1 1 1 12288 0.913 1.429 2\n"
		"queue 8,0 R 1 10000 10000\n"
		"total queue 1 10000 10000\n"
		"device 8,0 R 1 100000 100000\n"
		"device 8,0 W 1 200000 200000\n"
		"total device 2 100000 150000\n"
		"unbegun 1\n");
}

static void a_disk_is_not_busy_with_requests_whose_end_is_missing(void **state)
{
	(void)state;
	answers("blockstats",
		IRQ(000, 0, "block_rq_issue", "8,0 R 4096 () 100 + 8 none,0,0 [p7]")
		IRQ(010, 0, "block_rq_issue", "8,0 W 4096 () 300 + 8 none,0,0 [p7]")
		IRQ(020, 0, "block_rq_issue", "8,0 W 4096 () 400 + 8 none,0,0 [p7]")
		IRQ(030, 0, "block_rq_complete", "8,0 W () 400 + 8 none,0,0 [0]")
		IRQ(110, 0, "block_rq_issue", "8,0 R 4096 () 100 + 8 none,0,0 [p7]")
		IRQ(120, 0, "block_rq_complete", "8,0 R () 100 + 8 none,0,0 [0]")
		IRQ(200, 0, "block_rq_issue", "8,0 W 4096 () 500 + 8 none,0,0 [p7]"),
		"disks 8,0 1 1 0 8192 0.1 1 1\n"
		"unfinished 8,0 3 12288 1000000000\n"
		"device 8,0 W 1 10000 10000\n"
		"device 8,0 R 1 10000 10000\n"
		"total device 2 10000 10000\n"
		"open 2\n"
		"endless 1\n");
}

static void block_requests_are_paired_by_device_sector_and_operation(void **state)
{
	(void)state;
	answers("blockstats",
		IRQ(000, 0, "block_rq_issue", "8,0 WS 4096 () 100 + 8 none,0,0 [p7]")
		IRQ(010, 0, "block_rq_issue", "8,0 R 4096 () 100 + 8 none,0,0 [p7]")
		IRQ(011, 0, "block_rq_issue", "8,1 R 4096 () 100 + 8 none,0,0 [p7]")
		IRQ(020, 0, "block_rq_complete", "8,1 R () 100 + 8 none,0,0 [0]")
		IRQ(030, 0, "block_rq_complete", "8,0 R () 100 + 8 none,0,0 [0]")
		IRQ(100, 0, "block_rq_complete", "8,0 WS () 100 + 8 none,0,0 [0]"),
		"disks 8,0 1 1 0 8192 1 1.2 2\n"
		"disks 8,1 1 0 0 4096 0.09 1 1\n"
		"device 8,1 R 1 9000 9000\n"
		"device 8,0 R 1 20000 20000\n"
		"device 8,0 WS 1 100000 100000\n"
		"total device 3 9000 43000\n");
}

static void a_block_request_ends_with_its_last_part(void **state)
{
	(void)state;
	answers("blockstats",
		IRQ(000, 0, "block_rq_issue", "8,0 R 131072 () 1000 + 256 none,0,0 [p7]")
		IRQ(010, 0, "block_rq_complete", "8,0 R () 1000 + 128 none,0,0 [0]")
		IRQ(020, 0, "block_rq_issue", "8,0 R 65536 () 1000 + 128 none,0,0 [p7]")
		IRQ(030, 0, "block_rq_complete", "8,0 R () 1000 + 128 none,0,0 [0]")
		IRQ(100, 0, "block_rq_complete", "8,0 R () 1128 + 128 none,0,0 [0]"),
		"disks 8,0 2 0 0 196608 1 1.1 2\n"
		"device 8,0 R 2 10000 55000\n"
		"total device 2 10000 55000\n");
}

static void a_flush_without_data_needs_no_beginning(void **state)
{
	(void)state;
	answers("blockstats",
		IRQ(000, 0, "block_rq_issue", "8,0 FF 0 () 18446744073709551615 + 0 none,0,0 [p7]")
		IRQ(010, 0, "block_rq_complete", "8,0 FF () 0 + 0 none,0,0 [0]")
		IRQ(011, 0, "block_rq_complete", "8,0 FWS () 0 + 0 none,0,0 [0]")
		IRQ(020, 0, "block_rq_issue", "8,0 WS 4096 () 100 + 8 none,0,0 [p7]")
		IRQ(100, 0, "block_rq_complete", "8,0 FWS () 100 + 8 none,0,0 [0]"),
		"disks 8,0 0 2 0 4096 0.9 1 1\n"
		"device 8,0 FF 1 10000 10000\n"
		"device 8,0 WS 1 80000 80000\n"
		"total device 2 10000 45000\n");
}

static void pagecache_counts_pages_by_process(void **state)
{
	(void)state;
	answers("pagecache",
		IRQ(000, 0, "mm_filemap_add_to_page_cache", "dev 8:0 ino 5 pfn=0x10 ofs=0 order=2")
		IRQ(010, 0, "mm_filemap_delete_from_page_cache", "dev 8:0 ino 5 pfn=0x10 ofs=0 order=1")
		IRQ(020, 0, "writeback_dirty_folio", "bdi 8:0: ino=5 index=1")
		IRQ(030, 0, "mm_page_free", "page=00000000f4a5d3c1 pfn=0x1 order=3"),
		"processes p7/7 4 2 1\n");
}

/* ---- system calls ---- */

#define CALL(from, to, nr, ret, args) ENTER(from, 1, nr, args) EXIT(to, 1, nr, ret)

#ifdef __x86_64__
static void iousagetop_and_iolog_know_what_a_descriptor_is(void **state)
{
	static const char text[] =
		CALL(000, 010, 257, 3, "ffffff9c, 7ffe, 0, 0, 0, 0")
		CALL(020, 050, 0, 100, "3, 7ffe, 1000, 0, 0, 0")
		CALL(060, 070, 41, 4, "2, 1, 0, 0, 0, 0")
		CALL(080, 090, 1, 7, "4, 7ffe, 7, 0, 0, 0")
		CALL(100, 110, 1, 5, "1, 7ffe, 5, 0, 0, 0")
		CALL(120, 130, 3, 0, "3, 0, 0, 0, 0, 0")
		CALL(140, 150, 0, 9, "3, 7ffe, 9, 0, 0, 0")
		CALL(160, 170, 0, -9, "8, 7ffe, 9, 0, 0, 0")
		CALL(200, 300, 74, 0, "3, 0, 0, 0, 0, 0");

	(void)state;
	answers("iousagetop", text,
		"processes p1/1 109 12 100 0 0 7 9 5\n"
		"total 109 12 100 0 0 7 9 5\n");
	answers("iolatencystats", text,
		"io open 2 10000 10000\n"
		"io read 3 10000 16666\n"
		"io write 2 10000 10000\n"
		"io sync 1 100000 100000\n"
		"total io 8 10000 23750\n");
	answers("iolog", text,
		"io 1000000000 1000010000 10000 open p1/1 openat - 3\n"
		"io 1000020000 1000050000 30000 read p1/1 read 3 100\n"
		"io 1000060000 1000070000 10000 open p1/1 socket - 4\n"
		"io 1000080000 1000090000 10000 write p1/1 write 4 7\n"
		"io 1000100000 1000110000 10000 write p1/1 write 1 5\n"
		"io 1000140000 1000150000 10000 read p1/1 read 3 9\n"
		"io 1000160000 1000170000 10000 read p1/1 read 8 -9\n"
		"io 1000200000 1000300000 100000 sync p1/1 fsync 3 0\n");
	answers_by("syscallstats", "syscall", text,
		   "syscalls openat 1 10000 10000\n"
		   "syscalls read 3 10000 16666\n"
		   "syscalls socket 1 10000 10000\n"
		   "syscalls write 2 10000 10000\n"
		   "syscalls close 1 10000 10000\n"
		   "syscalls fsync 1 100000 100000\n"
		   "total syscalls 9 10000 22222\n");
}

static void iousagetop_counts_the_bytes_of_devices(void **state)
{
	(void)state;
	answers("iousagetop",
		CALL(000, 010, 0, 3, "3, 7ffe, 3, 0, 0, 0")
		IRQ(020, 0, "block_rq_complete", "8,0 R () 100 + 8 none,0,0 [0]")
		IRQ(030, 0, "block_rq_complete", "8,0 FWS () 200 + 16 none,0,0 [0]")
		IRQ(040, 0, "block_rq_complete", "8,0 FF () 0 + 0 none,0,0 [0]")
		IRQ(050, 1, "netif_receive_skb", "dev=eth0 skbaddr=0000000012345678 len=1500")
		IRQ(060, 1, "net_dev_xmit", "dev=eth0 skbaddr=0000000012345678 len=60 rc=0"),
		"processes p1/1 3 0 0 0 0 0 3 0\n"
		"disks 8,0 1 4096 1 8192\n"
		"interfaces eth0 1 1500 1 60\n"
		"total 3 0 0 0 0 0 3 0\n");
}

static void a_call_with_a_loss_in_it_is_left_out(void **state)
{
	(void)state;
	answers("iolog",
		ENTER(000, 1, 0, "3, 0, 1, 0, 0, 0")
		LOST(0)
		EXIT(100, 1, 0, 1)
		CALL(200, 250, 0, 1, "3, 0, 1, 0, 0, 0")
		ENTER(300, 1, 0, "3, 0, 1, 0, 0, 0"),
		"io 1000200000 1000250000 50000 read p1/1 read 3 1\n"
		"lost 1\n"
		"open 1\n");
}
#endif

/* ---- NFS ---- */

#define NFSD(ts, pid, text) RECORD(ts, 0, pid, text)

static void nfsdstats_divides_a_request_into_its_operations(void **state)
{
	static const char text[] =
		NFSD(000, 5, "svc_process: addr=10.0.0.9:976 xid=0x01 service=nfsd vers=4 proc=COMPOUND")
		NFSD(010, 5, "nfsd_compound: xid=0x01 opcnt=2 tag=")
		NFSD(015, 6, "svc_process: addr=[::1]:5 xid=0x02 service=nfsd vers=4 proc=COMPOUND")
		NFSD(030, 5, "nfsd_compound_status: op=1/2 OP_PUTFH status=0")
		NFSD(080, 5, "nfsd_write_done: xid=0x01 fh_hash=0x02 offset=0 len=4096")
		NFSD(100, 5, "nfsd_compound_status: op=2/2 OP_WRITE status=0")
		NFSD(110, 5, "svc_stats_latency: addr=10.0.0.9:976 xid=0x01 proc=COMPOUND execute-us=105")
		NFSD(120, 6, "nfsd_read_done: xid=0x02 fh_hash=0x02 offset=0 len=100")
		NFSD(130, 6, "nfsd_compound_status: op=2/2 OP_READ status=-13")
		LOST(0)
		NFSD(200, 6, "svc_stats_latency: addr=[::1]:5 xid=0x02 proc=NULL execute-us=50");

	(void)state;
	answers("nfsdlog", text,
		"operations 1000010000 1000030000 20000 PUTFH 0 - 10.0.0.9\n"
		"operations 1000030000 1000100000 70000 WRITE 0 4096 10.0.0.9\n"
		"requests 1000005000 1000110000 105000 nfsd COMPOUND 4 10.0.0.9\n"
		"requests 1000150000 1000200000 50000 - NULL - -\n"
		"unbegun 1\n");
	answers("nfsdstats", text,
		"data 10.0.0.9 0 0 1 4096\n"
		"data [::1] 1 100 0 0\n"
		"requests nfsd COMPOUND 1 105000 105000\n"
		"requests - NULL 1 50000 50000\n"
		"total requests 2 50000 77500\n"
		"operations PUTFH 1 20000 20000\n"
		"operations WRITE 1 70000 70000\n"
		"total operations 2 20000 45000\n"
		"unbegun 1\n");
}

static void rpclog_has_the_parts_of_a_request(void **state)
{
	(void)state;
	answers("rpclog",
		NFSD(500, 5, "rpc_stats_latency: task:0000000a@00000003 xid=0x01 nfsv4 WRITE backlog=15 rtt=300"
		     " execute=400 xprt_id=1"),
		"execute 1000100000 1000500000 400000 nfsv4 WRITE 3\n"
		"rtt 1000200000 1000500000 300000 nfsv4 WRITE 3\n"
		"backlog 1000100000 1000115000 15000 nfsv4 WRITE 3\n");
}

static void bad_groups_are_refused(void **state)
{
	const struct analyze_opts opts = { .group_by = "operation,x" };
	struct analyze *a;
	struct dkt_ctx *ctx;

	(void)state;
	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	assert_fails(ctx, -EINVAL, NULL, analyze_new(ctx, analysis_find("nfsdlog"), &opts, &a));
	analyze_free(a);
	dkt_ctx_free(ctx);
}

/* clang-format on */

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cputop_counts_the_time_before_the_first_and_after_the_last_switch),
		cmocka_unit_test(cputop_counts_no_time_in_which_records_are_lost),
		cmocka_unit_test(a_pid_that_is_used_again_is_another_process),
		cmocka_unit_test(no_interval_crosses_a_loss),
		cmocka_unit_test(schedlog_takes_the_first_wakeup_and_none_of_a_process_that_runs),
		cmocka_unit_test(offcpustats_divides_a_wait_at_the_wakeup),
		cmocka_unit_test(a_stack_tells_which_function_waits),
		cmocka_unit_test(a_clock_that_steps_back_is_reported_and_gives_no_negative_time),
		cmocka_unit_test(nothing_is_joined_across_a_boot),
		cmocka_unit_test(
			irqstats_pairs_handlers_on_their_cpu_and_softirqs_with_the_raise_before),
		cmocka_unit_test(blockstats_has_the_queue_the_device_its_depth_and_its_errors),
		cmocka_unit_test(a_disk_is_not_busy_with_requests_whose_end_is_missing),
		cmocka_unit_test(block_requests_are_paired_by_device_sector_and_operation),
		cmocka_unit_test(a_block_request_ends_with_its_last_part),
		cmocka_unit_test(a_flush_without_data_needs_no_beginning),
		cmocka_unit_test(pagecache_counts_pages_by_process),
#ifdef __x86_64__
		/* The numbers of system calls are those of this machine. */
		cmocka_unit_test(iousagetop_and_iolog_know_what_a_descriptor_is),
		cmocka_unit_test(iousagetop_counts_the_bytes_of_devices),
		cmocka_unit_test(a_call_with_a_loss_in_it_is_left_out),
#endif
		cmocka_unit_test(nfsdstats_divides_a_request_into_its_operations),
		cmocka_unit_test(rpclog_has_the_parts_of_a_request),
		cmocka_unit_test(bad_groups_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
