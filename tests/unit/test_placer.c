/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An output that another process opens and names: what it holds, and what is left if nobody completes it. */
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "compat/pipeline/outfile.h"
#include "lib/base/io.h"
#include "tests/helper/check.h"

struct test {
	struct dkt_ctx *ctx;
	char dir[64], name[80], old[88];
	struct placer placer;
	struct outfile out;
};

/* A file system that cannot create files without names, so that an unfinished one has a temporary name. */
int open(const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;

	if ((flags & O_TMPFILE) == O_TMPFILE) {
		errno = EOPNOTSUPP;
		return -1;
	}
	va_start(ap, flags);
	mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static int begin(void **state)
{
	static struct test t;

	t = (struct test){ .dir = "/tmp/dkt-test-placer-XXXXXX", .out = OUTFILE_INIT };
	assert_non_null(mkdtemp(t.dir));
	snprintf(t.name, sizeof(t.name), "%s/file", t.dir);
	snprintf(t.old, sizeof(t.old), "%s.old", t.name);
	assert_int_equal(dkt_ctx_new(NULL, &t.ctx), 0);
	assert_ok(t.ctx, dkl_placer_begin(t.ctx, t.name, &t.placer));
	t.out.placer = &t.placer;
	*state = &t;
	return 0;
}

static int end(void **state)
{
	struct test *t = *state;

	dkl_outfile_close(&t->out);
	dkl_placer_end(&t->placer);
	unlink(t->name);
	unlink(t->old);
	assert_int_equal(rmdir(t->dir), 0);
	dkt_ctx_free(t->ctx);
	return 0;
}

static void assert_text(const char *name, const char *text)
{
	char *have __cleanup(free) = NULL;
	size_t len;

	assert_int_equal(dkt__read_file(name, SIZE_MAX, &have, &len), 0);
	assert_string_equal(have, text);
}

static size_t files_in(const char *dir)
{
	DIR *files __cleanup(closedir) = opendir(dir);
	const struct dirent *entry;
	size_t n = 0;

	while ((entry = readdir(files)))
		n += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	return n;
}

static void put(const struct outfile *out, const char *text)
{
	assert_int_equal(dkt__write_all(out->fd, text, strlen(text)), 0);
}

static void a_complete_file_gets_its_name_and_keeps_the_earlier_one(void **state)
{
	struct test *t = *state;

	for (int i = 0; i < 2; i++) {
		assert_ok(t->ctx, dkl_outfile_open(t->ctx, t->name, true, &t->out));
		assert_false(t->out.in_place);
		put(&t->out, i ? "new" : "earlier");
		assert_ok(t->ctx, dkl_outfile_commit(&t->out));
		if (i)
			assert_string_equal(t->out.kept, t->old);
		else
			assert_null(t->out.kept);
		dkl_outfile_close(&t->out);
		t->out.placer = &t->placer;
	}
	assert_text(t->name, "new");
	assert_text(t->old, "earlier");
	assert_int_equal(files_in(t->dir), 2);
}

static void a_file_that_begins_replaces_the_earlier_one_then(void **state)
{
	struct test *t = *state;

	assert_int_equal(dkt__replace_file(t->name, "earlier", 7, false), 0);
	assert_ok(t->ctx, dkl_outfile_open_now(t->ctx, t->name, false, &t->out));
	assert_true(t->out.waits);
	assert_text(t->name, "earlier");
	assert_ok(t->ctx, dkl_outfile_begin(&t->out));
	assert_true(t->out.in_place && !t->out.waits);
	put(&t->out, "new");
	assert_text(t->name, "new");
	assert_string_equal(t->out.kept, t->old);
	assert_ok(t->ctx, dkl_outfile_commit(&t->out));
	assert_text(t->old, "earlier");
}

static void a_file_that_is_not_committed_leaves_nothing(void **state)
{
	struct test *t = *state;

	assert_ok(t->ctx, dkl_outfile_open(t->ctx, t->name, true, &t->out));
	put(&t->out, "part");
	assert_int_equal(files_in(t->dir), 1);
	dkl_outfile_close(&t->out);
	assert_int_equal(files_in(t->dir), 0);
}

static void a_directory_has_a_temporary_name_until_it_is_complete(void **state)
{
	struct test *t = *state;
	struct placer_answer earlier;
	char inside[128];

	/* So a process learns the name before it is confined to it. */
	assert_ok(t->ctx, dkl_placer_ask(t->ctx, &t->placer, PLACER_OPEN_DIR, &earlier));
	assert_ok(t->ctx, dkl_outfile_open_dir(t->ctx, t->name, &t->out));
	assert_string_equal(t->out.temp, earlier.temp);
	snprintf(inside, sizeof(inside), "%s/inside", t->out.temp);
	assert_int_equal(dkt__replace_file(inside, "text", 4, false), 0);
	assert_ok(t->ctx, dkl_outfile_commit(&t->out));
	snprintf(inside, sizeof(inside), "%s/inside", t->name);
	assert_text(inside, "text");
	dkl_outfile_close(&t->out);
	assert_int_equal(files_in(t->dir), 1);
	t->out.placer = &t->placer;
	assert_fails(t->ctx, -EEXIST, NULL, dkl_outfile_open_dir(t->ctx, t->name, &t->out));
	assert_int_equal(unlink(inside), 0);
	assert_int_equal(rmdir(t->name), 0);
}

/* Opens a file or a directory, writes into it, says so, and waits for the kill. */
static void write_part(struct test *t, bool dir, int ready)
{
	struct placer own = { 0 };
	char inside[128];
	int err = dkl_placer_begin(t->ctx, t->name, &own);

	t->out.placer = &own;
	if (!err)
		err = dir ? dkl_outfile_open_dir(t->ctx, t->name, &t->out) :
			    dkl_outfile_open(t->ctx, t->name, true, &t->out);
	snprintf(inside, sizeof(inside), "%s/inside", t->out.temp ?: "");
	if (!err)
		err = dir ? dkt__replace_file(inside, "part", 4, false) :
			    dkt__write_all(t->out.fd, "part", 4);
	if (err || dkt__write_all(ready, "", 1))
		_exit(1);
	pause();
}

static void kill_client(struct test *t, bool dir)
{
	int ready[2], alive[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready) | pipe(alive), 0);
	pid = fork();
	if (!pid) {
		/* Its placer, and nobody else, keeps this pipe open after the kill. */
		close(alive[0]);
		write_part(t, dir, ready[1]);
	}
	close(alive[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(files_in(t->dir), 1);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(read(alive[0], &byte, 1), 0);
	assert_int_equal(files_in(t->dir), 0);
	close(ready[0]);
	close(ready[1]);
	close(alive[0]);
}

static void a_client_that_is_killed_leaves_nothing(void **state)
{
	kill_client(*state, false);
	kill_client(*state, true);
}

static void errors_have_the_words_of_the_placer(void **state)
{
	struct test *t = *state;
	char words[160];

	assert_int_equal(mkdir(t->name, 0700), 0);
	snprintf(words, sizeof(words), "open %s: Is a directory", t->name);
	assert_fails(t->ctx, -EISDIR, words, dkl_outfile_open(t->ctx, t->name, true, &t->out));
	assert_int_equal(rmdir(t->name), 0);
}

static void standard_output_needs_no_placer(void **state)
{
	struct test *t = *state;

	assert_ok(t->ctx, dkl_outfile_open(t->ctx, "-", false, &t->out));
	assert_null(t->out.placer);
	assert_string_equal(t->out.path, "standard output");
}

static void a_file_without_a_name_is_beside_the_output(void **state)
{
	struct test *t = *state;
	struct stat dir, spare;
	int fd;

	assert_ok(t->ctx, dkl_outfile_open(t->ctx, t->name, true, &t->out));
	fd = dkl_outfile_spare(&t->out);
	assert_true(fd >= 0);
	assert_int_equal(stat(t->dir, &dir) | fstat(fd, &spare), 0);
	assert_int_equal(dir.st_dev, spare.st_dev);
	assert_int_equal(spare.st_nlink, 0);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_complete_file_gets_its_name_and_keeps_the_earlier_one, begin, end),
		cmocka_unit_test_setup_teardown(a_file_that_begins_replaces_the_earlier_one_then,
						begin, end),
		cmocka_unit_test_setup_teardown(a_file_that_is_not_committed_leaves_nothing, begin,
						end),
		cmocka_unit_test_setup_teardown(
			a_directory_has_a_temporary_name_until_it_is_complete, begin, end),
		cmocka_unit_test_setup_teardown(a_client_that_is_killed_leaves_nothing, begin, end),
		cmocka_unit_test_setup_teardown(errors_have_the_words_of_the_placer, begin, end),
		cmocka_unit_test_setup_teardown(standard_output_needs_no_placer, begin, end),
		cmocka_unit_test_setup_teardown(a_file_without_a_name_is_beside_the_output, begin,
						end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
