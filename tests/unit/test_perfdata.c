/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* perf.data as streams: windows, slices, CPUs, events and filters select from one whole reading. */
#include <linux/perf_event.h>
#include <sys/mman.h>

#include "lib/base/io.h"
#include "lib/ctx.h"
#include "lib/inside.h"
#include "tests/helper/check.h"
#include "tests/helper/order.h"

#define PLAIN "tests/fixture/perfdata/plain.data"

/* Places in the header of a file, and in the attributes of its events. */
enum { ATTRS = 24, DATA = 40, DATA_SIZE = 48, FLAGS = 72, SAMPLE_TYPE = 24 };

/* The feature with the difference of the clocks. */
#define CLOCK_DATA 29

/* More than three slices of a megabyte. */
#define SIZE_MADE (4u << 20)

struct made {
	struct dkt_ctx *ctx;
	struct dkt_source *source;
	int fd;
	char path[64];
};

static uint64_t load(const uint8_t *p)
{
	return get_little(p, 8);
}

static void put(int fd, const void *data, size_t size)
{
	assert_int_equal(write(fd, data, size), size);
}

/* Where the time of a sample is. */
static size_t time_at(const uint8_t *file)
{
	uint64_t type = load(file + load(file + ATTRS) + SAMPLE_TYPE);

	return 8 + 8 * (size_t)__builtin_popcountll(
			       type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID));
}

/* Writes all samples, later by so much each time, until there are enough. */
static uint64_t put_samples(int fd, uint8_t *file)
{
	const uint64_t begin = load(file + DATA), size = load(file + DATA_SIZE);
	const size_t where = time_at(file);
	uint64_t written = 0;

	while (written < SIZE_MADE) {
		struct perf_event_header head;

		for (uint64_t at = begin; at < begin + size; at += head.size) {
			memcpy(&head, file + at, sizeof(head));
			own_order(&head, "422");
			if (head.type != PERF_RECORD_SAMPLE)
				continue;
			put(fd, file + at, head.size);
			written += head.size;
			dkt__put_bytes(file + at + where, load(file + at + where) + 1000000000, 8,
				       false);
		}
	}
	return written;
}

/* A file of many blocks: the samples of the recorded file many times, after everything else. */
static void make(struct made *made)
{
	size_t size, table = 0;
	uint64_t at, behind, n;
	uint8_t *file;
	char *data;

	assert_int_equal(dkt__read_file(PLAIN, SIZE_MADE, &data, &size), 0);
	file = (uint8_t *)data;
	at = size;
	behind = load(file + DATA) + load(file + DATA_SIZE);
	for (size_t i = 0; i < 4; i++)
		table += 16 * (size_t)__builtin_popcountll(load(file + FLAGS + 8 * i));
	made->fd = memfd_create("made", MFD_CLOEXEC);
	assert_true(made->fd >= 0);
	put(made->fd, file, size);
	n = put_samples(made->fd, file);
	put(made->fd, file + behind, table);
	own_order(&at, "8");
	own_order(&n, "8");
	assert_int_equal(pwrite(made->fd, &at, sizeof(at), DATA), sizeof(at));
	assert_int_equal(pwrite(made->fd, &n, sizeof(n), DATA_SIZE), sizeof(n));
	snprintf(made->path, sizeof(made->path), "/proc/self/fd/%d", made->fd);
	free(file);
}

static void open_made(struct made *made, const struct dkt_source_opts *opts)
{
	assert_int_equal(dkt_ctx_new(NULL, &made->ctx), 0);
	assert_int_equal(dkt_source_open(made->ctx, made->path, opts, &made->source), 0);
}

static void close_made(struct made *made)
{
	dkt_source_close(made->source);
	dkt_ctx_free(made->ctx);
}

struct sum {
	uint64_t n, of, last; /* of: depends on the order */
};

/* Adds the remaining records of the source's window. */
static void add(struct made *made, struct sum *sum)
{
	struct dkt_record record;
	int rc;

	while (!(rc = dkt_source_next(made->source, &record))) {
		const char *comm = dkt_source_comm(made->source, &record);

		assert_true(record.ts >= sum->last);
		sum->last = record.ts;
		sum->of = sum->of * 31 + record.ts + record.cpu + (uint64_t)record.pid +
			  (uint64_t)comm[0] + (uint64_t)dkt_event_id(record.event);
		sum->n++;
	}
	assert_int_equal(rc, 1);
}

static uint64_t seen(struct made *made)
{
	struct dkt_loss loss;
	uint64_t all = 0;

	for (int cpu = 0; cpu < dkt_source_info(made->source)->cpus; cpu++) {
		assert_int_equal(dkt_source_get_loss(made->source, cpu, &loss, sizeof(loss)), 0);
		all += loss.seen;
	}
	return all;
}

static void slices_add_up_to_one_reading(void **state)
{
	DKT_OPTS(dkt_source_opts, part, .flags = DKT_SOURCE_PART);
	struct sum all = { 0 }, parts = { 0 };
	uint64_t from, to, n = 0;
	struct made made;

	(void)state;
	make(&made);
	open_made(&made, NULL);
	add(&made, &all);
	assert_true(all.n > 1000);
	assert_int_equal(seen(&made), all.n);
	close_made(&made);
	open_made(&made, &part);
	for (from = 0; from != UINT64_MAX; from = to, n++) {
		assert_int_equal(dkt__source_slice(made.source, from, 1 << 20, &to), 0);
		assert_true(to > from);
		assert_int_equal(dkt_source_seek(made.source, from, to == UINT64_MAX ? 0 : to), 0);
		add(&made, &parts);
	}
	assert_true(n > 2);
	assert_memory_equal(&parts, &all, sizeof(all));
	assert_int_equal(seen(&made), all.n);
	close_made(&made);
	close(made.fd);
}

/* A window may be before the last one, within it, or far after it. */
static void windows_select_by_time_in_any_order(void **state)
{
	static const uint64_t begins[] = { 7, 3, 3, 5, 20, 21, 0, 100 };
	struct dkt_record record;
	struct made made;
	uint64_t start;

	(void)state;
	make(&made);
	open_made(&made, NULL);
	assert_int_equal(dkt_source_next(made.source, &record), 0);
	start = record.ts;
	for (size_t i = 0; i < ARRAY_SIZE(begins); i++) {
		uint64_t since = start + begins[i] * 1000000000 + 1;
		struct sum one = { 0 };

		assert_int_equal(dkt_source_seek(made.source, since, since + 3000000000), 0);
		/* Not read to its end, it leaves nothing for the next one. */
		assert_int_equal(dkt_source_next(made.source, &record), 0);
		assert_true(record.ts >= since);
		if (i % 2)
			continue;
		add(&made, &one);
		assert_true(one.n && one.last < since + 3000000000);
	}
	close_made(&made);
	close(made.fd);
}

static bool wants(void *data, struct dkt_event *event)
{
	return !strcmp(dkt_event_name(event), data);
}

/* A source with a selection returns exactly that, and has seen all records. */
static void cpus_events_and_filters_select(void **state)
{
	static const int cpus[] = { 1 };
	DKT_OPTS(dkt_source_opts, one_cpu, .cpus = cpus, .n_cpus = 1);
	struct dkt_record record;
	struct made made;
	uint64_t all = 0, switches = 0, cpu1 = 0, n;

	(void)state;
	make(&made);
	open_made(&made, NULL);
	while (!dkt_source_next(made.source, &record)) {
		all++;
		switches += wants((char *)"sched_switch", record.event);
		cpu1 += record.cpu == 1;
	}
	assert_true(switches && switches < all && cpu1 && cpu1 < all);
	close_made(&made);

	open_made(&made, NULL);
	assert_int_equal(dkt_source_select(made.source, wants, (char *)"sched_switch"), 0);
	assert_int_equal(dkt_source_seek(made.source, 0, 0), 0);
	for (n = 0; !dkt_source_next(made.source, &record); n++)
		assert_string_equal(dkt_event_name(record.event), "sched_switch");
	assert_int_equal(n, switches);
	assert_int_equal(seen(&made), all);
	close_made(&made);

	open_made(&made, &one_cpu);
	for (n = 0; !dkt_source_next(made.source, &record); n++)
		assert_int_equal(record.cpu, 1);
	assert_int_equal(n, cpu1);
	close_made(&made);
	close(made.fd);
}

static void an_unknown_cpu_is_refused(void **state)
{
	struct dkt_loss loss;
	struct made made = { .path = PLAIN };

	(void)state;
	open_made(&made, NULL);
	assert_fails(made.ctx, -EINVAL, "there is no cpu -1",
		     dkt_source_get_loss(made.source, -1, &loss, sizeof(loss)));
	close_made(&made);
}

/* Sets the difference of the clocks in a copy of the file. Returns true if the times of day are known then. */
static bool knows_the_day(uint64_t wall)
{
	struct made made = { .fd = memfd_create("made", MFD_CLOEXEC) };
	uint64_t at, clocks[] = { wall, 0 };
	size_t size;
	uint8_t *file;
	char *data;
	bool known;

	assert_true(made.fd >= 0);
	assert_int_equal(dkt__read_file(PLAIN, SIZE_MADE, &data, &size), 0);
	file = (uint8_t *)data;
	/* The table has an entry for each lower bit: where it begins, and its size. */
	assert_true(load(file + FLAGS) >> CLOCK_DATA & 1);
	at = load(file + DATA) + load(file + DATA_SIZE) +
	     16 * (uint64_t)__builtin_popcountll(load(file + FLAGS) & ((1u << CLOCK_DATA) - 1));
	memcpy(file + load(file + at) + 8, own_order(clocks, "88"), sizeof(clocks));
	put(made.fd, file, size);
	free(file);
	snprintf(made.path, sizeof(made.path), "/proc/self/fd/%d", made.fd);
	open_made(&made, NULL);
	known = dkt_source_info(made.source)->has_wall;
	assert_int_equal(dkt_source_info(made.source)->wall, known ? (int64_t)wall : 0);
	close_made(&made);
	close(made.fd);
	return known;
}

static void clocks_that_are_centuries_apart_are_damage(void **state)
{
	(void)state;
	assert_true(knows_the_day(UINT64_C(1795476160000000000)));
	assert_true(knows_the_day(0));
	assert_false(knows_the_day(INT64_MAX));
	assert_false(knows_the_day((uint64_t)INT64_MIN));
}

static void a_file_that_is_truncated_while_it_is_read_is_damaged(void **state)
{
	struct made made;
	struct sum whole = { 0 }, part = { 0 };

	(void)state;
	make(&made);
	open_made(&made, NULL);
	add(&made, &whole);
	assert_null(dkt_source_info(made.source)->damage);
	close_made(&made);
	open_made(&made, NULL);
	assert_int_equal(ftruncate(made.fd, SIZE_MADE / 2), 0);
	add(&made, &part);
	assert_uint_in_range(part.n, 1, whole.n - 1);
	assert_string_equal(dkt_source_info(made.source)->damage,
			    "the file was truncated while it was read");
	close_made(&made);
	close(made.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slices_add_up_to_one_reading),
		cmocka_unit_test(windows_select_by_time_in_any_order),
		cmocka_unit_test(cpus_events_and_filters_select),
		cmocka_unit_test(an_unknown_cpu_is_refused),
		cmocka_unit_test(clocks_that_are_centuries_apart_are_damage),
		cmocka_unit_test(a_file_that_is_truncated_while_it_is_read_is_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
