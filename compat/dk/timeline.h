/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The records of the debug log in one timeline: the kernel's and Lustre's own. */
#pragma once

#include "compat/log/wall.h"
#include "compat/lustre/log_source.h"
#include "compat/lustre/style_legacy.h"

struct timeline {
	/* Set by the caller. */
	struct dkt_ctx *ctx;
	struct dkt_instance *in; /* has the kernel's records; NULL: none */
	struct log_source *lustre; /* NULL: none */
	struct legacy_style *legacy; /* knows messages; may be NULL without an instance */
	int64_t wall; /* wall-clock time minus the time of the kernel's records */
	/* Where that has changed. Each record then gets the time that has its wall-clock time with wall. */
	struct log_wall steps;
	bool stepped; /* times are changed so; otherwise they stay */
	bool apart; /* return all records of a message, not only the one that it is printed with */
	/* Set by the calls. source: all records; a message of several comes once, with its last record. */
	struct dkt_source *source;
	struct dkt_source *kernel, *ours, *theirs; /* the parts of source; NULL: missing */
	bool ended; /* the kernel has no more records */
	uint64_t met; /* records of the kernel */
	uint64_t first; /* the time of the first of them, as it was; 0: none */
	uint64_t incomplete; /* messages of Lustre in the middle of which recording stopped */
};

/* Opens Lustre's records. Comes first, because it adds their event to the context. */
int dkl_timeline_open_lustre(struct timeline *t);

/* Merges them with the kernel's records; without these, Lustre's are all. */
int dkl_timeline_merge(struct timeline *t);

static inline bool timeline_is_lustre(const struct timeline *t, const struct dkt_record *record)
{
	return t->lustre && record->event && record->event == dkl_log_source_event(t->lustre);
}

/*
 * True if reading may stop after that record. Not after one of Lustre's: the merge has then read a
 * record of the kernel that it has not returned yet.
 */
static inline bool timeline_may_stop(const struct timeline *t, const struct dkt_record *record)
{
	return t->ended || !timeline_is_lustre(t, record);
}

void dkl_timeline_close(struct timeline *t);
