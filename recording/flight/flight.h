/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A flight recorder: instances that record all the time into memory, and a process that writes what they
 * hold to a file when something happens. It sleeps otherwise.
 */
#pragma once

#include "recording/flight/group.h"
#include "recording/flight/state.h"

#define FLIGHT_MAIN "main"

/* A group to record. */
struct flight_words {
	const char *name;
	struct wanted_words words;
	char *text; /* of the words, for status */
};

struct flight_opts {
	const struct flight_words *groups;
	size_t n_groups;
	uint64_t size; /* bytes of the buffers of a group for all CPUs; 0: from the memory */
	struct wanted_words
		who; /* the conditions are for its processes, programs and CPUs, and its filter */
	struct flight_state *limits; /* dir, max_size, keep, after, max_dumps, exec, conditions */
	/* Called when all is set up and recording has begun; must not fail. */
	void (*ready)(void *data);
	void *data;
};

/*
 * Records until SIGTERM, SIGINT or SIGHUP, and removes the instances then. -EBUSY: a recorder is
 * running, or instances of one that was killed are left. The caller has only one thread.
 */
int flight_run(struct dkt_ctx *ctx, const char *log, const struct flight_opts *opts);

/* Makes a dump, by the recorder's process if there is one. The caller frees the name of the file. */
int flight_dump_asked(struct dkt_ctx *ctx, const char *log, const char *reason, char **file);

/*
 * Finds the file of the dump with that name, or of the last one if name is NULL; the caller frees it.
 * -ENOENT: the recorder has made no such dump.
 */
int flight_find_dump(struct dkt_ctx *ctx, const char *log, const char *name, char **file);

/*
 * Ends the process, and removes what it or one that was killed has set up. -ENOENT: there is nothing to
 * end.
 */
int flight_stop(struct dkt_ctx *ctx, const char *log);

/* Opens the groups of a state for reading. Close all of them, also after an error. */
int flight_open_groups(struct dkt_ctx *ctx, const char *log, const struct flight_state *state,
		       struct flight_group **groups);
void flight_close_groups(struct flight_group *groups, size_t n);
