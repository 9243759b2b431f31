/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Callers from the registers and the stack in a sample: this program is the recorded one. */
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <ucontext.h>

#include "lib/perfdata.h"
#include "tests/helper/check.h"

#define PID 42

#define STACK_WORDS 8192

#ifdef __x86_64__
#define ARCH "x86_64"
#define SP   7
#define PC   8
#define FP   6
#else
#define ARCH "aarch64"
#define SP   31
#define PC   32
#define FP   29
#endif

/* A sample, and the callers as the C library finds them. */
struct shot {
	uint64_t regs[33]; /* by perf's numbers */
	uint64_t mask;
	uint64_t stack[STACK_WORDS];
	size_t n_stack; /* bytes */
	void *callers[256];
	int n_callers;
};

struct room {
	struct dkt_ctx *ctx;
	struct dkt__perf perf;
	struct shot shot;
	uint64_t found[DKT__PERF_UNWOUND];
};

static struct shot *handled; /* for the signal handler */

/* ---- a sample of this program ---- */

static void take_regs(struct shot *shot, const ucontext_t *at)
{
#ifdef __x86_64__
	static const int order[] = { REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI,
				     REG_RBP, REG_RSP, REG_RIP, REG_EFL, -1,      -1,
				     -1,      -1,      -1,      -1,      REG_R8,  REG_R9,
				     REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };

	for (unsigned int i = 0; i < ARRAY_SIZE(order); i++) {
		if (order[i] < 0)
			continue;
		shot->mask |= UINT64_C(1) << i;
		shot->regs[i] = (uint64_t)at->uc_mcontext.gregs[order[i]];
	}
#elif defined(__aarch64__)
	memcpy(shot->regs, at->uc_mcontext.regs, sizeof(at->uc_mcontext.regs));
	shot->regs[SP] = at->uc_mcontext.sp;
	shot->regs[PC] = at->uc_mcontext.pc;
	shot->mask = (UINT64_C(1) << 33) - 1;
#else
	(void)shot;
	(void)at;
	print_message("saved stacks of this machine are not unwound\n");
	skip();
#endif
}

/* Copies word by word: address sanitizers watch memcpy(), and parts of the stack are not for use. */
__attribute__((no_sanitize("address"))) static void take_stack(struct shot *shot)
{
	const volatile uint64_t *from = (const void *)(uintptr_t)shot->regs[SP];
	pthread_attr_t attr;
	void *start;
	size_t size, n;

	assert_int_equal(pthread_getattr_np(pthread_self(), &attr), 0);
	assert_int_equal(pthread_attr_getstack(&attr, &start, &size), 0);
	pthread_attr_destroy(&attr);
	n = ((uintptr_t)start + size - (uintptr_t)from) / sizeof(*from);
	n = DKT__MIN(n, (size_t)STACK_WORDS);
	for (size_t i = 0; i < n; i++)
		shot->stack[i] = from[i];
	shot->n_stack = n * sizeof(*from);
}

__attribute__((noinline)) void take_shot(struct shot *shot);
__attribute__((noinline)) void take_shot(struct shot *shot)
{
	ucontext_t here;

	assert_int_equal(getcontext(&here), 0);
	take_regs(shot, &here);
	take_stack(shot);
	shot->n_callers = backtrace(shot->callers, ARRAY_SIZE(shot->callers));
	/* A sanitizer's own backtrace() is the first caller. */
	while (shot->n_callers > 1 && shot->callers[1] != __builtin_return_address(0)) {
		shot->n_callers--;
		memmove(shot->callers, shot->callers + 1,
			(size_t)shot->n_callers * sizeof(*shot->callers));
	}
}

/* The words are used afterwards, so that no call is the last of its function. */
__attribute__((noinline)) uint64_t call_itself(struct shot *shot, int n);
__attribute__((noinline)) uint64_t call_itself(struct shot *shot, int n)
{
	volatile uint64_t words[3] = { (uint64_t)n };

	if (n)
		words[1] = call_itself(shot, n - 1);
	else
		take_shot(shot);
	return words[0] + words[1];
}

static void on_signal(int nr)
{
	(void)nr;
	take_shot(handled);
}

/* ---- the recording ---- */

static void map_line(struct room *r, const char *line)
{
	unsigned long start, end, offset;
	char rights[5], path[512];
	struct stat st;

	if (sscanf(line, "%lx-%lx %4s %lx %*s %*s %511s", &start, &end, rights, &offset, path) !=
		    5 ||
	    rights[2] != 'x' || stat(path, &st))
		return;
	assert_int_equal(dkt__perf_maps_apply(
				 &r->perf, &(struct dkt__perf_item){ .type = PERF_RECORD_MMAP2,
								     .pid = PID,
								     .data = (const uint8_t *)path,
								     .size = (uint32_t)strlen(path),
								     .start = start,
								     .length = end - start,
								     .offset = offset,
								     .major = major(st.st_dev),
								     .minor = minor(st.st_dev),
								     .inode = st.st_ino }),
			 0);
}

static void map_all(struct room *r)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[1024];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		map_line(r, line);
	fclose(f);
}

static int setup(void **state)
{
	struct room *r = calloc(1, sizeof(*r));
	struct utsname name;

	assert_non_null(r);
	assert_int_equal(dkt_ctx_new(NULL, &r->ctx), 0);
	r->ctx->long_size = 8;
	r->perf.streams.base.ctx = r->ctx;
	assert_int_equal(uname(&name), 0);
	r->perf.host = strdup(name.nodename);
	r->perf.arch = strdup(ARCH);
	*state = r;
	return 0;
}

static int teardown(void **state)
{
	struct room *r = *state;

	dkt__perf_unwind_clear(&r->perf);
	dkt__perf_maps_clear(&r->perf);
	dkt__perf_programs_clear(&r->perf);
	free(r->perf.host);
	free(r->perf.arch);
	dkt_ctx_free(r->ctx);
	free(r);
	return 0;
}

static struct dkt__perf_item sample(const struct shot *shot, uint64_t *words)
{
	struct dkt__perf_item item = { .pid = PID,
				       .stack = (const uint8_t *)shot->stack,
				       .user_regs = { .abi = PERF_SAMPLE_REGS_ABI_64,
						      .mask = shot->mask,
						      .words = (const uint8_t *)words } };
	size_t n = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(shot->regs); i++)
		if (shot->mask >> i & 1)
			words[n++] = shot->regs[i];
	item.values[DKT__PERF_STACK_SIZE] = shot->n_stack;
	return item;
}

static size_t unwind(struct room *r)
{
	uint64_t words[64];
	const struct dkt__perf_item item = sample(&r->shot, words);

	return dkt__perf_unwind(&r->perf, &item, r->found);
}

static const char *name_at(struct room *r, uint64_t address)
{
	uint64_t offset;
	const char *name =
		dkt_symbol_name(r->ctx, dkt__perf_maps_name(&r->perf, PID, address), &offset);

	return name ? name : "";
}

/* The C library's first caller is in take_shot(), too, but after another call. */
static void check_callers(struct room *r, size_t n)
{
	assert_int_equal(n, r->shot.n_callers);
	assert_string_equal(name_at(r, r->found[0]), "take_shot");
	for (size_t i = 1; i < n; i++)
		assert_int_equal(r->found[i] + 1, (uintptr_t)r->shot.callers[i]);
}

/* ---- tests ---- */

static void the_callers_are_those_of_the_c_library(void **state)
{
	struct room *r = *state;

	map_all(r);
	call_itself(&r->shot, 3);
	check_callers(r, unwind(r));
	for (int i = 1; i < 5; i++)
		assert_string_equal(name_at(r, r->found[i]), "call_itself");
	/* The second time, the rules are known. */
	check_callers(r, unwind(r));
}

static void a_signal_handler_leads_to_the_interrupted_function(void **state)
{
	struct room *r = *state;
	const struct sigaction action = { .sa_handler = on_signal };
	struct sigaction before;

	map_all(r);
	handled = &r->shot;
	assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
	raise(SIGUSR1);
	sigaction(SIGUSR1, &before, NULL);
	check_callers(r, unwind(r));
}

static void a_deep_stack_ends_at_the_limit(void **state)
{
	struct room *r = *state;

	map_all(r);
	call_itself(&r->shot, 200);
	assert_int_equal(unwind(r), DKT__PERF_UNWOUND);
	assert_int_equal(r->found[DKT__PERF_UNWOUND - 1] + 1,
			 (uintptr_t)r->shot.callers[DKT__PERF_UNWOUND - 1]);
}

/* Whatever part of the stack was saved, the callers are the first ones of all. */
static void a_stack_that_was_cut_has_fewer_callers(void **state)
{
	struct room *r = *state;
	size_t all, before = 0;

	map_all(r);
	call_itself(&r->shot, 3);
	all = unwind(r);
	for (size_t size = 1; size <= STACK_WORDS * sizeof(uint64_t) && before < all; size++) {
		size_t n;

		r->shot.n_stack = size;
		n = unwind(r);
		assert_true(n >= before && n >= 1 && n <= all);
		for (size_t i = 1; i < n; i++)
			assert_int_equal(r->found[i] + 1, (uintptr_t)r->shot.callers[i]);
		before = n;
	}
	assert_int_equal(before, all);
}

static void another_machines_bytes_are_read(void **state)
{
	struct room *r = *state;
	uint64_t words[64];
	struct dkt__perf_item item;

	map_all(r);
	call_itself(&r->shot, 3);
	item = sample(&r->shot, words);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = bswap_64(words[i]);
	for (size_t i = 0; i < STACK_WORDS; i++)
		r->shot.stack[i] = bswap_64(r->shot.stack[i]);
	r->perf.swap = true;
	check_callers(r, dkt__perf_unwind(&r->perf, &item, r->found));
}

static void registers_that_are_missing_leave_nothing(void **state)
{
	struct room *r = *state;
	uint64_t words[64];
	struct dkt__perf_item item;

	map_all(r);
	call_itself(&r->shot, 3);
	item = sample(&r->shot, words);
	item.user_regs.abi = PERF_SAMPLE_REGS_ABI_32;
	assert_int_equal(dkt__perf_unwind(&r->perf, &item, r->found), 0);
	r->shot.mask &= ~(UINT64_C(1) << SP);
	assert_int_equal(unwind(r), 0);
	r->shot.mask |= UINT64_C(1) << SP;
	r->shot.mask &= ~(UINT64_C(1) << PC);
	assert_int_equal(unwind(r), 0);
	r->shot.mask |= UINT64_C(1) << PC;
	r->shot.n_stack = 0;
	assert_int_equal(unwind(r), 0);
}

static void another_machine_has_no_callers(void **state)
{
	struct room *r = *state;

	map_all(r);
	call_itself(&r->shot, 3);
	strcpy(r->perf.arch, "ppc64");
	assert_int_equal(unwind(r), 0);
	free(r->perf.arch);
	r->perf.arch = NULL;
	assert_int_equal(unwind(r), 0);
}

/* Two frames with frame pointers in code that no file has. */
static void code_without_a_file_is_left_by_the_frame_pointer(void **state)
{
	struct room *r = *state;
	const uint64_t sp = 0x7000;

	r->shot.mask = UINT64_C(1) << SP | UINT64_C(1) << PC | UINT64_C(1) << FP;
	r->shot.regs[PC] = 0x1000;
	r->shot.regs[SP] = sp;
	r->shot.regs[FP] = sp + 16;
	r->shot.stack[2] = sp + 32;
	r->shot.stack[3] = 0x2000;
	r->shot.stack[4] = sp + 16; /* a loop */
	r->shot.stack[5] = 0x3000;
	r->shot.n_stack = 64;
	assert_int_equal(unwind(r), 3);
	assert_int_equal(r->found[0], 0x1000);
	assert_int_equal(r->found[1], 0x1fff);
	assert_int_equal(r->found[2], 0x2fff);
	/* No frame is that large. */
	r->shot.regs[FP] = sp + 0x4001;
	assert_int_equal(unwind(r), 1);
	r->shot.mask &= ~(UINT64_C(1) << FP);
	assert_int_equal(unwind(r), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_callers_are_those_of_the_c_library),
		TEST(a_signal_handler_leads_to_the_interrupted_function),
		TEST(a_deep_stack_ends_at_the_limit),
		TEST(a_stack_that_was_cut_has_fewer_callers),
		TEST(another_machines_bytes_are_read),
		TEST(registers_that_are_missing_leave_nothing),
		TEST(another_machine_has_no_callers),
		TEST(code_without_a_file_is_left_by_the_frame_pointer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
