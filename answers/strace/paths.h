/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the paths come from that the system calls of a live trace point to. */
#pragma once

#include <dktrace/dktrace.h>

enum call_paths {
	CALL_PATHS_NONE, /* the kernel records addresses only */
	CALL_PATHS_KERNEL, /* the events of system calls have the strings */
	CALL_PATHS_PROBES, /* event probes read them */
};

/* True if the kernel's own events have the strings, so that no probe is needed. */
bool call_paths_recorded(struct dkt_ctx *ctx);

/* Returns words for the user. */
const char *call_paths_words(enum call_paths paths);
