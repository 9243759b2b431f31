/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of a flight recorder in /run: its limits, its groups, and the dumps that it made. */
#pragma once

#include "lib/base/strings.h"
#include "recording/record/service.h"

extern const struct service flight_service;

/* A dump that was made. */
struct flight_dump {
	int64_t time; /* of day, in s */
	uint64_t bytes, lost; /* lost while the buffers were read */
	char *file, *reason;
	char *note; /* why it is not a finished file; NULL: it is one. Not saved */
};

void flight_dump_clear(struct flight_dump *dump);

struct flight_state {
	int64_t started; /* time of day, in s */
	char *dir; /* of the dumps */
	uint64_t max_size; /* bytes of all dumps; 0: no bound */
	uint64_t keep; /* ns after which a dump is deleted; 0: never */
	uint64_t after; /* ns to record on after an incident */
	uint64_t max_dumps; /* an hour, for incidents; asking for a dump always makes one */
	char *exec; /* the command that runs after a dump; NULL: none */
	struct dkt__strings groups,
		words; /* their names, and the events of each as the user named them */
	struct dkt__strings conditions;
	struct dkt__strings ways; /* how each condition is tested; none while they are set up */
	struct dkt__strings watches; /* the parts of the names of instances that conditions use */
	struct flight_dumps {
		struct flight_dump *list;
		size_t n;
	} dumps; /* the last ones, the oldest first */
	uint64_t suppressed; /* incidents beyond max_dumps */
	uint64_t merged; /* incidents that share the dump of an earlier one */
	char *error; /* of the last dump that failed; NULL: none since */
	int64_t error_time;
	char *note; /* why the last dump could not be made a finished file; NULL: it is one */
};

/* -ENOENT: no recorder was started, or it was stopped. Clear the state in any case. */
int flight_load(struct dkt_ctx *ctx, const char *log, struct flight_state *state);
int flight_save(struct dkt_ctx *ctx, const char *log, const struct flight_state *state);
void flight_clear(struct flight_state *state);

/* Moves a dump to the state, which forgets the oldest one of many. After an error it is not moved. */
int flight_add_dump(struct flight_state *state, struct flight_dump *dump);
