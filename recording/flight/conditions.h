/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All conditions of a flight recorder. */
#pragma once

#include "recording/flight/state.h"
#include "recording/flight/watch.h"

/* Conditions that are latencies or messages, and the one instance for those that are events. */
#define FLIGHT_WATCHES 9

struct flight_condition {
	struct flight_watch watch;
	struct flight_watch
		before; /* the one that it replaces, for calls under way; ctx NULL: none */
	const char *text; /* of the latency or message; NULL: events */
	uint64_t forks; /* of the machine when the watch was set up */
	uint64_t since; /* ns, when the watch was set up */
	bool second; /* the watch has the second of its two names */
};

struct flight_conditions {
	struct flight_condition list[FLIGHT_WATCHES];
	size_t n;
	bool reads; /* one of them has to be looked at in time */
	bool fills; /* the kernel's table of one of them fills up */
	const struct wanted_words *who; /* the processes, programs, CPUs and filter of all */
};

/* Checks the form of a condition on events, which needs no kernel. -EINVAL: as of dkl_named_read(). */
int flight_condition_check(struct dkt_ctx *ctx, const char *text);

/*
 * Sets up the conditions of the state, for records of who, which must stay. Adds the names to remove to the state, which is saved before, and
 * how each condition is tested. Remove them also after an error.
 */
int flight_conditions_open(struct dkt_ctx *ctx, const char *log, const struct wanted_words *who,
			   struct flight_state *state, struct flight_conditions *all);

/* Looks at one of them: flight_watch_look(). */
int flight_condition_look(struct dkt_ctx *ctx, struct flight_condition *one,
			  struct flight_found *found);

/*
 * The kernel's table of a latency keeps each thread that it ever saw. Sets up a new one before it can
 * be full, and removes the old one later: look before. Call it every FLIGHT_RENEW ns.
 */
#define FLIGHT_RENEW UINT64_C(10000000000)
void flight_conditions_renew(struct dkt_ctx *ctx, const char *log, struct flight_conditions *all);

int flight_conditions_remove(struct dkt_ctx *ctx, const char *log, struct flight_conditions *all);
