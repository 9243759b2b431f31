/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* latency: shared by its files. */
#pragma once

#include "answers/view/axis.h"
#include "ctl/app/live.h"
#include "ctl/app/watch.h"
#include "ctl/out/out.h"

struct latency_options {
	const char *keys, *match, *slowest, *sort;
	bool kernel;
};
extern const struct opt_values latency_values;

/* The durations over time, for a picture. */
struct latency_map {
	struct axis axis;
	struct heat heat;
};

/* The function for dkt_intervals_opts.pair; data: the map. */
int latency_map_add(void *data, uint64_t end, uint64_t ns, bool cancelled);

/* The events of a pair that exist. */
struct latency_set {
	struct dkt_interval pair;
	struct live_event *events; /* those that begin, those that end, those of what it is within */
	size_t n, n_begin, n_pair;
	char *missing; /* the events that do not exist; NULL: none */
	/* The first event that begins, until a record of it comes; NULL also if there is only one of these. */
	const struct dkt_event *needed;
	bool usable; /* at least one begin event and one end event exist */
	struct dkt_intervals *pairs;
	struct dkt_expr *filter; /* of a pair of some calls, with the user's; NULL: only the user's */
	struct latency_map *map; /* NULL: no picture is wanted */
};

/* Writes a picture of the set, as SVG. Call dkt_intervals_finish() first. source NULL: there are no records. */
int latency_picture(struct latency_set *set, const struct dkt_source *source,
		    const struct losses_sum *losses, FILE *f);

/* Finds the events; live: those to record. A missing one is an error, unless the pair is ready-made. */
int latency_find(struct dkt_ctx *ctx, const struct dkt_interval *pair, bool live,
		 struct latency_set *set);

/* Creates the set's pairs, of its events; sets the key, the group and the filter in opts; filter is the user's, or NULL. */
int latency_set_open(struct latency_set *set, struct dkt_ctx *ctx, const char *filter,
		     struct dkt_intervals_opts *opts);
void latency_set_clear(struct latency_set *set);

/* Stores the error message for a pair that cannot be measured. source: of a file; live: NULL. */
int latency_fail_missing(struct dkt_ctx *ctx, const struct latency_set *set,
			 const struct dkt_source *source);

/* Reports the missing events on stderr. */
void latency_report_missing(const struct latency_set *set, const char *file);

/* If there are no pairs because the file lacks records of some events, reports these on stderr. */
void latency_report_unpaired(const struct latency_set *set, const char *file);

/* The order of groups. */
struct latency_sort {
	unsigned int column; /* of latency_columns */
	bool descending;
};

/* Names of the columns that groups can be sorted by; NULL after the last. */
extern const char *const latency_columns[];

/* The arguments of the functions that print a report. */
struct latency_report {
	struct app *app;
	struct dkt_ctx *ctx; /* of the kernel that recorded the pairs */
	struct dkt_intervals *pairs;
	struct dkt_source *source; /* knows the names of processes; may be NULL */
	const struct dkt_source *disks; /* whose hosts name the disks of groups; NULL: this machine */
	bool words; /* groups have the names for people also in JSON */
	const char *title; /* of groups; "": no groups */
	struct losses_sum all;
	struct latency_sort sort;
	size_t top; /* the maximum of groups; 0: all */
	bool table_only; /* do not print the distribution and the slowest pairs */
};

/* Prints the report as text, JSON or CSV. */
int latency_print(const struct latency_report *report);

/* Returns the report as JSON, or NULL if out of memory. Call dkt_intervals_finish() first. */
struct json_object *latency_json(const struct latency_report *report);

/*
 * The parts of the report: the distribution of the times, of a group or of all; the slowest pairs.
 */
struct json_object *latency_powers(const struct latency_report *report, size_t group);
void latency_print_powers(const struct latency_report *report);
int latency_put_slowest(const struct latency_report *report, struct out *out);

/* Reports on stderr the records that are not counted. */
void latency_report_uncounted(const struct latency_report *report);

/* The options that say how to show the report. */
struct latency_view {
	struct latency_sort sort;
	int top;
	struct watch watch;
};

/* Reads --sort, --top and --watch. Returns 0 or EXIT_USAGE. */
int latency_view_read(struct latency_view *view, const struct app *app, char **command);

/* Prints the report. last: the last one of this run. */
int latency_view_print(struct latency_view *view, struct latency_report *report, bool last);

/* Prints upper bounds of each group's percentiles. The table is sorted by group and time. */
int latency_print_bounds(const struct app *app, const struct dkt_table *table, const char *title);

#define LATENCY_TITLE_SIZE 80

/* The heading of the column of groups: "syscall" for id.syscall, "pid" for common_pid. */
void latency_title(const char *by, char title[LATENCY_TITLE_SIZE]);

/* The maximum of sets. Each name has fewer rows. */
#define LATENCY_SETS 4

/* One run of the command. */
struct latency {
	struct app *app;
	struct dkt_ctx *ctx; /* of the kernel that records the events */
	struct dkt_interval pair; /* named by the arguments */
	struct latency_set sets[LATENCY_SETS]; /* with a file, one per usable row of the name */
	size_t n;
	struct dkt_expr *filter;
	char **command; /* may be NULL */
	double seconds; /* to watch; 0: no limit */
	struct latency_view view;
	bool picture; /* --style svg */
	struct dkt_source *source; /* of the records; NULL: no record yet */
	const char *function; /* to measure; may be NULL */
	char *group; /* of the probes on the function; NULL: no probes */
	char *names[2]; /* of the probes' events */
};

/* Lets the kernel pair and count, and prints its table. rc: the exit status of the command. */
int latency_run_kernel(const struct latency *latency, int *rc);

#define LATENCY_FUNCTION "function"

/* Creates probes at the entry and return of the function; their events become the pair. */
int latency_create_probes(struct latency *latency);

/* Removes the probes. Keeps the context's error message. */
void latency_remove_probes(struct latency *latency);

/* Prints the ready-made pairs, and which of them cannot be measured. */
int latency_list(struct latency *latency);

/* Returns the pair with --match and --keys, which override its own. */
struct dkt_interval latency_override(const struct latency *latency, const struct dkt_interval *row);

/* Finds the pairs to measure: the usable rows of the name. */
int latency_choose(struct latency *latency, int slowest);

/* Returns the first set that has pairs, otherwise the first one that has records. */
struct latency_set *latency_chosen(struct latency *latency);
