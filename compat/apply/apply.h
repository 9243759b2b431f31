/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Applies the settings of the debug log to the kernel as one transaction, and repairs interrupted
 * ones.
 */
#pragma once

#include "compat/log/debuglog.h"

/*
 * Opens the debug log of that name. Without DEBUGLOG_CHANGE, creates nothing: in may be NULL and
 * dirfd -1.
 */
int dkl_debuglog_open(struct dkt_ctx *ctx, const char *name, unsigned int flags,
		      struct debuglog **log);

/* The events with debug_filter, and those that lack its fields. */
struct filter_report {
	bool must_take; /* fail if no enabled event has the fields */
	size_t took; /* events that have the filter */
	char *missed; /* names of events that lack its fields, separated by ", "; NULL: none */
	size_t n_missed;
};

void dkl_filter_report_clear(struct filter_report *report);

/*
 * Applies the settings to the instance as one transaction, and stores them. Creates the instance if
 * it is missing. report may be NULL.
 */
int dkl_debuglog_apply(struct debuglog *log, const struct settings *set,
		       struct filter_report *report);

/* Applies the log's own settings once more, because the kernel's state or events have changed. */
int dkl_debuglog_reapply(struct debuglog *log);

/*
 * To be called before the log is read: if another program has changed Lustre's masks since the log
 * was set, the log takes them over. A failure is logged and leaves the log unchanged.
 */
void dkl_debuglog_follow(struct dkt_ctx *ctx, const char *name);

/*
 * Removes the instance, its records and its directory, and unmounts tracefs if dktrace mounted it.
 * Ignores parts that are missing.
 */
int dkl_debuglog_reset(struct dkt_ctx *ctx, const char *name);

/* Calls fn for each trigger of these events in the log's instance. Skips events that are gone. */
int dkl_triggers_each(struct debuglog *log, struct dkt_event *const *events, size_t n,
		      int (*fn)(void *data, struct dkt_event *event,
				const struct dkt_trigger *trigger),
		      void *data);

/*
 * Reports, in lines without a newline at the end, modules that were loaded or unloaded and masks of
 * Lustre that have changed; NULL: none. The caller frees the text.
 */
int dkl_debuglog_drift(struct debuglog *log, char **lines);
