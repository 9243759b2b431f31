/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The arena: memory is zeroed, aligned and separate, and arrays grow. */
#include "lib/base/arena.h"
#include "lib/base/util.h"
#include "tests/helper/check.h"

static void blocks_are_zeroed_aligned_and_separate(void **state)
{
	static const size_t sizes[] = { 1, 0, 8, 100, 600, 16384, 16385, 100000, 3, 40 };
	struct dkt__arena arena = { 0 };
	unsigned char *all[ARRAY_SIZE(sizes) * 50];
	size_t i, j;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		size_t size = sizes[i % ARRAY_SIZE(sizes)];

		all[i] = dkt__arena_alloc(&arena, size);
		assert_non_null(all[i]);
		assert_int_equal((uintptr_t)all[i] % _Alignof(max_align_t), 0);
		for (j = 0; j < size; j++)
			assert_int_equal(all[i][j], 0);
		memset(all[i], (int)i, size);
	}
	for (i = 0; i < ARRAY_SIZE(all); i++)
		for (j = 0; j < sizes[i % ARRAY_SIZE(sizes)]; j++)
			assert_int_equal(all[i][j], (unsigned char)i);
	dkt__arena_free(&arena);
	assert_null(arena.chunks);
	dkt__arena_free(&arena);
}

static void a_size_that_is_too_large_gives_null(void **state)
{
	struct dkt__arena arena = { 0 };

	(void)state;
	assert_null(dkt__arena_alloc(&arena, SIZE_MAX));
	assert_null(dkt__arena_alloc(&arena, (size_t)PTRDIFF_MAX));
	dkt__arena_free(&arena);
}

static void a_grown_array_keeps_its_items(void **state)
{
	struct dkt__arena arena = { 0 };
	uint32_t *items = NULL, i, j;

	(void)state;
	for (i = 0; i < 1000; i++) {
		items = dkt__arena_grow(&arena, items, i, sizeof(*items));
		assert_non_null(items);
		assert_int_equal(items[i], 0);
		items[i] = i;
		for (j = 0; j <= i; j++)
			assert_int_equal(items[j], j);
	}
	assert_string_equal(dkt__arena_strndup(&arena, "names", 4), "name");
	dkt__arena_free(&arena);
}

/* The other arrays that grow: n alone says when they are full. */
static void an_appended_list_grows_by_its_count(void **state)
{
	uint32_t *list = NULL, *at;
	size_t n = 0;

	(void)state;
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(dkt__append(list, n, i), 0);
	assert_int_equal(n, 1000);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(list[i], i);
	/* One that became shorter grows again. */
	for (n = 3; n < 300;)
		assert_int_equal(dkt__append(list, n, 7), 0);
	assert_int_equal(list[2], 2);
	assert_int_equal(list[299], 7);
	at = dkt__reach(list, n, 399);
	assert_non_null(at);
	assert_int_equal(n, 400);
	assert_int_equal(list[300] | *at, 0);
	assert_ptr_equal(dkt__reach(list, n, 5), &list[5]);
	assert_int_equal(n, 400);
	/* It has room for as many as if all had been appended. */
	while (n < 600)
		assert_int_equal(dkt__append(list, n, 8), 0);
	assert_int_equal(list[599], 8);
	free(list);
}

static void an_array_that_grows_by_one_is_copied_seldom(void **state)
{
	static const size_t rooms[][2] = { { 0, 0 },   { 1, 4 },     { 4, 4 },
					   { 5, 8 },   { 8, 8 },     { 9, 16 },
					   { 16, 16 }, { 300, 512 }, { SIZE_MAX, SIZE_MAX } };
	uint32_t *list = NULL;
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rooms); i++)
		assert_int_equal(dkt__room(rooms[i][0]), rooms[i][1]);
	for (uint32_t i = 0; i < 1000; i++) {
		uint32_t *at = dkt__reach(list, n, i);

		assert_non_null(at);
		assert_int_equal(*at, 0);
		*at = i;
	}
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(list[i], i);
	/* Elements that were cut off are zero when they come again. */
	n = 500;
	assert_int_equal(*dkt__reach(list, n, 510), 0);
	assert_int_equal(list[505], 0);
	free(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_are_zeroed_aligned_and_separate),
		cmocka_unit_test(a_size_that_is_too_large_gives_null),
		cmocka_unit_test(a_grown_array_keeps_its_items),
		cmocka_unit_test(an_appended_list_grows_by_its_count),
		cmocka_unit_test(an_array_that_grows_by_one_is_copied_seldom),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
