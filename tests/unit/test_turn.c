/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Turns to change the files of a directory. */
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "check.h"
#include "io/turn.h"

static void a_turn_is_a_lock_on_the_directory(void **state)
{
	char dir[] = "/tmp/dkt-turn-XXXXXX";
	int turn, other;

	(void)state;
	assert_non_null(mkdtemp(dir));
	turn = turn_begin(dir, 0);
	assert_true(turn >= 0);
	other = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(flock(other, LOCK_EX | LOCK_NB), -1);
	close(turn);
	assert_int_equal(flock(other, LOCK_EX | LOCK_NB), 0);
	close(other);
	assert_int_equal(rmdir(dir), 0);
}

/* The one that has the turn removes the directory, and another process creates it again. */
static void a_directory_that_was_removed_has_no_turn(void **state)
{
	char dir[] = "/tmp/dkt-turn-XXXXXX";
	int turn, first;

	(void)state;
	assert_non_null(mkdtemp(dir));
	first = turn_begin(dir, 0);
	assert_true(first >= 0);
	assert_int_equal(rmdir(dir), 0);
	assert_int_equal(turn_begin(dir, 0), -ENOENT);
	assert_int_equal(mkdir(dir, 0700), 0);
	turn = turn_begin(dir, 0);
	assert_true(turn >= 0);
	close(first);
	close(turn);
	assert_int_equal(rmdir(dir), 0);
}

static void a_link_is_followed_only_if_allowed(void **state)
{
	char dir[] = "/tmp/dkt-turn-XXXXXX", *link;
	int turn;

	(void)state;
	assert_non_null(mkdtemp(dir));
	link = dkt__format("%s/link", dir);
	assert_int_equal(symlink(dir, link), 0);
	assert_int_equal(turn_begin(link, O_NOFOLLOW), -ENOTDIR);
	turn = turn_begin(link, 0);
	assert_true(turn >= 0);
	close(turn);
	assert_int_equal(unlink(link), 0);
	assert_int_equal(rmdir(dir), 0);
	free(link);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_turn_is_a_lock_on_the_directory),
		cmocka_unit_test(a_directory_that_was_removed_has_no_turn),
		cmocka_unit_test(a_link_is_followed_only_if_allowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
