/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The debug daemon's file: complete records at any time, wherever it begins and wraps. */
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "compat/dk/debug_daemon/file.h"
#include "compat/lustre/binary/event.h"
#include "compat/lustre/binary/line.h"
#include "compat/lustre/binary/sort.h"
#include "lib/base/buf.h"
#include "lib/inside.h"
#include "tests/helper/check.h"

#define LINE "00000080:00200000:1.0F:1495061000.000042:0:77:0:(syscalls:0:sys_exit_read()) "

struct setup {
	struct dkt_ctx *ctx;
	char name[64];
	uint64_t next; /* number of the next record */
};

static int make_setup(void **state)
{
	struct setup *s = calloc(1, sizeof(*s));
	int fd;

	if (!s || dkt_ctx_new(NULL, &s->ctx))
		return -1;
	snprintf(s->name, sizeof(s->name), "/tmp/dkt-test-XXXXXX");
	fd = mkstemp(s->name);
	if (fd < 0)
		return -1;
	close(fd);
	*state = s;
	return 0;
}

static int clear_setup(void **state)
{
	struct setup *s = *state;
	char name[80];
	int i;

	for (i = 1; i < 5; i++) {
		snprintf(name, sizeof(name), "%s.%d", s->name, i);
		unlink(name);
	}
	unlink(s->name);
	dkt_ctx_free(s->ctx);
	free(s);
	return 0;
}

/* Adds records of any length, each with another second, until one fails. */
static int try_add(struct setup *s, struct daemon_file *file, unsigned int n)
{
	int err = 0;

	static char line[8192];
	static uint8_t rec[RECORD_FROM_LINE_MAX];
	struct class_bits bits = { .classes = 1, .subsystems = 2 };

	while (!err && n--) {
		struct dkt_record from = { .ts = (1495061000 + s->next) * 1000000000,
					   .pid = (int)s->next };
		size_t text = s->next * 7919 % (s->next % 10 ? 300 : 5000), len;
		int head = snprintf(line, sizeof(line), "x(f:0:g()) ");

		memset(line + head, 't', text);
		line[(size_t)head + text] = '\n';
		len = dkl_record_from_line(&from, &bits, 0, line, (size_t)head + text + 1, rec);
		assert_true(len <= RECORD_FROM_LINE_MAX);
		err = dkl_daemon_file_add(file, rec, len, true);
		s->next += !err;
	}
	return err;
}

static void add(struct setup *s, struct daemon_file *file, unsigned int n)
{
	assert_int_equal(try_add(s, file, n), 0);
}

/* All that is in the file is whole and the youngest is there; returns how many there are. */
static uint64_t check(struct setup *s, const char *name, uint64_t youngest)
{
	struct record_sort_opts opts = { .name = name, .show = { UINT32_MAX, UINT32_MAX } };
	struct record_sort *sort;
	uint64_t kept, at = 0;
	const uint8_t *rec;
	uint32_t len;
	FILE *f = fopen(name, "r");

	assert_non_null(f);
	opts.fd = fileno(f);
	assert_ok(s->ctx, dkl_record_sort_new(s->ctx, &opts, &sort));
	assert_int_equal(dkl_record_sort_counts(sort)->bad, 0);
	assert_int_equal(dkl_record_sort_counts(sort)->empty, 0);
	assert_int_equal(dkl_record_sort_counts(sort)->end, RECORD_END);
	kept = dkl_record_sort_counts(sort)->kept;
	/* Without a gap up to the youngest. */
	while (!dkl_record_sort_next(sort, &rec, &len)) {
		uint64_t sec = record_key(rec) >> 32;

		assert_true(!at || sec == at + 1);
		at = sec;
	}
	assert_int_equal(at, 1495061000 + youngest);
	dkl_record_sort_free(sort);
	fclose(f);
	return kept;
}

static void a_file_has_complete_records_wherever_it_wraps(void **state)
{
	struct setup *s = *state;
	uint64_t pos = UINT64_MAX;
	struct daemon_file *file;
	int i;

	for (i = 0; i < 40; i++) {
		assert_ok(s->ctx, dkl_daemon_file_open(s->ctx, s->name, 1 << 20, 0, pos, &file));
		add(s, file, 37 + (unsigned int)i * 11);
		assert_int_equal(dkl_daemon_file_flush(file), 0);
		check(s, s->name, s->next - 1);
		add(s, file, 3);
		assert_int_equal(dkl_daemon_file_flush(file), 0);
		pos = dkl_daemon_file_pos(file);
		dkl_daemon_file_close(file);
		assert_true(check(s, s->name, s->next - 1) <= s->next);
	}
	assert_true(s->next > 3 * check(s, s->name, s->next - 1));
}

static void rotated_files_keep_all_records(void **state)
{
	struct setup *s = *state;
	struct daemon_file *file;
	uint64_t kept = 0;
	char name[80];
	struct stat st;

	assert_ok(s->ctx, dkl_daemon_file_open(s->ctx, s->name, 1 << 18, 2, UINT64_MAX, &file));
	while (file->rounds < 4)
		add(s, file, 1);
	assert_int_equal(dkl_daemon_file_flush(file), 0);
	kept = check(s, s->name, s->next - 1);
	snprintf(name, sizeof(name), "%s.1", s->name);
	kept += check(s, name, s->next - 1 - kept);
	snprintf(name, sizeof(name), "%s.2", s->name);
	check(s, name, s->next - 1 - kept);
	snprintf(name, sizeof(name), "%s.3", s->name);
	assert_int_equal(stat(name, &st), -1);
	dkl_daemon_file_close(file);
}

/* No file gets larger: what would pass the limit is written in part, then refused. */
static void limit_files(rlim_t bytes)
{
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/*
 * Adds and writes until the disk is full. The file is complete and has all records that it reports.
 */
static uint64_t fill(struct setup *s, uint64_t pos, rlim_t bytes, bool often)
{
	uint64_t before = s->next;
	struct daemon_file *file;
	int err = 0;

	assert_ok(s->ctx, dkl_daemon_file_open(s->ctx, s->name, 1 << 20, 0, pos, &file));
	limit_files(bytes);
	while (!err) {
		err = try_add(s, file, 7);
		if (!err && often)
			err = dkl_daemon_file_flush(file);
	}
	assert_int_equal(err, -EFBIG);
	assert_has(dkt_error(s->ctx), "File too large");
	assert_lacks(dkt_error(s->ctx), "incomplete");
	/* The rest comes again, as it does from the log. */
	s->next = before + file->done.records;
	if (s->next)
		check(s, s->name, s->next - 1);
	pos = dkl_daemon_file_pos(file);
	dkl_daemon_file_close(file);
	limit_files(RLIM_INFINITY);
	return pos;
}

static void a_full_disk_leaves_complete_records(void **state)
{
	static const rlim_t sizes[] = { 1, 5000, 65535, 65600, 200001, 700000 };
	struct setup *s = *state;
	struct daemon_file *file;
	struct stat st;
	uint64_t pos;
	size_t i;

	for (i = 0; i < 2 * sizeof(sizes) / sizeof(sizes[0]); i++) {
		s->next = 0;
		assert_int_equal(truncate(s->name, 0), 0);
		pos = fill(s, UINT64_MAX, sizes[i / 2], i % 2);
		assert_int_equal(stat(s->name, &st), 0);
		assert_int_equal(st.st_size, pos);
		/* When there is space again, the daemon continues after the last record. */
		assert_ok(s->ctx, dkl_daemon_file_open(s->ctx, s->name, 1 << 20, 0, pos, &file));
		add(s, file, 40);
		assert_int_equal(dkl_daemon_file_flush(file), 0);
		dkl_daemon_file_close(file);
		assert_int_equal(check(s, s->name, s->next - 1), s->next);
	}
}

/* The same if older records are overwritten, in a file system that needs new blocks for that. */
static void a_full_disk_while_overwriting_leaves_complete_records(void **state)
{
	static const rlim_t ats[] = { 1000, 65537, 131072 + 20000, 400000 };
	struct setup *s = *state;
	struct daemon_file *file;
	uint64_t pos;
	size_t i;

	for (i = 0; i < 2 * sizeof(ats) / sizeof(ats[0]); i++) {
		s->next = 0;
		assert_int_equal(truncate(s->name, 0), 0);
		assert_ok(s->ctx,
			  dkl_daemon_file_open(s->ctx, s->name, 1 << 20, 0, UINT64_MAX, &file));
		while (!file->rounds)
			add(s, file, 1);
		assert_int_equal(dkl_daemon_file_flush(file), 0);
		pos = dkl_daemon_file_pos(file);
		dkl_daemon_file_close(file);
		fill(s, pos, pos + ats[i / 2], i % 2);
	}
}

/* A killed daemon left an incomplete record: the next one begins at its place. */
static void a_new_daemon_overwrites_an_incomplete_record(void **state)
{
	struct setup *s = *state;
	struct daemon_file *file;
	struct stat st;
	int i;

	for (i = 1; i < 60; i += 7) {
		s->next = 0;
		assert_int_equal(truncate(s->name, 0), 0);
		assert_ok(s->ctx,
			  dkl_daemon_file_open(s->ctx, s->name, 1 << 20, 0, UINT64_MAX, &file));
		add(s, file, 20);
		assert_int_equal(dkl_daemon_file_flush(file), 0);
		dkl_daemon_file_close(file);
		assert_int_equal(stat(s->name, &st), 0);
		assert_int_equal(truncate(s->name, st.st_size - i), 0);
		s->next--;
		assert_ok(s->ctx, dkl_daemon_file_open(s->ctx, s->name, 1 << 20, 0,
						       (uint64_t)st.st_size, &file));
		add(s, file, 5);
		assert_int_equal(dkl_daemon_file_flush(file), 0);
		dkl_daemon_file_close(file);
		assert_int_equal(check(s, s->name, s->next - 1), s->next);
	}
}

static void lines_become_records_and_back(void **state)
{
	struct dkt_record from = { .ts = 1495061000000042999, .cpu = 1, .pid = 77, .first = true };
	struct class_bits bits = { .classes = 0x200000, .subsystems = 0x80 };
	char line[] = LINE "0x5\nsecond (line:1:of()) it\n", out[1024];
	struct record_line kept = { 0 };
	uint8_t rec[RECORD_FROM_LINE_MAX];
	size_t len = dkl_record_from_line(&from, &bits, 0, line, strlen(line), rec);

	(void)state;
	*dkl_record_line(&kept, rec, len, out) = '\0';
	assert_string_equal(out, line);
	/* Any other line becomes a text. */
	len = dkl_record_from_line(&from, &bits, 0, "odd (a:b\n", 9, rec);
	*dkl_record_line(&kept, rec, len, out) = '\0';
	assert_has(out, ":77:0:(:0:()) odd (a:b\n");
}

static void records_become_events(void **state)
{
	struct setup *s = *state;
	struct dkt_record from = { .ts = 1495061000000042999, .cpu = 1, .pid = 77 }, rec;
	struct class_bits bits = { .classes = 0x200000, .subsystems = 0x80 };
	uint8_t made[RECORD_FROM_LINE_MAX], *data = malloc(RECORD_EVENT_MAX);
	size_t n = dkl_record_from_line(&from, &bits, 0, LINE "0x5\n", strlen(LINE "0x5\n"), made);
	struct dkt_event *event, *again;
	struct dkt_expr *expr;
	struct dkt_buf *buf;
	size_t len;

	assert_ok(s->ctx, dkl_record_event(s->ctx, &event));
	assert_ok(s->ctx, dkl_record_event(s->ctx, &again));
	assert_ptr_equal(event, again);
	assert_string_equal(dkt_event_system(event), "libcfs");
	dkl_record_event_fill(event, made, n, data, &rec);
	assert_int_equal(rec.ts, 1495061000000042000);
	assert_int_equal(dkt_buf_new(&buf), 0);
	dkt_record_text(&rec, buf);
	dkt__buf_add(buf, "", 1);
	assert_string_equal(dkt_buf_data(buf, &len),
			    "subsys=0x80 mask=0x200000 syscalls:0 sys_exit_read() 0x5");
	assert_ok(s->ctx,
		  dkt_expr_new(s->ctx, "msg_subsys == 0x80 && msg_fn ~ \"*read\"", NULL, &expr));
	assert_int_equal(dkt__expr_check_match(expr, event), 0);
	assert_true(dkt_expr_match(expr, &rec, "x"));
	dkt_expr_free(expr);
	dkt_buf_free(buf);
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_file_has_complete_records_wherever_it_wraps,
						make_setup, clear_setup),
		cmocka_unit_test_setup_teardown(rotated_files_keep_all_records, make_setup,
						clear_setup),
		cmocka_unit_test_setup_teardown(a_full_disk_leaves_complete_records, make_setup,
						clear_setup),
		cmocka_unit_test_setup_teardown(
			a_full_disk_while_overwriting_leaves_complete_records, make_setup,
			clear_setup),
		cmocka_unit_test_setup_teardown(a_new_daemon_overwrites_an_incomplete_record,
						make_setup, clear_setup),
		cmocka_unit_test(lines_become_records_and_back),
		cmocka_unit_test_setup_teardown(records_become_events, make_setup, clear_setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
