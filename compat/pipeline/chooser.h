/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Applies a selection to the records of one kernel. */
#pragma once

#include "lustre/style_legacy.h"
#include "pipeline/selection.h"

/* The members are private to the chooser. */
struct chooser {
	struct dkt_ctx *ctx;
	struct selection *selection;
	struct dkt_expr *filter; /* NULL: none */
	uint8_t *verdicts; /* by event index; NULL: the selection does not ask about events */
	size_t n_verdicts;
	uint64_t since, last; /* times of the records' clock */
	int64_t wall; /* to add to their times */
	struct legacy_style *legacy;
	bool by_class; /* the class of each record is looked at */
	bool more; /* the selection has more than a window, CPUs and threads */
	bool fits; /* the filter fits an event that was met */
	char *misfit; /* why the filter does not fit the other events */
	char *unmatched; /* why the filter cannot be judged here */
	int misfit_err;
};

/* Returns NULL if the glob can match events, otherwise the error message. */
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
 * The same for all records of a source, which skips records by itself if it can. Refuses a filter
 * that can match none of its events, as chooser_check_filter() does.
 */
int chooser_open(struct dkt_ctx *ctx, struct dkt_source *source, struct selection *selection,
		 struct legacy_style *legacy, struct chooser **chooser);

/*
 * Takes only records from since on and before until, for a source without a window; until 0: no
 * bound.
 */
void chooser_set_window(struct chooser *chooser, uint64_t since, uint64_t until);

/*
 * -ENOENT: --event matches no event of the context. Returns 0 also if the events are not known
 * before the records are read.
 */
int chooser_check_events(struct dkt_ctx *ctx, const struct selection *selection);

/*
 * -EINVAL or -ENOENT if the filter can match records of no event: of those that are on (n 0: not known),
 * else of all, else of the one that stands beside them (NULL: none).
 */
int chooser_check_filter(struct chooser *chooser, struct dkt_event *const *on, size_t n,
			 struct dkt_event *beside);

/*
 * Makes the source skip records that are not chosen, if it can: that saves parsing them. -ENOMEM.
 */
int chooser_push(struct chooser *chooser, struct dkt_source *source);

/* Applies the rest of the selection: events, classes, names of processes, the filter. */
bool chooser_takes_more(struct chooser *c, const struct dkt_record *record,
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
	return !c->more || chooser_takes_more(c, record, source);
}

/* Tests a chosen record last: true if it is within its class's rate. Counts it. */
bool chooser_in_rate(struct chooser *chooser, const struct dkt_record *record);

/*
 * Returns the reason why the filter could not match the events seen, which the caller frees; NULL:
 * it could.
 */
char *chooser_explain(struct chooser *chooser, bool any_taken);
