/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The process around the library: other users of the same libraries, and other threads. */
#include <bpf/libbpf.h>
#include <pthread.h>
#include <sys/capability.h>
#include <sys/wait.h>

#include "lib/debuginfo/btf.h"
#include "lib/inside.h"
#include "tests/helper/btf.h"
#include "tests/helper/check.h"
#include "tests/helper/tree.h"

static unsigned int printed;

static int count_print(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	(void)level;
	(void)fmt;
	(void)ap;
	__atomic_add_fetch(&printed, 1, __ATOMIC_RELAXED);
	return 0;
}

/* A head that is sound, and types that end in the middle of one. */
static const struct {
	struct btf_header head;
	uint32_t type;
	char strings[4];
} bad = {
	.head = { .magic = BTF_MAGIC,
		  .version = BTF_VERSION,
		  .hdr_len = sizeof(struct btf_header),
		  .type_len = 4,
		  .str_off = 4,
		  .str_len = 1 },
	.type = 1,
};

static void *parse(void *data)
{
	struct dkt__btf *btf;
	struct dkt_ctx *ctx;

	(void)data;
	if (dkt_ctx_new(NULL, &ctx))
		return (void *)&bad;
	for (int i = 0; i < 100; i++)
		if (dkt__btf_parse(ctx, &bad, sizeof(bad), NULL, &btf) != -EINVAL)
			return (void *)&bad;
	dkt_ctx_free(ctx);
	return NULL;
}

static void other_users_of_libbpf_keep_their_print_function(void **state)
{
	pthread_t threads[4];
	void *failed;

	(void)state;
	libbpf_set_print(count_print);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, parse, NULL), 0);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(pthread_join(threads[i], &failed), 0);
		assert_null(failed);
	}
	assert_int_equal(printed, 0);
	assert_null(btf__new(&bad, sizeof(bad)));
	assert_true(printed > 0);
}

static void bad_formats_print_nothing(void **state)
{
	char root[TREE_NAME], line[80] = "";
	struct dkt_event *event;
	FILE *err = tmpfile();
	int saved = dup(STDERR_FILENO);
	struct dkt_ctx *ctx;

	(void)state;
	assert_non_null(err);
	assert_int_equal(tree_make(root), 0);
	assert_int_equal(tree_text(root, "available_events", "a:b\n"), 0);
	assert_int_equal(tree_event(root, "a", "b", 7, "\tfield:u64 v;\toffset:8;\tsize:8;\n",
				    "\"%s\", __print_symbolic(REC->v, { 1, )"),
			 0);
	ctx = tree_ctx(root);
	assert_non_null(ctx);
	assert_true(dup2(fileno(err), STDERR_FILENO) >= 0);
	event = dkt_event_find(ctx, "a", "b");
	dkt__event_print_format(event);
	dkt__event_define(ctx, "c", "d", "name: d\nID: 8\nformat:\n\tfield:", &event);
	assert_true(dup2(saved, STDERR_FILENO) >= 0);
	close(saved);
	rewind(err);
	assert_null(fgets(line, sizeof(line), err));
	fclose(err);
	dkt_ctx_free(ctx);
	assert_int_equal(tree_remove(root), 0);
}

/* ---- capabilities: runs in a child, whose status is the number of the failed step ---- */

static pthread_barrier_t dropped;

static void *has_kill(void *data)
{
	cap_flag_value_t value = CAP_CLEAR;
	cap_t caps;

	if (data)
		pthread_barrier_wait(&dropped);
	caps = cap_get_proc();
	cap_get_flag(caps, CAP_KILL, CAP_PERMITTED, &value);
	cap_free(caps);
	return value == CAP_SET ? &dropped : NULL;
}

static int limit_one_thread(void)
{
	pthread_t older, younger;
	struct dkt_ctx *ctx;
	void *kept;

	if (pthread_barrier_init(&dropped, NULL, 2) || dkt_ctx_new(NULL, &ctx) ||
	    pthread_create(&older, NULL, has_kill, &dropped))
		return 2;
	if (dkt__caps_limit(ctx, 0))
		return 3;
	if (pthread_create(&younger, NULL, has_kill, NULL) || pthread_join(younger, &kept) || kept)
		return 4;
	pthread_barrier_wait(&dropped);
	if (pthread_join(older, &kept) || !kept)
		return 5;
	dkt_ctx_free(ctx);
	return 0;
}

static void threads_inherit_the_limit(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	if (!has_kill(NULL)) {
		print_message("skipped: needs root\n");
		skip();
	}
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(limit_one_thread());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(other_users_of_libbpf_keep_their_print_function),
		cmocka_unit_test(bad_formats_print_nothing),
		cmocka_unit_test(threads_inherit_the_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
