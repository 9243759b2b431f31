/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which records the command line asks for, and how they are printed. */
#ifndef CTL_REPORT_OPTS_H
#define CTL_REPORT_OPTS_H

#include "app/app.h"
#include "pipeline/report.h"

/* What the command line asks of records, and of the style that they are printed in. */
struct report_args {
	struct selection selection;
	struct dkt_source_opts source; /* since and until: by report_args_window() */
	struct report_opts report;
	struct names fields;
	bool several; /* files: inputs_check_events() looks for the events of --event in all of them */
	int jobs;
};

/* 0 or EXIT_USAGE; to be cleared in either case. report.selection and report.fields are its own. */
int report_args_read(struct app *app, struct report_args *args);
void report_args_clear(struct report_args *args);

/* The words of the selection, for a log of this machine too. 0 or EXIT_USAGE. */
int selection_args_read(struct app *app, struct selection *selection);

/* Puts the times into args->source, as times of the source's clock. 0 or a negative errno. */
int report_args_window(struct report_args *args, struct dkt_ctx *ctx,
		       const struct dkt_source_info *info);

#endif
