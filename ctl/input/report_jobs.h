/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files printed by several threads, in order. */
#ifndef CTL_REPORT_JOBS_H
#define CTL_REPORT_JOBS_H

#include "app/progress.h"
#include "input/report_files.h"

/* What was met in a file. */
struct report_met {
	struct dkt_loss *loss; /* by CPU */
	char *damage; /* as in struct dkt_source_info */
};

/*
 * Each thread has contexts and sources of its own, this one those that are open already, and makes
 * the text of one slice of time after the other, which are written in their order: memory is the
 * text of a few slices for each thread. met[i] has room for file i's CPUs. The words of a failure are
 * in the app's context.
 */
int report_jobs_run(const struct report_files *files, const struct report_args *args,
		    struct progress *progress, struct report_met *met, bool *closed);

#endif
