/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions that a tracer records, and to which depth of calls. */
#pragma once

#include "ctx.h"

struct dkt__functions {
	char **only;
	size_t n_only;
	char **without;
	size_t n_without;
	char **roots;
	size_t n_roots;
	pid_t *pids;
	size_t n_pids;
	bool children;
	unsigned int depth;
	unsigned int threshold;
};

/* Copies names; what there is also of a failure is for dkt__names_free(). */
int dkt__names_copy(const char *const *names, size_t n, char ***to, size_t *n_to);

/* NULL: memory is out. */
struct dkt__functions *dkt__functions_copy(const struct dkt_tracer_opts *functions);
void dkt__functions_free(struct dkt__functions *functions);

/* -ENOENT, with words: a glob that no function of this kernel matches. Touches nothing. */
int dkt__functions_check(struct dkt_ctx *ctx, const struct dkt__functions *functions);

/* Writes the choice to the instance, which chooses nothing yet. */
int dkt__functions_write(struct dkt_instance *in, const struct dkt__functions *functions);

/* All functions of all processes again, as far as the kernel has such files. */
int dkt__functions_clear(struct dkt_instance *in);

/* Whether something but set_ftrace_filter limits the instance's tracer. */
bool dkt__functions_more(struct dkt_instance *in);

/*
 * Roots, depth and threshold are the whole kernel's: they are set only if nobody has set them, with
 * a note in the spool directory by which dkt_functions_return() knows that they are ours.
 */
int dkt__functions_limit(struct dkt_ctx *ctx, const struct dkt__functions *functions,
			 const char *spool);
