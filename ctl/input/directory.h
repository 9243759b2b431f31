/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A directory of segments as an input: those that may have records of the window. */
#pragma once

#include "compat/pipeline/outfile.h"
#include "compat/pipeline/selection.h"
#include "ctl/app/app.h"
#include "ctl/input/gaps.h"

struct directory {
	struct segments segments; /* of the window, at least the last one of the directory */
	struct gaps_edge *edges; /* by segment */
	struct gaps gaps; /* of all segments */
	size_t opened, next; /* the first segment opened last, and the first one that is not open */
	int64_t since, until; /* the window, time of day in ns */
	bool by_clock; /* the window has a bound on the trace's clock, so the times of day are unknown */
};

/* True if the path is a directory that has segments. */
bool directory_is(const char *path);

/* Finds the segments, and opens none. Clear it in either case. */
int directory_read(struct app *app, const char *path, const struct selection *selection,
		   struct directory *dir);

/* Opens as many of the next segments as one kernel wrote in one boot. */
int directory_open(struct dkt_ctx *ctx, const char *path, const struct dkt_source_opts *opts,
		   struct directory *dir, struct dkt_source **source);

/* Copies those that it opened last. Clear it in either case. */
int directory_copy(const struct directory *from, struct directory *dir);

/* Returns when the first one of those began, a time of day in s. */
int64_t directory_time(const struct directory *dir);

/* True if those that it opened last may have records of the window. */
bool directory_is_needed(const struct directory *dir);

/* True if those that it has not opened may have some. */
bool directory_has_more(const struct directory *dir);

/* -EINVAL: those that are left cannot be read together with the others. */
int directory_refuse_more(struct dkt_ctx *ctx, const char *path, const struct directory *dir);

/*
 * Reports on standard error when nothing was recorded in the window. Returns true if there was such a
 * time.
 */
bool directory_report_gaps(const struct directory *dir, const char *path);

/* Returns -EINVAL if the output would replace one of the segments. */
int directory_check_output(const struct outfile *file, const char *path);

void directory_clear(struct directory *dir);
