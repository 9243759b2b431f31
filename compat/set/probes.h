/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The probes of a user: stored beside the debug log, enabled with it, removed with it. */
#pragma once

#include "compat/log/probe_list.h"
#include "compat/set/probes/probe_words.h"

/* Discards the event list and the class map, which is outdated after a probe came or went. */
void dkl_probes_forget_events(struct debuglog *log);

/* Applies the settings and the list of probes to the log. */
int dkl_probes_apply(struct debuglog *log);

struct probes_opts {
	bool enable;
	bool keep; /* accept an identical existing probe of the user; otherwise it is an error */
};

struct probes_result {
	size_t created;
	size_t refused; /* probes of a glob that were skipped */
	char *message; /* the error message of the first refused probe; NULL: none */
};

/*
 * Creates the probes that the words define, all or nothing. Stores them in the list first, so that
 * a reset finds them even if the command is killed. The caller frees result->message.
 */
int dkl_probes_add(struct debuglog *log, const struct probe_words *words,
		   const struct dkt_probes *wanted, const struct probes_opts *opts,
		   struct probes_result *result);

/*
 * The same as part of a larger change: the next dkl_debuglog_apply() enables or disables the probes.
 * Then the caller calls dkl_probes_keep(), or dkl_probes_undo() if anything failed.
 */
int dkl_probes_create(struct debuglog *log, const struct probe_words *words,
		      const struct dkt_probes *wanted, const struct probes_opts *opts,
		      struct probes_result *result);
int dkl_probes_keep(struct debuglog *log);
void dkl_probes_undo(struct debuglog *log);

/* Enables or disables the probes that match, and counts them. -ENOENT: none matches. */
int dkl_probes_switch(struct debuglog *log, const char *pattern, bool on, size_t *changed);

/*
 * Disables and removes the probes that match; what the log has of them can still be printed. -EBUSY:
 * another instance or program has one enabled, or another process reads the log.
 */
int dkl_probes_remove(struct debuglog *log, const char *pattern, size_t *removed);
