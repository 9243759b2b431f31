/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of system calls by machine: that of a context, of a trace.dat and of a perf.data. */
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/helper/check.h"

#define DAT  "tests/fixture/tracedat/v6.dat"
#define PERF "tests/fixture/perfdata/plain.data"

static void name_is(struct dkt_ctx *ctx, int number, const char *name)
{
	const char *found = dkt_syscall_name(ctx, number);

	assert_string_equal(found ? found : "", name);
}

static void a_context_has_the_names_of_this_machine(void **state)
{
	struct dkt_ctx *ctx;

	(void)state;
	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	name_is(ctx, SYS_read, "read");
	name_is(ctx, SYS_perf_event_open, "perf_event_open");
	/* The same text each time: callers may keep it. */
	assert_ptr_equal(dkt_syscall_name(ctx, SYS_read), dkt_syscall_name(ctx, SYS_read));
	name_is(ctx, -1, "");
	name_is(ctx, 1 << 20, "");
	dkt_ctx_free(ctx);
}

static void a_context_has_the_names_of_the_given_machine(void **state)
{
	static const struct {
		const char *machine;
		int number;
		const char *name;
	} calls[] = {
		{ "x86_64", 0, "read" },
		{ "x86_64", 451, "cachestat" },
		{ "i686", 3, "read" },
		{ "i386", 0, "restart_syscall" },
		{ "aarch64", 0, "io_setup" },
		{ "aarch64", 63, "read" },
		{ "aarch64_be", 63, "read" },
		{ "armv7l", 3, "read" },
		{ "ppc64", 3, "read" },
		{ "ppc64le", 3, "read" },
		{ "ppc", 319, "perf_event_open" },
		{ "s390x", 331, "perf_event_open" },
		{ "s390", 331, "perf_event_open" },
		{ "riscv64", 63, "read" },
		{ "mips64", 0, "" },
		{ "vax", 3, "" },
		{ "", 0, "" },
	};
	struct dkt_ctx *ctx;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		DKT_OPTS(dkt_ctx_opts, opts, .machine = calls[i].machine);

		assert_int_equal(dkt_ctx_new(&opts, &ctx), 0);
		name_is(ctx, calls[i].number, calls[i].name);
		dkt_ctx_free(ctx);
	}
}

/* Opens a copy of the file with "to" in place of "from", which has space after it. */
static struct dkt_ctx *opened(const char *file, const char *from, const char *to,
			      const char *kernel, struct dkt_source **source)
{
	static char bytes[4 << 20];
	int fd = memfd_create("syscall", MFD_CLOEXEC);
	FILE *in = fopen(file, "re");
	size_t n = in ? fread(bytes, 1, sizeof(bytes), in) : 0, len = strlen(from);
	struct dkt_ctx *ctx;
	char path[32], *p;

	assert_true(in && n && n < sizeof(bytes) && fd >= 0 && len <= strlen(to));
	fclose(in);
	p = memmem(bytes, n, from, len);
	assert_non_null(p);
	memcpy(p, to, strlen(to));
	assert_int_equal(write(fd, bytes, n), n);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	assert_ok(ctx, dkt_source_open(ctx, path, NULL, source));
	close(fd);
	if (kernel)
		assert_string_equal(dkt_source_info(*source)->kernel, kernel);
	else
		assert_null(dkt_source_info(*source)->kernel);
	return ctx;
}

static void a_recording_has_the_names_of_its_machine(void **state)
{
	static const struct {
		const char *file, *from, *to, *kernel;
		const char *zero, *three, *sixty_three; /* names of these numbers */
	} files[] = {
		{ DAT, " x86_64", " x86_64", "6.18.44-fc-v657 x86_64", "read", "close", "uname" },
		{ DAT, "7 x86_64", " aarch64", "6.18.44-fc-v65 aarch64", "io_setup", "io_cancel",
		  "read" },
		{ DAT, " x86_64", " s390x\n", "6.18.44-fc-v657 s390x", "", "read", "dup2" },
		/* A process of 32 bits recorded on a kernel of 64. */
		{ DAT, " x86_64", " i686\n\n", "6.18.44-fc-v657 i686", "read", "close", "uname" },
		{ DAT, " x86_64", " vaxvax", "6.18.44-fc-v657 vaxvax", "", "", "" },
		{ DAT, "6.18.44-fc-v657 x86_64", "- riscv64\n            ", NULL, "io_setup",
		  "io_cancel", "read" },
		/* An option that says less. */
		{ DAT, "Linux vm 6", "Linuxvm-6.", NULL, "", "", "" },
		{ PERF, "x86_64", "aarch64", "6.1.0 aarch64", "io_setup", "io_cancel", "read" },
		{ PERF, "x86_64", "x86_64", "6.1.0 x86_64", "read", "close", "uname" },
	};
	struct dkt_source *source;
	struct dkt_ctx *ctx;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(files) / sizeof(*files); i++) {
		ctx = opened(files[i].file, files[i].from, files[i].to, files[i].kernel, &source);
		name_is(ctx, 0, files[i].zero);
		name_is(ctx, 3, files[i].three);
		name_is(ctx, 63, files[i].sixty_three);
		dkt_source_close(source);
		dkt_ctx_free(ctx);
	}
}

/* A written file keeps the machine, also if its kernel is unknown. */
static void a_written_file_keeps_the_machine(void **state)
{
	DKT_OPTS(dkt_ctx_opts, opts, .root = "tests/fixture/capture", .machine = "riscv64");
	int fd = memfd_create("syscall", MFD_CLOEXEC);
	struct dkt_tracedat *out;
	struct dkt_source *source;
	struct dkt_record record;
	struct dkt_ctx *ctx;
	char path[32];

	(void)state;
	assert_int_equal(dkt_ctx_new(&opts, &ctx), 0);
	assert_ok(ctx, dkt_source_open(ctx, opts.root, NULL, &source));
	assert_ok(ctx, dkt_tracedat_new(ctx, source, fd, NULL, &out));
	while (!dkt_source_next(source, &record))
		assert_int_equal(dkt_tracedat_add(out, &record), 0);
	assert_ok(ctx, dkt_tracedat_finish(out));
	dkt_tracedat_free(out);
	dkt_source_close(source);
	dkt_ctx_free(ctx);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	assert_ok(ctx, dkt_source_open(ctx, path, NULL, &source));
	assert_null(dkt_source_info(source)->kernel);
	name_is(ctx, 63, "read");
	name_is(ctx, 0, "io_setup");
	dkt_source_close(source);
	dkt_ctx_free(ctx);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_context_has_the_names_of_this_machine),
		cmocka_unit_test(a_context_has_the_names_of_the_given_machine),
		cmocka_unit_test(a_recording_has_the_names_of_its_machine),
		cmocka_unit_test(a_written_file_keeps_the_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
