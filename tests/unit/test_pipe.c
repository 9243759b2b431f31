/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Recordings in progress from a pipe: while it grows, cut at any byte, damaged, beside the file. */
#include <sys/mman.h>

#include "lib/inside.h"
#include "tests/helper/check.h"
#include "tests/helper/journal.h"

struct piping {
	int fds[2];
	struct dkt_ctx *ctx;
	struct dkt_source *source;
};

/* All that a reader learns of a recording. */
struct result {
	int err;
	uint64_t times[256];
	uint32_t streams[256];
	size_t n;
	uint64_t lost[2], seen;
	char damage[300];
	bool growing;
};

static void write_to(const struct piping *p, const void *bytes, size_t n)
{
	assert_int_equal(write(p->fds[1], bytes, n), n);
}

static void end_it(struct piping *p)
{
	close(p->fds[1]);
	p->fds[1] = -1;
}

static int open_pipe(struct piping *p, const struct dkt_source_opts *opts)
{
	int rest, err;

	assert_int_equal(dkt_ctx_new(NULL, &p->ctx), 0);
	err = dkt_source_pipe(p->ctx, p->fds[0], opts, &rest, &p->source);
	if (err != 1)
		assert_int_equal(rest, -1);
	else
		close(rest);
	return err;
}

static void begin_pipe(struct piping *p)
{
	*p = (struct piping){ 0 };
	assert_int_equal(pipe(p->fds), 0);
}

static void close_pipe(struct piping *p)
{
	dkt_source_close(p->source);
	dkt_ctx_free(p->ctx);
	close(p->fds[0]);
	if (p->fds[1] >= 0)
		close(p->fds[1]);
}

/* Reads all records that are available. Returns the last result of dkt_source_next(). */
static int take(struct dkt_source *source, struct result *result)
{
	struct dkt_record record;
	int err;

	while (!(err = dkt_source_next(source, &record))) {
		assert_true(result->n < ARRAY_SIZE(result->times));
		result->times[result->n] = record.ts;
		result->streams[result->n++] = record.stream;
	}
	return err;
}

static void conclude(struct dkt_source *source, struct result *result)
{
	const struct dkt_source_info *info = dkt_source_info(source);
	struct dkt_loss loss;

	snprintf(result->damage, sizeof(result->damage), "%s", info->damage ? info->damage : "");
	result->growing = info->growing;
	for (int cpu = 0; cpu < info->cpus && cpu < 2; cpu++) {
		assert_int_equal(dkt_source_get_loss(source, cpu, &loss, sizeof(loss)), 0);
		result->lost[cpu] = loss.lost;
		result->seen += loss.seen;
	}
}

static void read_file(const uint8_t *bytes, size_t n, const struct dkt_source_opts *opts,
		      struct result *result)
{
	struct dkt_source_opts mine = *opts;
	struct dkt_source *source;
	struct dkt_ctx *ctx;
	int fd = memfd_create("journal", MFD_CLOEXEC);

	*result = (struct result){ 0 };
	assert_int_equal(write(fd, bytes, n), n);
	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	mine.fd = fd + 1;
	result->err = dkt_source_open(ctx, "journal", &mine, &source);
	if (!result->err) {
		assert_int_equal(take(source, result), DKT_NEXT_END);
		conclude(source, result);
	}
	dkt_source_close(source);
	dkt_ctx_free(ctx);
	close(fd);
}

static void read_pipe(const uint8_t *bytes, size_t n, const struct dkt_source_opts *opts,
		      struct result *result)
{
	struct piping p;

	*result = (struct result){ 0 };
	begin_pipe(&p);
	write_to(&p, bytes, n);
	end_it(&p);
	result->err = open_pipe(&p, opts);
	if (!result->err) {
		assert_int_equal(take(p.source, result), DKT_NEXT_END);
		/* The end stays the end. */
		assert_int_equal(take(p.source, result), DKT_NEXT_END);
		conclude(p.source, result);
	}
	close_pipe(&p);
}

static void compare(const uint8_t *bytes, size_t n, const struct dkt_source_opts *opts)
{
	struct result file, piped;

	read_file(bytes, n, opts, &file);
	read_pipe(bytes, n, opts, &piped);
	assert_int_equal(piped.err, file.err);
	assert_int_equal(piped.n, file.n);
	assert_memory_equal(piped.times, file.times, sizeof(file.times));
	assert_memory_equal(piped.streams, file.streams, sizeof(file.streams));
	assert_memory_equal(piped.lost, file.lost, sizeof(file.lost));
	assert_int_equal(piped.seen, file.seen);
	assert_string_equal(piped.damage, file.damage);
	assert_int_equal(piped.growing, file.growing);
}

static void a_pipe_is_read_as_the_file_is(void **state)
{
	DKT_OPTS(dkt_source_opts, opts, .flags = DKT_SOURCE_ALL);
	static const int cpu = 1;
	struct made_journal j;

	(void)state;
	journal_make(&j, 512, 1024);
	compare(j.data, j.n, &opts);
	opts.cpus = &cpu;
	opts.n_cpus = 1;
	compare(j.data, j.n, &opts);
	opts.flags = 0;
	compare(j.data, j.n, &opts);
	opts.buffer = "other";
	compare(j.data, j.n, &opts);
	opts.buffer = "none";
	compare(j.data, j.n, &opts);
}

static void each_window_is_read_as_of_the_file(void **state)
{
	DKT_OPTS(dkt_source_opts, opts, .flags = DKT_SOURCE_ALL);
	struct result file, piped;
	struct made_journal j;

	(void)state;
	journal_make(&j, 512, 1024);
	for (opts.since = 999; opts.since <= j.next; opts.since += 2)
		for (opts.until = opts.since; opts.until <= j.next + 1; opts.until += 3) {
			read_file(j.data, j.n, &opts, &file);
			read_pipe(j.data, j.n, &opts, &piped);
			assert_int_equal(piped.n, file.n);
			assert_memory_equal(piped.times, file.times, sizeof(file.times));
		}
}

static void each_cut_is_read_as_of_the_file(void **state)
{
	DKT_OPTS(dkt_source_opts, opts, .flags = DKT_SOURCE_ALL);
	struct made_journal j;

	(void)state;
	journal_make(&j, 512, 1024);
	for (size_t n = j.n - 1; n >= j.head; n--)
		compare(j.data, n, &opts);
}

static void each_damage_is_read_as_of_the_file(void **state)
{
	DKT_OPTS(dkt_source_opts, opts, .flags = DKT_SOURCE_ALL);
	struct made_journal j;

	(void)state;
	journal_make(&j, 512, 1024);
	for (size_t at = j.sections[1]; at < j.n; at++) {
		const uint8_t was = j.data[at];
		struct result file, piped;

		j.data[at] = (uint8_t)(was ^ 1 << at % 8);
		read_file(j.data, j.n, &opts, &file);
		read_pipe(j.data, j.n, &opts, &piped);
		/* A false mark changes when records and damage are known, and so their order. */
		assert_int_equal(piped.err, file.err);
		assert_int_equal(piped.n, file.n);
		assert_int_equal(strlen(piped.damage), strlen(file.damage));
		j.data[at] = was;
	}
}

/* The bytes come one by one. */
static void a_file_that_grows_is_read_as_the_whole_is(void **state)
{
	DKT_OPTS(dkt_source_opts, opts, .flags = DKT_SOURCE_ALL);
	struct result file, grown = { .err = -EAGAIN };
	struct dkt_source *source = NULL;
	int rest, fd = memfd_create("journal", MFD_CLOEXEC), last = DKT_NEXT_LATER;
	struct made_journal j;
	struct dkt_ctx *ctx;

	(void)state;
	journal_make(&j, 512, 1024);
	read_file(j.data, j.n, &opts, &file);
	opts.flags |= DKT_SOURCE_GROWS;
	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	for (size_t i = 0; i < j.n; i++) {
		assert_int_equal(last, DKT_NEXT_LATER);
		assert_int_equal(write(fd, &j.data[i], 1), 1);
		if (grown.err == -EAGAIN) {
			dkt_ctx_free(ctx);
			assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
			grown.err = dkt_source_pipe(ctx, fd, &opts, &rest, &source);
			assert_int_equal(rest, -1);
		}
		if (!grown.err)
			last = take(source, &grown);
		else
			assert_int_equal(grown.err, -EAGAIN);
		assert_memory_equal(grown.times, file.times, grown.n * sizeof(*file.times));
	}
	assert_int_equal(last, DKT_NEXT_END);
	conclude(source, &grown);
	assert_memory_equal(&grown, &file, sizeof(file));
	dkt_source_close(source);
	dkt_ctx_free(ctx);
	close(fd);
}

static void a_file_that_does_not_grow_is_told(void **state)
{
	DKT_OPTS(dkt_source_opts, opts, .flags = DKT_SOURCE_GROWS, .name = "a file");
	int rest, fd = memfd_create("journal", MFD_CLOEXEC), fds[2];
	struct dkt_record record;
	struct dkt_source *source;
	struct made_journal j;
	struct dkt_ctx *ctx;

	(void)state;
	journal_make(&j, 512, 1024);
	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	assert_int_equal(pipe(fds), 0);
	assert_fails(ctx, -EINVAL, "only a regular file grows",
		     dkt_source_pipe(ctx, fds[0], &opts, &rest, &source));
	assert_fails(ctx, -EAGAIN, "a file has no records yet",
		     dkt_source_pipe(ctx, fd, &opts, &rest, &source));
	/* Without its end. */
	j.n = j.sections[j.n_sections - 2];
	assert_int_equal(write(fd, j.data, j.n), j.n);
	dkt_ctx_free(ctx);
	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	assert_ok(ctx, dkt_source_pipe(ctx, fd, &opts, &rest, &source));
	while (!dkt_source_next(source, &record))
		;
	/* There may be more in a second. */
	assert_int_equal(dkt_source_wait(source, -1), 0);
	assert_int_equal(dkt_source_next(source, &record), DKT_NEXT_LATER);
	assert_int_equal(ftruncate(fd, (off_t)j.n - 1), 0);
	assert_fails(ctx, -ESTALE, "a file has become shorter", dkt_source_next(source, &record));
	dkt_source_close(source);
	dkt_ctx_free(ctx);
	close(fds[0]);
	close(fds[1]);
	/* A file that is no recording in progress is handed out, as a pipe is. */
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(pwrite(fd, "text of a log", 13, 0), 13);
	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	assert_int_equal(dkt_source_pipe(ctx, fd, &opts, &rest, &source), 1);
	close(rest);
	dkt_ctx_free(ctx);
	close(fd);
}

static void records_come_with_their_mark(void **state)
{
	DKT_OPTS(dkt_source_opts, opts, .flags = DKT_SOURCE_ALL);
	struct result result = { 0 };
	struct made_journal j;
	struct piping p;

	(void)state;
	journal_make(&j, 512, 1024);
	begin_pipe(&p);
	/* The sections: options, formats, 2 buffers, names, 3 of pages, names, mark. */
	write_to(&p, j.data, j.sections[9]);
	assert_ok(p.ctx, open_pipe(&p, &opts));
	assert_int_equal(take(p.source, &result), DKT_NEXT_LATER);
	assert_int_equal(result.n, 5 * JOURNAL_RECORDS);
	/* Each byte on its own: nothing comes before the mark is complete. */
	for (size_t at = j.sections[9]; at < j.sections[12] - 1; at++) {
		write_to(&p, j.data + at, 1);
		assert_ok(p.ctx, dkt_source_wait(p.source, -1));
		assert_int_equal(take(p.source, &result), DKT_NEXT_LATER);
		assert_int_equal(result.n, 5 * JOURNAL_RECORDS);
	}
	write_to(&p, j.data + j.sections[12] - 1, 1);
	assert_int_equal(take(p.source, &result), DKT_NEXT_LATER);
	assert_int_equal(result.n, 7 * JOURNAL_RECORDS);
	assert_true(dkt_source_info(p.source)->growing);
	write_to(&p, j.data + j.sections[12], j.n - j.sections[12]);
	assert_int_equal(take(p.source, &result), DKT_NEXT_LATER);
	end_it(&p);
	assert_ok(p.ctx, dkt_source_wait(p.source, -1));
	assert_int_equal(take(p.source, &result), DKT_NEXT_END);
	conclude(p.source, &result);
	assert_int_equal(result.n, 7 * JOURNAL_RECORDS);
	assert_int_equal(result.lost[1], 9);
	assert_false(result.growing);
	assert_string_equal(result.damage, "");
	for (size_t i = 0; i < result.n; i++)
		assert_int_equal(result.times[i], 1000 + i);
	close_pipe(&p);
}

/* A CPU that comes later has a stream of its own. */
static void later_cpus_and_buffers_are_read(void **state)
{
	DKT_OPTS(dkt_source_opts, opts, .flags = DKT_SOURCE_ALL);
	struct result result = { 0 };
	struct made_journal j;
	struct piping p;

	(void)state;
	journal_begin(&j, 512, 1024, (struct made_instances){ 0 });
	journal_pages(&j, 0, 0, 1, false);
	journal_mark(&j, 0, 0);
	begin_pipe(&p);
	write_to(&p, j.data, j.n);
	assert_ok(p.ctx, open_pipe(&p, &opts));
	assert_int_equal(take(p.source, &result), DKT_NEXT_LATER);
	assert_int_equal(result.n, JOURNAL_RECORDS);
	for (uint32_t cpu = 1; cpu < 9; cpu++) {
		size_t from = j.n;

		journal_pages(&j, 1, cpu, 1, cpu % 2);
		journal_mark(&j, cpu, cpu);
		write_to(&p, j.data + from, j.n - from);
		j.n_pages = j.n_sections = 0;
		assert_int_equal(take(p.source, &result), DKT_NEXT_LATER);
		assert_int_equal(result.n, (cpu + 1) * JOURNAL_RECORDS);
		assert_int_equal(dkt_source_info(p.source)->cpus, cpu + 1);
	}
	close_pipe(&p);
}

/* They are used when a CPU is found whose records were not there before. */
static void the_options_may_be_freed_after_the_open(void **state)
{
	DKT_OPTS(dkt_source_opts, opts);
	struct result result = { 0 };
	char *buffer = strdup("other");
	int *cpus = calloc(1, sizeof(*cpus));
	struct made_journal j;
	struct piping p;
	size_t from;

	(void)state;
	*cpus = 1;
	opts.buffer = opts.name = buffer;
	opts.cpus = cpus;
	opts.n_cpus = 1;
	journal_begin(&j, 512, 1024, (struct made_instances){ 0 });
	journal_pages(&j, 0, 0, 1, false);
	journal_mark(&j, 0, 0);
	begin_pipe(&p);
	write_to(&p, j.data, j.n);
	assert_ok(p.ctx, open_pipe(&p, &opts));
	memset(buffer, 'x', strlen(buffer));
	*cpus = 0;
	free(buffer);
	free(cpus);
	assert_int_equal(take(p.source, &result), DKT_NEXT_LATER);
	from = j.n;
	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		journal_pages(&j, 0, cpu, 1, false);
		journal_pages(&j, 1, cpu, 1, false);
	}
	journal_mark(&j, 0, 0);
	write_to(&p, j.data + from, j.n - from);
	assert_int_equal(take(p.source, &result), DKT_NEXT_LATER);
	/* The last page of all. */
	assert_int_equal(result.n, JOURNAL_RECORDS);
	assert_int_equal(result.times[0], j.next - JOURNAL_RECORDS);
	close_pipe(&p);
}

static void later_formats_and_names_are_used(void **state)
{
	struct dkt_record record;
	struct made_journal j;
	struct piping p;
	size_t from;

	(void)state;
	journal_begin(&j, 512, 1024, (struct made_instances){ 0 });
	/* An event that is not in the first formats. */
	memcpy(memmem(j.data, j.n, "ID: 7", 5), "ID: 9", 5);
	journal_mark(&j, 0, 0);
	begin_pipe(&p);
	write_to(&p, j.data, j.n);
	assert_ok(p.ctx, open_pipe(&p, NULL));
	assert_int_equal(dkt_source_next(p.source, &record), DKT_NEXT_LATER);
	from = j.n;
	journal_formats(&j);
	journal_names(&j, "42 renamed\n");
	journal_pages(&j, 0, 0, 1, false);
	journal_mark(&j, 0, 0);
	write_to(&p, j.data + from, j.n - from);
	assert_int_equal(dkt_source_next(p.source, &record), 0);
	assert_string_equal(dkt_event_name(record.event), "up");
	assert_int_equal(dkt_event_id(record.event), JOURNAL_ID);
	assert_string_equal(dkt_source_comm(p.source, &record), "renamed");
	assert_int_equal(dkt_source_next(p.source, &record), 0);
	/* The name changes again, while the last one is in use. */
	from = j.n;
	journal_names(&j, "42 again\n");
	journal_pages(&j, 0, 0, 1, false);
	journal_mark(&j, 0, 0);
	write_to(&p, j.data + from, j.n - from);
	for (int i = 0; i < JOURNAL_RECORDS - 1; i++)
		assert_int_equal(dkt_source_next(p.source, &record), 0);
	assert_string_equal(dkt_source_comm(p.source, &record), "again");
	close_pipe(&p);
}

static void a_mark_without_a_time_keeps_nothing_back(void **state)
{
	struct result result = { 0 };
	struct made_journal j;
	struct piping p;
	uint64_t next;

	(void)state;
	journal_begin(&j, 512, 1024, (struct made_instances){ 0 });
	journal_pages(&j, 0, 0, 1, false);
	next = j.next;
	j.next = 0;
	journal_mark(&j, 0, 0);
	j.next = next;
	begin_pipe(&p);
	write_to(&p, j.data, j.n);
	assert_ok(p.ctx, open_pipe(&p, NULL));
	assert_int_equal(take(p.source, &result), DKT_NEXT_LATER);
	assert_int_equal(result.n, JOURNAL_RECORDS);
	close_pipe(&p);
}

static void other_files_are_handed_out(void **state)
{
	static const char *const texts[] = { "", "text of a log\n", "\x17\x08\x44trac",
					     "\x17\x08\x44tracing6", "PERFILE2" };
	char bytes[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		const size_t n = strlen(texts[i]);
		struct piping p;
		int rest;

		begin_pipe(&p);
		write_to(&p, texts[i], n);
		end_it(&p);
		assert_int_equal(dkt_ctx_new(NULL, &p.ctx), 0);
		assert_int_equal(dkt_source_pipe(p.ctx, p.fds[0], NULL, &rest, &p.source), 1);
		assert_null(p.source);
		assert_int_equal(pread(rest, bytes, sizeof(bytes), 0), n);
		assert_memory_equal(bytes, texts[i], n);
		/* More can be appended. */
		assert_int_equal(lseek(rest, 0, SEEK_CUR), n);
		close(rest);
		close_pipe(&p);
	}
}

static void the_context_is_new_for_the_rest(void **state)
{
	struct made_journal j;
	struct result result;
	struct piping p;
	int rest;

	(void)state;
	journal_make(&j, 512, 512);
	/* The options of a complete file are not at its beginning. */
	j.data[sizeof("\x17\x08\x44tracing7") + 6 + sizeof("zstd") + sizeof("1")]++;
	begin_pipe(&p);
	write_to(&p, j.data, j.n);
	end_it(&p);
	assert_int_equal(dkt_ctx_new(NULL, &p.ctx), 0);
	assert_int_equal(dkt_source_pipe(p.ctx, p.fds[0], NULL, &rest, &p.source), 1);
	{
		DKT_OPTS(dkt_source_opts, opts, .fd = rest + 1);

		assert_ok(p.ctx, dkt_source_open(p.ctx, "rest", &opts, &p.source));
	}
	result = (struct result){ 0 };
	assert_int_equal(take(p.source, &result), DKT_NEXT_END);
	close(rest);
	close_pipe(&p);
}

static void it_can_be_sought_before_the_first_record(void **state)
{
	struct dkt_record record;
	struct made_journal j;
	uint64_t done, of, to;
	struct piping p;

	(void)state;
	journal_make(&j, 512, 1024);
	begin_pipe(&p);
	write_to(&p, j.data, j.n);
	assert_ok(p.ctx, open_pipe(&p, NULL));
	assert_ok(p.ctx, dkt_source_seek(p.source, 1004, 0));
	assert_int_equal(dkt_source_next(p.source, &record), 0);
	assert_int_equal(record.ts, 1004);
	assert_fails(p.ctx, -EOPNOTSUPP, "the pipe can only be read from beginning to end",
		     dkt_source_seek(p.source, 0, 0));
	assert_int_equal(dkt__source_slice(p.source, 0, 1, &to), -EOPNOTSUPP);
	assert_int_equal(dkt__source_get_bytes(p.source, &done, &of), -EOPNOTSUPP);
	/* Somebody else may end the wait. */
	assert_int_equal(dkt__source_wake(p.source), 0);
	assert_int_equal(dkt_source_wait(p.source, -1), 0);
	close_pipe(&p);
}

static void errors_have_words(void **state)
{
	struct made_journal j;
	struct piping p;
	int rest;

	(void)state;
	begin_pipe(&p);
	assert_int_equal(dkt_ctx_new(NULL, &p.ctx), 0);
	assert_fails(p.ctx, -EBADF, "read the pipe: Bad file descriptor",
		     dkt_source_pipe(p.ctx, p.fds[1], NULL, &rest, &p.source));
	assert_int_equal(rest, -1);
	close_pipe(&p);
	journal_make(&j, 512, 1024);
	begin_pipe(&p);
	write_to(&p, j.data, j.n);
	assert_ok(p.ctx, open_pipe(&p, NULL));
	{
		struct dkt_source *other;

		assert_fails(p.ctx, -EBUSY, "read a pipe: the context belongs to another kernel",
			     dkt_source_pipe(p.ctx, p.fds[0], NULL, &rest, &other));
	}
	close_pipe(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pipe_is_read_as_the_file_is),
		cmocka_unit_test(each_window_is_read_as_of_the_file),
		cmocka_unit_test(each_cut_is_read_as_of_the_file),
		cmocka_unit_test(each_damage_is_read_as_of_the_file),
		cmocka_unit_test(a_file_that_grows_is_read_as_the_whole_is),
		cmocka_unit_test(a_file_that_does_not_grow_is_told),
		cmocka_unit_test(records_come_with_their_mark),
		cmocka_unit_test(later_cpus_and_buffers_are_read),
		cmocka_unit_test(the_options_may_be_freed_after_the_open),
		cmocka_unit_test(later_formats_and_names_are_used),
		cmocka_unit_test(a_mark_without_a_time_keeps_nothing_back),
		cmocka_unit_test(other_files_are_handed_out),
		cmocka_unit_test(the_context_is_new_for_the_rest),
		cmocka_unit_test(it_can_be_sought_before_the_first_record),
		cmocka_unit_test(errors_have_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
