/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compressed dumps: whether the file is whole. */
#include <fcntl.h>

#include "lib/base/io.h"
#include "lib/vmcore/image.h"
#include "tests/helper/check.h"

#define BLOCK 4096

/* Where the table of pages begins: behind a header, a sub-header, and two bitmaps of two blocks. */
#define TABLE (6 * BLOCK)

/* The size of an entry of it. */
#define DESC 24

struct dump {
	uint8_t bytes[TABLE + 3 * DESC + 3 * 100];
	int fd;
};

static void put(struct dump *dump, size_t at, const void *bytes, size_t n)
{
	memcpy(dump->bytes + at, bytes, n);
}

/* A dump of three pages, of 100 bytes each. */
static int setup(void **state)
{
	const int32_t header[] = { 0, BLOCK, 1, 4 };
	struct dump *dump = calloc(1, sizeof(*dump));

	assert_non_null(dump);
	put(dump, 0, "KDUMP   ", 8);
	put(dump, 424, header, sizeof(header));
	/* The first bitmap has more pages than the file. */
	memset(dump->bytes + 2 * BLOCK, 0xff, 100);
	dump->bytes[4 * BLOCK] = 5;
	dump->bytes[6 * BLOCK - 1] = 0x80;
	for (size_t i = 0; i < 3; i++) {
		const uint64_t at = TABLE + 3 * DESC + i * 100;
		const uint32_t size = 100;

		put(dump, TABLE + i * DESC, &at, sizeof(at));
		put(dump, TABLE + i * DESC + sizeof(at), &size, sizeof(size));
	}
	dump->fd = dkt__unnamed_file("/tmp");
	assert_true(dump->fd >= 0);
	*state = dump;
	return 0;
}

static int teardown(void **state)
{
	struct dump *dump = *state;

	close(dump->fd);
	free(dump);
	return 0;
}

/* Writes so many bytes of the dump to its file. */
static bool is_cut(struct dump *dump, size_t size)
{
	assert_int_equal(ftruncate(dump->fd, 0), 0);
	assert_int_equal(pwrite(dump->fd, dump->bytes, size, 0), size);
	return dkt__vm_kdump_is_cut(dump->fd, size);
}

static void a_file_that_ends_before_the_last_page_is_cut(void **state)
{
	struct dump *dump = *state;

	assert_false(is_cut(dump, sizeof(dump->bytes)));
	assert_true(is_cut(dump, sizeof(dump->bytes) - 1));
	assert_true(is_cut(dump, TABLE + 3 * DESC));
	assert_true(is_cut(dump, TABLE + 3 * DESC - 1));
	assert_true(is_cut(dump, TABLE));
	assert_true(is_cut(dump, TABLE - 1));
	assert_true(is_cut(dump, BLOCK));
	assert_false(dkt__vm_kdump_is_part(dump->fd));
}

static void other_files_are_not_cut(void **state)
{
	const int32_t no_block = 0;
	struct dump *dump = *state;

	assert_false(is_cut(dump, 0));
	assert_false(is_cut(dump, 430));
	put(dump, 428, &no_block, sizeof(no_block));
	assert_false(is_cut(dump, BLOCK));
	dump->bytes[0] = 'X';
	assert_false(is_cut(dump, BLOCK));
}

static void a_part_is_told_from_a_dump(void **state)
{
	const int32_t split = 1;
	struct dump *dump = *state;

	put(dump, BLOCK + 12, &split, sizeof(split));
	/* Its table has less entries than the bitmaps say. */
	assert_false(is_cut(dump, TABLE + DESC));
	assert_true(dkt__vm_kdump_is_part(dump->fd));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_file_that_ends_before_the_last_page_is_cut, setup,
						teardown),
		cmocka_unit_test_setup_teardown(other_files_are_not_cut, setup, teardown),
		cmocka_unit_test_setup_teardown(a_part_is_told_from_a_dump, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
