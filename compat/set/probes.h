/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The probes of a user: stored beside the debug log, enabled with it, removed with it. */
#pragma once

#include "log/probe_list.h"
#include "set/probes/probe_words.h"

/* Events come and go: what was worked out for them goes with them. */
void probes_forget_events(struct debuglog *log);

/* The log becomes what the settings and the list say. */
int probes_apply(struct debuglog *log);

struct probes_opts {
	bool enable;
	bool keep; /* one that is there already, as it is wanted, is only switched; else it is in the way */
};

struct probes_result {
	size_t made;
	size_t refused; /* of a glob's: they are left out */
	char *words; /* about the first that was refused; NULL: none was */
};

/*
 * Makes the probes that the words came to, as one transaction: if one of them cannot be made, or
 * switched on, none of them is there. They are remembered before they are made, so that a reset
 * finds them whatever happens. The caller frees result->words.
 */
int probes_add(struct debuglog *log, const struct probe_words *words,
	       const struct dkt_probes *wanted, const struct probes_opts *opts,
	       struct probes_result *result);

/*
 * The same as a part of a larger change: what it says of on and off is true after the next
 * debuglog_apply(). Then probes_keep(); or, also after a failure, probes_take_back().
 */
int probes_make(struct debuglog *log, const struct probe_words *words,
		const struct dkt_probes *wanted, const struct probes_opts *opts,
		struct probes_result *result);
int probes_keep(struct debuglog *log);
void probes_take_back(struct debuglog *log);

/* Switches those that match on or off. -ENOENT: none does. changed counts them. */
int probes_switch(struct debuglog *log, const char *pattern, bool on, size_t *changed);

/*
 * Switches those that match off and removes them. -EBUSY: somebody else has one on, or the log
 * has records of one that nobody has read; with force the log is emptied then.
 */
int probes_remove(struct debuglog *log, const char *pattern, bool force, size_t *removed);
