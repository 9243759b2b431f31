/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the command line of report asks for. */
#ifndef CTL_REPORT_OPTS_H
#define CTL_REPORT_OPTS_H

#include "app/app.h"
#include "pipeline/report.h"

struct report_time {
	int64_t ns; /* 0: no bound */
	int64_t around; /* what is printed as this time is so much before it or, less 1, after it */
	bool wall; /* a time of day, not of the file's clock */
};

/* A list of words and the text that they are cut from. */
struct report_words {
	char *text;
	const char **list;
	size_t n;
};

struct report_args {
	struct report_opts report;
	struct dkt_source_opts source;
	struct report_time since, until;
	bool several; /* files: inputs_check_events() looks for the events of --event in all of them */
	int jobs;
	struct report_words events, fields;
	int *cpus, *pids;
};

/* 0 or EXIT_USAGE; to be cleared in either case. */
int report_args_read(const struct app *app, struct report_args *args);
void report_args_clear(struct report_args *args);

/* Puts the times into args->source, as times of the source's clock. 0 or a negative errno. */
int report_args_times(struct report_args *args, struct dkt_ctx *ctx,
		      const struct dkt_source_info *info);

#endif
