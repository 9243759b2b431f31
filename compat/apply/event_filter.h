/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Builds the filter that settings put on an event. */
#pragma once

#include <stdio.h>

#include "compat/apply/apply.h"
#include "compat/lustre/named.h"

/* True if the classes of the settings select an event with these bits. */
bool dkl_event_filter_wants_class(const struct class_bits *bits, const struct settings *set);

/* Reads the events that the settings name. The caller clears named, even on failure. */
int dkl_event_filter_named(struct dkt_ctx *ctx, const struct settings *set, struct named *named);

struct event_filter {
	struct dkt_ctx *ctx;
	const struct class_map *map;
	const struct settings *set;
	struct named named; /* the events that the settings name */
	struct dkt_expr *expr; /* debug_filter; NULL: none */
	struct rules *rules; /* filters on sets of events; NULL: none */
	const char *sites; /* call sites in the modules of the chosen subsystems; NULL: anywhere */
	struct filter_report *report; /* NULL: not wanted */
	FILE *missed; /* gets the names of events that lack fields of debug_filter; NULL: not wanted */
};

/* Parses the named events, debug_filter and the rules of the settings. */
int dkl_event_filter_read(struct event_filter *filter);
void dkl_event_filter_clear(struct event_filter *filter);

/* True if the settings select the event, by class or by name. */
bool dkl_event_filter_wants(const struct event_filter *filter, const struct dkt_event *event);

/* Gets the event's filter from the class map alone; "": none. The caller frees it. */
int dkl_event_filter_own(const struct event_filter *filter, struct dkt_event *event, char **text);

/* Gets the event's filter in the kernel's language; NULL: none. The caller frees it. */
int dkl_event_filter(const struct event_filter *filter, struct dkt_event *event, char **text);
