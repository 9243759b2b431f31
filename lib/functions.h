/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions that a tracer records, and to which depth of calls. */
#pragma once

#include "lib/base/strings.h"
#include "lib/ctx.h"

struct dkt__functions {
	struct dkt__strings only, without, roots;
	pid_t *pids;
	size_t n_pids;
	bool children;
	unsigned int depth;
	unsigned int threshold;
};

/* Adds copies of the names. The caller clears the list, also after a failure. */
int dkt__names_copy(const char *const *names, size_t n, struct dkt__strings *to);

/* Returns NULL if memory is out. */
struct dkt__functions *dkt__functions_copy(const struct dkt_tracer_opts *functions);
void dkt__functions_free(struct dkt__functions *functions);

/*
 * Checks the choice. -ENOENT with an error message: a glob matches no function of this kernel.
 * Changes nothing.
 */
int dkt__functions_check(struct dkt_ctx *ctx, const struct dkt__functions *functions);

/* Writes the choice to the instance, which must not have one yet. */
int dkt__functions_write(struct dkt_instance *in, const struct dkt__functions *functions);

/* Resets the choice to all functions of all processes, in those files that the kernel has. */
int dkt__functions_clear(struct dkt_instance *in);

/*
 * True if the file, for example set_ftrace_filter, lists functions. Otherwise it is missing, empty, or
 * says in a comment that all functions are enabled.
 */
bool dkt__functions_chosen(struct dkt_instance *in, const char *file);

/* True if a file other than set_ftrace_filter limits the instance's tracer. */
bool dkt__functions_more(struct dkt_instance *in);

/*
 * Sets roots, depth and threshold, which apply to the whole kernel, unless another program has
 * set them. A note in the spool directory tells dkt__functions_return() that dktrace set them.
 */
int dkt__functions_limit(struct dkt_instance *in, const struct dkt__functions *functions);

/* Resets them if an instance with that spool has set them. */
int dkt__functions_return(struct dkt_ctx *ctx, const char *spool);
