/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes the privileges that the program's file gave effective for a moment. */
#include "lib/base/gained.h"

#include <sys/auxv.h>
#include <sys/fsuid.h>
#include <sys/stat.h>

#include "lib/base/util.h"

bool dkt__is_gained(void)
{
	return getauxval(AT_SECURE);
}

/* Makes all permitted capabilities effective. */
static int fill(cap_t caps)
{
	cap_flag_value_t value;
	cap_value_t cap;

	for (cap = 0; CAP_IS_SUPPORTED(cap); cap++)
		if (cap_get_flag(caps, cap, CAP_PERMITTED, &value) ||
		    cap_set_flag(caps, CAP_EFFECTIVE, 1, &cap, value))
			return -errno;
	return 0;
}

struct dkt__gained dkt__gained(bool wanted)
{
	struct dkt__gained gained = { 0 };
	cap_t all;

	if (!wanted || !dkt__is_gained())
		return gained;
	gained.before = cap_get_proc();
	if (!gained.before)
		return gained;
	all = cap_dup(gained.before);
	/* The ID of files first: a change of it changes capabilities too. */
	gained.gid = setfsgid(getegid());
	gained.uid = setfsuid(geteuid());
	if (all && !fill(all))
		cap_set_proc(all);
	cap_free(all);
	return gained;
}

/* True if only root can change it: a directory and what is in it, or a file. */
static bool is_safe(const struct stat *st)
{
	return (S_ISDIR(st->st_mode) || S_ISREG(st->st_mode)) && !st->st_uid &&
	       !(st->st_mode & (S_IWGRP | S_IWOTH));
}

/* Nobody plants a file where the user cannot search, or one that is missing from a safe directory. */
static bool is_safe_path(char *path)
{
	struct stat st;

	for (char *slash = path; slash;) {
		slash = strchr(slash + 1, '/');
		if (slash)
			*slash = '\0';
		if (lstat(path, &st))
			return errno == EACCES || errno == ENOENT;
		if (!is_safe(&st))
			return false;
		if (slash)
			*slash = '/';
	}
	return true;
}

struct dkt__gained dkt__gained_at(const char *path)
{
	char *copy __cleanup(free) = path && dkt__is_gained() ? strdup(path) : NULL;

	return dkt__gained(copy && *copy == '/' && is_safe_path(copy));
}

struct dkt__gained dkt__gained_in(int dirfd)
{
	struct stat st;

	return dkt__gained(dkt__is_gained() && !fstat(dirfd, &st) && is_safe(&st));
}

void dkt__gained_endp(const struct dkt__gained *gained)
{
	const int saved = errno;

	if (!gained->before)
		return;
	setfsuid((uid_t)gained->uid);
	setfsgid((gid_t)gained->gid);
	cap_set_proc(gained->before);
	cap_free(gained->before);
	errno = saved;
}
