/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* top: the model, which batch mode, JSON and the screen all show. */
#pragma once

#include "answers/top/activity.h"
#include "answers/top/log_counter.h"
#include "compat/lustre/class.h"
#include "compat/pipeline/losses.h"
#include "ctl/app/app.h"
#include "ctl/out/rows.h"
#include "ctl/profile/live.h"
#include "ctl/profile/stacks.h"
#include "lib/base/strings.h"

struct top_options {
	const char *delay, *frames, *intervals, *n_rows, *panels, *pid, *sort;
	bool batch, count_log;
};
extern const struct opt_values top_values;

#define TOP_FILTER_SIZE 64

/* The most columns that a panel has. */
#define TOP_COLUMNS 10

/* A buffer that records are in: that of this command, and that of the debug log. */
struct top_buffer {
	char *name; /* of the instance; NULL: there is none */
	bool known; /* the interval's counts are known */
	uint64_t records, lost; /* in the interval */
	uint64_t all_lost; /* since this command began */
	uint64_t bytes, size; /* that are used, and that there are; 0: unknown */
};

enum { TOP_OWN, TOP_LOG, N_TOP_BUFFERS };

/* How the log's counts are read. */
struct top_log {
	struct dkt_instance *in; /* NULL: not open */
	bool counted; /* written and lost have been read */
	uint64_t written, lost; /* when they were read last */
};

/* The share of a CPU that this command itself has used, with the process that names functions. */
struct top_cost {
	double used; /* seconds, at the end of the interval before */
	double at; /* when that was */
	double percent; /* of one CPU, in the last interval */
};

/* An event that this command or the debug log records. */
struct top_event {
	struct dkt_event *event;
	bool own, in_log; /* who records it */
	uint64_t own_records, log_records; /* in the interval */
	uint32_t classes; /* in the log: those of its debug */
};

/* A function of a program, or of the kernel while the program ran. */
struct top_function {
	uint32_t name, program; /* in the names of the round */
	struct profile_value value; /* weight: ns */
};

struct top_functions {
	struct profile_live *live; /* NULL: there are no samples */
	char *reason; /* why nothing can be sampled; NULL: it can */
	bool wanted; /* the panel is shown */
	bool late; /* the interval's names are not there yet */
	struct profile_round round; /* of the interval */
	struct top_function *list;
	size_t n;
	uint64_t weight; /* of all */
	uint64_t lost, all_lost; /* samples, in the interval and since the beginning */
};

enum top_panel_nr {
	TOP_PROCESSES,
	TOP_CALLS,
	TOP_DISKS,
	TOP_CLASSES,
	TOP_EVENTS,
	TOP_BUFFERS,
	TOP_INTERVALS,
	TOP_FUNCTIONS,
	N_TOP_PANELS,
};

struct top_sort {
	size_t column;
	bool ascending;
};

struct top {
	struct app *app;
	struct dkt__strings intervals; /* the names of the ready-made ones to measure */
	struct activity *activity;
	struct dkt_source *source; /* NULL: no record has come yet */
	struct class_map *map;
	struct activity_frame frame; /* what is shown */
	struct log_counts counts; /* the same of the debug log; empty: it is not counted */
	struct top_event *events; /* of both */
	size_t n_events;
	time_t when; /* the end of the frame */
	struct top_buffer buffers[N_TOP_BUFFERS];
	struct top_log log;
	struct top_cost cost;
	struct losses losses; /* of source, since the beginning */
	uint64_t lost; /* in the interval of the frame */
	bool count_log; /* the user wants the log's records counted */
	struct log_counter *counter; /* NULL: there is no log, or nobody wants it */
	uint64_t uncounted; /* records of the log, since the beginning */
	struct top_functions functions;
	/* The view. */
	struct top_sort sort[N_TOP_PANELS];
	char filter[TOP_FILTER_SIZE]; /* rows without this text are not shown; "": all are */
	int32_t process; /* show the threads and calls of this process; 0: all processes */
	bool waiting; /* also show calls that wait for something to do */
	bool paused;
};

/* ---- model.c ---- */

/* Call top_close() also after an error. */
int top_open(struct top *top);
void top_close(struct top *top);

/* Ends the interval; paused: it is not shown. */
int top_take(struct top *top);

/* others: seconds of CPU that processes for this command have used. */
void top_cost(struct top_cost *cost, double others);

/* Begins to count what the log records, if the user wants it. */
int top_log_start(struct top *top);

/* Counts the records that the log has got. To be called often. */
int top_log_read(struct top *top);

/* ---- functions.c ---- */

/* Opens the events of samples, with all privileges. Without them, the panel says why it is empty. */
void top_functions_open(struct top *top);

/* Begins to sample, or ends it. */
void top_functions_want(struct top *top, bool wanted);

/* Takes the samples that came. To be called often. */
void top_functions_step(struct top *top);

/* Ends the interval. -ENOMEM. */
int top_functions_take(struct top *top);
void top_functions_close(struct top *top);

/* NULL: no memory. The caller frees it. */
char *top_functions_title(const struct top *top);

/* Returns up to n stacks of the function, those with the most samples first. NULL: no memory. */
struct rows *top_functions_stacks(const struct top *top, const struct top_function *function,
				  size_t n);

/* ---- panels.c ---- */

struct top_column {
	struct column out;
	unsigned int have; /* enum activity_have: unknown without */
	/* One of them; none: the panel's list. A number below 0 and a text NULL are unknown. The caller frees the text. */
	double (*number)(const struct top *top, const void *item);
	char *(*text)(const struct top *top, const void *item);
};

struct top_panel {
	const char *name;
	const char *title;
	const struct top_column *columns;
	size_t n;
	struct top_sort sort; /* at the beginning */
	size_t few; /* rows of it beside another panel */
	/* NULL: there are no more. */
	const void *(*item)(const struct top *top, size_t i);
	/* False: the view leaves the item out. NULL: it shows all. */
	bool (*shows)(const struct top *top, const void *item);
	/* Makes the value of the column that only JSON has. NULL: there is no such column. */
	struct json_object *(*list)(const struct top *top, const void *item);
};

extern const struct top_panel top_panels[N_TOP_PANELS];

/* A number of the interval, per second. */
double top_per_second(const struct top *top, double number);

/* ---- view.c ---- */

/* A panel's items in the order of its sort, without those that the view leaves out. */
struct top_view {
	const struct top_panel *panel;
	struct column columns[TOP_COLUMNS];
	const void **items;
	size_t n;
};

int top_view_new(const struct top *top, enum top_panel_nr nr, struct top_view *view);
void top_view_clear(struct top_view *view);

/* Returns the rows of n items from index from on; they borrow the view. NULL: no memory. */
struct rows *top_view_rows(const struct top *top, const struct top_view *view, size_t from,
			   size_t n);

/* Prints them under a line of headings. */
int top_view_print(const struct top *top, const struct top_view *view, size_t from, size_t n,
		   FILE *f);

/* The title of the panel, which may name a process. The caller frees it. NULL: no memory. */
char *top_title(const struct top *top, enum top_panel_nr nr);

/* ---- options.c ---- */

/*
 * Reads PANEL[,PANEL...] into a bit for each; NULL: all panels that can have rows. Returns 0 or EXIT_USAGE. Call
 * it after top_read_intervals().
 */
int top_read_panels(const struct top *top, const char *text, unsigned int *panels);

/* Reads the names of ready-made intervals; NULL: none. Returns 0 or an exit status. */
int top_read_intervals(struct top *top, const char *text);

/*
 * Sorts every panel that has it by COLUMN[.ascending|.descending], the others as usual; NULL: all as
 * usual. Returns 0 or EXIT_USAGE.
 */
int top_read_sort(struct top *top, const char *text);

/* ---- batch.c ---- */

/* Prints the lines above the panels. */
void top_head(const struct top *top, FILE *f);

/* Records of the shown interval were lost: prints the line that says so. */
bool top_has_lost(const struct top *top);
void top_print_lost(const struct top *top, FILE *f);

/* Prints a frame as text or JSON: n rows of each panel, 0: all; panels: a bit for each. */
int top_print(const struct top *top, unsigned int panels, size_t n);

/* ---- screen.c ---- */

struct top_screen;

/* -ENOTTY: there is no terminal; the message is in the app's context. */
int top_screen_open(struct top *top, struct top_screen **screen);

/* Restores the terminal. */
void top_screen_close(struct top_screen *screen);

/* Reads keys, and draws the screen if they or a new frame change it. Sets *quit. */
int top_screen_run(struct top_screen *screen, bool changed, bool *quit);
