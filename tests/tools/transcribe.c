/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs a command and prints all that it does, for lctl-transcript: each line of its output after "> ", each
 * of its messages after "! ", as cat -A shows them, and "= " with its exit status. One process does what
 * would be ten in a script of a thousand cases.
 *
 * usage: transcribe DIRECTORY COMMAND [ARGUMENT...]
 *
 * The output is in the files out and err. Exits with 1 if a file below the directory, or below
 * /proc/fs/lustre, is dated after 1970, and with 2 after an error.
 */
#include <err.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* For a program that hangs. */
#define SECONDS 600

/* As timeout(1) says that the time was over. */
#define STATUS_TIMEOUT 124

static int create(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	if (fd < 0)
		err(2, "create %s", path);
	return fd;
}

static _Noreturn void run_child(char **argv, int out, int errors)
{
	dup2(out, STDOUT_FILENO);
	dup2(errors, STDERR_FILENO);
	execv(argv[0], argv);
	err(127, "run %s", argv[0]);
}

static int run(char **argv, int out, int errors)
{
	const struct timespec limit = { .tv_sec = SECONDS };
	sigset_t child, before;
	int status;
	pid_t pid;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &before);
	pid = fork();
	if (pid < 0)
		err(2, "fork");
	if (!pid) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		run_child(argv, out, errors);
	}
	if (sigtimedwait(&child, NULL, &limit) < 0) {
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		return STATUS_TIMEOUT;
	}
	if (waitpid(pid, &status, 0) < 0)
		err(2, "wait for %s", argv[0]);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void show_char(unsigned char c)
{
	if (c >= 128) {
		fputs("M-", stdout);
		c -= 128;
	}
	if (c < ' ' || c == 127)
		printf("^%c", c ^ 64);
	else
		putchar(c);
}

/* Every byte, with a newline at the end if there was none. */
static void show(const char *mark, int fd)
{
	FILE *in = fdopen(fd, "r");
	bool at_start = true;
	int c;

	if (!in)
		err(2, "read the output");
	rewind(in);
	while ((c = getc(in)) != EOF) {
		if (at_start)
			fputs(mark, stdout);
		at_start = c == '\n';
		if (at_start)
			fputs("$\n", stdout);
		else
			show_char((unsigned char)c);
	}
	if (!at_start)
		putchar('\n');
	fclose(in);
}

static int is_new(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)path;
	(void)at;
	return kind != FTW_NS && st->st_mtime > 0;
}

int main(int argc, char **argv)
{
	int out = create("out"), errors = create("err"), status;

	if (argc < 3)
		errx(2, "usage: transcribe DIRECTORY COMMAND [ARGUMENT...]");
	status = run(argv + 2, out, errors);
	show("> ", out);
	show("! ", errors);
	printf("= %d\n", status);
	fflush(stdout);
	return nftw(argv[1], is_new, 16, FTW_PHYS) == 1 ||
	       nftw("/proc/fs/lustre", is_new, 16, FTW_PHYS) == 1;
}
