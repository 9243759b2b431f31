/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads, writes and replaces whole files, and creates files without a name. */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "lib/base/buf.h"
#include "lib/base/io.h"

/* The kernel generates a page at a time, so each read has room for one. */
#define PAGE 4096

void *dkt__read_buffer(size_t size)
{
	void *buffer;

	return posix_memalign(&buffer, DKT__CACHE_LINE, size) ? NULL : buffer;
}

int dkt__read_fd(int fd, size_t most, char **data, size_t *len)
{
	char *buf __cleanup(free) = NULL, *more;
	struct stat st;
	size_t size = 0, used = 0;
	ssize_t n;

	*data = NULL;
	*len = 0;
	if (fstat(fd, &st))
		return -errno;
	if (st.st_size > 0 && S_ISREG(st.st_mode))
		size = DKT__MIN((size_t)st.st_size, most);
	do {
		if (!buf || size - used <= PAGE) {
			size = buf ? 2 * size : size + 2 * PAGE;
			more = realloc(buf, size);
			if (!more)
				return -ENOMEM;
			buf = more;
		}
		n = TEMP_FAILURE_RETRY(read(fd, buf + used, size - used - 1));
		if (n < 0)
			return -errno;
		used += (size_t)n;
		if (used > most)
			return -EFBIG;
	} while (n);
	buf[used] = '\0';
	*len = used;
	*data = buf;
	buf = NULL;
	return 0;
}

int dkt__read_file(const char *path, size_t most, char **data, size_t *len)
{
	int fd __cleanup(close) = open(path, O_RDONLY | O_CLOEXEC);

	*data = NULL;
	*len = 0;
	return fd < 0 ? -errno : dkt__read_fd(fd, most, data, len);
}

ssize_t dkt__pread_all(int fd, void *bytes, size_t len, uint64_t at)
{
	size_t done = 0;
	ssize_t n;

	while (done < len) {
		n = TEMP_FAILURE_RETRY(
			pread(fd, (char *)bytes + done, len - done, (off_t)(at + done)));
		if (n < 0 && !done)
			return -errno;
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

int dkt__write_all(int fd, const void *bytes, size_t len)
{
	const char *p = bytes;
	ssize_t n;

	for (; len; p += n, len -= (size_t)n) {
		n = TEMP_FAILURE_RETRY(write(fd, p, len));
		if (n < 0)
			return -errno;
	}
	return 0;
}

int dkt__pwrite_all(int fd, const void *bytes, size_t len, uint64_t at)
{
	const char *p = bytes;
	ssize_t n;

	for (; len; p += n, len -= (size_t)n, at += (uint64_t)n) {
		n = TEMP_FAILURE_RETRY(pwrite(fd, p, len, (off_t)at));
		if (n < 0)
			return -errno;
	}
	return 0;
}

static int replace_file(const char *path, const void *bytes, size_t len, bool lasting, mode_t mode)
{
	char *temp __cleanup(free) = dkt__format("%s.XXXXXX" DKT__NEW_FILE, path);
	int fd, err;

	if (!temp)
		return -ENOMEM;
	/* The owner of the directory must not know the name in advance: a pipe there would block us. */
	fd = mkostemps(temp, sizeof(DKT__NEW_FILE) - 1, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = dkt__write_all(fd, bytes, len);
	if (!err && fchmod(fd, mode))
		err = -errno;
	if (!err && lasting && fsync(fd))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	if (!err && rename(temp, path))
		err = -errno;
	if (err)
		unlink(temp);
	return err;
}

int dkt__replace_file(const char *path, const void *bytes, size_t len, bool lasting)
{
	return replace_file(path, bytes, len, lasting, 0600);
}

int dkt__replace_file_mode(const char *path, const void *bytes, size_t len, mode_t mode)
{
	return replace_file(path, bytes, len, false, mode);
}

int dkt__list_dir(int dir, const char *path, struct dkt__strings *names)
{
	int fd = openat(dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err = 0;
	DIR *list __cleanup(closedir) = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	*names = (struct dkt__strings){ 0 };
	if (!list) {
		err = -errno;
		if (fd >= 0)
			close(fd);
		return err;
	}
	errno = 0;
	while (!err && (entry = readdir(list))) {
		if (entry->d_name[0] != '.')
			err = dkt__strings_add(names, entry->d_name);
		errno = 0;
	}
	err = err ? err : -errno;
	if (err)
		dkt__strings_clear(names);
	else if (names->n)
		qsort(names->list, names->n, sizeof(*names->list), dkt__by_first_text);
	return err;
}

const char *dkt__temporary_dir(void)
{
	const char *dir = secure_getenv("TMPDIR");

	return dir && *dir ? dir : "/tmp";
}

int dkt__unnamed_file(const char *dir)
{
	const char *own = secure_getenv(DKT__OWN_DIR);
	char *name __cleanup(free) = NULL;
	int fd;

	if (own && !strcmp(dir, dkt__temporary_dir()))
		dir = own;
	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	/* Some file systems do not support files without names. */
	name = dkt__format("%s/.dktrace-XXXXXX", dir);
	if (!name)
		return -ENOMEM;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(name);
	return fd;
}

/* Those that /proc lists. */
static void close_listed(unsigned int first, unsigned int last)
{
	DIR *dir __cleanup(closedir) = opendir("/proc/self/fd");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		const unsigned long fd = strtoul(entry->d_name, NULL, 10);

		if (entry->d_name[0] != '.' && fd >= first && fd <= last && (int)fd != dirfd(dir))
			close((int)fd);
	}
}

void dkt__close_all(const int *fds, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

void dkt__close_range(unsigned int first, unsigned int last)
{
#ifdef SYS_close_range
	if (first > last || !syscall(SYS_close_range, first, last, 0))
		return;
#endif
	close_listed(first, last);
}

int dkt__text_end(FILE *f, int err, char **text)
{
	if (!f)
		*text = NULL;
	if ((!f || fclose(f)) && !err)
		err = -ENOMEM;
	if (err) {
		free(*text);
		*text = NULL;
	}
	return err;
}

int dkt__text_end_some(FILE *f, int err, char **text)
{
	err = dkt__text_end(f, err, text);
	if (!err && !**text) {
		free(*text);
		*text = NULL;
	}
	return err;
}

void dkt__boot_id(char boot[DKT__BOOT_SIZE])
{
	int fd __cleanup(close) = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : dkt__pread_all(fd, boot, DKT__BOOT_SIZE - 1, 0);

	boot[DKT__MAX(n, 0)] = '\0';
	boot[strcspn(boot, "\n")] = '\0';
}

#define ELSEWHERE "write to another file system"

const char *dkt__full_advice(int err)
{
	switch (err) {
	case -ENOSPC:
		return "; free space on its file system, or " ELSEWHERE;
	case -EDQUOT:
		return "; free space within the quota, or " ELSEWHERE;
	case -EFBIG:
		return "; raise the limit of 'ulimit -f'; without one, " ELSEWHERE;
	default:
		return "";
	}
}
