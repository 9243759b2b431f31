/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Applies a selection to the records of one kernel. */
#pragma once

#include "compat/lustre/style_legacy.h"
#include "compat/pipeline/selection.h"

/* The members are private to the chooser. */
struct chooser {
	struct dkt_ctx *ctx;
	struct selection *selection;
	struct dkt_expr *filter; /* NULL: none */
	struct named named; /* --event, with filters for this kernel's events */
	bool named_only; /* --event chooses events; false: it only excludes some */
	uint8_t *verdicts; /* by event index; NULL: the selection does not ask about events */
	size_t n_verdicts;
	uint64_t since, last; /* times of the records' clock */
	int64_t wall; /* wall-clock time minus the time of records */
	struct legacy_style *legacy;
	bool by_class; /* the selection tests the class of each record */
	bool more; /* the selection tests more than the window, CPUs and threads */
	bool fits; /* the filter fits an event that was met */
	char *misfit; /* why the filter does not fit the other events */
	char *unmatched; /* why dktrace cannot evaluate the filter */
	int misfit_err;
};

/*
 * Creates a chooser for records of the context's kernel. wall is wall-clock time minus their time,
 * ns. legacy finds the classes of records; it may be NULL without dkl_selection_by_class(). The
 * selection and legacy must outlive the chooser.
 */
int dkl_chooser_new(struct dkt_ctx *ctx, int64_t wall, struct selection *selection,
		    struct legacy_style *legacy, struct chooser **chooser);
void dkl_chooser_free(struct chooser *chooser);

/*
 * The same for all records of a source, which skips records by itself if it can. Refuses a filter
 * that can match none of its events, as dkl_chooser_check_filter() does.
 */
int dkl_chooser_open(struct dkt_ctx *ctx, struct dkt_source *source, struct selection *selection,
		     struct legacy_style *legacy, struct chooser **chooser);

/* Selects only records from since on and before until, for a source that cannot; until 0: no bound. */
void dkl_chooser_set_window(struct chooser *chooser, uint64_t since, uint64_t until);

/*
 * -ENOENT: --event matches no event of the context. Returns 0 also if the events are not known
 * before the records are read.
 */
int dkl_chooser_check_events(struct dkt_ctx *ctx, const struct selection *selection);

/*
 * -EINVAL or -ENOENT: the filter can match no record of any event, neither of the enabled events on
 * (n 0: unknown), nor of all events, nor of the event beside (NULL: none); or a filter of --event fits
 * none of its events.
 */
int dkl_chooser_check_filter(struct chooser *chooser, struct dkt_event *const *on, size_t n,
			     struct dkt_event *beside);

/* Applies the rest of the selection: events, classes, names of processes, the filter. */
bool dkl_chooser_takes_more(struct chooser *c, const struct dkt_record *record,
			    struct dkt_source *source);

static inline bool chooser_has(const int *list, size_t n, int number)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == number)
			return true;
	return false;
}

/*
 * True if a record or a gap is chosen. The source knows the name of its process; NULL: unknown.
 * Inline, because most records are refused by a number.
 */
static inline bool chooser_takes(struct chooser *c, const struct dkt_record *record,
				 struct dkt_source *source)
{
	const struct selection *s = c->selection;

	if (record->ts < c->since || record->ts > c->last)
		return false;
	if (s->n_cpus && !chooser_has(s->cpus, s->n_cpus, (int)record->cpu))
		return false;
	/* A gap is always reported: a lost record may have been one of the chosen. */
	if (!record->event)
		return true;
	if (s->n_pids && !chooser_has(s->pids, s->n_pids, record->pid))
		return false;
	return !c->more || dkl_chooser_takes_more(c, record, source);
}

/* Tests a chosen record last: true if it is within its class's rate. Counts it. */
bool dkl_chooser_in_rate(struct chooser *chooser, const struct dkt_record *record);

/*
 * Returns the reason why the filter could not match the events seen, which the caller frees; NULL:
 * it could.
 */
char *dkl_chooser_explain(struct chooser *chooser, bool any_taken);
