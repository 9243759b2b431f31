/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory: the kernel's numbers, and the part of it that buffers may take. */
#include "compat/set/param/memory.h"
#include "tests/helper/check.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MB(n)         ((uint64_t)(n) << 20)

static int read_text(const char *text, struct memory *memory)
{
	char path[] = "/tmp/dktrace-memory-XXXXXX";
	int fd = mkstemp(path), err;

	assert_true(fd >= 0);
	assert_true(dprintf(fd, "%s", text) >= 0);
	err = dkl_memory_read(path, memory);
	close(fd);
	unlink(path);
	return err;
}

static void meminfo_is_read(void **state)
{
	struct memory memory;

	(void)state;
	assert_int_equal(read_text("MemTotal:       24683944 kB\nMemFree:         4 kB\n"
				   "MemAvailable:   23601000 kB\nBuffers: 7 kB\n",
				   &memory),
			 0);
	assert_int_equal(memory.total, 24683944ull * 1024);
	assert_int_equal(memory.available, 23601000ull * 1024);
	assert_int_equal(read_text("MemTotal: 5 kB\n", &memory), -EINVAL);
	assert_int_equal(read_text("MemAvailable: 5 kB\n", &memory), -EINVAL);
	assert_int_equal(read_text("", &memory), -EINVAL);
	assert_int_equal(dkl_memory_read("/nonexistent", &memory), -ENOENT);
	assert_int_equal(dkl_memory_read(MEMORY_INFO, &memory), 0);
	assert_true(memory.total > memory.available && memory.available);
}

static void other_programs_keep_a_part(void **state)
{
	static const struct {
		unsigned int total, available, own, most; /* MB */
	} rows[] = {
		{ 24000, 23000, 0, 23000 - 4800 }, /* 20 % of much */
		{ 24000, 6000, 0, 1200 }, /* other programs have the rest */
		{ 24000, 4000, 0, 0 },
		{ 8000, 7000, 0, 7000 - 2048 }, /* 20 % would be less than 2 GiB */
		{ 1000, 900, 0, 400 }, /* 2 GiB are more than there is */
		/* The buffers' own memory counts as available for them, and they never shrink. */
		{ 24000, 13000, 10000, 23000 - 4800 },
		{ 24000, 4800, 10000, 10000 },
		{ 24000, 100, 10000, 10000 },
		{ 1000, 100, 4, 4 },
		{ 0, 0, 0, 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct memory memory = { MB(rows[i].total), MB(rows[i].available) };
		uint64_t most = dkl_memory_most(&memory, MB(rows[i].own));

		if (most != MB(rows[i].most))
			fail_msg("row %zu: %llu MB", i, (unsigned long long)most >> 20);
	}
}

static void a_share_has_a_limit(void **state)
{
	struct memory memory;

	(void)state;
	assert_int_equal(dkl_memory_read(MEMORY_INFO, &memory), 0);
	assert_int_equal(dkl_memory_share(1, 2), 1);
	assert_int_equal(dkl_memory_share(UINT64_MAX, memory.total), 0);
	assert_true(dkl_memory_share(UINT64_MAX, 4) <= memory.total / 4);
	assert_true(dkl_memory_share(UINT64_MAX, 4) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(meminfo_is_read),
		cmocka_unit_test(other_programs_keep_a_part),
		cmocka_unit_test(a_share_has_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
