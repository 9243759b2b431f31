/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Turns to change the files of a directory. */
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "lib/base/buf.h"
#include "lib/base/turn.h"
#include "tests/helper/check.h"
#include "tests/helper/tree.h"

static int setup(void **state)
{
	char *dir = malloc(TREE_NAME);

	*state = dir;
	return dir ? tree_make(dir) : -1;
}

static int teardown(void **state)
{
	int rc = rmdir(*state);

	free(*state);
	return rc;
}

static void a_turn_is_a_lock_on_the_directory(void **state)
{
	const char *dir = *state;
	int turn, other;

	turn = dkt__turn_begin(dir, 0);
	assert_true(turn >= 0);
	other = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(flock(other, LOCK_EX | LOCK_NB), -1);
	close(turn);
	assert_int_equal(flock(other, LOCK_EX | LOCK_NB), 0);
	close(other);
}

/* The one that has the turn removes the directory, and another process creates it again. */
static void a_directory_that_was_removed_has_no_turn(void **state)
{
	const char *dir = *state;
	int turn, first;

	first = dkt__turn_begin(dir, 0);
	assert_true(first >= 0);
	assert_int_equal(rmdir(dir), 0);
	assert_int_equal(dkt__turn_begin(dir, 0), -ENOENT);
	assert_int_equal(mkdir(dir, 0700), 0);
	turn = dkt__turn_begin(dir, 0);
	assert_true(turn >= 0);
	close(first);
	close(turn);
}

static void a_link_is_followed_only_if_allowed(void **state)
{
	const char *dir = *state;
	char *link = dkt__format("%s/link", dir);
	int turn;

	assert_int_equal(symlink(dir, link), 0);
	assert_int_equal(dkt__turn_begin(link, O_NOFOLLOW), -ENOTDIR);
	turn = dkt__turn_begin(link, 0);
	assert_true(turn >= 0);
	close(turn);
	assert_int_equal(unlink(link), 0);
	free(link);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_turn_is_a_lock_on_the_directory, setup, teardown),
		cmocka_unit_test_setup_teardown(a_directory_that_was_removed_has_no_turn, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_link_is_followed_only_if_allowed, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
