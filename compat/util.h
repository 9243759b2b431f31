/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Small helpers for compat: locals that let go of what they own, memory that goes at once. */
#ifndef COMPAT_UTIL_H
#define COMPAT_UTIL_H

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static inline void util_freep(void *p)
{
	free(*(void **)p);
}

static inline void util_closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void util_closedirp(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

/* As in: char *text __cleanup(free) = NULL; what is one of free, close, closedir. */
#define __cleanup(what) __attribute__((cleanup(util_##what##p)))

#endif
