/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A directory of segments: what is known of them, what a window needs, and what is deleted. */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "lib/base/buf.h"
#include "recording/record/age.h"
#include "recording/record/segments.h"
#include "tests/helper/check.h"

#define HOUR   INT64_C(3600)
#define SECOND INT64_C(1000000000)

struct place {
	char dir[32];
	struct dkt_ctx *ctx;
	int64_t now, first; /* in s; segment 1 began at first */
};

static int setup(void **state)
{
	struct place *place = calloc(1, sizeof(*place));

	assert_non_null(place);
	strcat(place->dir, "/tmp/dkt-segments-XXXXXX");
	assert_non_null(mkdtemp(place->dir));
	assert_int_equal(dkt_ctx_new(NULL, &place->ctx), 0);
	/* One time for all: the clock may be set while a test runs. */
	place->now = (int64_t)time(NULL);
	place->first = place->now - 10 * HOUR;
	*state = place;
	return 0;
}

static int teardown(void **state)
{
	struct place *place = *state;
	char *command = dkt__format("rm -rf %s", place->dir);

	assert_int_equal(system(command), 0);
	free(command);
	dkt_ctx_free(place->ctx);
	free(place);
	return 0;
}

static void write_text(const struct place *place, const char *name, const char *text, size_t len)
{
	char *path = dkt__format("%s/%s", place->dir, name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
	free(path);
}

/* Segment number n has the n-th hour, and 100 bytes. */
static struct segment make(const struct place *place, uint64_t n)
{
	struct segment segment = { .number = n, .records = n, .lost = 1 };
	char bytes[100] = "";

	segment.from = (place->first + (int64_t)(n - 1) * HOUR) * SECOND;
	segment.to = segment.from + HOUR * SECOND;
	segment_name(segment.name, segment.from / SECOND, n);
	write_text(place, segment.name, bytes, sizeof(bytes));
	return segment;
}

static void note(const struct place *place, uint64_t n)
{
	struct segment segment = make(place, n);

	assert_ok(place->ctx, segments_note(place->ctx, place->dir, &segment));
}

/* Returns the numbers as text, those that must be opened with a "?". */
static char *list(const struct place *place, int64_t since, int64_t until)
{
	struct segments segments;
	char *text = strdup(""), *more;

	assert_ok(place->ctx, segments_read(place->ctx, place->dir, &segments));
	for (size_t i = 0; i < segments.n; i++) {
		if (!segment_is_within(&segments.list[i], since, until))
			continue;
		more = dkt__format("%s%d%s ", text, (int)segments.list[i].number,
				   segments.list[i].known ? "" : "?");
		free(text);
		text = more;
	}
	segments_free(&segments);
	return text;
}

#define assert_list(place, since, until, expected)                                                 \
	do {                                                                                       \
		char *text_ = list(place, since, until);                                           \
                                                                                                   \
		assert_string_equal(text_, expected);                                              \
		free(text_);                                                                       \
	} while (0)

/* Deletes segments by the time of now, with keep in s. */
static int prune(const struct place *place, uint64_t max_size, int64_t keep, uint64_t spare)
{
	const struct segments_limits limits = { .max_size = max_size,
						.keep = (uint64_t)(keep * SECOND),
						.now = place->now * SECOND,
						.spare = spare };

	return segments_prune(place->ctx, place->dir, &limits);
}

static void names_are_read_back(void **state)
{
	static const char *const bad[] = { "dktrace-20261123T094000Z-12.dat",
					   "dktrace-20261123T094000Z-000012.dat.old",
					   "dktrace-20261323T094000Z-000012.dat",
					   "dktrace-20261123T094000Z--00012.dat",
					   "dktrace-20261123T094000Z-",
					   "dktrace-",
					   "",
					   ".dktrace-1-1" };
	char name[SEGMENT_NAME];
	uint64_t number;
	int64_t when;

	(void)state;
	segment_name(name, 1795426800, 12);
	assert_string_equal(name, "dktrace-20261123T094000Z-000012.dat");
	assert_true(segment_read_name(name, &number, &when));
	assert_int_equal(number, 12);
	assert_int_equal(when, 1795426800);
	segment_name(name, 0, 12345678);
	assert_true(segment_read_name(name, &number, &when));
	assert_int_equal(number, 12345678);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(segment_read_name(bad[i], &number, &when));
}

static void a_window_needs_the_segments_of_its_time(void **state)
{
	struct place *place = *state;
	const int64_t first = place->first * SECOND;

	for (uint64_t n = 1; n <= 4; n++)
		note(place, n);
	make(place, 5);
	assert_list(place, INT64_MIN, INT64_MAX, "1 2 3 4 5? ");
	assert_list(place, first + 3 * HOUR / 2 * SECOND, first + 5 * HOUR / 2 * SECOND, "2 3 5? ");
	assert_list(place, first - 9 * HOUR * SECOND, first - 8 * HOUR * SECOND, "5? ");
	assert_list(place, first + 9 * HOUR * SECOND, INT64_MAX, "5? ");
}

static void a_changed_file_is_not_known(void **state)
{
	struct place *place = *state;
	struct segment segment;

	for (uint64_t n = 1; n <= 3; n++)
		note(place, n);
	segment = make(place, 2);
	write_text(place, segment.name, "another", 7);
	assert_list(place, INT64_MIN, INT64_MIN + 1, "2? ");
	/* A file that is gone is not there, whatever the index says. */
	write_text(place, "x", "", 0);
	assert_int_equal(prune(place, 200, 0, UINT64_MAX), 0);
	assert_list(place, INT64_MIN, INT64_MAX, "2? 3 ");
}

static void a_bad_index_says_nothing(void **state)
{
	struct place *place = *state;
	char *path = dkt__format("%s/index", place->dir);

	note(place, 1);
	note(place, 2);
	/* The last line has lost its end. */
	assert_int_equal(truncate(path, 150), 0);
	assert_list(place, INT64_MIN, INT64_MAX, "1 2? ");
	write_text(place, "index", "\0\1\2garbage\n", 12);
	assert_list(place, INT64_MIN, INT64_MAX, "1? 2? ");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_list(place, INT64_MIN, INT64_MAX, "1? 2? ");
	free(path);
}

static void the_oldest_are_deleted(void **state)
{
	const struct segments_limits none = { .max_size = 1 };
	struct place *place = *state;

	for (uint64_t n = 1; n <= 6; n++)
		note(place, n);
	make(place, 7);
	write_text(place, "foreign.dat", "x", 1);
	assert_int_equal(prune(place, 0, 0, 7), 0);
	assert_list(place, INT64_MIN, INT64_MAX, "1 2 3 4 5 6 7? ");
	assert_int_equal(prune(place, 600, 0, 7), 0);
	assert_list(place, INT64_MIN, INT64_MAX, "2 3 4 5 6 7? ");
	/* The first hour began 10 hours ago, so segment 3 ended 7 hours ago. */
	assert_int_equal(prune(place, 0, 13 * HOUR / 2, 7), 0);
	assert_list(place, INT64_MIN, INT64_MAX, "4 5 6 7? ");
	/* Not the one that is recorded, whatever the limit. */
	assert_int_equal(prune(place, 1, 0, 7), 0);
	assert_list(place, INT64_MIN, INT64_MAX, "7? ");
	assert_int_equal(segments_are_in(place->dir), 1);
	assert_int_equal(segments_are_in("/nonexistent"), -ENOENT);
	assert_int_equal(segments_prune(place->ctx, "/nonexistent", &none), -ENOENT);
}

/* Notes segment number n as one that ended so many hours ago. */
static void note_ended(const struct place *place, uint64_t n, int64_t hours)
{
	struct segment segment = make(place, n);

	segment.to = (place->now - hours * HOUR) * SECOND;
	segment.from = segment.to - HOUR * SECOND;
	assert_int_equal(segments_note(place->ctx, place->dir, &segment), 0);
}

static void an_index_can_have_any_time(void **state)
{
	struct place *place = *state;
	struct segment segment = make(place, 1);

	segment.from = segment.to = INT64_MIN;
	assert_ok(place->ctx, segments_note(place->ctx, place->dir, &segment));
	note_ended(place, 2, 1);
	assert_int_equal(prune(place, 0, 2 * HOUR, 9), 0);
	assert_list(place, INT64_MIN, INT64_MAX, "2 ");
}

/* Segment 2 ended while the clock was ahead, segment 5 while it was behind. */
static void a_clock_that_was_set_deletes_no_segment(void **state)
{
	static const int64_t ages[] = { 30, -1000, 20, 10, 90000, 8, 7 };
	struct place *place = *state;

	for (uint64_t n = 1; n <= ARRAY_SIZE(ages); n++)
		note_ended(place, n, ages[n - 1]);
	assert_int_equal(prune(place, 0, 29 * HOUR, 9), 0);
	assert_list(place, INT64_MIN, INT64_MAX, "2 3 4 5 6 7 ");
	/* That from the future goes with the one after it. */
	assert_int_equal(prune(place, 0, 19 * HOUR, 9), 0);
	assert_list(place, INT64_MIN, INT64_MAX, "4 5 6 7 ");
	assert_int_equal(prune(place, 0, 9 * HOUR, 9), 0);
	assert_list(place, INT64_MIN, INT64_MAX, "6 7 ");
}

static void a_step_of_the_clock_forwards_must_last(void **state)
{
	const int64_t first = 1000000 * SECOND, day = 24 * HOUR * SECOND;
	struct age_clock clock = { 0 };

	(void)state;
	assert_int_equal(age_at(&clock, first, 0), first);
	/* A clock that runs too fast, and is kept right. */
	assert_int_equal(age_at(&clock, first + 101 * SECOND, 100 * SECOND), first + 101 * SECOND);
	/* A year forwards, and back. */
	assert_int_equal(age_at(&clock, first + 365 * day, 200 * SECOND), first + 201 * SECOND);
	assert_int_equal(age_at(&clock, first + 365 * day + HOUR * SECOND, HOUR * SECOND),
			 first + HOUR * SECOND + SECOND);
	assert_int_equal(age_at(&clock, first + 2 * HOUR * SECOND, 2 * HOUR * SECOND),
			 first + 2 * HOUR * SECOND);
	/* Backwards, it is followed at once. */
	assert_int_equal(age_at(&clock, first - day, 3 * HOUR * SECOND), first - day);
	/* Forwards for good. */
	age_at(&clock, first + day, 4 * HOUR * SECOND);
	assert_int_equal(age_at(&clock, first + 2 * day - SECOND, 4 * HOUR * SECOND + day - SECOND),
			 first - day + HOUR * SECOND + day - SECOND);
	assert_int_equal(age_at(&clock, first + 2 * day, 4 * HOUR * SECOND + day), first + 2 * day);
}

/* The daemon and its worker do, each for other segments. */
static void two_processes_can_change_an_index(void **state)
{
	struct place *place = *state;
	struct segment all[40];
	struct segments segments;
	int status;
	pid_t pid;

	for (uint64_t i = 0; i < ARRAY_SIZE(all); i++)
		all[i] = make(place, i + 1);
	pid = fork();
	assert_true(pid >= 0);
	for (size_t i = !pid; i < ARRAY_SIZE(all); i += 2) {
		int err = segments_note(place->ctx, place->dir, &all[i]);

		if (err && !pid)
			_exit(1);
		assert_int_equal(err, 0);
	}
	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_ok(place->ctx, segments_read(place->ctx, place->dir, &segments));
	assert_int_equal(segments.n, ARRAY_SIZE(all));
	for (size_t i = 0; i < segments.n; i++)
		assert_true(segments.list[i].known);
	segments_free(&segments);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_read_back),
		cmocka_unit_test_setup_teardown(a_window_needs_the_segments_of_its_time, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_changed_file_is_not_known, setup, teardown),
		cmocka_unit_test_setup_teardown(a_bad_index_says_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(the_oldest_are_deleted, setup, teardown),
		cmocka_unit_test_setup_teardown(an_index_can_have_any_time, setup, teardown),
		cmocka_unit_test_setup_teardown(a_clock_that_was_set_deletes_no_segment, setup,
						teardown),
		cmocka_unit_test(a_step_of_the_clock_forwards_must_last),
		cmocka_unit_test_setup_teardown(two_processes_can_change_an_index, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
