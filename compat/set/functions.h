/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets function tracers as a user describes them. */
#pragma once

#include "compat/log/debuglog.h"

/* A function tracer as on the command line. */
struct functions_wish {
	const char *tracer; /* function, function_graph */
	char **only;
	size_t n_only;
	const char *without; /* globs, separated by commas; NULL: none */
	const char *roots;
	const char *depth;
	const char *threshold; /* 100us, 5ms */
	const char *pids; /* process IDs, separated by commas */
	bool children;
};

/* The tracers, by the commands that set them. */
#define FUNCTIONS_CALLS "function"
#define FUNCTIONS_GRAPH "function_graph"

/* Sets the tracer; replaces an earlier one, and the one that `trace` in debug sets. */
int dkl_functions_set(struct debuglog *log, const struct functions_wish *wish);

/* Read these options: the most nested calls, and the least time in us. NULL leaves the value as it is. */
int dkl_functions_depth(struct dkt_ctx *ctx, const char *text, uint32_t *depth);
int dkl_functions_threshold(struct dkt_ctx *ctx, const char *text, uint32_t *us);

/*
 * Reads "vfs_* --depth 3", globs and options as on the command line, into the settings. -ESRCH: its
 * processes do not exist.
 */
int dkl_functions_take(struct dkt_ctx *ctx, const char *tracer, const char *line,
		       struct settings *set);

/* Gets the line that dkl_functions_take() reads; NULL: that tracer is not set. The caller frees it. */
int dkl_functions_line(const struct settings *set, const char *tracer, char **line);

/* Removes the tracer; `trace` in debug takes effect again. -ENOENT: none is set. */
int dkl_functions_off(struct debuglog *log);

/* Describes the setting: "function_graph of vfs_*, depth 3"; NULL: none. The caller frees it. */
char *dkl_functions_text(const struct settings *set);
