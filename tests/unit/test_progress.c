/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Progress: on stderr if that is a terminal, after a second, with the rate and the time left. */
#include "tests/helper/check.h"

#include <time.h>

/* A clock, terminals, a source and a stream of our own. */
static time_t clock_now;
static bool terminals[3];
static uint64_t bytes;
static FILE *told;

static int made_clock(clockid_t clock, struct timespec *ts)
{
	(void)clock;
	*ts = (struct timespec){ .tv_sec = clock_now };
	return 0;
}

static int made_isatty(int fd)
{
	return terminals[fd];
}

static int made_bytes(const struct dkt_source *source, uint64_t *done, uint64_t *of)
{
	(void)source;
	*done = bytes;
	*of = 8192000;
	return 0;
}

#define clock_gettime         made_clock
#define isatty                made_isatty
#define dkt__source_get_bytes made_bytes
#undef stderr
#define stderr told
#include "ctl/app/progress.c"

/* Returns the output so far and starts again; the caller frees it. */
static char *text;
static size_t len;

static void start(bool out, bool err)
{
	clock_now = 100;
	terminals[STDOUT_FILENO] = out;
	terminals[STDERR_FILENO] = err;
	told = open_memstream(&text, &len);
	assert_non_null(told);
}

static void ends_with(const char *wanted)
{
	fclose(told);
	assert_string_equal(text, wanted);
	free(text);
}

static void progress_appears_after_a_second(void **state)
{
	struct progress progress;

	(void)state;
	start(true, true);
	progress_begin(&progress, 100000000, PROGRESS_BYTES, false);
	progress_at(&progress, 10000000);
	clock_now += 2;
	progress_at(&progress, 50000000);
	progress_at(&progress, 60000000);
	clock_now++;
	progress_at(&progress, 90000000);
	progress_end(&progress);
	ends_with("\r 50 %, 24 MB/s, 2 s left \033[K\r 90 %, 29 MB/s, 0 s left \033[K\r\033[K");
}

static void records_have_a_rate_and_the_time_left(void **state)
{
	struct progress progress;

	(void)state;
	start(false, true);
	progress_begin(&progress, 1000, PROGRESS_RECORDS, true);
	clock_now++;
	progress_at(&progress, 250);
	progress_end(&progress);
	ends_with("\r 25 %, 250 records/s, 3 s left \033[K\r\033[K");
}

static void silent(bool out, bool err, uint64_t of, bool prints)
{
	struct progress progress;

	start(out, err);
	progress_begin(&progress, of, PROGRESS_BYTES, prints);
	clock_now += 5;
	progress_at(&progress, 1);
	progress_end(&progress);
	ends_with("");
}

static void no_progress_without_a_terminal_or_a_total(void **state)
{
	(void)state;
	silent(true, false, 10, false); /* stderr is a file */
	silent(true, true, 10, true); /* the records themselves are seen */
	silent(true, true, 0, false); /* the total is unknown */
}

/* The progress of a source is the number of bytes read. */
static void a_source_shows_the_bytes_read(void **state)
{
	struct progress progress;

	(void)state;
	start(true, true);
	progress_source(&progress, NULL, false);
	for (bytes = 0; bytes < 8192000; bytes += 4096000) {
		progress_look(&progress, NULL);
		clock_now++;
	}
	progress_end(&progress);
	ends_with("\r 50 %, 4 MB/s, 1 s left \033[K\r\033[K");
}

/* The first call starts the time; the end of a change clears its line. */
static void test_change(void **state)
{
	struct progress progress = { 0 };

	(void)state;
	start(true, true);
	progress_change(&progress, "events", 1, 200);
	progress_change(&progress, "events", 100, 200);
	clock_now++;
	progress_change(&progress, "events", 150, 200);
	progress_change(&progress, "events", 160, 200);
	progress_change(&progress, "events", 200, 200);
	progress_change(&progress, "functions", 10, 1000);
	clock_now++;
	progress_change(&progress, "functions", 500, 1000);
	progress_change(&progress, "functions", 1000, 1000);
	ends_with("\r 75 % of the events \033[K\r\033[K"
		  "\r  1 % of the functions \033[K\r 50 % of the functions \033[K\r\033[K");
	start(true, false);
	progress_change(&(struct progress){ 0 }, "events", 1, 200);
	clock_now += 5;
	progress_change(&(struct progress){ 0 }, "events", 2, 200);
	ends_with("");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(progress_appears_after_a_second),
		cmocka_unit_test(records_have_a_rate_and_the_time_left),
		cmocka_unit_test(no_progress_without_a_terminal_or_a_total),
		cmocka_unit_test(a_source_shows_the_bytes_read),
		cmocka_unit_test(test_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
