/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The conditions of a flight recorder: an instance with only their events tells when one happens. */
#pragma once

#include "flight/group.h"

struct flight_watch {
	struct flight_group group;
	struct dkt_source *source;
	struct dkt_pairs *pairs; /* NULL: each record is an incident */
	const char *pair; /* the name of the pair */
	uint64_t limit; /* ns */
	uint64_t count, sum; /* of the pairs so far, ns */
};

/*
 * Sets up the events that are conditions, as named_read() takes them. self: a process whose events do not
 * count. Close and remove it also after an error.
 */
int flight_watch_events(struct dkt_ctx *ctx, const char *log, const char *name, const char *events,
			struct flight_watch *watch);

/*
 * Reads a condition "PAIR > TIME", where PAIR is a ready-made one. Returns false if the text is not of that
 * form. TIME has a unit; otherwise *limit is 0.
 */
bool flight_read_latency(const char *text, char **pair, uint64_t *limit);

/* Sets up the events of a ready-made pair; a time above limit ns is an incident. -ENOENT: the kernel lacks it. */
int flight_watch_latency(struct dkt_ctx *ctx, const char *log, const char *name, const char *pair,
			 uint64_t limit, struct flight_watch *watch);

/*
 * Takes the records so far. Sets *n to the number of incidents, and *reason to the first one's text,
 * which the caller frees; NULL: there was none.
 */
int flight_watch_look(struct flight_watch *watch, uint64_t *n, char **reason);

void flight_watch_close(struct flight_watch *watch);
