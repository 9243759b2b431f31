/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libdktrace-lustre without memory: each allocation fails in turn, and the call returns -ENOMEM. */
#include <dktrace/lustre.h>

#include "tests/helper/check.h"
#include "tests/helper/tree.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#define SANITIZED __has_feature(address_sanitizer)
#else
#define SANITIZED 0
#endif

#define LINE "00000100:00100000:2.0:1495061256.496695:0:14615:0:(client.c:1498:send()) one\n"

#if !SANITIZED
/* The number of the allocation that fails, from 1 on; 0: none fails. */
static long failing, allocations;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);

extern const char __executable_start[], etext[];

/* Only what this program asks for itself: libtraceevent's parser does not survive a failure. */
static bool fails(const char *caller)
{
	return failing && caller >= __executable_start && caller < etext &&
	       ++allocations == failing;
}

void *malloc(size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(p, size);
}

/* With a message of an older failure, which must not be the one that is left. */
#define CALL(ctx, call) (dkt_fail(ctx, -EIO, "an older failure"), call)

/* Opens the log and prints it. The first error, or 0; a failed call says why if it has a context. */
static int walk(const char *path, size_t *len)
{
	static const char *const dirs[] = { "share/classes.d" };
	DKT_OPTS(dkt_lustre_map_opts, map_opts, .dirs = dirs, .n_dirs = 1);
	struct dkt_lustre_map *map = NULL;
	struct dkt_source *source = NULL;
	struct dkt_style *style = NULL;
	struct dkt_record record;
	struct dkt_ctx *ctx = NULL;
	struct dkt_buf *buf = NULL;
	uint32_t type, subsystem;
	int err = dkt_buf_new(&buf), next;

	if (!err)
		err = dkt_ctx_new(NULL, &ctx);
	if (!err)
		err = CALL(ctx, dkt_lustre_source_open(ctx, path, NULL, &source));
	if (!err)
		err = CALL(ctx, dkt_lustre_map_new(ctx, &map_opts, &map));
	if (!err)
		err = CALL(ctx, dkt_lustre_style_new(map, "legacy", NULL, &style));
	while (!err && (next = CALL(ctx, dkt_source_next(source, &record))) != DKT_NEXT_END) {
		err = next < 0 ? next :
				 CALL(ctx, dkt_lustre_map_record(map, &record, &type, &subsystem));
		if (!err)
			err = CALL(ctx, dkt_style_record(style, &record, "", buf));
	}
	if (err && ctx && !strstr(dkt_error(ctx), "memory"))
		fail_msg("%d has the message '%s'", err, dkt_error(ctx));
	if (!err)
		err = dkt_buf_error(buf);
	if (!err)
		dkt_buf_data(buf, len);
	dkt_buf_free(buf);
	dkt_style_free(style);
	dkt_lustre_map_free(map);
	dkt_source_close(source);
	dkt_ctx_free(ctx);
	return err;
}
#endif

static void every_allocation_may_fail(void **state)
{
#if SANITIZED
	(void)state;
	print_message("skip: the sanitizer has an allocator of its own\n");
	skip();
#else
	char dir[TREE_NAME], path[64];
	size_t len = 0;
	long i;
	int err;

	(void)state;
	assert_int_equal(tree_make(dir), 0);
	assert_int_equal(tree_text(dir, "log", LINE), 0);
	snprintf(path, sizeof(path), "%s/log", dir);
	assert_int_equal(walk(path, &len), 0);
	assert_int_equal(len, strlen(LINE));
	for (i = 1;; i++) {
		failing = i;
		allocations = 0;
		err = walk(path, &len);
		failing = 0;
		if (allocations < i)
			break;
		/* A call may succeed without some allocations. */
		if (err && err != -ENOMEM)
			fail_msg("allocation %ld of %ld: %d", i, allocations, err);
	}
	assert_int_equal(err, 0);
	assert_true(i > 40);
	assert_int_equal(tree_remove(dir), 0);
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
