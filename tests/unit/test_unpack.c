/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Small trace.dat files of version 7 that unpack to many times their size. */
#include <sys/mman.h>
#include <zstd.h>

#include "lib/ctx.h"
#include "tests/helper/check.h"
#include "tests/helper/order.h"

/* From trace-cmd.dat.v7(5). */
enum { BUFFER = 3, PRINTK = 20 };

#define MB (1u << 20)

/* A file is put together in this: places in it are offsets. */
struct made {
	FILE *f;
	char *data;
	size_t size;
};

static void put(struct made *made, uint64_t value, size_t size)
{
	uint8_t bytes[8];

	dkt__put_bytes(bytes, value, size, false);
	assert_int_equal(fwrite(bytes, size, 1, made->f), 1);
}

static uint64_t place(const struct made *made)
{
	return (uint64_t)ftell(made->f);
}

/* The number and zeros after it, packed, with both sizes before them. */
static void put_packed(struct made *made, uint32_t first, size_t size)
{
	size_t room = ZSTD_compressBound(size), n;
	char *packed = malloc(room), *plain = calloc(1, size);

	assert_non_null(packed);
	assert_non_null(plain);
	dkt__put_bytes((uint8_t *)plain, first, sizeof(first), false);
	n = ZSTD_compress(packed, room, plain, size, 1);
	assert_false(ZSTD_isError(n));
	put(made, n, 4);
	put(made, size, 4);
	assert_int_equal(fwrite(packed, 1, n, made->f), n);
	free(packed);
	free(plain);
}

/* The place of the options is filled in at the end. */
static uint64_t begin(struct made *made)
{
	uint64_t at;

	made->f = open_memstream(&made->data, &made->size);
	assert_non_null(made->f);
	fputs("\x17\x08\x44tracing7", made->f);
	put(made, 0, 2); /* a NUL, little endian */
	put(made, 8, 1);
	put(made, 4096, 4);
	fwrite("zstd\0"
	       "1",
	       1, 7, made->f);
	at = place(made);
	put(made, 0, 8);
	return at;
}

/* The head of a section of that many bytes. */
static void put_section(struct made *made, unsigned int id, bool packed, uint64_t size)
{
	put(made, id, 2);
	put(made, packed, 2);
	put(made, 0, 4);
	put(made, size, 8);
}

/* Returns the damage that the reader reports, or NULL. The caller frees it. */
static char *damage_of(struct made *made, uint64_t head, uint64_t options)
{
	const struct dkt_source_info *info;
	int fd = memfd_create("made", MFD_CLOEXEC);
	struct dkt_source *source;
	struct dkt_ctx *ctx;
	char path[32], *damage;

	put(made, 0, 2);
	put(made, 8, 4);
	put(made, 0, 8);
	assert_int_equal(fclose(made->f), 0);
	dkt__put_bytes((uint8_t *)made->data + head, options, sizeof(options), false);
	assert_true(fd >= 0 && write(fd, made->data, made->size) == (ssize_t)made->size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	assert_ok(ctx, dkt_source_open(ctx, path, NULL, &source));
	info = dkt_source_info(source);
	damage = info->damage ? strdup(info->damage) : NULL;
	dkt_source_close(source);
	dkt_ctx_free(ctx);
	close(fd);
	free(made->data);
	return damage;
}

/* One buffer of CPUs whose chunks are there. */
static void put_buffer(struct made *made, uint32_t page_size, const uint64_t *at,
		       const uint64_t *size, uint32_t n)
{
	uint64_t section = place(made), options;
	uint32_t i;

	put_section(made, BUFFER, true, 0);
	options = place(made);
	put_section(made, 0, false, 4096);
	put(made, BUFFER, 2);
	put(made, 8 + 1 + 1 + 4 + 4 + n * 20, 4);
	put(made, section, 8);
	put(made, 0, 2); /* two names */
	put(made, page_size, 4);
	put(made, n, 4);
	for (i = 0; i < n; i++) {
		put(made, i, 4);
		put(made, at[i], 8);
		put(made, size[i], 8);
	}
	assert_int_equal(options, section + 16);
}

/* trace-cmd's own files have no CPU with more than the file's other CPUs leave to it. */
static void shared_chunks_are_unpacked_within_the_limit(void **state)
{
	uint64_t at[64], size[64], head;
	struct made made = { 0 };
	char *damage;
	size_t i;

	(void)state;
	head = begin(&made);
	at[0] = place(&made);
	put(&made, 1, 4);
	put_packed(&made, 0, MB);
	for (i = 0; i < ARRAY_SIZE(at); i++) {
		at[i] = at[0];
		size[i] = place(&made) - at[0];
	}
	put_buffer(&made, 4096, at, size, ARRAY_SIZE(at));
	damage = damage_of(&made, head, at[0] + size[0] + 16);
	assert_non_null(damage);
	assert_has(damage, "belong to other CPUs");
	free(damage);
}

static void large_chunks_are_unpacked_within_the_limit(void **state)
{
	uint64_t at[8], size[8], head, end;
	struct made made = { 0 };
	char *damage;
	size_t i;

	(void)state;
	head = begin(&made);
	for (i = 0; i < ARRAY_SIZE(at); i++) {
		at[i] = place(&made);
		put(&made, 1, 4);
		put_packed(&made, 0, 16 * MB);
		size[i] = place(&made) - at[i] - 4;
	}
	end = place(&made);
	put_buffer(&made, MB, at, size, ARRAY_SIZE(at));
	damage = damage_of(&made, head, end + 16);
	assert_non_null(damage);
	assert_has(damage, "cpu 7 go beyond the limit of");
	assert_lacks(damage, "cpu 0 ");
	free(damage);
}

/* Many options point to one section. */
static void a_repeated_section_is_unpacked_within_the_limit(void **state)
{
	struct made made = { 0 };
	uint64_t head, section, options;
	char *damage;
	int i;

	(void)state;
	head = begin(&made);
	section = place(&made);
	put_section(&made, PRINTK, true, UINT32_MAX);
	put_packed(&made, 60 * MB - 4, 60 * MB);
	options = place(&made);
	put_section(&made, 0, false, 4096);
	for (i = 0; i < 50; i++) {
		put(&made, PRINTK, 2);
		put(&made, 8, 4);
		put(&made, section, 8);
	}
	damage = damage_of(&made, head, options);
	assert_non_null(damage);
	assert_has(damage, "the section of strings cannot be read");
	free(damage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shared_chunks_are_unpacked_within_the_limit),
		cmocka_unit_test(large_chunks_are_unpacked_within_the_limit),
		cmocka_unit_test(a_repeated_section_is_unpacked_within_the_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
