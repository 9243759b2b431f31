/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The filter that settings put on an event. */
#ifndef COMPAT_EVENT_FILTER_H
#define COMPAT_EVENT_FILTER_H

#include <stdio.h>

#include "debuglog.h"

struct event_filter {
	const struct debuglog *log; /* its map is loaded */
	const struct settings *set;
	struct dkt_expr *expr; /* debug_filter, NULL: none */
	const char *sites; /* call sites in the modules of the chosen subsystems, NULL: anywhere */
	struct filter_report *report; /* NULL: nobody asks */
	FILE *missed; /* takes the names of events that have not the fields of debug_filter, or NULL */
};

/* The text as the kernel takes it, NULL: none. The caller frees it. */
int event_filter(const struct event_filter *filter, struct dkt_event *event, char **text);

#endif
