/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds Lustre's lctl and forwards commands to it that we do not implement. */
#include "lctl/real_lctl.h"

#include <sys/stat.h>
#include <sys/wait.h>

#include "base/util.h"
#include "set/saved/conf.h"

/* Set for what is run, so that two of this program do not run each other for ever. */
#define HANDED_ON "DKTRACE_HANDED_ON"

/* Where it is installed, for callers without a useful PATH. */
#define DEFAULT_PATH "/usr/sbin:/usr/bin:/sbin:/bin"

/* ---- which one ---- */

/* Installed copies of this program go by its name once links are followed. */
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

/* Only root and this user can write it. */
static bool is_ours(const char *path)
{
	struct stat st;

	return !stat(path, &st) && (!st.st_uid || st.st_uid == geteuid()) &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/* The file that links lead to, and that nobody else could have put there. */
static bool is_safe(const char *path)
{
	char *real __cleanup(free) = realpath(path, NULL);
	char *slash = real ? strrchr(real, '/') : NULL;
	struct stat st;

	if (!slash || stat(real, &st) || !S_ISREG(st.st_mode) || !is_ours(real))
		return false;
	*slash = '\0';
	return is_ours(*real ? real : "/");
}

static char *search_path(void)
{
	const char *env = getenv("PATH");
	char *list __cleanup(free) = strdup(env ? env : DEFAULT_PATH);
	char *save = NULL;

	for (char *dir = list ? strtok_r(list, ":", &save) : NULL; dir;
	     dir = strtok_r(NULL, ":", &save)) {
		char *path;

		if (asprintf(&path, "%s/lctl", dir) < 0)
			return NULL;
		if (*dir == '/' && is_ours(dir) && is_safe(path) && !is_self(path) &&
		    !access(path, X_OK))
			return path;
		free(path);
	}
	return NULL;
}

/* real_lctl = PATH; NULL: it does not say. What else is wrong in the file is not for here. */
static char *read_conf(void)
{
	const struct conf_line *line;
	struct dkt_ctx *ctx = NULL;
	struct conf conf = { 0 };
	char *found = NULL;

	if (!dkt_ctx_new(NULL, &ctx)) {
		conf_load(ctx, CONF_FILE, &conf);
		line = conf_find(&conf, CONF_REAL_LCTL);
		found = line ? strdup(line->value) : NULL;
	}
	conf_clear(&conf);
	dkt_ctx_free(ctx);
	return found;
}

static char *named_path(const char **by)
{
	const char *env = secure_getenv("LCTL_REAL");

	*by = env && *env ? "LCTL_REAL" : CONF_FILE;
	return env && *env ? strdup(env) : read_conf();
}

/* The path, or NULL with why. */
static char *find_real(char **why)
{
	const char *by, *bad = NULL;
	char *path;
	int ret;

	*why = NULL;
	if (getenv(HANDED_ON)) {
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
	else if (!strcmp(by, CONF_FILE) && !is_ours(CONF_FILE))
		bad = "users other than root can write " CONF_FILE;
	else if (!is_safe(path))
		bad = "users other than root can write it or its directory";
	if (!bad)
		return path;
	ret = asprintf(why, "'%s', which %s names: %s", path, by, bad);
	if (ret < 0)
		*why = NULL;
	free(path);
	return NULL;
}

/* ---- running it ---- */

static void become(const char *path, char **argv)
{
	setenv(HANDED_ON, "1", 1);
	execv(path, argv);
}

static int run_beside(const char *path, char **argv, int *status)
{
	pid_t pid = fork();
	int how;

	if (pid < 0)
		return -errno;
	if (!pid) {
		become(path, argv);
		_exit(127);
	}
	while (waitpid(pid, &how, 0) < 0)
		if (errno != EINTR)
			return -errno;
	*status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
	return 0;
}

bool real_lctl_is_there(void)
{
	char *why __cleanup(free) = NULL;
	char *path __cleanup(free) = find_real(&why);

	return path;
}

int real_lctl_run(char **argv, bool come_back, int *status, char **why)
{
	char *path __cleanup(free) = find_real(why);
	int err;

	if (!path)
		return -ENOENT;
	if (come_back) {
		err = run_beside(path, argv, status);
	} else {
		become(path, argv);
		err = -errno;
	}
	if (err && asprintf(why, "run %s: %s", path, strerror(-err)) < 0)
		*why = NULL;
	return err;
}
