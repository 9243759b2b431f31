/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading trace.dat: both versions, all compressions and byte orders, windows, truncated files. */
#include <sys/mman.h>
#include <sys/stat.h>

#include "lib/ctx.h"
#include "lib/inside.h"
#include "tests/helper/check.h"

#define RECORDED "tests/fixture/tracedat/"
#define MADE     "tests/fuzz/corpus/tracedat/"

struct reading {
	struct dkt_ctx *ctx;
	struct dkt_source *source;
	struct dkt_buf *buf;
};

static int begin(struct reading *r, const char *path, const struct dkt_source_opts *opts)
{
	int err;

	*r = (struct reading){ 0 };
	assert_int_equal(dkt_ctx_new(NULL, &r->ctx), 0);
	assert_int_equal(dkt_buf_new(&r->buf), 0);
	err = dkt_source_open(r->ctx, path, opts, &r->source);
	if (err)
		assert_null(r->source);
	return err;
}

static void end(struct reading *r)
{
	dkt_source_close(r->source);
	dkt_buf_free(r->buf);
	dkt_ctx_free(r->ctx);
}

/* Prints the remaining records; returns their number. */
static int print(struct reading *r)
{
	struct dkt_record record;
	uint64_t last = 0;
	int n = 0, rc;

	while (!(rc = dkt_source_next(r->source, &record))) {
		dkt_style_trace(&record, record.event ? dkt_source_comm(r->source, &record) : NULL,
				r->buf);
		assert_true(record.ts >= last);
		last = record.ts;
		n += record.event != NULL;
	}
	assert_int_equal(rc, 1);
	assert_int_equal(dkt_buf_error(r->buf), 0);
	return n;
}

/* All text of a file; the caller frees it. */
static char *text_of(const char *path, const struct dkt_source_opts *opts, int *n)
{
	struct reading r;
	char *text;

	assert_int_equal(begin(&r, path, opts), 0);
	*n = print(&r);
	assert_null(dkt_source_info(r.source)->damage);
	text = strndup(r.buf->data, r.buf->len);
	assert_non_null(text);
	end(&r);
	return text;
}

static void a_file_describes_itself(void **state)
{
	const struct dkt_source_info *info;
	struct dkt_loss loss;
	struct reading r;

	(void)state;
	assert_int_equal(begin(&r, RECORDED "v7-zstd.dat", NULL), 0);
	info = dkt_source_info(r.source);
	assert_string_equal(info->kind, "trace.dat version 7");
	assert_string_equal(info->host, "vm");
	assert_string_equal(info->kernel, "6.18.44-fc-v657 x86_64");
	assert_string_equal(info->clock, "local");
	assert_int_equal(info->cpus, 2);
	assert_false(info->has_wall);
	end(&r);
	assert_int_equal(begin(&r, MADE "v6", NULL), 0);
	print(&r);
	assert_int_equal(dkt_source_get_loss(r.source, 0, &loss, sizeof(loss)), 0);
	assert_int_equal(loss.seen, 10);
	assert_int_equal(loss.lost, 4);
	assert_int_equal(dkt_source_get_loss(r.source, 1, &loss, sizeof(loss)), 0);
	assert_int_equal(loss.seen, 3);
	assert_int_equal(loss.lost, 0);
	end(&r);
}

/* The same records with every compression. */
static void compressed_files_have_the_same_records(void **state)
{
	DKT_OPTS(dkt_source_opts, all, .flags = DKT_SOURCE_ALL);
	DKT_OPTS(dkt_source_opts, two, .buffer = "two");
	char *zstd, *zlib;
	int n, m;

	(void)state;
	zstd = text_of(RECORDED "v7-zstd.dat", &all, &n);
	zlib = text_of(RECORDED "v7-zlib.dat", &all, &m);
	assert_int_equal(n, 84);
	assert_int_equal(m, 84);
	assert_string_equal(zstd, zlib);
	free(zstd);
	free(zlib);
	free(text_of(RECORDED "v7-zlib.dat", NULL, &n));
	free(text_of(RECORDED "v7-zlib.dat", &two, &m));
	assert_int_equal(n, 58);
	assert_int_equal(n + m, 84);
	zstd = text_of(MADE "v7", NULL, &n);
	zlib = text_of(MADE "v7-zlib", NULL, &m);
	assert_int_equal(n, 9);
	assert_string_equal(zstd, zlib);
	free(zstd);
	free(zlib);
}

static void every_byte_order_reads_the_same(void **state)
{
	static const char *const files[] = { MADE "v6-big", MADE "v6-long4", MADE "v6-big-long4" };
	char *ours, *other;
	size_t i;
	int n;

	(void)state;
	ours = text_of(MADE "v6", NULL, &n);
	assert_int_equal(n, 13);
	assert_has(ours, "      forty-two-42    [000]     0.000001: two:                "
			 "  v=4096 s=hello c=abc f=one+0x0\n");
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		other = text_of(files[i], NULL, &n);
		assert_string_equal(ours, other);
		free(other);
	}
	free(ours);
}

/* trace_printk(): its numbers lie between its texts, as a format among the strings has them. */
static void trace_printk_is_read(void **state)
{
	static const char *const files[] = { MADE "printk-big", MADE "printk-long4",
					     MADE "printk-big-long4" };
	char *ours, *other;
	size_t i;
	int n;

	(void)state;
	ours = text_of(MADE "printk", NULL, &n);
	assert_int_equal(n, 6);
	assert_has(ours, "one: disk: -3 of    7, x 127.0.0.1 0x2222 two 1234567890\n");
	assert_has(ours, "bputs:                0x2010: plain text\n");
	assert_has(ours, "<stack> => one => 0x2004 => one\n");
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		other = text_of(files[i], NULL, &n);
		assert_string_equal(ours, other);
		free(other);
	}
	free(ours);
	ours = text_of(MADE "printk-old", NULL, &n);
	other = text_of(MADE "printk-old-big-long4", NULL, &n);
	assert_has(ours, "7, x <%pI4 0x1001> 0x2222 two 1234567890\n");
	assert_string_equal(ours, other);
	free(ours);
	free(other);
}

static void cpus_select_records(void **state)
{
	const int cpus[] = { 1 };
	DKT_OPTS(dkt_source_opts, opts, .cpus = cpus, .n_cpus = 1);
	char *text;
	int n;

	(void)state;
	text = text_of(MADE "v6", &opts, &n);
	assert_int_equal(n, 3);
	assert_lacks(text, "[000]");
	free(text);
}

/* Consecutive windows give the same records as one reading, wherever they are cut. */
static void windows_add_up_to_one_reading(void **state)
{
	static const char *const files[] = { RECORDED "v7-zstd.dat", RECORDED "v6.dat", MADE "v6" };
	uint64_t from, to, step;
	struct reading r;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		int n;
		char *all = text_of(files[i], NULL, &n);

		assert_int_equal(begin(&r, files[i], NULL), 0);
		for (from = 0; !dkt__source_slice(r.source, from, 1, &to); from = to) {
			assert_true(to > from);
			assert_int_equal(dkt_source_seek(r.source, from, to == UINT64_MAX ? 0 : to),
					 0);
			print(&r);
			if (to == UINT64_MAX)
				break;
		}
		assert_int_equal(r.buf->len, strlen(all));
		assert_memory_equal(r.buf->data, all, r.buf->len);
		free(all);
		end(&r);
	}
	/* Times 1016, 1023 ... 2044 of the two CPUs. */
	for (step = 1; step < 300; step += 13) {
		int n = 0;

		assert_int_equal(begin(&r, MADE "v6", NULL), 0);
		for (from = 900; from < 2200; from += step) {
			dkt_source_seek(r.source, from, from + step);
			n += print(&r);
		}
		assert_int_equal(n, 13);
		end(&r);
	}
}

static void since_and_until_select_records(void **state)
{
	DKT_OPTS(dkt_source_opts, opts, .since = 1517, .until = 2017);
	int n;

	(void)state;
	free(text_of(MADE "v6", &opts, &n));
	assert_int_equal(n, 3);
}

/* Writes the first bytes of a file to one of its own; returns its path. */
static void cut(const char *path, long size, char *copy, int *fd)
{
	char bytes[200000];
	FILE *f = fopen(path, "re");
	size_t n;

	assert_non_null(f);
	n = fread(bytes, 1, sizeof(bytes), f);
	fclose(f);
	if (size < 0)
		size += (long)n;
	*fd = memfd_create("cut", MFD_CLOEXEC);
	assert_true(*fd >= 0 && write(*fd, bytes, (size_t)size) == size);
	snprintf(copy, 32, "/proc/self/fd/%d", *fd);
}

static bool every(void *data, struct dkt_event *event)
{
	(void)data;
	(void)event;
	return true;
}

/* How many records match; *met: how many the source returned. */
static int matching(const char *path, const char *text, bool filtered, int *met)
{
	DKT_OPTS(dkt_expr_opts, opts);
	struct dkt_record record;
	struct dkt_expr *expr;
	struct dkt_loss loss;
	struct reading r;
	uint64_t seen = 0;
	int n = 0, cpu;

	*met = 0;
	assert_int_equal(begin(&r, path, NULL), 0);
	assert_ok(r.ctx, dkt_expr_new(r.ctx, text, &opts, &expr));
	if (filtered) {
		assert_int_equal(dkt_source_select(r.source, every, NULL), 0);
		assert_int_equal(dkt__source_filter(r.source, expr), 0);
		assert_int_equal(dkt_source_seek(r.source, 0, 0), 0);
	}
	for (; !dkt_source_next(r.source, &record); ++*met)
		n += record.event && dkt_expr_match(expr, &record, "");
	for (cpu = 0; cpu < dkt_source_info(r.source)->cpus; cpu++) {
		dkt_source_get_loss(r.source, cpu, &loss, sizeof(loss));
		seen += loss.seen;
	}
	assert_int_equal(seen, 58);
	dkt_expr_free(expr);
	end(&r);
	return n;
}

/* A source that skips records by a filter's first comparison skips none that match. */
static void a_filter_skips_no_record_that_matches(void **state)
{
	static const struct {
		const char *text;
		bool fewer;
	} filters[] = {
		{ "prev_prio == 0", true },         { "prev_prio != 0", true },
		{ "prev_prio < 120", true },        { "prev_prio >= 120", true },
		{ "prev_prio > -1", false },        { "prev_state <= 0 && prev_pid > 0", true },
		{ "!(prev_prio == 0)", false },     { "prev_prio == 0 || prev_prio == 120", false },
		{ "prev_comm == \"none\"", false }, { "prev_prio & 1", false },
		{ "common_pid == 0", true },        { "common_type < 0", false },
	};
	int met, of, n;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(filters); i++) {
		n = matching(RECORDED "v7-zstd.dat", filters[i].text, false, &of);
		assert_int_equal(matching(RECORDED "v7-zstd.dat", filters[i].text, true, &met), n);
		/* All records of the other byte order are looked at. */
		assert_int_equal(filters[i].fewer && !DKT__BIG_ENDIAN, met < of);
	}
}

/* The file is read up to its end, and the damage is reported. */
static void a_truncated_file_is_read_up_to_its_end(void **state)
{
	struct reading r;
	char path[32];
	long at;
	int fd, n, most = 0;

	(void)state;
	for (at = 20; at <= 5004; at += 24) {
		cut(MADE "v6", at, path, &fd);
		assert_int_equal(begin(&r, path, NULL), 0);
		n = print(&r);
		assert_true(n >= most);
		most = n;
		assert_non_null(dkt_source_info(r.source)->damage);
		assert_has(dkt_source_info(r.source)->damage, "truncated at byte");
		end(&r);
		close(fd);
	}
	assert_int_equal(most, 13);
}

/* Version 7 has the places of its pages at its end; they are found without it. */
static void a_truncated_file_of_version_7_has_its_pages(void **state)
{
	static const char *const files[] = { MADE "v7", MADE "v7-zlib" };
	struct reading r;
	char path[32];
	size_t i;
	int fd;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		cut(files[i], -1, path, &fd);
		assert_int_equal(begin(&r, path, NULL), 0);
		print(&r);
		assert_has(dkt_source_info(r.source)->damage, "truncated at byte");
		end(&r);
		close(fd);
	}
	cut(RECORDED "v7-zstd.dat", 30000, path, &fd);
	assert_int_equal(begin(&r, path, NULL), 0);
	assert_int_equal(print(&r), 43);
	assert_has(dkt_source_info(r.source)->damage, "is guessed");
	end(&r);
	close(fd);
}

/* The instances after the top instance are read too. */
static void a_truncated_file_has_all_instances(void **state)
{
	DKT_OPTS(dkt_source_opts, all, .flags = DKT_SOURCE_ALL);
	static const char *const files[] = { RECORDED "v7-zstd.dat", RECORDED "v7-zlib.dat" };
	int fd, n, most;
	struct reading r;
	struct stat st;
	char path[32];
	size_t i;
	long at;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		assert_int_equal(stat(files[i], &st), 0);
		for (at = 20000, most = 0; at < st.st_size; at += 100) {
			cut(files[i], at, path, &fd);
			assert_int_equal(begin(&r, path, &all), 0);
			n = print(&r);
			assert_true(n >= most);
			most = n;
			end(&r);
			close(fd);
		}
		assert_int_equal(most, 84);
	}
}

static void refused(const char *bytes, size_t n, const char *words)
{
	struct reading r;
	char path[32];
	int fd = memfd_create("refused", MFD_CLOEXEC);

	assert_true(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_true(begin(&r, path, NULL) < 0);
	assert_has(dkt_error(r.ctx), words);
	end(&r);
	close(fd);
}

static void note(void *data, enum dkt_log_level level, const char *text)
{
	struct dkt_buf *said = data;

	if (level == DKT_LOG_WARN)
		dkt_buf_str(said, text);
}

/* In the packed kallsyms of v7-zlib. */
#define SPOILT_AT 490

/* Symbols are unpacked when a name is asked for, and only then is it told that they are damaged. */
static void damaged_symbols_are_reported_when_needed(void **state)
{
	DKT_OPTS(dkt_ctx_opts, opts, .log = note);
	struct reading r = { 0 };
	struct dkt_record record;
	struct dkt_buf *said;
	struct stat st;
	char path[32];
	int fd, n = 0;

	(void)state;
	assert_int_equal(stat(MADE "v7-zlib", &st), 0);
	cut(MADE "v7-zlib", st.st_size, path, &fd);
	assert_int_equal(pwrite(fd, "\xff", 1, SPOILT_AT), 1);
	assert_int_equal(dkt_buf_new(&said), 0);
	assert_int_equal(dkt_buf_new(&r.buf), 0);
	opts.log_data = said;
	assert_int_equal(dkt_ctx_new(&opts, &r.ctx), 0);
	assert_ok(r.ctx, dkt_source_open(r.ctx, path, NULL, &r.source));
	while (!dkt_source_next(r.source, &record))
		n++;
	assert_int_equal(n, 9);
	assert_int_equal(said->len, 0);
	assert_int_equal(dkt_source_seek(r.source, 0, 0), 0);
	assert_int_equal(print(&r), 9);
	assert_non_null(memmem(r.buf->data, r.buf->len, " f=0x1000\n", 10));
	dkt__buf_add(said, "", 1);
	assert_string_equal(said->data, "the file's symbols cannot be unpacked");
	end(&r);
	dkt_buf_free(said);
	close(fd);
}

static void other_files_are_refused(void **state)
{
	static const char v5[] = "\x17\x08\x44tracing5\0\0\x08\0\x10\0\0";
	static const char v7[] =
		"\x17\x08\x44tracing7\0\0\x08\0\x10\0\0lzma\0001\0\1\0\0\0\0\0\0\0";
	DKT_OPTS(dkt_source_opts, opts, .buffer = "three");
	struct reading r;

	(void)state;
	refused(v5, sizeof(v5), "trace.dat version '5' is not supported; 6 and 7 are");
	refused(v7, sizeof(v7), "its compression 'lzma' is not supported");
	refused("text", 4, "unknown file format");
	assert_fails(r.ctx, -ENOENT, "read " RECORDED "v6.dat: it has no buffer 'three'",
		     begin(&r, RECORDED "v6.dat", &opts));
	end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_describes_itself),
		cmocka_unit_test(compressed_files_have_the_same_records),
		cmocka_unit_test(every_byte_order_reads_the_same),
		cmocka_unit_test(trace_printk_is_read),
		cmocka_unit_test(cpus_select_records),
		cmocka_unit_test(windows_add_up_to_one_reading),
		cmocka_unit_test(since_and_until_select_records),
		cmocka_unit_test(a_truncated_file_is_read_up_to_its_end),
		cmocka_unit_test(a_truncated_file_of_version_7_has_its_pages),
		cmocka_unit_test(a_truncated_file_has_all_instances),
		cmocka_unit_test(damaged_symbols_are_reported_when_needed),
		cmocka_unit_test(other_files_are_refused),
		cmocka_unit_test(a_filter_skips_no_record_that_matches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
