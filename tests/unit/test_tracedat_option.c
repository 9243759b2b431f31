/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options of a trace.dat that change its times: the numbers are those of trace-cmd report -t. */
#include <sys/mman.h>

#include "lib/ctx.h"
#include "lib/inside.h"
#include "tests/helper/check.h"
#include "tests/helper/order.h"

#define MADE "tests/fuzz/corpus/tracedat/"

/* From trace-cmd.dat.v7(5). */
enum {
	DATE = 1,
	HOOK = 6,
	OFFSET = 7,
	PROCMAPS = 10,
	TRACEID = 11,
	TIME_SHIFT = 12,
	GUEST = 13,
	TSC2NSEC = 14
};

/* Bytes that are put together, or a file. */
struct bytes {
	uint8_t data[16384];
	size_t n;
};

static void put(struct bytes *to, uint64_t value, unsigned int size)
{
	assert_true(to->n + size <= sizeof(to->data));
	dkt__put_bytes(to->data + to->n, value, size, false);
	to->n += size;
}

static void put_text(struct bytes *to, const char *text)
{
	while (*text)
		put(to, (uint8_t)*text++, 1);
	put(to, 0, 1);
}

static void put_option(struct bytes *to, unsigned int id, const struct bytes *option)
{
	put(to, id, 2);
	put(to, option->n, 4);
	memcpy(to->data + to->n, option->data, option->n);
	to->n += option->n;
}

static void put_text_option(struct bytes *to, unsigned int id, const char *text)
{
	struct bytes option = { .n = 0 };

	put_text(&option, text);
	put_option(to, id, &option);
}

/* time, offset, scaling and fraction of each sample */
struct sample {
	uint64_t time;
	int64_t offset;
	uint64_t scaling, fraction;
};

struct cpu_shift {
	const struct sample *samples;
	size_t n;
};

static void put_shift(struct bytes *to, uint32_t flags, const struct cpu_shift *cpus, size_t n,
		      bool fractions)
{
	struct bytes option = { .n = 0 };
	size_t i, j;

	put(&option, 0x1234, 8);
	put(&option, flags, 4);
	put(&option, n, 4);
	for (i = 0; i < n; i++) {
		put(&option, cpus[i].n, 4);
		for (j = 0; j < cpus[i].n; j++)
			put(&option, cpus[i].samples[j].time, 8);
		for (j = 0; j < cpus[i].n; j++)
			put(&option, (uint64_t)cpus[i].samples[j].offset, 8);
		for (j = 0; j < cpus[i].n; j++)
			put(&option, cpus[i].samples[j].scaling, 8);
	}
	for (i = 0; fractions && i < n; i++)
		for (j = 0; j < cpus[i].n; j++)
			put(&option, cpus[i].samples[j].fraction, 8);
	put_option(to, TIME_SHIFT, &option);
}

/* ---- files ---- */

static void load(const char *path, struct bytes *file)
{
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	file->n = fread(file->data, 1, sizeof(file->data), f);
	fclose(f);
}

/* Version 6 has its options after that word; there is space before the first page. */
static void make_v6(const struct bytes *options, struct bytes *file)
{
	uint8_t *at, *pages;

	load(MADE "v6", file);
	pages = file->data + 2048;
	at = memmem(file->data, file->n, "options  ", 10);
	assert_non_null(at);
	at += 10;
	memmove(at + options->n, at, (size_t)(pages - at) - options->n);
	memcpy(at, options->data, options->n);
}

/* Version 7 has a chain of sections of options: one more is the first. */
static void make_v7(const struct bytes *options, struct bytes *file)
{
	uint8_t *head;
	uint64_t next, at;

	load(MADE "v7", file);
	head = file->data + 0x18;
	memcpy(&next, own_order(head, "8"), 8);
	at = file->n;
	dkt__put_bytes(head, at, 8, false);
	put(file, 0, 2);
	put(file, 0, 2);
	put(file, 0, 4);
	put(file, options->n + 14, 8);
	memcpy(file->data + file->n, options->data, options->n);
	file->n += options->n;
	put(file, 0, 2);
	put(file, 8, 4);
	put(file, next, 8);
}

struct reading {
	int fd;
	struct dkt_ctx *ctx;
	struct dkt_source *source;
};

static void begin(struct reading *r, const struct bytes *file)
{
	char path[32];

	r->fd = memfd_create("options", MFD_CLOEXEC);
	assert_true(r->fd >= 0 && write(r->fd, file->data, file->n) == (ssize_t)file->n);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", r->fd);
	assert_int_equal(dkt_ctx_new(NULL, &r->ctx), 0);
	assert_ok(r->ctx, dkt_source_open(r->ctx, path, NULL, &r->source));
}

static void end(struct reading *r)
{
	dkt_source_close(r->source);
	dkt_ctx_free(r->ctx);
	close(r->fd);
}

/* "CPU:TIME ..." of all records. */
static void times_are(const struct bytes *file, const char *wanted)
{
	struct dkt_record record;
	struct reading r;
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	begin(&r, file);
	while (!dkt_source_next(r.source, &record))
		if (record.event)
			fprintf(f, "%s%u:%llu", ftell(f) ? " " : "", record.cpu,
				(unsigned long long)record.ts);
	fclose(f);
	assert_null(dkt_source_info(r.source)->damage);
	assert_string_equal(text, wanted);
	free(text);
	end(&r);
}

static void both_are(const struct bytes *options, const char *v6, const char *v7)
{
	struct bytes file = { .n = 0 };

	make_v6(options, &file);
	times_are(&file, v6);
	make_v7(options, &file);
	times_are(&file, v7);
}

/* ---- tests ---- */

/* With a single sample, its offset counts for all times. */
static void a_single_sample_shifts_all_times(void **state)
{
	static const struct sample a[] = { { 1000, 5000, 3, 1 } }, b[] = { { 2000, -100, 1, 0 } };
	static const struct cpu_shift cpus[] = { { a, 1 }, { b, 1 } };
	struct bytes options = { .n = 0 };

	(void)state;
	put_shift(&options, 0, cpus, 2, true);
	both_are(&options,
		 "1:1416 1:1423 1:1437 0:6016 0:6023 0:6037 0:6058 "
		 "0:6086 0:7016 0:7023 0:7037 0:7058 0:7086",
		 "0:6000 0:6007 0:6021 0:6042 0:6070 0:7000 0:7007 "
		 "0:7021 0:7042");
}

/* Steps, with clocks that run at another rate; unsorted samples are sorted. */
static void samples_shift_the_times_after_them(void **state)
{
	static const struct sample a[] = { { 2020, 900, 3, 1 },
					   { 1020, 500, 3, 1 },
					   { 1020, 700, 3, 1 },
					   { 1060, -800, 5, 2 },
					   { 2050, 333, 1, 0 } };
	static const struct sample b[] = { { 1500, 10, 2, 0 }, { 1530, 20, 2, 0 } };
	static const struct cpu_shift cpus[] = { { a, 5 }, { b, 2 } };
	struct bytes options = { .n = 0 };

	(void)state;
	put_shift(&options, 0, cpus, 2, true);
	both_are(&options,
		 "0:2016 0:2026 0:2047 0:2079 0:553 0:1716 0:1724 "
		 "1:3026 1:3040 1:3068 0:3947 0:3979 0:4021",
		 "0:2000 0:2010 0:2031 0:2063 0:537 0:1700 0:1708 "
		 "0:3931 0:3963");
}

static void shifts_are_interpolated(void **state)
{
	static const struct sample a[] = { { 1020, 100, 1, 0 },
					   { 1050, -200, 1, 0 },
					   { 2030, 700, 1, 0 } };
	static const struct sample b[] = { { 1500, 10, 1, 0 }, { 1533, 27, 1, 0 } };
	static const struct cpu_shift cpus[] = { { a, 3 }, { b, 2 } };
	struct bytes options = { .n = 0 };

	(void)state;
	/* As trace-cmd 2.9 wrote it. */
	put_shift(&options, 1, cpus, 2, false);
	both_are(&options,
		 "0:1316 0:1253 0:1128 0:939 0:904 1:1526 1:1537 "
		 "1:1558 0:2688 0:2702 0:2729 0:2769 0:2823",
		 "0:1300 0:1237 0:1112 0:923 0:888 0:2672 0:2686 "
		 "0:2713 0:2753");
}

/* A shift is applied first; TSC2NSEC's own offset is not added. */
static void shifts_come_before_other_offsets(void **state)
{
	static const struct sample a[] = { { 1000, 5000, 1, 0 } };
	static const struct cpu_shift cpus[] = { { a, 1 } };
	struct bytes options = { .n = 0 }, tsc = { .n = 0 };

	(void)state;
	put_text_option(&options, OFFSET, "-500");
	put_text_option(&options, DATE, "0x10");
	put(&tsc, 1431655766, 4);
	put(&tsc, 32, 4);
	put(&tsc, 999, 8);
	put_option(&options, TSC2NSEC, &tsc);
	put_shift(&options, 0, cpus, 1, true);
	both_are(&options,
		 "1:16016 1:16018 1:16023 0:17516 0:17518 0:17523 0:17530 "
		 "0:17539 0:17849 0:17851 0:17856 0:17863 0:17872",
		 "0:21500 0:21507 0:21521 0:21542 0:21570 0:22500 0:22507 "
		 "0:22521 0:22542");
}

static void guests_and_hosts_are_named(void **state)
{
	struct bytes options = { .n = 0 }, option = { .n = 0 }, file = { .n = 0 };
	struct dkt__source_peer peer;
	struct reading r;

	(void)state;
	put(&option, 0xfeed, 8);
	put_option(&options, TRACEID, &option);
	option.n = 0;
	put_text(&option, "guest1");
	put(&option, 0xbeef, 8);
	put(&option, 2, 4);
	put(&option, 1, 4);
	put(&option, 201, 4);
	put(&option, 0, 4);
	put(&option, 200, 4);
	put_option(&options, GUEST, &option);
	put_shift(&options, 0, NULL, 0, true);
	put_text_option(&options, HOOK, "sched:wakeup,pid");
	put_text_option(&options, PROCMAPS, "1 1 init\n");
	make_v7(&options, &file);
	begin(&r, &file);
	assert_int_equal(dkt_source_info(r.source)->id, 0xfeed);
	assert_string_equal(dkt_source_info(r.source)->unused, "hooks, maps of processes");
	assert_null(dkt_source_info(r.source)->damage);
	assert_int_equal(dkt__source_peer(r.source, 0, &peer, sizeof(peer)), 0);
	assert_string_equal(peer.name, "guest1");
	assert_int_equal(peer.id, 0xbeef);
	assert_int_equal(peer.n_threads, 2);
	assert_int_equal(peer.threads[0], 200);
	assert_int_equal(peer.threads[1], 201);
	assert_int_equal(dkt__source_peer(r.source, 1, &peer, sizeof(peer)), 0);
	assert_null(peer.name);
	assert_int_equal(peer.id, 0x1234);
	assert_int_equal(dkt__source_peer(r.source, 2, &peer, sizeof(peer)), 1);
	end(&r);
}

/* Counts beyond the end of the option, and shifts beyond the bits of a number. */
static void wrong_counts_are_refused(void **state)
{
	static const struct sample a[] = { { 1000, 5000, 1, 64 } };
	static const struct cpu_shift cpus[] = { { a, 1 } };
	struct bytes options = { .n = 0 }, option = { .n = 0 }, file = { .n = 0 };
	struct reading r;
	int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		options.n = option.n = 0;
		put(&option, 1, 8);
		put(&option, 0, 4);
		put(&option, i ? 1 : 0xffffffff, 4);
		put(&option, 0xffffffff, 4);
		if (i < 2)
			put_option(&options, TIME_SHIFT, &option);
		else
			put_shift(&options, 0, cpus, 1, true);
		make_v7(&options, &file);
		begin(&r, &file);
		assert_string_equal(dkt_source_info(r.source)->damage,
				    "the shifts of its times are invalid");
		end(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_single_sample_shifts_all_times),
		cmocka_unit_test(samples_shift_the_times_after_them),
		cmocka_unit_test(shifts_are_interpolated),
		cmocka_unit_test(shifts_come_before_other_offsets),
		cmocka_unit_test(guests_and_hosts_are_named),
		cmocka_unit_test(wrong_counts_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
