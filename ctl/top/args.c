/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The arguments of a system call that has not returned. */
#include "ctl/top/args.h"

#include <limits.h>

#include "lib/base/buf.h"

#define SHOWN_ARGS 3

/* From here on an argument is rather an address or bits than a number. */
#define LARGE 1000000ul

static bool file_of(const struct activity_call *call, char file[PATH_MAX])
{
	char *path __cleanup(free) = dkt__format("/proc/%d/fd/%lu", call->process, call->args[0]);
	ssize_t len = path ? readlink(path, file, PATH_MAX - 1) : -1;

	if (len < 0)
		return false;
	file[len] = '\0';
	return true;
}

char *top_args_text(const struct activity_call *call)
{
	char file[PATH_MAX], text[SHOWN_ARGS * 24] = "";
	size_t used = 0;

	if (call->flags & ACTIVITY_CALL_FD && file_of(call, file))
		return dkt__format("%lu<%s>", call->args[0], file);
	for (size_t i = 0; i < SHOWN_ARGS; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 call->args[i] < LARGE ? "%s%lu" : "%s%#lx", i ? ", " : "",
					 call->args[i]);
	return strdup(text);
}
