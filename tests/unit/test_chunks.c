/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pages in compressed chunks: which chunks are unpacked, and how often. */
#include "lib/source/chunks.h"
#include "tests/helper/check.h"

#define PAGE   16u
#define CHUNKS 4u
#define PAGES  3u /* of a chunk */

/* The packed data: the number of the chunk's first page, or invalid data. */
#define BAD UINT32_MAX

static unsigned int n_unpacked;

static int unpack(void **state, const void *in, size_t n_in, void *out, size_t n_out)
{
	uint8_t *page = out;
	uint32_t first;
	uint64_t stamp;

	(void)state;
	assert_int_equal(n_in, sizeof(first));
	memcpy(&first, in, sizeof(first));
	n_unpacked++;
	if (first == BAD)
		return -EBADMSG;
	for (stamp = 1000 + first; page < (uint8_t *)out + n_out; stamp++, page += PAGE)
		memcpy(page, &stamp, sizeof(stamp));
	return 0;
}

static void release(void *state)
{
	assert_null(state);
}

static const struct dkt__codec codec = { .name = "test", .decompress = unpack, .release = release };

/* The last of them is bad. */
static int begin(void **state)
{
	static struct dkt__chunks chunks;
	static uint32_t bytes[1 + 3 * CHUNKS];
	struct dkt__cursor cur = { .p = (uint8_t *)bytes,
				   .end = (uint8_t *)(bytes + ARRAY_SIZE(bytes)) };
	uint32_t i;

	bytes[0] = CHUNKS;
	for (i = 0; i < CHUNKS; i++) {
		bytes[1 + 3 * i] = sizeof(uint32_t);
		bytes[2 + 3 * i] = PAGES * PAGE;
		bytes[3 + 3 * i] = i == CHUNKS - 1 ? BAD : i * PAGES;
	}
	chunks = (struct dkt__chunks){ .codec = &codec, .page_size = PAGE };
	assert_true(dkt__chunks_find(&chunks, &cur));
	assert_int_equal(chunks.pages, CHUNKS * PAGES);
	n_unpacked = 0;
	*state = &chunks;
	return 0;
}

static int end(void **state)
{
	dkt__chunks_clear(*state);
	return 0;
}

static uint64_t stamp_of(const uint8_t *page)
{
	uint64_t stamp = 0;

	if (page)
		memcpy(&stamp, page, sizeof(stamp));
	return stamp;
}

static uint64_t time_of(struct dkt__chunks *chunks, uint64_t nr)
{
	uint64_t time;

	return dkt__chunks_time(chunks, nr, false, &time) ? time : 0;
}

static void each_chunk_is_unpacked_once(void **state)
{
	struct dkt__chunks *chunks = *state;
	uint64_t nr;

	for (nr = 0; nr < (CHUNKS - 1) * PAGES; nr++)
		assert_int_equal(stamp_of(dkt__chunks_page(chunks, nr)), 1000 + nr);
	assert_int_equal(n_unpacked, CHUNKS - 1);
	/* The one that was walked last knows its times. */
	assert_int_equal(time_of(chunks, nr - 1), 1000 + nr - 1);
	assert_int_equal(n_unpacked, CHUNKS - 1);
}

/* The walked chunk stays unpacked during a search, and the chunk searched last can be walked. */
static void a_search_does_not_disturb_a_walk(void **state)
{
	struct dkt__chunks *chunks = *state;
	const uint8_t *page = dkt__chunks_page(chunks, 1);

	assert_int_equal(stamp_of(page), 1001);
	assert_int_equal(time_of(chunks, 8), 1008);
	assert_int_equal(time_of(chunks, 7), 1007);
	assert_int_equal(time_of(chunks, 4), 1004);
	assert_int_equal(n_unpacked, 3);
	assert_int_equal(stamp_of(page), 1001);
	assert_ptr_equal(dkt__chunks_page(chunks, 1), page);
	assert_int_equal(stamp_of(dkt__chunks_page(chunks, 5)), 1005);
	assert_int_equal(stamp_of(dkt__chunks_page(chunks, 2)), 1002);
	assert_int_equal(n_unpacked, 3);
	assert_int_equal(time_of(chunks, 6), 1006);
	assert_int_equal(n_unpacked, 3);
}

static void pages_that_do_not_exist_are_null(void **state)
{
	struct dkt__chunks *chunks = *state;

	assert_null(dkt__chunks_page(chunks, CHUNKS * PAGES));
	assert_int_equal(time_of(chunks, CHUNKS * PAGES), 0);
	assert_null(dkt__chunks_page(chunks, CHUNKS * PAGES - 1));
	assert_int_equal(time_of(chunks, CHUNKS * PAGES - 2), 0);
	/* And does not stand for anything else afterwards. */
	assert_int_equal(stamp_of(dkt__chunks_page(chunks, 0)), 1000);
	assert_int_equal(time_of(chunks, 3), 1003);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_chunk_is_unpacked_once, begin, end),
		cmocka_unit_test_setup_teardown(a_search_does_not_disturb_a_walk, begin, end),
		cmocka_unit_test_setup_teardown(pages_that_do_not_exist_are_null, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
