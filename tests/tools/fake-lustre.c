/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stands for Lustre behind a parameter that is a plain file: preloaded, a write to a file dump_kernel
 * makes the file that was written, as the kernel does, with what is in $FAKE_LUSTRE/buffer, which is
 * empty then. The names go to $FAKE_LUSTRE/asked. With $FAKE_LUSTRE/errno the write is refused by it.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_dump_kernel(int fd)
{
	char link[64], path[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n < 0)
		return false;
	path[n] = '\0';
	return n > 12 && !strcmp(path + n - 12, "/dump_kernel");
}

static int open_in(const char *dir, const char *name, int flags)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return open(path, flags, 0600);
}

static int dump(const char *dir, const char *file)
{
	char bytes[65536];
	int from, to;
	ssize_t n;

	from = open_in(dir, "buffer", O_RDWR);
	/* A file of that name, a relative one: as the kernel refuses them. */
	to = *file == '/' ? open(file, O_WRONLY | O_CREAT | O_EXCL, 0600) : -1;
	if (*file != '/')
		errno = EINVAL;
	if (from < 0 || to < 0)
		return -1;
	while ((n = read(from, bytes, sizeof(bytes))) > 0)
		if (syscall(SYS_write, to, bytes, n) != n)
			abort();
	if (ftruncate(from, 0))
		abort();
	close(from);
	close(to);
	return 0;
}

ssize_t write(int fd, const void *buf, size_t len)
{
	const char *dir = getenv("FAKE_LUSTRE");
	char file[PATH_MAX], number[16] = "";
	int log, refuse;

	if (!dir || !is_dump_kernel(fd) || len >= sizeof(file))
		return syscall(SYS_write, fd, buf, len);
	memcpy(file, buf, len);
	file[len] = '\0';
	log = open_in(dir, "asked", O_WRONLY | O_CREAT | O_APPEND);
	dprintf(log, "%s\n", file);
	close(log);
	refuse = open_in(dir, "errno", O_RDONLY);
	if (refuse >= 0 && read(refuse, number, sizeof(number) - 1) >= 0) {
		close(refuse);
		errno = (int)strtol(number, NULL, 10);
		return errno ? -1 : (ssize_t)len;
	}
	return dump(dir, file) ? -1 : (ssize_t)len;
}
