/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* latency: shared by its files. */
#pragma once

#include "app/live.h"
#include "app/watch.h"
#include "out/out.h"

/*
 * A ready-made pair. Of several of one name the first is taken whose events this kernel has, or of
 * which a file has records.
 */
struct latency_pair {
	const char *name; /* NULL: none, events that were given */
	const char *begin; /* events or globs, commas between */
	const char *end;
	const char *key;
	const char *by; /* NULL: no groups */
	bool per_task; /* both happen in the process itself: a command's can be chosen by its pids */
	const char *help;
};

/* NULL after the last. */
const struct latency_pair *latency_pair_next(const struct latency_pair *pair);

/* The events and pairs of one row. */
struct latency_set {
	struct latency_pair pair;
	struct live_event *events; /* those that begin, then those that end */
	size_t n, n_begin;
	char *missing; /* events that there are not; NULL: none */
	bool usable; /* there is one that begins and one that ends */
	struct dkt_pairs *pairs;
};

/* Finds the events; of a ready-made pair those that there are, else an error. */
int latency_find(struct dkt_ctx *ctx, const struct latency_pair *pair, struct latency_set *set);
void latency_set_clear(struct latency_set *set);

/* The words for a pair that cannot be measured; source: of a file, NULL if it is of this kernel. */
int latency_none(struct dkt_ctx *ctx, const struct latency_set *set,
		 const struct dkt_source *source);

/* Says on stderr which events are missing. */
void latency_say_missing(const struct latency_set *set, const char *file);

/* Says on stderr of which events the file has no records, if that is why there is no pair. */
void latency_say_unpaired(const struct latency_set *set, const char *file);

/* The order of groups. */
struct latency_sort {
	unsigned int column; /* of latency_columns */
	bool descending;
};

/* Names of the columns that groups can be sorted by; NULL after the last. */
extern const char *const latency_columns[];

/* The report. */
struct latency_report {
	struct app *app;
	struct dkt_pairs *pairs;
	struct dkt_source *source; /* of names of processes, NULL: not known */
	const char *title; /* of groups, "" if there are none */
	uint64_t seen, lost;
	struct latency_sort sort;
	size_t top; /* groups at most; 0: all */
	bool table_only; /* neither picture nor slowest */
};

/* Prints it in the form that is asked for. */
int latency_print(const struct latency_report *report);

/* Its parts: how many pairs took how long, of a group as JSON and of all as a picture; the slowest. */
struct json_object *latency_powers(const struct latency_report *report, size_t group);
void latency_print_picture(const struct latency_report *report);
int latency_put_slowest(const struct latency_report *report, struct out *out);

/* Says on stderr what was not counted. */
void latency_print_notes(const struct latency_report *report);

/* How it is shown: order, how much of it, and how often. */
struct latency_view {
	struct latency_sort sort;
	int top;
	struct watch watch;
};

/* Reads --sort, --top and --watch. EXIT_USAGE: said. */
int latency_view_read(struct latency_view *view, const struct app *app, char **command);

/* Prints it; last: it is the last one of this run. */
int latency_view_print(struct latency_view *view, struct latency_report *report, bool last);

/* Percentiles of each group, as bounds: of the kernel's table, in order of groups and times. */
int latency_print_bounds(const struct app *app, const struct dkt_table *table, const char *title);

#define LATENCY_TITLE_SIZE 80

/* The heading of the column of groups: "syscall" for id.syscall, "pid" for common_pid. */
void latency_title(const char *by, char title[LATENCY_TITLE_SIZE]);

/* Rows of one name are fewer. */
#define LATENCY_SETS 4

/* One run of the command. */
struct latency {
	struct app *app;
	struct dkt_ctx *ctx; /* of this kernel, or of the one that a file was recorded on */
	struct latency_pair pair; /* what is asked for, ready-made or not */
	struct latency_set sets[LATENCY_SETS]; /* of a file all rows of a name are tried at once */
	size_t n;
	struct dkt_expr *filter;
	char **command; /* NULL: none */
	double seconds; /* to watch; 0: no bound */
	struct latency_view view;
	struct dkt_source *source; /* of the records; NULL: there was none yet */
	const char *function; /* whose entry and return it is, NULL: none */
	char *group; /* of probes that were made for it; NULL: none */
	char *names[2]; /* of their events */
};

/* Lets the kernel pair and count, and prints its table. rc: the exit status of the command. */
int latency_run_kernel(const struct latency *latency, int *rc);

#define LATENCY_FUNCTION "function"

/* Makes probes at entry and return of the function, whose events become the pair. */
int latency_make_probes(struct latency *latency);

/* Removes them. What failed before stays in the context. */
void latency_remove_probes(struct latency *latency);

/* The first ready-made pair of that name, or the next one after another. NULL: there is none. */
const struct latency_pair *latency_pair_find(const char *name, const struct latency_pair *after);

/* "; did you mean NAME?" or "". */
const char *latency_pair_guess(struct dkt__guess *guess, const char *name);

/* Prints the ready-made pairs, with what cannot be measured. */
int latency_list(struct latency *latency);

/* The pair with --key and --by, which come before what is ready-made. */
struct latency_pair latency_asked(const struct latency *latency, const struct latency_pair *row);

/* Finds what is to be measured: of several rows of a name those that can be. */
int latency_choose(struct latency *latency, int slowest);

/* The first of them that has pairs, otherwise the first that has records. */
struct latency_set *latency_chosen(struct latency *latency);
