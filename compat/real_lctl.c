/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The real lctl, for commands that are not ours. */
#include "real_lctl.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util.h"

static bool is_self(const struct stat *st)
{
	struct stat self;

	return !stat("/proc/self/exe", &self) && self.st_dev == st->st_dev &&
	       self.st_ino == st->st_ino;
}

/* Runs a program as root only from a directory where nobody else could have put it. */
static bool is_safe(const char *dir, const char *path)
{
	struct stat st;

	if (*dir != '/' || stat(dir, &st) || st.st_mode & S_IWOTH)
		return false;
	return !stat(path, &st) && S_ISREG(st.st_mode) && !(st.st_mode & S_IWOTH) &&
	       !is_self(&st) && !access(path, X_OK);
}

void real_lctl_exec(char **argv)
{
	const char *named = secure_getenv("LCTL_REAL");
	const char *env = getenv("PATH");
	char *list __cleanup(free) = strdup(env ? env : "/usr/sbin:/usr/bin");
	char *dir, *save = NULL;

	if (named) {
		execv(named, argv);
		return;
	}
	for (dir = list ? strtok_r(list, ":", &save) : NULL; dir;
	     dir = strtok_r(NULL, ":", &save)) {
		char *path __cleanup(free) = NULL;

		if (asprintf(&path, "%s/lctl", dir) < 0) {
			path = NULL;
			return;
		}
		if (is_safe(dir, path))
			execv(path, argv);
	}
}
