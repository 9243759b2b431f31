/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events to count, by name, and the rows that show their counts. */
#pragma once

#include <stdbool.h>

#include "lib/inside.h"

/* An event with a counter of its own; several rows can share it. */
struct stat_event {
	char *name; /* with its modifiers */
	struct dkt__perf_event perf;
	struct dkt_event *tracepoint; /* NULL: it is none */
	char *filter; /* of a tracepoint; "" or NULL: none */
};

/* A row: an event, or the sum of those of a class. */
struct stat_row {
	char *name;
	bool is_class;
	size_t *events; /* indices */
	size_t n;
};

/* All zeroes: nothing yet. */
struct stat_events {
	struct stat_event *list;
	size_t n;
	struct stat_row *rows;
	size_t n_rows;
	bool usual; /* not chosen by the user: what is refused may be left out */
};

struct stat_wish {
	const char *events; /* "cycles:u,block:*,iotrace,-block:block_plug"; NULL: none */
	const char *classes; /* "iotrace+ioctl"; NULL: none */
	bool machine; /* for what is counted by default */
	bool per_class; /* a row for each class that the tracepoints belong to */
};

/*
 * Finds the events that the user wants, or those that perf stat counts by default. Clear them in either case.
 * -ENOENT: there is no such event; -EINVAL: a word has no such form; errors of dkt_events().
 */
int stat_events_find(struct dkt_ctx *ctx, const struct stat_wish *wish, struct stat_events *events);
void stat_events_clear(struct stat_events *events);

/* True if it only ever happens in the kernel, so that ":u" counts none. */
bool stat_event_in_kernel(const struct perf_event_attr *attr);
