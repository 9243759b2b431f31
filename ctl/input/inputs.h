/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Merges several inputs in order of time, on the clock of the first. */
#pragma once

#include "answers/exchange/exchange.h"
#include "ctl/input/args.h"
#include "ctl/input/input.h"
#include "fleet/clock/clock.h"

/* How the offset of a file was found. */
enum inputs_known {
	INPUTS_BY_WALL_CLOCK,
	INPUTS_BY_USER,
	INPUTS_ONE_CLOCK,
	INPUTS_GUEST, /* one file is of a guest, the other of its host */
	INPUTS_BY_REQUESTS, /* by requests that both files have a side of */
	INPUTS_BY_ROUND_TRIPS, /* by the measurements of one collection */
};

struct inputs_file {
	const char *path;
	struct input in;
	char *name; /* printed with the file's records */
	int64_t offset; /* added to the file's times, to get those of the first file */
	enum inputs_known known;
	char *accuracy; /* words about the offset of INPUTS_BY_REQUESTS and of INPUTS_BY_ROUND_TRIPS */
	const struct collection_host *about; /* of its collection; NULL: the file is in none */
	size_t collection; /* which, among the arguments */
	char *lacks; /* why not all of it came from its host; NULL: all did */
	/*
	 * In place of offset, for INPUTS_BY_ROUND_TRIPS: in order of the file's times. The file to which others are
	 * related has them without offsets.
	 */
	struct dkt_clock_point *points;
	size_t n_points;
};

struct inputs {
	struct app *app;
	struct inputs_file *files;
	size_t n;
	struct collected *collected; /* the collections among the arguments; NULL: none */
	struct pipeline pipeline; /* the open files */
	struct progress progress;
};

/*
 * Reads --offset and opens nothing. A collection becomes the files of its hosts. Returns 0 or
 * the exit status; clear it in either case.
 */
int inputs_new(struct app *app, char **paths, size_t n, struct inputs *inputs);

/* Moves the files whose indices are in list, with their names, offsets and open sources. */
int inputs_take(struct inputs *from, const size_t *list, size_t n, struct inputs *inputs);

/* Copies all files with their names and offsets, but opens nothing. */
int inputs_copy(const struct inputs *from, struct inputs *inputs);

/*
 * Opens file *i; *i becomes the next file. If the file is a directory with segments of several boots,
 * those after the first boot become files of their own.
 */
int inputs_open_file(struct inputs *inputs, size_t *i, const struct record_args *args);

/*
 * Finds the offset of file i to file first, unless --offset gave it. Both files must be open. -EINVAL:
 * the offset is unknown; the error message says what to do.
 */
int inputs_relate(struct inputs *inputs, size_t i, size_t first);

/* Reports the offset of file i to file first, and how accurate it is. */
void inputs_report_offset(const struct inputs *inputs, size_t i, size_t first);

/* True if the same kernel recorded both files in the same boot, as far as they tell. */
bool inputs_same_boot(const struct inputs *inputs, size_t i, size_t j);

/* Gives the open files different names. */
int inputs_name(struct inputs *inputs);

/* Returns -ENOENT if an event of --event is missing from every open file. */
int inputs_check_events(const struct inputs *inputs, const struct selection *selection);

/* Prepares the pipeline. The files must be open; to merge them, they also need names and offsets. */
int inputs_start(struct inputs *inputs, struct record_args *args, bool merged);

/* True if a collection among the arguments lacks a host, or a part of its output. */
bool inputs_lack_hosts(const struct inputs *inputs);

/* Opens one file, or merges all, up to inputs_start(). An error message is in the app's context. */
int inputs_open_one(struct app *app, const char *path, struct record_args *args,
		    struct inputs *inputs);
int inputs_open_all(struct inputs *inputs, struct record_args *args);

/* The same, without the reports of offsets; a single file is not merged. */
int inputs_open_quietly(struct inputs *inputs, struct record_args *args);

/* exchange_new() for the files, which are open: they are its hosts. */
int inputs_exchange(const struct inputs *inputs, exchange_fn fn, void *data,
		    struct exchange **exchange);

/* dkl_pipeline_each() with progress on a terminal. */
int inputs_each(struct inputs *inputs, pipeline_fn fn, void *data);

/* Writes the records to a file, which must not be one of the inputs. Returns the exit status. */
int inputs_write(struct inputs *inputs, const struct sink_opts *opts, const char *path);

/*
 * At the end, reports on stderr lost records, damaged data, and the records that --rate dropped. Returns
 * 0, EXIT_LOST or EXIT_FAILED.
 */
int inputs_report_losses(struct inputs *inputs);

void inputs_clear(struct inputs *inputs);
