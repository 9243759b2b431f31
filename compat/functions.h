/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tracers of functions as a person sets them. */
#ifndef COMPAT_FUNCTIONS_H
#define COMPAT_FUNCTIONS_H

#include "debuglog.h"

/*
 * In the settings a line for each: "tracer NAME", "only GLOB", "without GLOB", "root GLOB", "depth N",
 * "threshold US", "pids THREADS", "children 1".
 */
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

/* Sets it in place of what was set, and of what `trace` in debug sets. */
int functions_set(struct debuglog *log, const struct functions_wish *wish);

/* None any more, but that of debug. -ENOENT: none was set. */
int functions_off(struct debuglog *log);

/* What is set, as "function_graph of vfs_*, depth 3"; NULL: nothing. The caller frees it. */
char *functions_text(const struct settings *set);

/* Puts what is set into the change. keep: it is as it was before. */
int functions_plan(struct dkt_ctx *ctx, const struct settings *set, bool keep, const char *spool,
		   struct dkt_change *change);

#endif
