/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stands for a parser that a file has taken over. Preloaded, it acts as soon as bytes of the file
 * $BREAK_OUT_INPUT are read, with "pipe" of any pipe, or with "end" when the program ends: it tries to leave
 * the process by each way that it knows, writes a line for each to the file $BREAK_OUT_REPORT, "way: reason",
 * and ends the process. A way that is open has the reason "open".
 */
#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static int report = -1;

/* ---- the ways; each returns a negative value and sets errno, or returns another ---- */

/* A file that the user may change and that has nothing to do with the command. */
static const char *other(void)
{
	return getenv("BREAK_OUT_OTHER");
}

/* A file in the directory of the output; without an output the other one. */
static const char *beside(void)
{
	return getenv("BREAK_OUT_BESIDE") ?: other();
}

static int create(const char *beside)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s.new", beside);
	return open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
}

static int try_read(void)
{
	return open(other(), O_RDONLY | O_CLOEXEC);
}

static int try_write(void)
{
	return open(other(), O_WRONLY | O_CLOEXEC);
}

static int try_empty(void)
{
	return open(other(), O_RDONLY | O_TRUNC | O_CLOEXEC);
}

static int try_truncate(void)
{
	return truncate(other(), 0);
}

static int try_create(void)
{
	return create(other());
}

static int try_write_beside(void)
{
	return open(beside(), O_WRONLY | O_CLOEXEC);
}

static int try_create_beside(void)
{
	return create(beside());
}

static int try_rename_beside(void)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s.moved", beside());
	return rename(beside(), path);
}

/* The file may have been renamed before. */
static int try_remove_beside(void)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s.moved", beside());
	return unlink(access(path, F_OK) ? beside() : path);
}

static int try_remove(void)
{
	return unlink(other());
}

static int try_mode(void)
{
	return chmod(other(), 04777);
}

static int try_attribute(void)
{
	return setxattr(other(), "user.break-out", "", 0, 0);
}

static int try_execute(void)
{
	char name[] = "true", *argv[] = { name, NULL }, *none[] = { NULL };
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		execve("/bin/true", argv, none);
		_exit(errno);
	}
	waitpid(pid, &status, 0);
	errno = WEXITSTATUS(status);
	return status ? -1 : 0;
}

static int connect_to(int domain, const void *address, socklen_t size)
{
	int fd = socket(domain, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return fd < 0 ? fd : connect(fd, address, size);
}

/* Nobody listens on this port; where the network is open that is the reason. */
static int try_connect(void)
{
	const struct sockaddr_in address = { .sin_family = AF_INET,
					     .sin_port = htons(1),
					     .sin_addr = { htonl(INADDR_LOOPBACK) } };

	return connect_to(AF_INET, &address, sizeof(address));
}

static int try_service(void)
{
	const struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "/run/break-out" };

	return connect_to(AF_UNIX, &address, sizeof(address));
}

static int try_trace(void)
{
	return (int)ptrace(PTRACE_SEIZE, getppid(), NULL, NULL);
}

static int try_signal(void)
{
	return kill(getppid(), 0);
}

static int try_keys(void)
{
	return ioctl(STDIN_FILENO, TIOCSTI, "x");
}

/* Where it is open, nobody else sees it. */
static int try_mount(void)
{
	if (!unshare(CLONE_NEWNS))
		mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
	return mount("none", "/mnt", "tmpfs", 0, NULL);
}

static int try_namespace(void)
{
	return unshare(CLONE_NEWNS);
}

static const struct {
	const char *name;
	int (*way)(void);
} ways[] = {
	{ "read", try_read },
	{ "write", try_write },
	{ "empty", try_empty },
	{ "truncate", try_truncate },
	{ "create", try_create },
	{ "mode", try_mode },
	{ "attribute", try_attribute },
	{ "remove", try_remove },
	{ "execute", try_execute },
	{ "connect", try_connect },
	{ "service", try_service },
	{ "trace", try_trace },
	{ "signal", try_signal },
	{ "keys", try_keys },
	{ "mount", try_mount },
	{ "namespace", try_namespace },
	{ "write beside", try_write_beside },
	{ "create beside", try_create_beside },
	{ "rename beside", try_rename_beside },
	{ "remove beside", try_remove_beside },
};

static void break_out(void)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		const char *reason = ways[i].way() < 0 ? strerror(errno) : "open";

		dprintf(report, "%s: %s\n", ways[i].name, reason);
	}
	_exit(0);
}

/* ---- when ---- */

__attribute__((constructor)) static void begin(void)
{
	const char *to = getenv("BREAK_OUT_REPORT");

	if (getenv("BREAK_OUT_INPUT") && to)
		report = open(to, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

/* A command that has nothing to read of the input acts at its end. */
__attribute__((destructor)) static void end(void)
{
	if (report >= 0 && !strcmp(getenv("BREAK_OUT_INPUT"), "end"))
		break_out();
}

/* The first bytes tell what a file is, and are read before. */
static void look(int fd, size_t len)
{
	const char *name = getenv("BREAK_OUT_INPUT");
	struct stat st, input;

	if (report < 0 || len <= 16 || fstat(fd, &st))
		return;
	if (!strcmp(name, "pipe") ?
		    S_ISFIFO(st.st_mode) :
		    !stat(name, &input) && st.st_dev == input.st_dev && st.st_ino == input.st_ino)
		break_out();
}

ssize_t read(int fd, void *bytes, size_t len)
{
	look(fd, len);
	return syscall(SYS_read, fd, bytes, len);
}

ssize_t pread(int fd, void *bytes, size_t len, off_t at)
{
	look(fd, len);
	return syscall(SYS_pread64, fd, bytes, len, at);
}

ssize_t pread64(int fd, void *bytes, size_t len, off64_t at)
{
	return pread(fd, bytes, len, at);
}

/* libdwfl maps the program that it reads. */
Dwfl_Module *dwfl_report_offline(Dwfl *dwfl, const char *name, const char *path, int fd)
{
	int mine = open(path, O_RDONLY | O_CLOEXEC);

	(void)dwfl, (void)name, (void)fd;
	look(mine, SIZE_MAX);
	close(mine);
	return NULL;
}
