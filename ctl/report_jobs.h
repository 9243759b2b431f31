/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A file printed by several threads, in order. */
#ifndef CTL_REPORT_JOBS_H
#define CTL_REPORT_JOBS_H

#include "progress.h"
#include "report_opts.h"

/*
 * Each thread has a context and a source of its own and makes the text of one slice of time after
 * the other, which are written in their order: memory is a slice's text for each thread. loss has
 * room for n_cpus and gets what was seen. The words of a failure are in the app's context.
 */
int report_jobs_run(struct app *app, const char *path, const struct report_args *args,
		    struct progress *progress, struct dkt_loss *loss, int n_cpus, bool *closed);

#endif
