/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* latency: what its rooms share. */
#ifndef CTL_LATENCY_H
#define CTL_LATENCY_H

#include <stdio.h>

#include "app.h"
#include "live.h"

/* A ready-made pair. Of several of one name the first is taken whose events this kernel has. */
struct latency_pair {
	const char *name;
	const char *begin; /* events, commas between */
	const char *end;
	const char *key;
	const char *by; /* NULL: no groups */
	bool per_task; /* both happen in the process itself: a command's can be chosen by its pids */
	const char *help;
};

/* NULL after the last. */
const struct latency_pair *latency_pair_next(const struct latency_pair *pair);

/* What is reported. */
struct latency_report {
	struct app *app;
	struct dkt_pairs *pairs;
	struct dkt_source *source; /* of names of processes, NULL: not known */
	const char *title; /* of groups, "" if there are none */
	uint64_t seen, lost;
};

int latency_print(const struct latency_report *report, FILE *out);
int latency_print_json(const struct latency_report *report, FILE *out);
int latency_print_csv(const struct latency_report *report, FILE *out);

/* Says on stderr what was not counted. */
void latency_print_notes(const struct latency_report *report);

/* Groups in order of the time that went into them, the most first; the caller frees it. */
size_t *latency_order(const struct latency_report *report, size_t *n);

/* Pairs that the kernel makes. */
struct latency_kernel {
	struct app *app;
	struct dkt_pairs *pairs;
	struct dkt_event *begin, *end;
	const char *title; /* of groups, "" if there are none */
	char **command; /* to be run meanwhile, NULL: none */
	double seconds; /* stop after so many; 0: no bound */
};

/* Percentiles of each group, as bounds: of the kernel's table, in order of groups and times. */
int latency_print_bounds(const struct dkt_table *table, const char *title);

/* Lets the kernel pair and count, and prints its table. rc: the command's exit status. */
int latency_run_kernel(const struct latency_kernel *opts, int *rc);

#endif
