/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whole files: read and written in pieces, through signals, with a limit, without a name. */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>

#include "lib/base/io.c"
#include "tests/helper/check.h"

#define LARGE 300000

static void on_signal(int sig)
{
	(void)sig;
}

struct writer {
	int fd;
	int err;
	char *bytes;
};

static void *write_large(void *data)
{
	struct writer *writer = data;

	writer->err = dkt__write_all(writer->fd, writer->bytes, LARGE);
	close(writer->fd);
	return NULL;
}

/* More than a pipe holds is written and read in pieces, while signals come to both. */
static void signals_interrupt_no_read_or_write(void **state)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct writer writer = { 0 };
	pthread_t thread;
	int ends[2];
	size_t len, i;
	char *data;

	(void)state;
	sigaction(SIGUSR1, &action, NULL);
	assert_int_equal(pipe(ends), 0);
	writer.fd = ends[1];
	writer.bytes = malloc(LARGE);
	assert_non_null(writer.bytes);
	for (i = 0; i < LARGE; i++)
		writer.bytes[i] = (char)(i * 7 % 251);
	assert_int_equal(pthread_create(&thread, NULL, write_large, &writer), 0);
	for (i = 0; i < 100; i++)
		pthread_kill(thread, SIGUSR1);
	assert_int_equal(dkt__read_fd(ends[0], SIZE_MAX, &data, &len), 0);
	pthread_join(thread, NULL);
	assert_int_equal(writer.err, 0);
	assert_int_equal(len, LARGE);
	assert_memory_equal(data, writer.bytes, LARGE);
	assert_int_equal(data[LARGE], 0);
	free(data);
	free(writer.bytes);
	close(ends[0]);
}

static void a_file_is_read_up_to_a_limit(void **state)
{
	char *data;
	size_t len;

	(void)state;
	/* The kernel's files have no size. */
	assert_int_equal(dkt__read_file("/proc/self/status", SIZE_MAX, &data, &len), 0);
	assert_non_null(strstr(data, "Name:"));
	assert_int_equal(strlen(data), len);
	free(data);
	assert_int_equal(dkt__read_file("/dev/null", 0, &data, &len), 0);
	assert_string_equal(data, "");
	free(data);
	assert_int_equal(dkt__read_file("/nonexistent", SIZE_MAX, &data, &len), -ENOENT);
	assert_null(data);
	assert_int_equal(dkt__read_file("/", SIZE_MAX, &data, &len), -EISDIR);
	assert_null(data);
	assert_int_equal(dkt__read_file("/dev/zero", 10000, &data, &len), -EFBIG);
	assert_null(data);
}

static void a_directory_is_listed_in_order_without_hidden_names(void **state)
{
	char dir[] = "/tmp/dktrace-list-XXXXXX", path[64];
	static const char *const names[] = { "b", ".hidden", "a", "B" };
	struct dkt__strings list;

	(void)state;
	assert_non_null(mkdtemp(dir));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	assert_int_equal(dkt__list_dir(AT_FDCWD, dir, &list), 0);
	assert_int_equal(list.n, 3);
	assert_string_equal(list.list[0], "B");
	assert_string_equal(list.list[1], "a");
	assert_string_equal(list.list[2], "b");
	dkt__strings_clear(&list);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		assert_int_equal(rmdir(path), 0);
	}
	assert_int_equal(dkt__list_dir(AT_FDCWD, dir, &list), 0);
	assert_int_equal(list.n, 0);
	assert_int_equal(rmdir(dir), 0);
	assert_int_equal(dkt__list_dir(AT_FDCWD, dir, &list), -ENOENT);
	assert_int_equal(dkt__list_dir(AT_FDCWD, "/dev/null", &list), -ENOTDIR);
}

static void a_temporary_file_has_no_name(void **state)
{
	int fd = dkt__unnamed_file(dkt__temporary_dir());
	char text[8] = "";
	struct stat st;
	size_t len;
	char *data;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_nlink, 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(dkt__pwrite_all(fd, "cd", 2, 2), 0);
	assert_int_equal(dkt__pwrite_all(fd, "ab", 2, 0), 0);
	assert_int_equal(dkt__pread_all(fd, text, 3, 1), 3);
	assert_string_equal(text, "bcd");
	assert_int_equal(dkt__pread_all(fd, text, 8, 2), 2);
	assert_int_equal(dkt__pread_all(fd, text, 8, 4), 0);
	/* Exactly as much as may be is not too much. */
	assert_int_equal(dkt__read_fd(fd, 4, &data, &len), 0);
	assert_int_equal(len, 4);
	free(data);
	lseek(fd, 0, SEEK_SET);
	assert_int_equal(dkt__read_fd(fd, 3, &data, &len), -EFBIG);
	close(fd);
	assert_int_equal(dkt__write_all(fd, "x", 1), -EBADF);
	assert_int_equal(dkt__pread_all(fd, text, 1, 0), -EBADF);
	assert_int_equal(dkt__unnamed_file("/nonexistent"), -ENOENT);
}

static void only_descriptors_of_the_range_are_closed(void **state)
{
	static void (*const calls[])(unsigned int first, unsigned int last) = { dkt__close_range,
										close_listed };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		for (int fd = 200; fd < 205; fd++)
			assert_int_equal(dup2(STDERR_FILENO, fd), fd);
		calls[i](201, 203);
		for (int fd = 200; fd < 205; fd++)
			assert_int_equal(fcntl(fd, F_GETFD) >= 0, fd == 200 || fd == 204);
		/* An empty range. */
		calls[i](204, 203);
		assert_true(fcntl(204, F_GETFD) >= 0);
		calls[i](200, UINT_MAX);
		assert_int_equal(fcntl(204, F_GETFD), -1);
		assert_true(fcntl(STDERR_FILENO, F_GETFD) >= 0);
	}
}

/* The old file remains if the new one cannot be written; nothing else remains either. */
static void a_file_is_replaced_as_a_whole(void **state)
{
	char dir[] = "/tmp/dkt-test-io-XXXXXX", name[64], fresh[80], *data;
	struct stat st;
	size_t len;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(name, sizeof(name), "%s/file", dir);
	snprintf(fresh, sizeof(fresh), "%s" DKT__NEW_FILE, name);
	assert_int_equal(dkt__replace_file(name, "old", 3, false), 0);
	assert_int_equal(stat(name, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	/* A pipe that the owner of the directory has put beside it, and that nobody reads, does not matter. */
	assert_int_equal(mkfifo(fresh, 0600), 0);
	assert_int_equal(dkt__replace_file(name, "new", 3, true), 0);
	assert_int_equal(unlink(fresh), 0);
	assert_int_equal(dkt__read_file(name, SIZE_MAX, &data, &len), 0);
	assert_string_equal(data, "new");
	free(data);
	unlink(name);
	/* It cannot be renamed over a directory. */
	assert_int_equal(mkdir(name, 0700), 0);
	assert_int_equal(dkt__replace_file(name, "new", 3, false), -EISDIR);
	assert_int_equal(dkt__replace_file("/nonexistent/file", "", 0, false), -ENOENT);
	rmdir(name);
	assert_int_equal(rmdir(dir), 0);
}

static void the_end_of_a_text_returns_it_or_an_error(void **state)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	(void)state;
	fputs("a", f);
	assert_int_equal(dkt__text_end(f, 0, &text), 0);
	assert_string_equal(text, "a");
	free(text);
	f = open_memstream(&text, &len);
	assert_int_equal(dkt__text_end(f, -EINVAL, &text), -EINVAL);
	assert_null(text);
	f = open_memstream(&text, &len);
	assert_int_equal(dkt__text_end_some(f, 0, &text), 0);
	assert_null(text);
	text = (char *)1;
	assert_int_equal(dkt__text_end(NULL, 0, &text), -ENOMEM);
	assert_null(text);
}

static void buffers_begin_with_a_cache_line(void **state)
{
	(void)state;
	for (size_t size = 1; size <= 4 << 20; size *= 2) {
		char *buffer = dkt__read_buffer(size);

		assert_non_null(buffer);
		assert_int_equal((uintptr_t)buffer % DKT__CACHE_LINE, 0);
		buffer[size - 1] = 1;
		free(buffer);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signals_interrupt_no_read_or_write),
		cmocka_unit_test(a_file_is_read_up_to_a_limit),
		cmocka_unit_test(a_directory_is_listed_in_order_without_hidden_names),
		cmocka_unit_test(a_temporary_file_has_no_name),
		cmocka_unit_test(only_descriptors_of_the_range_are_closed),
		cmocka_unit_test(buffers_begin_with_a_cache_line),
		cmocka_unit_test(a_file_is_replaced_as_a_whole),
		cmocka_unit_test(the_end_of_a_text_returns_it_or_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
