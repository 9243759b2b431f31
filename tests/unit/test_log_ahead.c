/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lustre's records that a probe has recorded too: they are found, each once. */
#include <sys/mman.h>

#include "compat/lustre/binary/event.h"
#include "compat/lustre/log_ahead.h"
#include "tests/helper/check.h"

#define BASE 1495061000u

/* The maximum of records in a view. */
#define RING 4096

#define MS INT64_C(1000000)

struct log {
	int fd;
	struct dkt_ctx *ctx;
	struct record_sort *sort;
	struct log_ahead *ahead;
};

static void log_begin(struct log *log)
{
	*log = (struct log){ .fd = memfd_create("records", MFD_CLOEXEC) };
	assert_true(log->fd >= 0);
	assert_int_equal(dkt_ctx_new(NULL, &log->ctx), 0);
}

/* Adds a record of a process at a time in microseconds after the beginning. */
static void log_add(struct log *log, uint32_t pid, uint64_t usec, const char *text)
{
	static const char place[] = "file.c\0func";
	struct record_head head = { .subsystem = 4,
				    .mask = 2,
				    .sec = BASE + (uint32_t)(usec / 1000000),
				    .usec = usec % 1000000,
				    .pid = pid,
				    .line = 12 };

	head.len = (uint32_t)(sizeof(head) + sizeof(place) + strlen(text));
	assert_int_equal(write(log->fd, &head, sizeof(head)), sizeof(head));
	assert_int_equal(write(log->fd, place, sizeof(place)), sizeof(place));
	assert_int_equal(write(log->fd, text, strlen(text)), strlen(text));
}

static void log_open(struct log *log)
{
	const struct record_sort_opts opts = { .fd = log->fd,
					       .name = "log",
					       .show = { UINT32_MAX, UINT32_MAX } };

	assert_ok(log->ctx, dkl_record_sort_new(log->ctx, &opts, &log->sort));
	assert_int_equal(dkl_log_ahead_new(log->sort, &log->ahead), 0);
}

static void log_end(struct log *log)
{
	dkl_log_ahead_free(log->ahead);
	dkl_record_sort_free(log->sort);
	dkt_ctx_free(log->ctx);
	close(log->fd);
}

/*
 * True if the log has the message that a probe recorded for process 77 at ns after the beginning.
 */
static bool finds(struct log *log, int64_t ns, const char *text)
{
	const struct message_key key = { .time = BASE * INT64_C(1000000000) + ns,
					 .pid = 77,
					 .classes = 2,
					 .subsystems = 4,
					 .line = 12,
					 .file = "file.c",
					 .file_len = 6,
					 .function = "func",
					 .function_len = 4 };
	const uint8_t *rec;
	uint32_t len;

	return dkl_log_ahead_find(log->ahead, &key, text, strlen(text), &rec, &len);
}

static uint64_t next_usec(struct log *log)
{
	const uint8_t *rec;
	uint32_t len;
	int err = dkl_log_ahead_next(log->ahead, &rec, &len);

	assert_uint_in_range(err, 0, 1);
	return err ? UINT64_MAX : record_head(rec).usec;
}

static void a_record_is_found_once(void **state)
{
	struct log log;

	(void)state;
	log_begin(&log);
	log_add(&log, 77, 100, "same");
	log_add(&log, 77, 101, "same");
	log_open(&log);
	assert_true(finds(&log, 90000, "same"));
	assert_true(finds(&log, 90000, "same"));
	assert_false(finds(&log, 90000, "same"));
	assert_false(finds(&log, 90000, "other"));
	/* All come nevertheless, and when they have come nothing is found twice either. */
	assert_int_equal(next_usec(&log), 100);
	assert_int_equal(next_usec(&log), 101);
	assert_int_equal(next_usec(&log), UINT64_MAX);
	assert_false(finds(&log, 90000, "same"));
	log_end(&log);
}

static void a_record_that_came_before_is_found(void **state)
{
	struct log log;

	(void)state;
	log_begin(&log);
	log_add(&log, 77, 100, "same");
	log_open(&log);
	assert_int_equal(next_usec(&log), 100);
	/* Lustre's time is cut to microseconds, and no further ahead than a millisecond. */
	assert_false(finds(&log, 100000 + MS + 1, "same"));
	assert_true(finds(&log, 100000 + MS, "same"));
	log_end(&log);
}

static void a_process_that_did_nothing_else_may_be_late(void **state)
{
	struct log log;

	(void)state;
	log_begin(&log);
	log_add(&log, 78, 1000, "of another process");
	log_add(&log, 77, 1900000, "late");
	log_open(&log);
	assert_true(finds(&log, 0, "late"));
	log_end(&log);

	log_begin(&log);
	log_add(&log, 77, 1000, "another");
	log_add(&log, 77, 1900000, "late");
	log_open(&log);
	assert_false(finds(&log, 0, "late"));
	assert_true(finds(&log, 1890 * MS, "late"));
	log_end(&log);

	log_begin(&log);
	log_add(&log, 77, 2100000, "too late");
	log_open(&log);
	assert_false(finds(&log, 0, "too late"));
	log_end(&log);
}

/* The view has a fixed length, but the record returned last stays, however far the search goes. */
static void the_record_returned_last_stays(void **state)
{
	const uint8_t *rec;
	struct log log;
	uint32_t len;

	(void)state;
	log_begin(&log);
	for (unsigned int i = 0; i < 2 * RING; i++)
		log_add(&log, 1 + i, i, "x");
	log_open(&log);
	assert_int_equal(dkl_log_ahead_next(log.ahead, &rec, &len), 0);
	assert_false(finds(&log, 0, "not there"));
	assert_int_equal(record_head(rec).pid, 1);
	for (unsigned int i = 1; i < 2 * RING; i++)
		assert_int_equal(next_usec(&log), i);
	assert_int_equal(next_usec(&log), UINT64_MAX);
	log_end(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_record_is_found_once),
		cmocka_unit_test(a_record_that_came_before_is_found),
		cmocka_unit_test(a_process_that_did_nothing_else_may_be_late),
		cmocka_unit_test(the_record_returned_last_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
