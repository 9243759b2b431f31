/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sampler: the file that it writes, the programs that samples hit, build IDs, and words for refusals. */
#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>

#include "lib/base/io.h"
#include "lib/sampler.h"
#include "tests/helper/check.h"

/* ---- refusals ---- */

struct refusal {
	struct dkt_ctx *ctx;
	struct perf_event_attr attr;
	struct dkt__perf_try try;
};

static int refusal_begin(void **state)
{
	struct refusal *refusal = calloc(1, sizeof(*refusal));

	assert_non_null(refusal);
	assert_int_equal(dkt_ctx_new(NULL, &refusal->ctx), 0);
	refusal->try = (struct dkt__perf_try){
		.name = "cycles", .attr = &refusal->attr, .pid = -1, .cpu = 3, .paranoid = 2
	};
	*state = refusal;
	return 0;
}

static int refusal_end(void **state)
{
	struct refusal *refusal = *state;

	dkt_ctx_free(refusal->ctx);
	free(refusal);
	return 0;
}

static const char *words_of(struct refusal *refusal, int err)
{
	assert_int_equal(dkt__perf_event_refused(refusal->ctx, err, &refusal->try), err);
	return dkt_error(refusal->ctx);
}

static void a_refusal_names_the_setting_that_would_allow_it(void **state)
{
	struct refusal *refusal = *state;

	assert_has(words_of(refusal, -EACCES), "kernel.perf_event_paranoid=0");
	refusal->try.pid = 12;
	assert_has(words_of(refusal, -EACCES), "kernel.perf_event_paranoid=1");
	refusal->attr.type = PERF_TYPE_TRACEPOINT;
	refusal->attr.sample_type = PERF_SAMPLE_RAW;
	refusal->try.paranoid = 1;
	assert_has(words_of(refusal, -EPERM), "kernel.perf_event_paranoid=-1");
	/* Debian's kernels have a stricter value, which cap_perfmon does not lift. */
	refusal->try.paranoid = 3;
	refusal->try.able = true;
	assert_has(words_of(refusal, -EACCES), "cap_sys_admin, not cap_perfmon; set it: sysctl "
					       "kernel.perf_event_paranoid=2");
	refusal->try.admin = true;
	assert_lacks(words_of(refusal, -EACCES), "paranoid");
}

static void a_refusal_that_no_setting_explains_names_who_else_can_refuse(void **state)
{
	struct refusal *refusal = *state;

	refusal->try.pid = 12;
	refusal->attr.exclude_kernel = 1;
	assert_has(words_of(refusal, -EACCES), "process 12 belongs to another user");
	refusal->try.able = true;
	assert_has(words_of(refusal, -EPERM), "a container's seccomp filter");
	assert_lacks(words_of(refusal, -EPERM), "paranoid");
}

static void a_machine_without_counters_is_told_from_a_kernel_without_the_event(void **state)
{
	struct refusal *refusal = *state;

	assert_has(words_of(refusal, -ENOENT), "no hardware counter");
	refusal->attr.type = PERF_TYPE_SOFTWARE;
	assert_has(words_of(refusal, -ENOENT), "this kernel does not have it");
	assert_has(words_of(refusal, -ENODEV), "CPU 3 is offline");
	assert_has(words_of(refusal, -EMFILE), "ulimit -n");
	assert_has(words_of(refusal, -ESRCH), "has exited");
}

/* ---- the file ---- */

/* Members of the header of a file. */
enum { DATA = 40, DATA_SIZE = 48, FEATURES = 72 };

struct written {
	struct dkt_ctx *ctx;
	struct dkt__sampler sampler;
	struct dkt__sampler_fd fd;
	char path[64];
	int file;
};

static int written_begin(void **state)
{
	static char tool[] = "dktrace", command[] = "profile";
	static char *words[] = { tool, command };
	struct written *written = calloc(1, sizeof(*written));
	struct dkt__sampler *sampler;

	assert_non_null(written);
	assert_int_equal(dkt_ctx_new(NULL, &written->ctx), 0);
	sampler = &written->sampler;
	written->fd.id = 77;
	sampler->ctx = written->ctx;
	sampler->first = UINT64_MAX;
	sampler->hits.pids.n_words = 1;
	sampler->opts.words = words;
	sampler->opts.n_words = 2;
	sampler->n_events = 1;
	sampler->events[0] = (struct dkt__sampler_event){
		.name = "cpu-clock",
		.attr = { .type = PERF_TYPE_SOFTWARE,
			  .size = PERF_ATTR_SIZE_VER5,
			  .sample_type = DKT__SAMPLER_FIELDS,
			  .sample_id_all = 1,
			  .use_clockid = 1,
			  .clockid = CLOCK_MONOTONIC },
		.fds = &written->fd,
		.n = 1,
	};
	written->file = memfd_create("profile", MFD_CLOEXEC);
	assert_true(written->file >= 0);
	snprintf(written->path, sizeof(written->path), "/proc/self/fd/%d", written->file);
	assert_ok(written->ctx, dkt__sampler_file_begin(sampler, written->file));
	*state = written;
	return 0;
}

static int written_end(void **state)
{
	struct written *written = *state;

	dkt__sampler_file_clear(&written->sampler);
	dkt__sampler_hits_clear(&written->sampler.hits);
	close(written->file);
	dkt_ctx_free(written->ctx);
	free(written);
	return 0;
}

static uint64_t number_at(const struct written *written, uint64_t at)
{
	uint64_t value;

	assert_int_equal(dkt__pread_all(written->file, &value, sizeof(value), at), sizeof(value));
	return value;
}

static void add_sample(struct written *written, uint64_t time)
{
	struct dkt__sampler_head sample = {
		.header = { .type = PERF_RECORD_SAMPLE, .size = sizeof(sample) },
		.id = 77,
		.time = time,
	};
	struct iovec piece = { .iov_base = &sample, .iov_len = sizeof(sample) };

	dkt__sampler_record(&written->sampler, &sample.header);
	assert_ok(written->ctx, dkt__sampler_file_add(&written->sampler, &piece, 1));
}

/* The reader of perf.data finds the host, the clock and the kernel, and no damage of the header. */
static void check_readable(const struct written *written)
{
	struct dkt_ctx *ctx;
	struct dkt_source *source;
	const struct dkt_source_info *info;

	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	assert_ok(ctx, dkt_source_open(ctx, written->path, NULL, &source));
	info = dkt_source_info(source);
	assert_string_equal(info->kind, "perf.data");
	assert_string_equal(info->clock, "mono");
	assert_true(info->has_wall);
	assert_non_null(info->host);
	assert_non_null(info->kernel);
	dkt_source_close(source);
	dkt_ctx_free(ctx);
}

static void the_file_can_be_read_after_each_round(void **state)
{
	struct written *written = *state;

	assert_int_equal(number_at(written, DATA_SIZE), 0);
	for (uint64_t i = 1; i < 4; i++) {
		add_sample(written, i);
		assert_int_equal(number_at(written, DATA_SIZE),
				 i * sizeof(struct dkt__sampler_head));
		check_readable(written);
	}
}

static void a_killed_write_leaves_the_records_of_before(void **state)
{
	struct written *written = *state;
	struct iovec piece = { .iov_base = NULL, .iov_len = 8 };

	add_sample(written, 1);
	assert_fails(written->ctx, -EFAULT, NULL,
		     dkt__sampler_file_add(&written->sampler, &piece, 1));
	/* The features' place may be overwritten, so that the header does not have them. */
	assert_int_equal(number_at(written, FEATURES), 0);
	assert_int_equal(number_at(written, DATA_SIZE), sizeof(struct dkt__sampler_head));
}

static void the_end_has_the_times_of_the_samples(void **state)
{
	struct written *written = *state;
	struct dkt__sampler_file *file = &written->sampler.file;
	const struct dkt__sampler_section *times;

	add_sample(written, 20);
	add_sample(written, 10);
	assert_ok(written->ctx, dkt__sampler_file_end(&written->sampler));
	check_readable(written);
	times = &file->table[DKT__FEATURE_SAMPLE_TIME];
	assert_int_equal(number_at(written, FEATURES) >> DKT__FEATURE_SAMPLE_TIME & 1, 1);
	assert_int_equal(number_at(written, times->at), 10);
	assert_int_equal(number_at(written, times->at + 8), 20);
	assert_int_equal(lseek(written->file, 0, SEEK_END), written->sampler.result.bytes);
	assert_int_equal(number_at(written, DATA), file->data_at);
}

/* ---- hits ---- */

#define CODE UINT64_C(0x400000)

static bool is_hit(const struct dkt__sampler_hits *hits, uint32_t program)
{
	assert_true(program < hits->n_programs);
	return hits->programs[program].hit;
}

static void add_code(struct dkt__sampler_hits *hits, uint32_t pid, uint64_t start, const char *name)
{
	dkt__sampler_hits_map(hits, pid, start, 0x1000, 5, name, strlen(name) + 1);
}

static void only_the_file_of_an_address_is_hit(void **state)
{
	struct dkt__sampler_hits hits = { .pids.n_words = 1 };

	(void)state;
	add_code(&hits, 1, CODE, "/bin/a");
	add_code(&hits, 1, CODE + 0x1000, "/bin/b");
	add_code(&hits, 2, CODE, "/bin/c");
	dkt__sampler_hits_address(&hits, 1, CODE + 0xfff, false);
	assert_true(is_hit(&hits, 0));
	assert_false(is_hit(&hits, 1));
	assert_false(is_hit(&hits, 2));
	assert_false(hits.kernel);
	dkt__sampler_hits_clear(&hits);
}

static void a_child_has_the_mappings_of_its_parent(void **state)
{
	struct dkt__sampler_hits hits = { .pids.n_words = 1 };

	(void)state;
	add_code(&hits, 1, CODE, "/bin/a");
	dkt__sampler_hits_fork(&hits, 2, 1);
	dkt__sampler_hits_address(&hits, 2, CODE, false);
	assert_true(is_hit(&hits, 0));
	dkt__sampler_hits_clear(&hits);
}

static void a_mapping_that_comes_late_counts_in_the_next_round(void **state)
{
	struct dkt__sampler_hits hits = { .pids.n_words = 1 };

	(void)state;
	dkt__sampler_hits_address(&hits, 1, CODE, false);
	add_code(&hits, 1, CODE, "/bin/a");
	dkt__sampler_hits_round(&hits);
	dkt__sampler_hits_address(&hits, 1, CODE, false);
	assert_true(is_hit(&hits, 0));
	dkt__sampler_hits_clear(&hits);
}

static void a_process_is_forgotten_a_round_after_its_end(void **state)
{
	struct dkt__sampler_hits hits = { .pids.n_words = 1 };

	(void)state;
	for (uint32_t pid = 1; pid < 1000; pid++) {
		add_code(&hits, pid, CODE, "/bin/a");
		dkt__sampler_hits_exit(&hits, pid);
		dkt__sampler_hits_round(&hits);
		assert_true(hits.pids.n <= 2);
	}
	/* The ID of a process can be that of the next one, whose mappings stay. */
	add_code(&hits, 7, CODE, "/bin/b");
	dkt__sampler_hits_exit(&hits, 7);
	add_code(&hits, 7, CODE, "/bin/b");
	for (int i = 0; i < 3; i++)
		dkt__sampler_hits_round(&hits);
	dkt__sampler_hits_address(&hits, 7, CODE, false);
	assert_true(is_hit(&hits, 1));
	dkt__sampler_hits_clear(&hits);
}

static void what_is_not_a_file_is_no_program(void **state)
{
	struct dkt__sampler_hits hits = { .pids.n_words = 1 };

	(void)state;
	add_code(&hits, 1, CODE, "[vdso]");
	add_code(&hits, 1, CODE, "//anon");
	assert_int_equal(hits.n_programs, 0);
	dkt__sampler_hits_clear(&hits);
}

/* ---- build IDs ---- */

static void notes_have_a_build_id_in_either_byte_order(void **state)
{
	uint8_t notes[] = { 4, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 'G', 'N', 'U', 0, 1, 2, 3, 4,
			    4, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 7, 8, 9, 0 };
	uint8_t id[DKT__BUILD_ID_MAX];

	(void)state;
	assert_int_equal(dkt__build_id_of_notes(notes, sizeof(notes), DKT__BIG_ENDIAN, id), 3);
	assert_memory_equal(id, "\7\10\11", 3);
	/* One that is cut has none. */
	assert_int_equal(dkt__build_id_of_notes(notes, sizeof(notes) - 2, DKT__BIG_ENDIAN, id), 0);
	for (size_t i = 0; i < sizeof(notes); i += 4)
		if (notes[i] != 'G' && i != 16 && i != 36)
			dkt__turn(notes + i, 4);
	assert_int_equal(dkt__build_id_of_notes(notes, sizeof(notes), !DKT__BIG_ENDIAN, id), 3);
}

static void a_program_has_a_build_id_and_other_files_have_none(void **state)
{
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int text = open("Makefile", O_RDONLY | O_CLOEXEC);
	int foreign = open("tests/fuzz/corpus/buildid/big-endian-32", O_RDONLY | O_CLOEXEC);
	uint8_t id[DKT__BUILD_ID_MAX];

	(void)state;
	assert_true(self >= 0 && text >= 0 && foreign >= 0);
	assert_int_equal(dkt__build_id_of_fd(self, id), 20);
	assert_int_equal(dkt__build_id_of_fd(text, id), 0);
	/* The program of another byte order, of 32 bits. */
	assert_int_equal(dkt__build_id_of_fd(foreign, id), 20);
	assert_int_equal(id[19], 19);
	close(foreign);
	close(self);
	close(text);
}

#define REFUSAL(test) cmocka_unit_test_setup_teardown(test, refusal_begin, refusal_end)
#define WRITTEN(test) cmocka_unit_test_setup_teardown(test, written_begin, written_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		REFUSAL(a_refusal_names_the_setting_that_would_allow_it),
		REFUSAL(a_refusal_that_no_setting_explains_names_who_else_can_refuse),
		REFUSAL(a_machine_without_counters_is_told_from_a_kernel_without_the_event),
		WRITTEN(the_file_can_be_read_after_each_round),
		WRITTEN(a_killed_write_leaves_the_records_of_before),
		WRITTEN(the_end_has_the_times_of_the_samples),
		cmocka_unit_test(only_the_file_of_an_address_is_hit),
		cmocka_unit_test(a_child_has_the_mappings_of_its_parent),
		cmocka_unit_test(a_mapping_that_comes_late_counts_in_the_next_round),
		cmocka_unit_test(a_process_is_forgotten_a_round_after_its_end),
		cmocka_unit_test(what_is_not_a_file_is_no_program),
		cmocka_unit_test(notes_have_a_build_id_in_either_byte_order),
		cmocka_unit_test(a_program_has_a_build_id_and_other_files_have_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
