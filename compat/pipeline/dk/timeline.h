/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The records of the debug log in one timeline: the kernel's and Lustre's own. */
#pragma once

#include "lustre/log_source.h"
#include "lustre/style_legacy.h"

struct timeline {
	/* To be set before the calls. */
	struct dkt_ctx *ctx;
	struct dkt_instance *in; /* of the kernel's records; NULL: there are none */
	struct log_source *lustre; /* NULL: there is none */
	struct legacy_style *legacy; /* knows messages; may be NULL without an instance */
	int64_t wall; /* to add to the times of the kernel's records to get wall-clock time */
	bool apart; /* all records of a message are returned, not only the one it is shown by */
	/* Private to the calls. */
	/* All records. A message of several records comes once, at the last of them that is there. */
	struct dkt_source *source;
	struct dkt_source *kernel, *ours, *theirs; /* what it is made of; those that there are */
	uint64_t *last; /* of each CPU, the time of the last record that is no part of a message */
	bool ended; /* the kernel has no more records */
	uint64_t met; /* records of the kernel */
	uint64_t incomplete; /* messages of Lustre within which the recording stopped */
};

/* Makes Lustre's records known to the context, before anything asks for its events. */
int timeline_open_lustre(struct timeline *t);

/*
 * Opens the kernel's records. If that fails, timeline_merge() makes a timeline of Lustre's alone.
 */
int timeline_open_kernel(struct timeline *t, const struct dkt_live_opts *opts);
int timeline_merge(struct timeline *t);

static inline bool timeline_is_lustre(const struct timeline *t, const struct dkt_record *record)
{
	return t->lustre && record->event && record->event == log_source_event(t->lustre);
}

/*
 * Whether reading may end behind that record. Behind Lustre's it may not: a record of the kernel has been
 * read that was not returned.
 */
static inline bool timeline_may_stop(const struct timeline *t, const struct dkt_record *record)
{
	return t->ended || !timeline_is_lustre(t, record);
}

void timeline_close(struct timeline *t);
