/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files printed by several threads, in order. */
#ifndef CTL_REPORT_JOBS_H
#define CTL_REPORT_JOBS_H

#include "progress.h"
#include "report_files.h"

/*
 * Each thread has a context and a source of its own and makes the text of one slice of time after
 * the other, which are written in their order: memory is a slice's text for each thread. loss[i]
 * has room for file i's CPUs and gets what was seen. The words of a failure are in the app's context.
 */
int report_jobs_run(const struct report_files *files, const struct report_args *args,
		    struct progress *progress, struct dkt_loss *const *loss, bool *closed);

#endif
