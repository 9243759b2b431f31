/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls whose events have known values: names, open flags, lengths, programs. */
#ifndef DKT_EXPR_WORKLOAD_H
#define DKT_EXPR_WORKLOAD_H

#include <arpa/inet.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "lib/ctx.h"

/* The name of the test's process. */
#define COMM "dkt-expr"

/* The argument by which the test's program, started under another name, does nothing. */
#define QUIT "quit"

static void rename_often(void)
{
	static const char *const names[] = {
		"bash",  "8abc",         "worker/1",     "a",      "fifteen-letters",
		"dd",    "kworker/u8:2", "ll_ost00_003", "[idle]", "a*b",
		"x y z", "bash8",        COMM,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		prctl(PR_SET_NAME, names[i]);
}

static void open_often(void)
{
	static const int flags[] = { O_RDONLY, O_WRONLY, O_RDWR | O_CLOEXEC, O_DIRECTORY, O_PATH };
	static const char *const paths[] = { "/dev/null", "/none", "/tmp", "/dev/null/x", "" };
	size_t i, j;
	int fd;

	for (i = 0; i < ARRAY_SIZE(paths); i++)
		for (j = 0; j < ARRAY_SIZE(flags); j++) {
			fd = open(paths[i], flags[j]);
			/* Some stay open, so that the numbers grow. */
			if (fd > 20)
				close(fd);
		}
	for (fd = 10; fd <= 20; fd++)
		close(fd);
}

static void send_often(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(9) };
	char bytes[1400] = { 0 };
	size_t len;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	for (len = 1; fd >= 0 && len < sizeof(bytes); len = len * 2 + 1)
		sendto(fd, bytes, len, MSG_DONTWAIT, (struct sockaddr *)&to, sizeof(to));
	if (fd >= 0)
		close(fd);
}

static const char *const links[] = { "true", "8true", "a-longer-name-than-comm", "t.sh", "x[1]" };

static void exec_often(const char *dir)
{
	char *path;
	size_t i;
	pid_t pid;

	for (i = 0; i < ARRAY_SIZE(links); i++) {
		if (asprintf(&path, "%s/%s", dir, links[i]) < 0)
			return;
		pid = fork();
		if (!pid) {
			execl(path, path, QUIT, NULL);
			_exit(1);
		}
		if (pid > 0)
			waitpid(pid, NULL, 0);
		free(path);
	}
}

static int make_links(char **dir)
{
	char template[] = "/tmp/dkt-expr-XXXXXX", self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *path;
	size_t i;

	*dir = len > 0 && mkdtemp(template) ? strdup(template) : NULL;
	if (!*dir)
		return -errno;
	self[len] = '\0';
	for (i = 0; i < ARRAY_SIZE(links); i++) {
		if (asprintf(&path, "%s/%s", *dir, links[i]) < 0 || symlink(self, path))
			return -errno;
		free(path);
	}
	return 0;
}

static void remove_links(char *dir)
{
	char *path;
	size_t i;

	for (i = 0; dir && i < ARRAY_SIZE(links); i++) {
		if (asprintf(&path, "%s/%s", dir, links[i]) < 0)
			return;
		unlink(path);
		free(path);
	}
	if (dir && rmdir(dir))
		perror(dir);
	free(dir);
}

#endif
