/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The file of a recording in a directory whose owner knows its name in advance. */
#include <sys/stat.h>
#include <unistd.h>

#include "recording/record/file.h"
#include "tests/helper/check.h"

static void a_new_file_takes_no_name_that_is_there(void **state)
{
	char dir[] = "/tmp/dkt-test-capture-XXXXXX", name[64], target[64];
	struct capture_file file = CAPTURE_FILE_INIT;
	struct dkt_ctx *ctx;
	struct stat st;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(dkt_ctx_new(NULL, &ctx), 0);
	snprintf(name, sizeof(name), "%s/file", dir);
	snprintf(target, sizeof(target), "%s/target", dir);
	assert_int_equal(mkfifo(name, 0600), 0);
	assert_int_equal(capture_file_create(ctx, name, &file), -EEXIST);
	capture_file_close(&file);
	assert_int_equal(unlink(name), 0);
	assert_int_equal(symlink(target, name), 0);
	assert_int_equal(capture_file_create(ctx, name, &file), -EEXIST);
	capture_file_close(&file);
	assert_int_equal(lstat(target, &st), -1);
	assert_int_equal(unlink(name), 0);
	assert_ok(ctx, capture_file_create(ctx, name, &file));
	assert_true(file.regular && file.created);
	assert_int_equal(lstat(name, &st), 0);
	assert_int_equal(st.st_mode, S_IFREG | 0600);
	capture_file_discard(&file);
	assert_int_equal(rmdir(dir), 0);
	dkt_ctx_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_file_takes_no_name_that_is_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
