/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kind of analyses for periods that a user defines: an instance of period_kind for each run. */
#pragma once

#include "answers/analyze/analyze.h"

struct period_run;

/* True if the analysis needs definitions. */
bool analysis_takes_periods(const struct analysis *analysis);

/* Reads definitions, see period_defs_read(). -EINVAL: one is invalid; the context has the message. */
int period_run_new(struct dkt_ctx *ctx, const struct analysis *analysis, const char *text,
		   struct period_run **run);

/*
 * The same for the ready-made pair of that name in the context of definitions: the columns are the same whatever
 * events the kernel has, and the times are grouped as those of the pair.
 */
int period_run_of_pair(struct dkt_ctx *ctx, const struct analysis *analysis,
		       struct dkt_ctx *definitions, const char *name, struct period_run **run);
void period_run_free(struct period_run *run);

/* Checks the definitions against the events that the context knows, see period_defs_check(). */
int period_run_check(const struct period_run *run);

/* Returns the analysis with these periods. Valid as long as the run. */
const struct analysis *period_run_analysis(const struct period_run *run);
