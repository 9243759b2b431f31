/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of functions for the addresses in perf.data: only from the file that was recorded. */
#include <elfutils/libdwelf.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>

#include "lib/debuginfo/binary.h"
#include "lib/perfdata.h"
#include "tests/helper/check.h"

/* Where the program was mapped. */
#define START UINT64_C(0x10000000)

struct room {
	struct dkt_ctx *ctx;
	struct dkt__perf perf;
	char path[PATH_MAX];
	struct stat st;
	uint64_t at; /* offset of the function in the file */
	uint8_t build[20];
	uint8_t n_build;
};

/* The function that is to be found, in this program. */
__attribute__((noinline)) int function_to_find(int n);
__attribute__((noinline)) int function_to_find(int n)
{
	return n + 1;
}

static int setup(void **state)
{
	struct room *r = calloc(1, sizeof(*r));
	struct dkt__binary *binary;
	struct binary_symbol symbol;
	struct utsname name;
	const void *id;
	ssize_t n;

	assert_non_null(r);
	assert_int_equal(dkt_ctx_new(NULL, &r->ctx), 0);
	r->ctx->long_size = 8;
	r->perf.streams.base.ctx = r->ctx;
	assert_int_equal(uname(&name), 0);
	r->perf.host = strdup(name.nodename);
	n = readlink("/proc/self/exe", r->path, sizeof(r->path) - 1);
	assert_true(n > 0);
	assert_int_equal(stat(r->path, &r->st), 0);
	assert_ok(r->ctx, dkt__binary_open(r->ctx, r->path, NULL, NULL, &binary));
	assert_ok(r->ctx, dkt__binary_function(binary, "function_to_find", &symbol));
	assert_ok(r->ctx, dkt__binary_offset(binary, symbol.address, &r->at));
	n = dwelf_elf_gnu_build_id(binary->elf, &id);
	if (n > 0 && (size_t)n <= sizeof(r->build)) {
		r->n_build = (uint8_t)n;
		memcpy(r->build, id, r->n_build);
	}
	dkt__binary_close(binary);
	*state = r;
	return 0;
}

static int teardown(void **state)
{
	struct room *r = *state;

	dkt__perf_maps_clear(&r->perf);
	dkt__perf_programs_clear(&r->perf);
	free(r->perf.host);
	dkt_ctx_free(r->ctx);
	free(r);
	return 0;
}

/* A mapping of the whole program by process 42. */
static struct dkt__perf_item mapping(const struct room *r)
{
	return (struct dkt__perf_item){ .type = PERF_RECORD_MMAP2,
					.pid = 42,
					.data = (const uint8_t *)r->path,
					.size = (uint32_t)strlen(r->path),
					.start = START,
					.length = (uint64_t)r->st.st_size,
					.major = major(r->st.st_dev),
					.minor = minor(r->st.st_dev),
					.inode = r->st.st_ino };
}

/* Checks the name of an address one byte into the function. */
static void check_name(struct room *r, bool found)
{
	uint64_t address = dkt__perf_maps_name(&r->perf, 42, START + r->at + 1), offset;
	const char *name = dkt_symbol_name(r->ctx, address, &offset);
	const char *file = strrchr(r->path, '/') + 1, *module;
	char want[PATH_MAX];

	assert_non_null(name);
	module = dkt__symbol_module(r->ctx, address);
	if (found) {
		assert_string_equal(name, "function_to_find");
		assert_int_equal(offset, 1);
		assert_string_equal(module, file);
		return;
	}
	snprintf(want, sizeof(want), "[%s]", file);
	assert_string_equal(name, want);
	assert_int_equal(offset, r->at + 1);
	assert_null(module);
}

static void check_mapping(struct room *r, const struct dkt__perf_item *item, bool found)
{
	assert_int_equal(dkt__perf_maps_apply(&r->perf, item), 0);
	check_name(r, found);
	/* The second time, the name is known. */
	check_name(r, found);
}

static void the_same_file_has_the_functions(void **state)
{
	struct dkt__perf_item item = mapping(*state);

	check_mapping(*state, &item, true);
}

static void another_file_has_not(void **state)
{
	struct dkt__perf_item item = mapping(*state);

	item.inode++;
	check_mapping(*state, &item, false);
}

static void a_file_of_another_host_has_not(void **state)
{
	struct room *r = *state;
	struct dkt__perf_item item = mapping(r);

	r->perf.host[0]++;
	check_mapping(r, &item, false);
}

static void a_file_of_which_nothing_is_known_has_not(void **state)
{
	struct dkt__perf_item item = mapping(*state);

	item.inode = 0;
	check_mapping(*state, &item, false);
}

static void two_files_with_one_path_have_not(void **state)
{
	struct room *r = *state;
	struct dkt__perf_item item = mapping(r), other = item;

	other.inode++;
	assert_int_equal(dkt__perf_maps_apply(&r->perf, &other), 0);
	check_mapping(r, &item, false);
}

static void the_build_id_decides(void **state)
{
	struct room *r = *state;
	struct dkt__perf_item item = mapping(r);

	if (!r->n_build)
		skip();
	item.inode = 0;
	item.build = r->build;
	item.n_build = r->n_build;
	check_mapping(r, &item, true);
}

static void another_build_has_not(void **state)
{
	struct room *r = *state;
	struct dkt__perf_item item = mapping(r);

	r->build[0]++;
	item.build = r->build;
	item.n_build = 20;
	check_mapping(r, &item, false);
}

/* ---- the table of build IDs ---- */

/* A row as perf writes it; the size says how long the path and its padding are. */
static size_t put_row(uint8_t *to, uint16_t misc, uint16_t size, const struct room *r)
{
	const struct perf_event_header head = { .type = 67, .misc = misc, .size = size };

	memcpy(to, &head, sizeof(head));
	memcpy(to + 12, r->build, r->n_build);
	to[12 + 20] = r->n_build;
	strcpy((char *)to + 36, r->path);
	return 36 + strlen(r->path) + 1;
}

static void the_table_has_build_ids(void **state)
{
	struct room *r = *state;
	uint8_t bytes[PATH_MAX + 36] = { 0 };
	struct dkt__perf_item item = mapping(r);
	uint16_t size = (uint16_t)put_row(bytes, 1 << 15, 0, r);

	if (!r->n_build)
		skip();
	put_row(bytes, 1 << 15, size, r);
	assert_int_equal(dkt__perf_builds(&r->perf, dkt__perf_cursor(&r->perf, bytes, size)), 0);
	item.inode = 0;
	check_mapping(r, &item, true);
}

static void a_damaged_table_has_none(void **state)
{
	struct room *r = *state;
	uint8_t bytes[PATH_MAX + 36] = { 0 };
	struct dkt__perf_item item = mapping(r);
	uint16_t size = (uint16_t)put_row(bytes, 0, 0, r);
	const uint16_t sizes[] = { 0, 8, 36, (uint16_t)(size + 1), UINT16_MAX };

	item.inode = 0;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		put_row(bytes, 0, sizes[i], r);
		assert_int_equal(
			dkt__perf_builds(&r->perf, dkt__perf_cursor(&r->perf, bytes, size)), 0);
	}
	/* An ID that is longer than its room. */
	put_row(bytes, 1 << 15, size, r);
	bytes[12 + 20] = 255;
	assert_int_equal(dkt__perf_builds(&r->perf, dkt__perf_cursor(&r->perf, bytes, size)), 0);
	check_mapping(r, &item, false);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_same_file_has_the_functions),
		TEST(another_file_has_not),
		TEST(a_file_of_another_host_has_not),
		TEST(a_file_of_which_nothing_is_known_has_not),
		TEST(two_files_with_one_path_have_not),
		TEST(the_build_id_decides),
		TEST(another_build_has_not),
		TEST(the_table_has_build_ids),
		TEST(a_damaged_table_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
