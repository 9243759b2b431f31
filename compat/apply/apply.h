/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Applies the settings of the debug log to the kernel as one transaction, and repairs interrupted
 * ones.
 */
#pragma once

#include "log/debuglog.h"

/*
 * Opens the debug log of that name as it is. Without DEBUGLOG_CHANGE nothing is made: in and
 * dirfd may be missing.
 */
int debuglog_open(struct dkt_ctx *ctx, const char *name, unsigned int flags, struct debuglog **log);

/* The events that took debug_filter, and those that could not. */
struct filter_report {
	bool must_take; /* asked for: if no event that is on can take it, refuse */
	size_t took; /* events that have the filter */
	char *missed; /* names of those that have not its fields, separated by ", "; NULL: none */
	size_t n_missed;
};

void filter_report_clear(struct filter_report *report);

/*
 * Makes the instance what the settings say, as one transaction, and keeps them. The instance is
 * made if there is none. report may be NULL.
 */
int debuglog_apply(struct debuglog *log, const struct settings *set, struct filter_report *report);

/*
 * Before a look at the log of that name: if others have changed Lustre's masks since the log was
 * set, the log takes them over. A failure is logged and leaves the log unchanged.
 */
void debuglog_follow(struct dkt_ctx *ctx, const char *name);

/*
 * Removes the instance, its records and what is kept of it, and unmounts tracefs if it was mounted
 * for us. Also where some of that is missing.
 */
int debuglog_reset(struct dkt_ctx *ctx, const char *name);

/* Calls fn for each trigger that these events have in the log's instance. */
int triggers_each(struct debuglog *log, struct dkt_event *const *events, size_t n,
		  int (*fn)(void *data, struct dkt_event *event, const struct dkt_trigger *trigger),
		  void *data);
