/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pages that are read from a file a few at a time. */
#include <sys/mman.h>

#include "lib/source/extent.h"
#include "tests/helper/check.h"

#define PAGE  16u
#define PAGES 7u
#define HEAD  5u /* bytes of something else before the first one */
#define CUT   4u /* missing of the last one */

static int begin(void **state)
{
	static struct dkt__extent extent;
	uint64_t stamp;
	unsigned int i;

	extent = (struct dkt__extent){ .fd = memfd_create("pages", MFD_CLOEXEC),
				       .at = HEAD,
				       .bytes = PAGES * PAGE - CUT,
				       .page_size = PAGE,
				       .ahead = 2 * PAGE };
	assert_true(extent.fd >= 0);
	for (i = 0; i < PAGES; i++) {
		stamp = 1000 + i;
		assert_int_equal(pwrite(extent.fd, &stamp, sizeof(stamp), HEAD + i * PAGE), 8);
	}
	/* The following bytes do not belong to these pages. */
	assert_int_equal(ftruncate(extent.fd, HEAD + 2 * PAGES * PAGE), 0);
	*state = &extent;
	return 0;
}

static int end(void **state)
{
	struct dkt__extent *extent = *state;

	dkt__extent_clear(extent);
	return close(extent->fd);
}

/* The stamp that a page begins with, 0: it cannot be read. */
static uint64_t page(struct dkt__extent *extent, uint64_t nr, uint64_t last, uint32_t *size)
{
	const uint8_t *bytes = dkt__extent_page(extent, nr, last, size);
	uint64_t stamp = 0;

	if (bytes)
		memcpy(&stamp, bytes, sizeof(stamp));
	return stamp;
}

static void pages_are_read_in_any_order(void **state)
{
	static const uint64_t orders[][4] = { { 0, 1, 2, 6 }, { 6, 5, 0, 3 }, { 3, 3, 4, 1 } };
	struct dkt__extent *extent = *state;
	uint64_t time;
	uint32_t size;
	size_t i, j;

	assert_int_equal(dkt__extent_pages(extent), PAGES);
	for (i = 0; i < ARRAY_SIZE(orders); i++)
		for (j = 0; j < 4; j++) {
			uint64_t nr = orders[i][j];

			assert_int_equal(page(extent, nr, PAGES, &size), 1000 + nr);
			assert_int_equal(size, nr == 6 ? PAGE - CUT : PAGE);
			assert_true(dkt__extent_time(extent, 6 - nr, false, &time));
			assert_int_equal(time, 1006 - nr);
		}
	/* Beyond the end that was told is read all the same. */
	assert_int_equal(page(extent, 4, 2, &size), 1004);
}

/* A last page may be too short even for its stamp, whatever follows it in the file. */
static void a_last_page_may_be_too_short(void **state)
{
	struct dkt__extent *extent = *state;
	uint64_t time;
	uint32_t size;

	extent->bytes = 2 * PAGE + 7;
	assert_int_equal(dkt__extent_pages(extent), 3);
	assert_true(dkt__extent_time(extent, 1, false, &time));
	assert_false(dkt__extent_time(extent, 2, false, &time));
	assert_non_null(dkt__extent_page(extent, 2, 3, &size));
	assert_int_equal(size, 7);
}

/* The file shrinks while it is read. */
static void a_file_may_shrink_while_it_is_read(void **state)
{
	struct dkt__extent *extent = *state;
	uint64_t time;
	uint32_t size;

	assert_int_equal(page(extent, 0, PAGES, &size), 1000);
	assert_int_equal(ftruncate(extent->fd, HEAD + 3 * PAGE + 4), 0);
	assert_int_equal(page(extent, 1, PAGES, &size), 1001);
	assert_int_equal(page(extent, 2, PAGES, &size), 1002);
	assert_int_equal(page(extent, 3, PAGES, &size), 0);
	assert_false(dkt__extent_time(extent, 3, false, &time));
	assert_int_equal(page(extent, 6, PAGES, &size), 0);
	assert_int_equal(page(extent, 1, PAGES, &size), 1001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(pages_are_read_in_any_order, begin, end),
		cmocka_unit_test_setup_teardown(a_last_page_may_be_too_short, begin, end),
		cmocka_unit_test_setup_teardown(a_file_may_shrink_while_it_is_read, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
