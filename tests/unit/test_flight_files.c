/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The dumps of flight recorders: the numbers in their names, and which are deleted. */
#include <fcntl.h>
#include <sys/stat.h>

#include "lib/base/buf.h"
#include "recording/flight/files.h"
#include "tests/helper/check.h"

#define HOUR (INT64_C(3600) * 1000000000)
#define NOW  (INT64_C(1795175397) * 1000000000)

struct place {
	char dir[32];
	struct dkt_ctx *ctx;
};

static int setup(void **state)
{
	struct place *place = calloc(1, sizeof(*place));

	assert_non_null(place);
	strcat(place->dir, "/tmp/dkt-dumps-XXXXXX");
	assert_non_null(mkdtemp(place->dir));
	assert_int_equal(dkt_ctx_new(NULL, &place->ctx), 0);
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

/* A file of 4 KiB, last written at a time in ns. */
static void make(const struct place *place, const char *name, int64_t time)
{
	const struct timespec times[] = { { .tv_sec = time / 1000000000 },
					  { .tv_sec = time / 1000000000 } };
	char *path = dkt__format("%s/%s", place->dir, name);
	int fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
	char page[4096] = "";

	assert_true(fd >= 0);
	assert_int_equal(write(fd, page, sizeof(page)), sizeof(page));
	assert_int_equal(fsync(fd), 0);
	assert_int_equal(futimens(fd, times), 0);
	close(fd);
	free(path);
}

static bool there(const struct place *place, const char *name)
{
	char *path = dkt__format("%s/%s", place->dir, name);
	bool is = !access(path, F_OK);

	free(path);
	return is;
}

/* Returns the bytes that the file takes on the disk. */
static uint64_t size(const struct place *place, const char *name)
{
	char *path = dkt__format("%s/%s", place->dir, name);
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	free(path);
	return (uint64_t)st.st_blocks * 512;
}

static void names_have_numbers(void **state)
{
	static const struct {
		const char *name;
		bool is;
		uint64_t number;
	} rows[] = {
		{ "flight-20261123-094000-000012.dat", true, 12 },
		{ "flight-20261123-094000-1234567.dat", true, 1234567 },
		{ "flight-20261123-094000.dat", true, 0 },
		{ "flight-20261123-094000-.dat", false, 0 },
		{ "flight-20261123-094000-1-2.dat", false, 1 },
		{ "flight-20261123-094000-99999999999999999999.dat", false, 0 },
		{ "flight-20261123-0940.dat", false, 0 },
		{ "flight-mine.dat", false, 0 },
		{ "flight-20261123-094000-000012.dat.old", false, 12 },
		{ "", false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t number;

		assert_int_equal(flight_file_number(rows[i].name, &number), rows[i].is);
		if (rows[i].is)
			assert_int_equal(number, rows[i].number);
	}
}

static void the_next_number_is_after_all(void **state)
{
	const struct place *place = *state;
	uint64_t number;

	assert_ok(place->ctx, flight_next_number(place->ctx, place->dir, &number));
	assert_int_equal(number, 1);
	make(place, "flight-20261123-094000-000012.dat", NOW);
	make(place, "flight-20261124-094000-000003.dat", NOW + HOUR);
	assert_ok(place->ctx, flight_next_number(place->ctx, place->dir, &number));
	assert_int_equal(number, 13);
}

static void the_oldest_go_whatever_the_clock_said(void **state)
{
	const struct place *place = *state;
	struct flight_limits limits = { .now = NOW };

	/* The clock was set back for a day after the first two. */
	make(place, "flight-20261123-094000-000001.dat", NOW - HOUR);
	make(place, "flight-20261123-094100-000002.dat", NOW - HOUR + 1);
	make(place, "flight-20261122-094200-000003.dat", NOW - 25 * HOUR);
	make(place, "flight-20261122-094300-000004.dat", NOW - 24 * HOUR);
	limits.max_size = 2 * size(place, "flight-20261122-094200-000003.dat");
	assert_ok(place->ctx, flight_prune(place->ctx, place->dir, &limits));
	assert_false(there(place, "flight-20261123-094000-000001.dat"));
	assert_false(there(place, "flight-20261123-094100-000002.dat"));
	assert_true(there(place, "flight-20261122-094200-000003.dat"));
	assert_true(there(place, "flight-20261122-094300-000004.dat"));
}

static void age_is_that_of_the_oldest(void **state)
{
	const struct place *place = *state;
	const struct flight_limits limits = { .now = NOW,
					      .keep = 2 * (uint64_t)HOUR,
					      .spare = "flight-20261123-094000-000001.dat" };

	/* The clock was wrong twice: for the third dump it was a day late, for the second one fast. */
	make(place, "flight-20261123-094000-000001.dat", NOW - 4 * HOUR);
	make(place, "flight-20261124-094000-000002.dat", NOW + 24 * HOUR);
	make(place, "flight-20261122-094000-000003.dat", NOW - 24 * HOUR);
	make(place, "flight-20261123-124000-000004.dat", NOW - HOUR);
	make(place, "flight-20261122-134000-000005.dat", NOW - 24 * HOUR);
	assert_ok(place->ctx, flight_prune(place->ctx, place->dir, &limits));
	assert_true(there(place, limits.spare));
	assert_false(there(place, "flight-20261124-094000-000002.dat"));
	assert_false(there(place, "flight-20261122-094000-000003.dat"));
	/* Younger than one that stays. */
	assert_true(there(place, "flight-20261123-124000-000004.dat"));
	assert_true(there(place, "flight-20261122-134000-000005.dat"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_have_numbers),
		cmocka_unit_test_setup_teardown(the_next_number_is_after_all, setup, teardown),
		cmocka_unit_test_setup_teardown(the_oldest_go_whatever_the_clock_said, setup,
						teardown),
		cmocka_unit_test_setup_teardown(age_is_that_of_the_oldest, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
