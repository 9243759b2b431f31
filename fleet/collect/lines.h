/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lines of a whole fleet in one order while they come: the hosts run `dktrace follow --stamp`. A line waits
 * for a while, so that earlier lines of other hosts can come before it. Hosts can send anything.
 */
#pragma once

#include "fleet/collect/fleet.h"

/* The longest line, with its stamp, in bytes. */
#define LINES_LINE_MAX (UINT32_C(1) << 20)

struct lines {
	struct fleet *fleet;
	uint64_t delay; /* a line is put when it is so old, ns */
	uint64_t most; /* bytes that wait; with more, lines wait for less time */
	/* Returns -EPROTO for a line that no honest host writes; NULL: any line will do. */
	int (*check)(const char *line, size_t len);
	/* Puts a line, which a NUL follows. An error is kept, and nothing is put any more. */
	int (*put)(void *data, const struct fleet_host *host, const char *line, size_t len);
	void *data;
	uint64_t late; /* lines that came when a later one had been put */
	uint64_t latest; /* how much earlier than that one they were at most, ns */
	uint64_t early; /* lines that did not wait for the whole delay */
	int err; /* of put, or -ENOMEM */

	/* The rest is lines.c's. */
	struct line_queue *queues; /* of each host */
	size_t waiting; /* bytes */
	uint64_t last; /* the time of the latest line that was put */
};

/* The caller has set the fields above, and the fleet's hosts are there. -ENOMEM. */
int lines_init(struct lines *lines);

/* Takes what a host has written: struct fleet_opts' take. data: struct lines. */
int lines_take(void *data, struct fleet_host *host, const uint8_t *bytes, size_t len);

/* Puts what is due at this time, in ns. */
void lines_put(struct lines *lines, uint64_t now);

/* Puts everything. */
void lines_finish(struct lines *lines);

void lines_clear(struct lines *lines);
