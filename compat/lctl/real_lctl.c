/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds Lustre's lctl and forwards commands to it that we do not implement. */
#include "compat/lctl/real_lctl.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <dktrace/dktrace.h>

#include "compat/set/saved/conf.h"
#include "lib/base/buf.h"
#include "lib/base/io.h"
#include "lib/base/servant.h"

/*
 * Set in the environment of the program that is run, so that two dktraces cannot run each other in
 * a loop.
 */
#define FORWARDED "DKTRACE_HANDED_ON"

/* Used if PATH is not set. */
#define DEFAULT_PATH "/usr/sbin:/usr/bin:/sbin:/bin"

/* More bytes than any lctl prints about its commands. */
#define MOST_NAMES (1 << 20)

/* ---- finding it ---- */

/* An installed copy of this program is called dktrace once links are followed. */
static bool is_self(const char *path)
{
	char *real __cleanup(free) = realpath(path, NULL);
	const char *slash = real ? strrchr(real, '/') : NULL;
	struct stat st, self;

	if (!real || stat(real, &st))
		return false;
	if (slash && !strcmp(slash + 1, "dktrace"))
		return true;
	return !stat("/proc/self/exe", &self) && self.st_dev == st.st_dev &&
	       self.st_ino == st.st_ino;
}

/* True if only root or this user can write the file. */
static bool is_protected(const char *path)
{
	struct stat st;

	return !stat(path, &st) && (!st.st_uid || st.st_uid == geteuid()) &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/* True if no other user can have put the file, found by following links, in its place. */
static bool is_safe(const char *path)
{
	char *real __cleanup(free) = realpath(path, NULL);
	char *slash = real ? strrchr(real, '/') : NULL;
	struct stat st;

	if (!slash || stat(real, &st) || !S_ISREG(st.st_mode) || !is_protected(real))
		return false;
	*slash = '\0';
	return is_protected(*real ? real : "/");
}

/* Lustre's lctl in a directory, also where a package of ours has moved it aside. */
static char *search_dir(const char *dir)
{
	static const char *const names[] = { "lctl", "lctl.lustre" };

	if (*dir != '/' || !is_protected(dir))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *path = dkt__format("%s/%s", dir, names[i]);

		if (path && is_safe(path) && !is_self(path) && !access(path, X_OK))
			return path;
		free(path);
	}
	return NULL;
}

static char *search_path(void)
{
	const char *env = getenv("PATH");
	char *list __cleanup(free) = strdup(env ? env : DEFAULT_PATH);
	char *save = NULL;

	for (char *dir = list ? strtok_r(list, ":", &save) : NULL; dir;
	     dir = strtok_r(NULL, ":", &save)) {
		char *path = search_dir(dir);

		if (path)
			return path;
	}
	return NULL;
}

/* Reads `real_lctl = PATH`; NULL: not set. Other errors in the file are ignored. */
static char *read_conf(void)
{
	const struct conf_line *line;
	struct dkt_ctx *ctx = NULL;
	struct conf conf = { 0 };
	char *found = NULL;

	if (!dkt_ctx_new(NULL, &ctx)) {
		dkl_conf_load(ctx, CONF_FILE, &conf);
		line = dkl_conf_find(&conf, CONF_REAL_LCTL);
		found = line ? strdup(line->value) : NULL;
	}
	dkl_conf_clear(&conf);
	dkt_ctx_free(ctx);
	return found;
}

static char *named_path(const char **by)
{
	const char *env = secure_getenv("LCTL_REAL");

	*by = env && *env ? "LCTL_REAL" : CONF_FILE;
	return env && *env ? strdup(env) : read_conf();
}

char *dkl_real_lctl_find(char **why)
{
	const char *by, *bad = NULL;
	char *path;

	*why = NULL;
	if (getenv(FORWARDED)) {
		*why = strdup("the program found in its place is dktrace again");
		return NULL;
	}
	path = named_path(&by);
	if (!path) {
		path = search_path();
		if (!path)
			*why = strdup("it is not on PATH; name it with LCTL_REAL or " CONF_FILE);
		return path;
	}
	if (access(path, X_OK))
		bad = strerror(errno);
	else if (is_self(path))
		bad = "is dktrace itself";
	else if (!strcmp(by, CONF_FILE) && !is_protected(CONF_FILE))
		bad = "users other than root can write " CONF_FILE;
	else if (!is_safe(path))
		bad = "users other than root can write it or its directory";
	if (!bad)
		return path;
	*why = dkt__format("'%s', which %s names: %s", path, by, bad);
	free(path);
	return NULL;
}

/* ---- running it ---- */

void dkl_real_lctl_become(const char *path, char **argv)
{
	setenv(FORWARDED, "1", 1);
	execv(path, argv);
}

static int run_and_wait(const char *path, char **argv, int *status)
{
	pid_t pid = fork();
	int how;

	if (pid < 0)
		return -errno;
	if (!pid) {
		dkl_real_lctl_become(path, argv);
		_exit(127);
	}
	if (dkt__wait(pid, &how, 0) < 0)
		return -errno;
	*status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
	return 0;
}

bool dkl_real_lctl_exists(void)
{
	char *why __cleanup(free) = NULL;
	char *path __cleanup(free) = dkl_real_lctl_find(&why);

	return path;
}

int dkl_real_lctl_run(char **argv, bool wait, int *status, char **why)
{
	char *path __cleanup(free) = dkl_real_lctl_find(why);
	int err;

	if (!path)
		return -ENOENT;
	if (wait) {
		err = run_and_wait(path, argv, status);
	} else {
		dkl_real_lctl_become(path, argv);
		err = -errno;
	}
	if (err)
		*why = dkt__format("run %s: %s", path, strerror(-err));
	return err;
}

/* ---- its commands ---- */

/* Starts a child that prints its commands; returns the end of the pipe to read, or -errno. */
static int start_list(const char *path, pid_t *pid)
{
	char name[] = "lctl", list[] = "--list-commands", *argv[] = { name, list, NULL };
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	*pid = fork();
	if (!*pid) {
		dup2(ends[1], STDOUT_FILENO);
		dkl_real_lctl_become(path, argv);
		_exit(127);
	}
	close(ends[1]);
	if (*pid > 0)
		return ends[0];
	close(ends[0]);
	return -ENOMEM;
}

/* The names are in columns; a heading begins with `=`. */
static int add_names(char *text, char ***names, size_t *n)
{
	char *lines = NULL, *words = NULL, *name;

	for (char *line = strtok_r(text, "\n", &lines); line; line = strtok_r(NULL, "\n", &lines))
		for (char *word = *line == '=' ? NULL : strtok_r(line, " ", &words); word;
		     word = strtok_r(NULL, " ", &words)) {
			name = strdup(word);
			if (!name || dkt__append(*names, *n, name)) {
				free(name);
				return -ENOMEM;
			}
		}
	return 0;
}

char **dkl_real_lctl_commands(size_t *n)
{
	char *why __cleanup(free) = NULL;
	char *path __cleanup(free) = dkl_real_lctl_find(&why);
	char *text __cleanup(free) = NULL;
	char **names = NULL;
	size_t len;
	pid_t pid = 0;
	int how = 0, fd, err;

	*n = 0;
	fd = path ? start_list(path, &pid) : -ENOENT;
	if (fd < 0)
		return NULL;
	err = dkt__read_fd(fd, MOST_NAMES, &text, &len);
	close(fd);
	dkt__wait(pid, &how, 0);
	if (!err && !how)
		err = add_names(text, &names, n);
	return names;
}
