/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile: shared by its files. */
#pragma once

#include "answers/profile/profile.h"
#include "answers/wall/wall.h"
#include "compat/pipeline/losses.h"
#include "ctl/app/app.h"
#include "ctl/out/out.h"

struct profile_options {
	const char *before, *interval, *keys, *least, *took, *wakers;
	bool callers, count, idle, mark_kernel, off_cpu, tree;
};
extern const struct opt_values profile_values;

/* The words of --style; NULL after them. */
extern const char *const profile_styles[];

struct profile_view;

/* How a profile is shown. */
struct profile_form {
	bool compares; /* shows an earlier profile, too */
	bool binary;
	bool samples; /* shows single samples, of which wall-clock time has none */
	int (*write)(const struct profile_view *view, FILE *f); /* NULL: text, JSON or CSV */
};

/* A profile that was read or recorded. */
struct profile_view {
	const struct app *app;
	struct profile *profile;
	const struct wall *wall; /* it is a profile of wall-clock time; NULL: it is not */
	const char *interval; /* only time within these intervals counts; NULL: all time does */
	struct wall_within_facts within[PROFILE_SIDES];
	const char *path; /* of the first file */
	size_t n_files;
	const char *before; /* the path of the earlier profile; NULL: none */
	const struct dkt_source_info *info; /* about the source of the records */
	struct losses_sum losses;
	uint64_t throttled; /* times that the kernel paused the sampling */
	size_t top; /* rows of a table */
	double least; /* the share that a branch of a tree has to have, 0 to 1 */
};

/*
 * Reads recordings and prints their profile by the options of the command, into the file output; NULL: on standard
 * output. Returns the exit status, after messages.
 */
int profile_files(struct app *app, char **paths, size_t n, const char *output);

/* Checks these options before anything is recorded. Returns 0 or EXIT_USAGE. */
int profile_check_options(const struct app *app);

/* Reads the options about what is shown, and where. Returns 0 or EXIT_USAGE. */
int profile_read_options(const struct app *app, const char *output, struct profile_opts *opts,
			 const struct profile_form **form, struct profile_view *view);

/* Prints the profile, which is complete. -ENOMEM, or -EIO: standard output has an error. */
int profile_show(struct profile_view *view, const struct profile_form *form);

/* Reads --off-cpu and the options that belong to it. Returns 0 or EXIT_USAGE. */
int profile_read_wall(const struct app *app, const struct profile_form *form,
		      struct wall_opts *opts, struct wall_within_opts *within);

/* Print text, JSON or CSV: the time of groups of threads, and the stacks that take most of it. */
int profile_show_wall(const struct profile_view *view, struct out *out);

/* The same as profile_show_facts() and profile_words(), for wall-clock time. */
void profile_show_wall_facts(const struct profile_view *view, struct out *out);
char *profile_wall_words(const struct profile_view *view, enum profile_side side);

/* Print text, JSON or CSV: the hottest functions and stacks, or a tree. */
int profile_show_tables(struct profile_view *view, struct out *out);
int profile_show_tree(struct profile_view *view, struct out *out);

/* Puts what was read, which comes first. */
int profile_show_facts(const struct profile_view *view, struct out *out);

/* The share of a side in its total; of the earlier profile NULL if there is none. */
struct json_object *profile_share_value(const struct profile *profile, enum profile_side side,
					const struct profile_value *values);
struct json_object *profile_before_value(const struct profile_view *view,
					 const struct profile_value *values);

/* Write another form. */
int profile_write_folded(const struct profile_view *view, FILE *f);
int profile_write_speedscope(const struct profile_view *view, FILE *f);
int profile_write_pprof(const struct profile_view *view, FILE *f);
int profile_write_flame(const struct profile_view *view, FILE *f);
int profile_write_icicle(const struct profile_view *view, FILE *f);
int profile_write_heat(const struct profile_view *view, FILE *f);

/* Words about what was read: "1253 samples of cpu_clock, 1.25 s". The caller frees them. NULL: out of memory. */
char *profile_words(const struct profile_view *view, enum profile_side side);

/* Returns the name of the unit of the weights: "nanoseconds", "samples", or that of the event. */
const char *profile_unit(const struct profile *profile);
