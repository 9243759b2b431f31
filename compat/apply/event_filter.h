/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Builds the filter that settings put on an event. */
#pragma once

#include <stdio.h>

#include "apply/apply.h"

/* Whether an event of the map belongs to what is set. */
bool event_filter_wants(const struct class_bits *bits, const struct settings *set);

struct event_filter {
	struct debuglog *log; /* its map is loaded */
	const struct settings *set;
	struct dkt_expr *expr; /* debug_filter, NULL: none */
	struct rules *rules; /* filters on some events; NULL: none */
	const char *sites; /* call sites in the modules of the chosen subsystems, NULL: anywhere */
	struct filter_report *report; /* NULL: nobody asks */
	FILE *missed; /* takes the names of events that have not the fields of debug_filter, or NULL */
};

/* Reads debug_filter and the rules of the settings; freed by event_filter_clear(). */
int event_filter_read(struct event_filter *filter);
void event_filter_clear(struct event_filter *filter);

/* The filter of the event from the class map alone, "" for none. The caller frees it. */
int event_filter_own(const struct event_filter *filter, struct dkt_event *event, char **text);

/* The text as the kernel takes it, NULL: none. The caller frees it. */
int event_filter(const struct event_filter *filter, struct dkt_event *event, char **text);
