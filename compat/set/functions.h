/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets function tracers as a user describes them. */
#pragma once

#include "log/debuglog.h"

/* A tracer of functions as the command line has it. */
struct functions_wish {
	const char *tracer; /* function, function_graph */
	char **only;
	size_t n_only;
	const char *without; /* globs, commas between; NULL: none */
	const char *roots;
	const char *depth;
	const char *threshold; /* 100us, 5ms */
	const char *pids; /* processes, commas between */
	bool children;
};

/* The tracers, by the commands that set them. */
#define FUNCTIONS_CALLS "function"
#define FUNCTIONS_GRAPH "function_graph"

/* Sets it in place of what was set, and of what `trace` in debug sets. */
int functions_set(struct debuglog *log, const struct functions_wish *wish);

/*
 * "vfs_* --depth 3", globs and options as the command line has them, into the settings. -ESRCH: it
 * is about processes that are not there.
 */
int functions_take(struct dkt_ctx *ctx, const char *tracer, const char *line, struct settings *set);

/* The line that sets what is set by that tracer, NULL: nothing is. The caller frees it. */
int functions_line(const struct settings *set, const char *tracer, char **line);

/* None any more, but that of debug. -ENOENT: none was set. */
int functions_off(struct debuglog *log);

/* Describes the setting: "function_graph of vfs_*, depth 3"; NULL: none. The caller frees it. */
char *functions_text(const struct settings *set);
