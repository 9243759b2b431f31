/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The names of disks: of this machine, in the files of the library, of several hosts, and from hostile files. */
#include <sys/mman.h>

#include "lib/base/disks.h"
#include "lib/inside.h"
#include "lib/source.h"
#include "lib/tracedat.h"
#include "tests/helper/check.h"

#define DEV(major, minor) ((uint64_t)(major) << 20 | (minor))

/* A source without records, of a host with these disks. */
struct host {
	struct dkt_source base;
	struct dkt__disks disks;
};

static const struct dkt__disks *host_disks(const struct dkt_source *source, uint32_t nr)
{
	(void)nr;
	return &((const struct host *)source)->disks;
}

static int no_record(void *data, struct dkt_record *record)
{
	(void)data, (void)record;
	return DKT_NEXT_END;
}

static const struct dkt__source_ops host_ops = { .disks = host_disks };

static void host_add(struct host *host, uint64_t dev, const char *name)
{
	host->base.ops = &host_ops;
	assert_int_equal(dkt__disks_add(&host->disks, dev, name, strlen(name)), 0);
	dkt__disks_sort(&host->disks);
}

static struct dkt_source *source_of(struct dkt_ctx *ctx, const struct host *host)
{
	DKT_OPTS(dkt__source_calls, calls, .next = no_record, .host = host ? &host->base : NULL);
	struct dkt_source *source;

	assert_ok(ctx, dkt__source_make(ctx, &calls, NULL, NULL, NULL, &source));
	return source;
}

/* Writes the source to a file, and opens that. */
static struct dkt_source *written(struct dkt_source *source, struct dkt_ctx *ctx,
				  unsigned int version, struct dkt_ctx **own)
{
	DKT_OPTS(dkt_tracedat_opts, opts, .version = version);
	DKT_OPTS(dkt_source_opts, all, .flags = DKT_SOURCE_ALL);
	const int fd = memfd_create("trace.dat", MFD_CLOEXEC);
	struct dkt_source *file;
	struct dkt_tracedat *out;
	struct dkt_record gap = { .lost = 1 };
	char path[32];

	assert_true(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_ok(ctx, dkt_tracedat_new(ctx, source, fd, &opts, &out));
	for (; dkt_source_stream(source, gap.stream); gap.stream++)
		assert_ok(ctx, dkt_tracedat_add(out, &gap));
	assert_ok(ctx, dkt_tracedat_finish(out));
	dkt_tracedat_free(out);
	assert_int_equal(dkt_ctx_new(NULL, own), 0);
	assert_ok(*own, dkt_source_open(*own, path, &all, &file));
	assert_null(dkt_source_info(file)->damage);
	close(fd);
	return file;
}

/* Returns the number of the stream. */
static uint32_t stream_of(const struct dkt_source *source, const char *name)
{
	uint32_t nr = 0;

	while (strcmp(dkt_source_stream(source, nr), name) != 0)
		nr++;
	return nr;
}

static void assert_name(const char *name, const char *wanted)
{
	if (wanted)
		assert_non_null(name);
	assert_string_equal(name ? name : "", wanted ? wanted : "");
}

static void this_machine_has_the_disks_of_its_list(void **state)
{
	struct dkt__disks disks;
	unsigned int major, minor;
	char line[256], name[64];
	FILE *f = fopen("/proc/partitions", "r");
	size_t n = 0;

	(void)state;
	assert_int_equal(dkt__disks_read(&disks), 0);
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%u %u %*u %63s", &major, &minor, name) == 3) {
			assert_name(dkt__disks_find(&disks, DEV(major, minor)), name);
			n++;
		}
	assert_int_equal(disks.n, n);
	dkt__disks_clear(&disks);
	if (f)
		fclose(f);
}

static void a_file_keeps_the_names_for_all_buffers(void **state)
{
	struct host host = { 0 };
	struct dkt_ctx *ctx, *own;
	struct dkt_source *source, *file;
	struct dkt__source_disk disk;

	(void)state;
	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	host_add(&host, DEV(254, 0), "vda");
	host_add(&host, DEV(8, 1), "sda1");
	source = source_of(ctx, &host);
	for (unsigned int version = 6; version <= 7; version++) {
		file = written(source, ctx, version, &own);
		assert_name(dkt__source_disk(file, 0, DEV(254, 0)), "vda");
		assert_name(dkt__source_disk(file, DKT__STREAM_ALL, DEV(8, 1)), "sda1");
		assert_null(dkt__source_disk(file, 0, DEV(8, 2)));
		assert_null(dkt__source_disk(file, 0, UINT64_MAX));
		assert_null(dkt__source_disk(file, 7, DEV(8, 1)));
		assert_int_equal(dkt__source_disk_at(file, 0, 0, &disk, sizeof(disk)), 0);
		assert_int_equal(disk.dev, DEV(8, 1));
		assert_string_equal(disk.name, "sda1");
		assert_int_equal(dkt__source_disk_at(file, 0, 1, &disk, sizeof(disk)), 0);
		assert_int_equal(dkt__source_disk_at(file, 0, 2, &disk, sizeof(disk)), 1);
		dkt_source_close(file);
		dkt_ctx_free(own);
	}
	dkt_source_close(source);
	dkt_ctx_free(ctx);
	dkt__disks_clear(&host.disks);
}

static void a_merged_file_keeps_the_names_of_each_host(void **state)
{
	struct host hosts[2] = { 0 };
	struct dkt_merge_part parts[3] = { 0 };
	struct dkt_source *merged, *file;
	struct dkt_ctx *ctx, *own;

	(void)state;
	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	host_add(&hosts[0], DEV(8, 0), "sda");
	host_add(&hosts[0], DEV(8, 16), "sdb");
	host_add(&hosts[1], DEV(8, 0), "sda");
	host_add(&hosts[1], DEV(8, 16), "sdc");
	/* The third one has no names. */
	for (size_t i = 0; i < 3; i++)
		parts[i] =
			(struct dkt_merge_part){ .sz = sizeof(*parts),
						 .source = source_of(ctx, i < 2 ? &hosts[i] : NULL),
						 .name = (const char *[]){ "a", "b", "c" }[i] };
	assert_ok(ctx, dkt_source_merge(parts, 3, &merged));
	file = written(merged, ctx, 7, &own);
	for (int again = 0; again < 2; again++) {
		const struct dkt_source *it = again ? file : merged;

		assert_name(dkt__source_disk(it, stream_of(it, "a"), DEV(8, 16)), "sdb");
		assert_name(dkt__source_disk(it, stream_of(it, "b"), DEV(8, 16)), "sdc");
		assert_null(dkt__source_disk(it, stream_of(it, "c"), DEV(8, 16)));
		assert_name(dkt__source_disk(it, DKT__STREAM_ALL, DEV(8, 0)), "sda");
		assert_null(dkt__source_disk(it, DKT__STREAM_ALL, DEV(8, 16)));
	}
	dkt_source_close(file);
	dkt_ctx_free(own);
	dkt_source_close(merged);
	for (size_t i = 0; i < 3; i++)
		dkt_source_close(parts[i].source);
	dkt_ctx_free(ctx);
	dkt__disks_clear(&hosts[0].disks);
	dkt__disks_clear(&hosts[1].disks);
}

static void a_name_that_no_kernel_gives_is_left_out(void **state)
{
	static const char *const bad[] = {
		"",     "a b", "a\n",  "\x1b[31m", "<b>",
		"a\"b", "a'b", "\xff", "a\\b",     "12345678901234567890123456789012"
	};
	struct dkt__disks disks = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(dkt__disks_add(&disks, i, bad[i], strlen(bad[i])), 0);
	assert_int_equal(disks.n, 0);
	assert_int_equal(dkt__disks_add(&disks, UINT64_C(1) << 32, "sda", 3), 0);
	assert_int_equal(disks.n, 0);
	assert_int_equal(dkt__disks_add(&disks, 1, "cciss/c0d0p1", 12), 0);
	assert_int_equal(disks.n, 1);
	dkt__disks_clear(&disks);
}

static void an_invalid_table_of_a_file_is_damage(void **state)
{
	static const struct {
		uint8_t bytes[16];
		size_t n;
	} tables[] = {
		{ { 1 }, 4 }, /* no table */
		{ { 255, 255, 255, 255 }, 4 },
		{ { 1, 0, 0, 0, 255, 255, 255, 127 }, 8 }, /* buffers */
		{ { 1, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255 }, 12 }, /* disks */
		{ { 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 }, 16 }, /* no name */
	};
	struct dkt_ctx *ctx;

	(void)state;
	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		struct dkt__dat dat = { .ctx = ctx, .streams.base.ctx = ctx };
		struct dkt__cursor cur = { .p = tables[i].bytes,
					   .end = tables[i].bytes + tables[i].n };

		assert_int_equal(dkt__dat_disks(&dat, &cur), 0);
		assert_has(dat.streams.damage, "the names of its disks are invalid");
		dkt__dat_disks_clear(&dat);
		free(dat.streams.damage);
	}
	dkt_ctx_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(this_machine_has_the_disks_of_its_list),
		cmocka_unit_test(a_file_keeps_the_names_for_all_buffers),
		cmocka_unit_test(a_merged_file_keeps_the_names_of_each_host),
		cmocka_unit_test(a_name_that_no_kernel_gives_is_left_out),
		cmocka_unit_test(an_invalid_table_of_a_file_is_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
