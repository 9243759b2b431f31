/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The instances of a flight recorder, one for each group, so that a chatty class pushes out no rare one. */
#pragma once

#include "compat/set/wanted.h"

struct flight_group {
	char *name;
	struct dkt_instance *in;
	struct wanted *wanted; /* NULL in a process that only reads */
	struct dkt__missed *missed; /* by probes, up to the last dump; NULL: none, or unknown */
	uint64_t paused; /* when recording was stopped, ns; 0: it was not */
};

/* -EINVAL: a name has other characters than letters, digits and _, or is too long. */
int flight_check_name(struct dkt_ctx *ctx, const char *name);

/*
 * Creates the instance LOG-flight-NAME, which records the events. size: of the buffers of all CPUs; 0:
 * the kernel's. Close and remove the group also after an error.
 */
int flight_create(struct dkt_ctx *ctx, const char *log, const char *name, uint64_t size,
		  const struct wanted_words *words, struct flight_group *group);

/* The same, but the events are not enabled. */
int flight_create_bare(struct dkt_ctx *ctx, const char *log, const char *name, uint64_t size,
		       const struct wanted_words *words, struct flight_group *group);

/* Enables the events of a group that was created without. */
int flight_enable(struct flight_group *group);

/* Opens the instance of a group that exists. */
int flight_open(struct dkt_ctx *ctx, const char *log, const char *name, struct flight_group *group);

void flight_close(struct flight_group *group);

/* Removes the instance of that name if it exists. */
int flight_remove(struct dkt_ctx *ctx, const char *log, const char *name);

/* Gets the size for each of n groups when the user has given none. */
uint64_t flight_default_size(int cpus, size_t n);

/* Stops recording, with the text as the last record. A group that a trigger has stopped stays so. */
void flight_pause(struct flight_group *group, const char *text);

/* Records again; the first record tells for how long nothing was recorded. */
void flight_resume(struct flight_group *group);

/* Counts of all CPUs of a group. */
struct flight_fill {
	uint64_t size, bytes, records, overwritten;
	uint64_t lost; /* not recorded: nested too deep, or the buffer is too small */
	uint64_t span; /* all records of the last so many ns are there */
};

int flight_fill(const struct flight_group *group, struct flight_fill *fill);
