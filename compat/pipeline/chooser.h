/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Applies a selection to the records of one kernel. */
#pragma once

#include "lustre/style_legacy.h"
#include "pipeline/selection.h"

struct chooser;

/* NULL if the glob can be one of events, else words that say what is wrong. */
const char *event_glob_check(const char *glob);

/*
 * The context is that of the records' kernel; the selection and legacy outlive the chooser. wall is to be
 * added to records' times to get wall-clock time, ns. legacy knows the classes of records; NULL will do
 * without selection_by_class().
 */
int chooser_new(struct dkt_ctx *ctx, int64_t wall, struct selection *selection,
		struct legacy_style *legacy, struct chooser **chooser);
void chooser_free(struct chooser *chooser);

/*
 * The same for all records of a source, which leaves out what it can by itself. A filter that can match
 * none of its events is refused, as by chooser_check_filter().
 */
int chooser_open(struct dkt_ctx *ctx, struct dkt_source *source, struct selection *selection,
		 struct legacy_style *legacy, struct chooser **chooser);

/* Only records from since on and before until, for a source that has no window itself; until 0: no bound. */
void chooser_set_window(struct chooser *chooser, uint64_t since, uint64_t until);

/*
 * -ENOENT: none of --event is that of an event which records of the context can be of. 0 also if that is
 * not known before they are read.
 */
int chooser_check_events(struct dkt_ctx *ctx, const struct selection *selection);

/*
 * -EINVAL or -ENOENT if the filter can match records of no event: of those that are on (n 0: not known),
 * else of all, else of the one that stands beside them (NULL: none).
 */
int chooser_check_filter(struct chooser *chooser, struct dkt_event *const *on, size_t n,
			 struct dkt_event *beside);

/*
 * Lets the source leave out what is not chosen, as far as it can: that saves the work of taking records
 * apart. -ENOMEM.
 */
int chooser_push(struct chooser *chooser, struct dkt_source *source);

/* Whether a record, or a gap, is chosen. The source knows the name of its process, NULL: nobody does. */
bool chooser_takes(struct chooser *chooser, const struct dkt_record *record,
		   struct dkt_source *source);

/* The last question to a record that is chosen: whether it is within its class's rate. Counts it. */
bool chooser_in_rate(struct chooser *chooser, const struct dkt_record *record);

/* Why the filter could not match the events that were met; NULL: it could. The caller frees it. */
char *chooser_explain(struct chooser *chooser, bool any_taken);
