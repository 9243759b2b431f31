/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The event catalogue of a context: how it is stored and built. */
#pragma once

#include "lib/base/strings.h"
#include "lib/event.h"

/* The system of the kernel's own events (ftrace:print ...), which cannot be enabled. */
#define FTRACE_SYSTEM "ftrace"

struct dkt__events {
	char *names; /* text of available_events, split into words */
	struct dkt__strings own; /* names in events/ftrace */
	struct dkt_event *events;
	struct dkt_event **list; /* events that can be enabled, sorted */
	size_t n; /* of list */
	size_t n_all; /* of events: list, then the kernel's own */
	struct dkt_event **likely; /* their IDs are read before those of the others */
	size_t n_likely, next_likely;
	size_t next_id; /* how many of the others' IDs have been read */
	struct dkt_event *unknown; /* those of which only the ID is known, and retired ones */
	struct dkt_event *by_id[MAX_ID];
};

/* Creates an empty catalogue in place of the context's present one; NULL: memory is out. */
struct dkt__events *dkt__events_new(struct dkt_ctx *ctx);

/* Sets the events' slots and the list of events that can be enabled, once the events are sorted. */
void dkt__events_place(struct dkt_ctx *ctx);

/* Compares the systems and names of two events, for qsort(). */
int dkt__event_cmp(const void *a, const void *b);
