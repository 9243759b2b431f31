/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A perf.data file that grows: its records come in the rounds in which they are written. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "lib/inside.h"
#include "tests/helper/check.h"
#include "tests/helper/order.h"

#define RECORDED "tests/fixture/perfdata/plain.data"

/* In the header: where the records are, and their bytes. */
#define DATA_AT 40
#define SIZE_AT 48

static uint64_t number_at(const uint8_t *bytes, size_t at)
{
	return get_little(bytes + at, 8);
}

static uint8_t *read_recorded(size_t *size)
{
	const int fd = open(RECORDED, O_RDONLY | O_CLOEXEC);
	struct stat st;
	uint8_t *bytes;

	assert_true(fd >= 0 && !fstat(fd, &st));
	*size = (size_t)st.st_size;
	bytes = malloc(*size);
	assert_int_equal(read(fd, bytes, *size), *size);
	close(fd);
	return bytes;
}

/* The bytes of records up to a record at or behind the middle. */
static uint64_t middle(const uint8_t *bytes)
{
	const uint64_t at = number_at(bytes, DATA_AT), size = number_at(bytes, SIZE_AT);
	uint64_t end = 0;

	while (end < size / 2)
		end += get_little(bytes + at + end + 6, 2);
	return end;
}

/* Changes the number of bytes of records. */
static void put_size(int fd, uint64_t size)
{
	uint8_t bytes[8];

	dkt__put_bytes(bytes, size, sizeof(bytes), false);
	assert_int_equal(pwrite(fd, bytes, sizeof(bytes), SIZE_AT), sizeof(bytes));
}

static int make_file(const uint8_t *bytes, size_t size, uint64_t records)
{
	const int fd = memfd_create("grows", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	put_size(fd, records);
	return fd;
}

/* Reads to the end. Returns the number of records. */
static size_t read_all(struct dkt_source *source)
{
	struct dkt_record record;
	size_t n = 0;
	int next;

	while (!(next = dkt_source_next(source, &record)))
		n++;
	assert_int_equal(next, DKT_NEXT_END);
	return n;
}

static void open_file(int fd, struct dkt_ctx **ctx, struct dkt_source **source)
{
	DKT_OPTS(dkt_source_opts, opts, .fd = fd + 1);

	assert_int_equal(dkt_ctx_new(NULL, ctx), 0);
	assert_ok(*ctx, dkt_source_open(*ctx, "grows", &opts, source));
}

static void what_is_added_is_read_after_the_end(void **state)
{
	struct dkt_source *source;
	struct dkt_ctx *ctx;
	size_t size, all, first;
	uint8_t *bytes = read_recorded(&size);
	const uint64_t half = middle(bytes), whole = number_at(bytes, SIZE_AT);
	int fd = make_file(bytes, size, whole);

	(void)state;
	/* The recorded file is of a little-endian machine, and only files of this machine grow. */
	if (DKT__BIG_ENDIAN)
		skip();
	open_file(fd, &ctx, &source);
	all = read_all(source);
	dkt_source_close(source);
	dkt_ctx_free(ctx);
	close(fd);

	fd = make_file(bytes, size, half);
	open_file(fd, &ctx, &source);
	first = read_all(source);
	assert_true(first && first < all);
	/* Nothing new, then the rest, then nothing again. */
	assert_ok(ctx, dkt__perf_more(source));
	assert_int_equal(read_all(source), 0);
	put_size(fd, whole);
	assert_ok(ctx, dkt__perf_more(source));
	assert_int_equal(first + read_all(source), all);
	assert_ok(ctx, dkt__perf_more(source));
	assert_int_equal(read_all(source), 0);
	/* A file does not become shorter, nor longer than it was opened. */
	put_size(fd, half);
	assert_int_equal(dkt__perf_more(source), -EBADMSG);
	put_size(fd, size + 1);
	assert_int_equal(dkt__perf_more(source), -EBADMSG);
	dkt_source_close(source);
	dkt_ctx_free(ctx);
	close(fd);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_added_is_read_after_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
