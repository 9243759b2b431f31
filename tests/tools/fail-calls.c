/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Preloaded, it lets one call of the program to the C library fail. A call is known by its name and by the functions
 * that led to it. FAIL_LIST=FILE appends each such site once: its number, its name, the addresses of these functions.
 * With FAIL_SITE=NUMBER the first call there fails with the error FAIL_ERRNO, or moves one byte with FAIL_SHORT=1.
 * fail-each runs a program once for each site. Calls by other libraries do not fail: libtraceevent's parser crashes.
 */
#include <features.h>

#ifdef __GLIBC__
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define NEXT(call) ((__typeof__(&(call)))dlsym(RTLD_NEXT, #call))

/* The callers that tell one site from another. */
#define DEPTH       6
#define MOST_FRAMES 32
#define MOST_SITES  65536

static uintptr_t base, text_from, text_to; /* of the program itself */
static int list_fd = -1;
static uint64_t fail_site;
static int fail_errno;
static bool fail_short;
static atomic_bool failed;
static _Atomic uint64_t seen[MOST_SITES];
static __thread bool inside; /* backtrace() allocates, too */

static int find_program(struct dl_phdr_info *info, size_t size, void *arg)
{
	int i;

	(void)size;
	(void)arg;
	base = info->dlpi_addr;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_X) {
			text_from = base + p->p_vaddr;
			text_to = text_from + p->p_memsz;
		}
	}
	return 1; /* the program is the first one */
}

__attribute__((constructor)) static void start(void)
{
	const char *list = getenv("FAIL_LIST"), *site = getenv("FAIL_SITE");
	const char *number = getenv("FAIL_ERRNO");
	void *frames[MOST_FRAMES];
	int fd;

	inside = true;
	backtrace(frames, MOST_FRAMES); /* opens a library */
	dl_iterate_phdr(find_program, NULL);
	fail_short = getenv("FAIL_SHORT") != NULL;
	fail_errno = number ? atoi(number) : ENOMEM;
	fail_site = site ? strtoull(site, NULL, 16) : 0;
	if (list) {
		fd = (int)syscall(SYS_openat, AT_FDCWD, list,
				  O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
		list_fd = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 900);
		syscall(SYS_close, fd);
	}
	inside = false;
}

/* True at the first call from this site. */
static bool is_new(uint64_t site)
{
	size_t i = site % MOST_SITES, n;
	uint64_t was = 0;

	for (n = 0; n < MOST_SITES; n++, i = (i + 1) % MOST_SITES, was = 0)
		if (atomic_compare_exchange_strong(&seen[i], &was, site))
			return true;
		else if (was == site)
			return false;
	return false;
}

static void list_site(uint64_t site, const char *name, const uintptr_t *callers, int n)
{
	char line[512];
	int len = snprintf(line, sizeof(line), "%016llx %s", (unsigned long long)site, name);
	int i;

	for (i = 0; i < n; i++)
		len += snprintf(line + len, sizeof(line) - len, " %lx", (unsigned long)callers[i]);
	line[len++] = '\n';
	syscall(SYS_write, list_fd, line, len);
}

static bool of_program(const void *addr)
{
	return (uintptr_t)addr >= text_from && (uintptr_t)addr < text_to;
}

/* True if this call is to fail, for which errno is set. */
static bool fails(const char *name, const void *caller, bool can_be_short)
{
	void *frames[MOST_FRAMES];
	uintptr_t callers[DEPTH];
	uint64_t site = 0xcbf29ce484222325;
	int n, i, k = 0;
	const char *p;

	if (inside || (list_fd < 0 && !fail_site) || !of_program(caller) ||
	    (fail_short && !can_be_short))
		return false;
	inside = true;
	n = backtrace(frames, MOST_FRAMES);
	inside = false;
	for (p = name; *p; p++)
		site = (site ^ (uint8_t)*p) * 0x100000001b3;
	for (i = 0; i < n && k < DEPTH; i++)
		if (of_program(frames[i])) {
			callers[k] = (uintptr_t)frames[i] - base;
			site = (site ^ callers[k++]) * 0x100000001b3;
		}
	if (list_fd >= 0 && is_new(site))
		list_site(site, name, callers, k);
	if (site != fail_site || atomic_exchange(&failed, true))
		return false;
	errno = fail_errno;
	return true;
}

#define CALLER __builtin_return_address(0)

/* A call with a fixed number of arguments. */
#define FAIL(type, name, params, args, value)                                                      \
	type name params                                                                           \
	{                                                                                          \
		return fails(#name, CALLER, false) ? (value) : NEXT(name) args;                    \
	}

/* One that moves bytes, and can move fewer than it was asked to. */
#define MOVE(name, params, args, one)                                                              \
	ssize_t name params                                                                        \
	{                                                                                          \
		if (!fails(#name, CALLER, len > 1))                                                \
			return NEXT(name) args;                                                    \
		return fail_short ? NEXT(name) one : -1;                                           \
	}

/* One whose last argument is a mode, which counts only if a file is made. */
#define OPEN(name, params, args)                                                                   \
	int name params                                                                            \
	{                                                                                          \
		va_list ap;                                                                        \
		mode_t mode;                                                                       \
                                                                                                   \
		va_start(ap, flags);                                                               \
		mode = va_arg(ap, mode_t);                                                         \
		va_end(ap);                                                                        \
		return fails(#name, CALLER, false) ? -1 : NEXT(name) args;                         \
	}

/* ---- memory ---- */

/* Before start(), and for dlsym() itself, the C library's own. */
extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *old, size_t n);

void *malloc(size_t n)
{
	return fails("malloc", CALLER, false) ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	return fails("calloc", CALLER, false) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t n)
{
	return fails("realloc", CALLER, false) ? NULL : __libc_realloc(old, n);
}

FAIL(char *, strdup, (const char *text), (text), NULL)
FAIL(char *, strndup, (const char *text, size_t n), (text, n), NULL)
FAIL(FILE *, open_memstream, (char **text, size_t *len), (text, len), NULL)
FAIL(int, vasprintf, (char **text, const char *fmt, va_list ap), (text, fmt, ap), -1)

int asprintf(char **text, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (fails("asprintf", CALLER, false))
		return -1;
	va_start(ap, fmt);
	n = NEXT(vasprintf)(text, fmt, ap);
	va_end(ap);
	return n;
}

FAIL(void *, mmap, (void *at, size_t len, int prot, int flags, int fd, off_t offset),
     (at, len, prot, flags, fd, offset), MAP_FAILED)
FAIL(int, munmap, (void *at, size_t len), (at, len), -1)
FAIL(int, memfd_create, (const char *name, unsigned int flags), (name, flags), -1)

/* ---- files ---- */

OPEN(open, (const char *path, int flags, ...), (path, flags, mode))
OPEN(openat, (int dir, const char *path, int flags, ...), (dir, path, flags, mode))
FAIL(FILE *, fopen, (const char *path, const char *mode), (path, mode), NULL)
FAIL(FILE *, fdopen, (int fd, const char *mode), (fd, mode), NULL)
FAIL(DIR *, opendir, (const char *path), (path), NULL)
FAIL(DIR *, fdopendir, (int fd), (fd), NULL)
FAIL(struct dirent *, readdir, (DIR * dir), (dir), NULL)

MOVE(read, (int fd, void *bytes, size_t len), (fd, bytes, len), (fd, bytes, 1))
MOVE(write, (int fd, const void *bytes, size_t len), (fd, bytes, len), (fd, bytes, 1))
MOVE(pread, (int fd, void *bytes, size_t len, off_t at), (fd, bytes, len, at), (fd, bytes, 1, at))
MOVE(pwrite, (int fd, const void *bytes, size_t len, off_t at), (fd, bytes, len, at),
     (fd, bytes, 1, at))
MOVE(sendfile, (int to, int from, off_t *at, size_t len), (to, from, at, len), (to, from, at, 1))
MOVE(copy_file_range,
     (int from, off64_t *at, int to, off64_t *to_at, size_t len, unsigned int flags),
     (from, at, to, to_at, len, flags), (from, at, to, to_at, 1, flags))
MOVE(splice, (int from, off64_t *at, int to, off64_t *to_at, size_t len, unsigned int flags),
     (from, at, to, to_at, len, flags), (from, at, to, to_at, 1, flags))
FAIL(ssize_t, writev, (int fd, const struct iovec *parts, int n), (fd, parts, n), -1)
FAIL(ssize_t, pwritev, (int fd, const struct iovec *parts, int n, off_t at), (fd, parts, n, at), -1)
FAIL(ssize_t, getdelim, (char **line, size_t *size, int delim, FILE *f), (line, size, delim, f), -1)
FAIL(ssize_t, getline, (char **line, size_t *size, FILE *f), (line, size, f), -1)

FAIL(int, fstat, (int fd, struct stat *st), (fd, st), -1)
FAIL(int, stat, (const char *path, struct stat *st), (path, st), -1)
FAIL(int, lstat, (const char *path, struct stat *st), (path, st), -1)
FAIL(int, fstatat, (int dir, const char *path, struct stat *st, int flags), (dir, path, st, flags),
     -1)
FAIL(int, fstatfs, (int fd, struct statfs *st), (fd, st), -1)
FAIL(off_t, lseek, (int fd, off_t at, int from), (fd, at, from), -1)
FAIL(int, ftruncate, (int fd, off_t len), (fd, len), -1)
FAIL(int, fsync, (int fd), (fd), -1)
FAIL(int, fdatasync, (int fd), (fd), -1)
FAIL(int, rename, (const char *from, const char *to), (from, to), -1)
FAIL(int, renameat, (int dir, const char *from, int to_dir, const char *to),
     (dir, from, to_dir, to), -1)
FAIL(int, renameat2, (int dir, const char *from, int to_dir, const char *to, unsigned int flags),
     (dir, from, to_dir, to, flags), -1)
FAIL(int, linkat, (int dir, const char *from, int to_dir, const char *to, int flags),
     (dir, from, to_dir, to, flags), -1)
FAIL(int, unlink, (const char *path), (path), -1)
FAIL(int, unlinkat, (int dir, const char *path, int flags), (dir, path, flags), -1)
FAIL(int, mkdir, (const char *path, mode_t mode), (path, mode), -1)
FAIL(int, mkdirat, (int dir, const char *path, mode_t mode), (dir, path, mode), -1)
FAIL(int, rmdir, (const char *path), (path), -1)
FAIL(int, flock, (int fd, int how), (fd, how), -1)
FAIL(int, dup, (int fd), (fd), -1)
FAIL(int, dup2, (int fd, int to), (fd, to), -1)
FAIL(int, fchmod, (int fd, mode_t mode), (fd, mode), -1)
FAIL(int, fchown, (int fd, uid_t uid, gid_t gid), (fd, uid, gid), -1)

int close(int fd)
{
	const bool fail = fails("close", CALLER, false);
	int rc = NEXT(close)(fd);

	if (!fail)
		return rc;
	errno = fail_errno;
	return -1;
}

int fclose(FILE *f)
{
	const bool fail = fails("fclose", CALLER, false);
	int rc = NEXT(fclose)(f);

	if (!fail)
		return rc;
	errno = fail_errno;
	return EOF;
}

FAIL(int, fflush, (FILE * f), (f), EOF)

/* ---- waiting, processes, threads ---- */

FAIL(int, poll, (struct pollfd * fds, nfds_t n, int ms), (fds, n, ms), -1)
FAIL(int, ppoll, (struct pollfd * fds, nfds_t n, const struct timespec *ts, const sigset_t *mask),
     (fds, n, ts, mask), -1)
FAIL(int, epoll_create1, (int flags), (flags), -1)
FAIL(int, epoll_ctl, (int fd, int op, int of, struct epoll_event *event), (fd, op, of, event), -1)
FAIL(int, epoll_wait, (int fd, struct epoll_event *events, int n, int ms), (fd, events, n, ms), -1)
FAIL(int, eventfd, (unsigned int value, int flags), (value, flags), -1)
FAIL(int, timerfd_create, (int clock, int flags), (clock, flags), -1)
FAIL(int, signalfd, (int fd, const sigset_t *mask, int flags), (fd, mask, flags), -1)
FAIL(int, pipe2, (int fds[2], int flags), (fds, flags), -1)
FAIL(int, socketpair, (int domain, int type, int protocol, int fds[2]),
     (domain, type, protocol, fds), -1)
FAIL(int, socket, (int domain, int type, int protocol), (domain, type, protocol), -1)
FAIL(int, fork, (void), (), -1)
FAIL(pid_t, waitpid, (pid_t pid, int *status, int flags), (pid, status, flags), -1)

/* It returns the error. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
	return fails("pthread_create", CALLER, false) ?
		       fail_errno :
		       NEXT(pthread_create)(thread, attr, run, arg);
}
#endif
