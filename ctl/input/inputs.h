/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Merges several inputs in order of time, on the clock of the first. */
#pragma once

#include "input/args.h"
#include "input/input.h"

/* How the offset of a file is known. */
enum inputs_known {
	INPUTS_BY_WALL_CLOCK,
	INPUTS_BY_USER,
	INPUTS_ONE_CLOCK,
	INPUTS_GUEST, /* recorded together with its host, or with its guest */
};

struct inputs_file {
	const char *path;
	struct input in;
	char *name; /* that its records go by */
	int64_t offset; /* to add to its times to get those of the first */
	enum inputs_known known;
};

struct inputs {
	struct app *app;
	struct inputs_file *files;
	size_t n;
	struct pipeline line; /* of those that are open */
	struct progress progress;
};

/* None is open yet; --offset is read. 0 or the exit status; to be cleared in either case. */
int inputs_new(struct app *app, char **paths, size_t n, struct inputs *it);

/* Those files whose numbers are in list, named and related as they are, as they were opened. */
int inputs_take(struct inputs *from, const size_t *list, size_t n, struct inputs *it);

/* All of the files once more; none is open. */
int inputs_copy(const struct inputs *from, struct inputs *it);

/*
 * Finds what the times of file i are away from those of file first, if that is not given. Both are
 * open. -EINVAL: nobody knows; the words say what to do.
 */
int inputs_relate(struct inputs *it, size_t i, size_t first);

/* Says how far the clocks of these two are apart, and how well that is known. */
void inputs_tell_offset(const struct inputs *it, size_t i, size_t first);

/* Names that tell the files apart, of those that are open. */
int inputs_name(struct inputs *it);

/* -ENOENT if the files that are open all lack the events of --event: another can have what one lacks. */
int inputs_check_events(const struct inputs *it, const struct selection *selection);

/*
 * All are open, and if they are to be merged, named and related: the pipeline is ready for the records
 * that are asked for.
 */
int inputs_start(struct inputs *it, struct record_args *args, bool merged);

/* Opens one file, or all, merged, and does all of that. The words of a failure are in the app's context. */
int inputs_open_one(struct app *app, const char *path, struct record_args *args, struct inputs *it);
int inputs_open_all(struct inputs *it, struct record_args *args);

/* pipeline_each() that shows on a terminal how far it is. */
int inputs_each(struct inputs *it, pipeline_fn fn, void *data);

/* Writes what is asked for to the file, which is none of those that are read. The exit status. */
int inputs_write(struct inputs *it, const struct sink_opts *opts, const char *path);

/*
 * When all was read: says on stderr what had been lost, what of a file made no sense and what --rate left
 * out. Returns 0, EXIT_LOST or EXIT_FAILED.
 */
int inputs_tell(struct inputs *it);

void inputs_clear(struct inputs *it);
