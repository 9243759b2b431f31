/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Every call on a fresh context, with NULL for each pointer, as nobody, and while memory runs
 * out, which also happens to every kind of file and every style. The table is in api_calls.h; a call
 * that is in the map and not in the table fails.
 */
#include <setjmp.h>
#include <signal.h>

#include "tests/helper/api_calls.h"

#define MAX_CALLS 300

/* No call allocates more often than that. */
#define MAX_ALLOCATIONS 3000

#define DEFINE(name, nulls, call)                                                                  \
	static int call_##name(struct room *r)                                                     \
	{                                                                                          \
		(void)r;                                                                           \
		return call;                                                                       \
	}
API_CALLS(DEFINE)

static const struct call {
	const char *name;
	const char *nulls;
	int (*call)(struct room *r);
} calls[] = {
#define ROW(name, nulls, call) { #name, nulls, call_##name },
	API_CALLS(ROW)
};

/*
 * ---- memory that runs out: the link wraps these ----
 *
 * Only calls of the library itself fail: libtraceevent's parser crashes if one of its own does.
 */

static unsigned long allocations, fail_at; /* 0: no allocation fails */

static bool runs_out(void)
{
	if (!fail_at || ++allocations != fail_at)
		return false;
	errno = ENOMEM;
	return true;
}

#define WRAP(type, name, params, args)                                                             \
	type __real_##name params;                                                                 \
	type __wrap_##name params;                                                                 \
	type __wrap_##name params                                                                  \
	{                                                                                          \
		return runs_out() ? NULL : __real_##name args;                                     \
	}

WRAP(void *, malloc, (size_t n), (n))
WRAP(void *, calloc, (size_t n, size_t size), (n, size))
WRAP(void *, realloc, (void *old, size_t n), (old, n))
WRAP(void *, reallocarray, (void *old, size_t n, size_t size), (old, n, size))
WRAP(char *, strdup, (const char *text), (text))
WRAP(char *, strndup, (const char *text, size_t n), (text, n))
WRAP(FILE *, open_memstream, (char **text, size_t *len), (text, len))

int __real_vasprintf(char **text, const char *fmt, va_list ap);
int __wrap_vasprintf(char **text, const char *fmt, va_list ap);
int __wrap_asprintf(char **text, const char *fmt, ...);

int __wrap_vasprintf(char **text, const char *fmt, va_list ap)
{
	return runs_out() ? -1 : __real_vasprintf(text, fmt, ap);
}

int __wrap_asprintf(char **text, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = __wrap_vasprintf(text, fmt, ap);
	va_end(ap);
	return n;
}

/* ---- one call ---- */

#define CRASHED INT32_MAX

static sigjmp_buf crash;

static void on_crash(int sig)
{
	siglongjmp(crash, sig);
}

/* The error message of the context before a call whose allocation fails. */
#define STALE "an older failure"

static int run_without(const struct call *call, struct room *r, unsigned long fail)
{
	struct sigaction action = { .sa_handler = on_crash };
	int result;

	/* cmocka has handlers of its own while a test runs. */
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGABRT, &action, NULL);
	dkt__error_give(r->ctx, 0, fail ? strdup(STALE) : NULL);
	dkt__error_give(r->fresh, 0, fail ? strdup(STALE) : NULL);
	if (sigsetjmp(crash, 1)) {
		fail_at = 0;
		return CRASHED;
	}
	allocations = 0;
	fail_at = fail;
	result = call->call(r);
	fail_at = 0;
	return result;
}

static int run(const struct call *call, struct room *r)
{
	return run_without(call, r, 0);
}

static bool has_words(const struct room *r)
{
	return *dkt_error(r->ctx) || *dkt_error(r->fresh);
}

static int wrong;

static void complain(const struct call *call, const char *what, long where, int result,
		     const struct room *r)
{
	wrong++;
	if (result == CRASHED)
		print_error("%s, %s %ld: crashes\n", call->name, what, where);
	else
		print_error("%s, %s %ld: %d '%s' '%s'\n", call->name, what, where, result,
			    dkt_error(r->ctx), dkt_error(r->fresh));
}

static int setup(void **state)
{
	struct room *r = calloc(1, sizeof(*r));

	assert_non_null(r);
	api_tree(r->root);
	wrong = 0;
	*state = r;
	return 0;
}

static int teardown(void **state)
{
	struct room *r = *state;
	int err = tree_remove(r->root);

	free(r);
	return err;
}

#define MAP "lib/libdktrace.map"

static void skip_elsewhere(void)
{
	if (access(MAP, R_OK)) {
		print_message("skipped: not run from the top of the sources\n");
		skip();
	}
}

/* ---- the four ways ---- */

static void every_symbol_is_in_the_table(void **state)
{
	char line[128], name[100];
	size_t n = 0;
	FILE *map;

	(void)state;
	skip_elsewhere();
	map = fopen(MAP, "r");
	assert_non_null(map);
	while (fgets(line, sizeof(line), map)) {
		size_t i;

		if (sscanf(line, " %99[a-z0-9_];", name) != 1 || strncmp(name, "dkt_", 4) != 0 ||
		    strncmp(name, "dkt__", 5) == 0)
			continue;
		for (i = 0; i < ARRAY_SIZE(calls) && strcmp(calls[i].name, name) != 0; i++)
			;
		if (i == ARRAY_SIZE(calls)) {
			print_error("%s is in the map, and not in api_calls.h\n", name);
			wrong++;
		}
		n++;
	}
	fclose(map);
	assert_int_equal(wrong, 0);
	/* The others are those of lib/inside.h. */
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		n += strncmp(calls[i].name, "dkt__", 5) == 0;
	assert_int_equal(n, ARRAY_SIZE(calls));
}

static void on_a_fresh_context(void **state)
{
	struct room *r = *state;

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		int result;

		api_room_open(r);
		result = run(&calls[i], r);
		if (result > 1 || (result < 0 && !has_words(r)))
			complain(&calls[i], "fresh", 0, result, r);
		api_room_close(r);
	}
	assert_int_equal(wrong, 0);
}

static bool null_is_right(char how, int result, int plain, const struct room *r, size_t arg)
{
	switch (how) {
	case 'E':
		return result == -EINVAL && (has_words(r) || !arg);
	case 'e':
		return result == -EINVAL;
	case 'n':
		return result == NOTHING || result == 0;
	default:
		return result == plain;
	}
}

static void with_null_pointers(void **state)
{
	struct room *r = *state;

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		for (size_t arg = 0; calls[i].nulls[arg]; arg++) {
			int plain, result;

			api_room_open(r);
			plain = run(&calls[i], r);
			api_room_close(r);
			api_room_open(r);
			r->null = (int)arg;
			result = run(&calls[i], r);
			if (!null_is_right(calls[i].nulls[arg], result, plain, r, arg))
				complain(&calls[i], "NULL", (long)arg, result, r);
			api_room_close(r);
		}
	}
	assert_int_equal(wrong, 0);
}

/* Calls whose struct of results has another size end as with this one; FILLS() looks at the bytes. */
static void with_results_of_another_header(void **state)
{
	struct room *r = *state;

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		int plain, result;

		api_room_open(r);
		plain = run(&calls[i], r);
		api_room_close(r);
		for (int age = -1; age <= 1; age += 2) {
			api_room_open(r);
			r->age = age;
			result = run(&calls[i], r);
			r->age = 0;
			if (result != plain)
				complain(&calls[i], "header of age", age, result, r);
			api_room_close(r);
		}
	}
	assert_int_equal(wrong, 0);
}

static void as_nobody(void **state)
{
	struct room *r = *state;

	if (geteuid()) {
		print_message("skipped: becoming nobody needs root\n");
		skip();
	}
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		int result;

		api_room_open(r);
		assert_int_equal(seteuid(65534), 0);
		result = run(&calls[i], r);
		assert_int_equal(seteuid(0), 0);
		if (result > 1 || (result < 0 && !has_words(r)))
			complain(&calls[i], "nobody", 0, result, r);
		api_room_close(r);
	}
	assert_int_equal(wrong, 0);
}

/*
 * The words must be of this failure: of the library, or of the layer that puts its own before them. A
 * call without a context has none: its arguments are neither E nor n in the table.
 */
static bool says_memory(const struct call *call, const struct room *r)
{
	return !strpbrk(call->nulls, "En") || strstr(dkt_error(r->ctx), "memory") ||
	       strstr(dkt_error(r->fresh), "memory");
}

/* Until it succeeds with all that it asks for; each time on new objects. One allocation in step fails. */
static void out_of_memory(const struct call *call, struct room *r, unsigned long step)
{
	int plain, result;
	bool enough = false;

	api_room_open(r);
	plain = run(call, r);
	api_room_close(r);
	for (unsigned long n = 1; !enough && n < MAX_ALLOCATIONS; n += step) {
		api_room_open(r);
		result = run_without(call, r, n);
		enough = allocations < n;
		if (result == CRASHED || (result < 0 && result != -ENOMEM && result != plain))
			complain(call, "without allocation", (long)n, result, r);
		else if (result && result != plain && !says_memory(call, r))
			complain(call, "no word of memory, without allocation", (long)n, result, r);
		api_room_close(r);
	}
	assert_true(enough);
}

static void while_memory_runs_out(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		out_of_memory(&calls[i], *state, 1);
	assert_int_equal(wrong, 0);
}

/* ---- whole files ---- */

#define FIXTURES "tests/fixture/"

/* With the sanitizers, which are slow, one of so many allocations fails; otherwise each does. */
#ifdef __SANITIZE_ADDRESS__
#define STEP 7
#else
#define STEP 1
#endif

static const char *walked_file, *walked_style;

/* Prints the file in the style. */
static int walk(struct room *r)
{
	char dir[TREE_NAME + 8];
	DKT_OPTS(dkt_style_opts, opts, .dir = dir);
	struct dkt_source *source = NULL;
	struct dkt_style *style = NULL;
	struct dkt_record record;
	int err = dkt_source_open(r->fresh, walked_file, NULL, &source), next = 0;

	snprintf(dir, sizeof(dir), "%s/files", r->root);
	if (!err)
		err = dkt_style_new(r->fresh, walked_style, &opts, &style);
	if (!err)
		err = dkt_style_begin(style, r->buf);
	while (!err && !(next = dkt_source_next(source, &record)))
		err = dkt_style_record(style, &record, dkt_source_comm(source, &record), r->buf);
	if (!err)
		err = DKT__MIN(next, 0);
	if (!err)
		err = dkt__style_flush(style, r->buf);
	if (!err)
		err = dkt_style_end(style, r->buf);
	dkt_style_free(style);
	dkt_source_close(source);
	fail_at = 0;
	if (!access(dir, F_OK))
		assert_int_equal(tree_remove(dir), 0);
	return err;
}

static void walk_out_of_memory(struct room *r, const char *file, const char *style)
{
	char name[100];
	const struct call call = { name, "E", walk };

	snprintf(name, sizeof(name), "%s as %s", file, style);
	walked_file = file;
	walked_style = style;
	out_of_memory(&call, r, STEP);
}

static void every_kind_of_file_while_memory_runs_out(void **state)
{
	static const char *const files[] = {
		FIXTURES "tracedat/v6.dat",
		FIXTURES "tracedat/v7-zstd.dat",
		FIXTURES "perfdata/pipe.data",
		FIXTURES "perfdata/zstd.data",
		FIXTURES "text/graph-6.1.txt",
		FIXTURES "text/trace-6.18.txt",
		FIXTURES "capture",
	};

	skip_elsewhere();
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		walk_out_of_memory(*state, files[i], "trace");
	assert_int_equal(wrong, 0);
}

static void every_style_while_memory_runs_out(void **state)
{
	struct dkt_style_info info;

	skip_elsewhere();
	for (size_t i = 0; !dkt_style_get(i, &info, sizeof(info)); i++)
		walk_out_of_memory(*state, FIXTURES "perfdata/plain.data", info.name);
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_symbol_is_in_the_table, setup, teardown),
		cmocka_unit_test_setup_teardown(on_a_fresh_context, setup, teardown),
		cmocka_unit_test_setup_teardown(with_null_pointers, setup, teardown),
		cmocka_unit_test_setup_teardown(with_results_of_another_header, setup, teardown),
		cmocka_unit_test_setup_teardown(as_nobody, setup, teardown),
		cmocka_unit_test_setup_teardown(while_memory_runs_out, setup, teardown),
		cmocka_unit_test_setup_teardown(every_kind_of_file_while_memory_runs_out, setup,
						teardown),
		cmocka_unit_test_setup_teardown(every_style_while_memory_runs_out, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
