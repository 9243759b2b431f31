/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the paths come from that the system calls of a live trace point to. */
#include "answers/strace/paths.h"

bool call_paths_recorded(struct dkt_ctx *ctx)
{
	struct dkt_event *open = dkt_event_find(ctx, "syscalls", "sys_enter_openat");

	return open && dkt_event_field(open, "__filename_val");
}

const char *call_paths_words(enum call_paths paths)
{
	static const char *const words[] = {
		[CALL_PATHS_NONE] = "paths as addresses",
		[CALL_PATHS_KERNEL] = "paths recorded by the kernel",
		[CALL_PATHS_PROBES] = "paths read by event probes",
	};

	return words[paths];
}
