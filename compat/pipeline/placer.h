/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A process that opens one output file and gives it its name for a process that is confined: that one gets
 * the open file, and no right to the directory. The placer obeys whatever the other one says, because it
 * knows only this file, and the name path.old of an earlier one.
 */
#pragma once

#include <limits.h>

#include <dktrace/dktrace.h>

#include "lib/base/util.h"

/* All zeroes: no placer was started. */
struct placer {
	const char *path;
	pid_t pid;
	int fd; /* of the connection to it */
};

static inline bool placer_serves(const struct placer *placer)
{
	return placer && placer->path;
}

enum placer_question {
	PLACER_OPEN, /* as dkl_outfile_open() */
	PLACER_OPEN_WHOLE,
	PLACER_OPEN_NOW, /* as dkl_outfile_open_now() */
	PLACER_OPEN_PLAIN, /* as dkl_output_open() without flags */
	PLACER_OPEN_DIR, /* as dkl_outfile_open_dir(); the second time it is the same directory */
	PLACER_SPARE, /* as dkl_outfile_spare() */
	PLACER_BEGIN, /* as dkl_outfile_begin() */
	PLACER_COMMIT, /* as dkl_outfile_commit() */
	PLACER_COMMIT_SAME, /* the same for a file that is the same */
	PLACER_WITHDRAW, /* as dkl_outfile_withdraw() */
	PLACER_DROP_EMPTY, /* as dkl_outfile_drop_empty() */
	PLACER_CLOSE, /* as dkl_outfile_close() */
};

struct placer_answer {
	int err;
	bool in_place, waits; /* of struct outfile */
	char path[PATH_MAX]; /* of the file, if the path was a link to it */
	char temp[PATH_MAX]; /* the temporary name; "": none */
	char kept[PATH_MAX]; /* the name that an earlier file got; "": there was none */
	char words[1024]; /* the error message */
	int fd; /* the open file, which is the caller's; -1: none */
};

/*
 * Starts it for the file at path, which must outlive it. Call it before this process is confined, and before
 * there are threads. Returns 0 or -errno.
 */
int dkl_placer_begin(struct dkt_ctx *ctx, const char *path, struct placer *placer);

/* Asks it and waits for the answer. Returns 0 or -errno. */
int dkl_placer_ask(struct dkt_ctx *ctx, const struct placer *placer, enum placer_question question,
		   struct placer_answer *answer);

/* Opens the file as it is, as dkl_output_open() does. Returns the descriptor or -errno. */
int dkl_placer_open_plain(struct dkt_ctx *ctx, const struct placer *placer);

/* Ends it. It removes a file that is not complete, also if this process is killed. */
void dkl_placer_end(struct placer *placer);
