/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Applies a selection to the records of one kernel: checks each event once, then each record. */
#include "compat/pipeline/chooser.h"

#include "compat/lustre/binary/event.h"
#include "compat/lustre/programs.h"
#include "compat/lustre/select.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/base/when.h"
#include "lib/inside.h"

/* The kernel's name for a process whose name it no longer knows. */
#define UNKNOWN_COMM "<...>"

enum verdict {
	UNKNOWN,
	TAKEN,
	TESTED, /* one of the filters of --event decides */
	REFUSED,
	PART, /* of a message, whose other record decides */
};

/* ---- events ---- */

static bool word_has(const struct named_word *word, const struct dkt_event *event)
{
	return dkl_named_word_has(word, dkt_event_system(event), dkt_event_name(event));
}

/* True for events of the tracer itself, which no list contains (kernel/trace/trace_entries.h). */
static bool matches_own(const struct named_word *word)
{
	static const char *const names[] = {
		"print",
		"bprint",
		"bputs",
		"function",
		"funcgraph_entry",
		"funcgraph_exit",
		"kernel_stack",
		"user_stack",
		"context_switch",
		"wakeup",
		"branch",
		"hwlat",
		"osnoise",
		"timerlat",
		"func_repeats",
		"raw_data",
		"mmiotrace_rw",
		"mmiotrace_map",
		"fgraph_retaddr_entry",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (dkl_named_word_has(word, "ftrace", names[i]))
			return true;
	return false;
}

static bool is_known(const struct named *named, struct dkt_event *const *events, size_t n)
{
	for (size_t j = 0; j < named->n; j++) {
		if (named->list[j].without || matches_own(&named->list[j]))
			return true;
		for (size_t i = 0; i < n; i++)
			if (word_has(&named->list[j], events[i]))
				return true;
	}
	return false;
}

/* No list has an event that has left the kernel, but whose records are in the log. */
static bool is_retired(struct dkt_ctx *ctx, const struct named *named)
{
	bool found = false;

	for (size_t j = 0; !found && j < named->n; j++) {
		char *system __cleanup(free) = strdup(named->list[j].glob);
		char *colon = system ? strchr(system, ':') : NULL;

		if (!colon)
			continue;
		*colon = '\0';
		found = dkt_event_find(ctx, system, colon + 1);
	}
	return found;
}

static int check_named(struct dkt_ctx *ctx, const struct named *named)
{
	struct dkt_event *const *events;
	struct dkt_event *one;
	struct dkt__guess guess = { 0 };
	size_t n;
	int err = dkt_events(ctx, &events, &n);

	if (err)
		return err;
	/* All records of a saved log of Lustre have the same event. */
	if (!n && (one = dkl_record_event_find(ctx))) {
		events = &one;
		n = 1;
	}
	/* The events of other text files are unknown until their records are read. */
	if (!n)
		return 0;
	if (is_known(named, events, n) || is_retired(ctx, named))
		return 0;
	/* Do not suggest a system alone: it would match no event. */
	for (size_t j = 0; j < named->n && !strchr(guess.best, ':'); j++) {
		dkt__guess_start(&guess, named->list[j].glob, strlen(named->list[j].glob));
		dkl_select_guess(&guess, ctx);
	}
	return dkt_fail(ctx, -ENOENT, "--event: no event matches '%s'%s%s", named->list[0].glob,
			named->n > 1 ? " or the others" : "",
			strchr(guess.best, ':') ? dkt__guess_words(&guess) : "");
}

int dkl_chooser_check_events(struct dkt_ctx *ctx, const struct selection *selection)
{
	struct named named = { 0 };
	int err = 0;

	if (selection->events.n)
		err = dkl_named_read(ctx, selection->event_words, &named);
	if (!err && named.n)
		err = check_named(ctx, &named);
	dkl_named_clear(&named);
	return err;
}

/*
 * Notes why the filter does not fit an event. An invalid value is a better reason than a missing
 * field, which most events lack.
 */
static void note_misfit(struct chooser *c, int err)
{
	c->fits |= !err || err == -EOPNOTSUPP;
	if (err == -EOPNOTSUPP && !c->unmatched)
		c->unmatched = strdup(dkt_error(c->ctx));
	if (!err || err == -EOPNOTSUPP || c->misfit_err == -EINVAL || (c->misfit && err != -EINVAL))
		return;
	free(c->misfit);
	c->misfit = strdup(dkt_error(c->ctx));
	c->misfit_err = err;
}

/*
 * Records of the event pass if one of its filters matches them, or if it lacks fields of all of
 * them: the same records as when they are recorded with these filters.
 */
static enum verdict judge_tests(struct chooser *c, struct dkt_event *event)
{
	bool tested = false;

	for (size_t i = 0; i < c->named.n; i++) {
		const struct named_word *word = &c->named.list[i];
		int err = word->expr && word_has(word, event) ?
				  dkt__expr_check_match(word->expr, event) :
				  -ENOENT;

		if (err == -EOPNOTSUPP && !c->unmatched)
			c->unmatched = strdup(dkt_error(c->ctx));
		tested |= !err || err == -EOPNOTSUPP;
	}
	return tested ? TESTED : TAKEN;
}

static bool passes_test(const struct chooser *c, const struct dkt_record *record, const char *comm)
{
	for (size_t i = 0; i < c->named.n; i++) {
		const struct named_word *word = &c->named.list[i];

		if (word->expr && word_has(word, record->event) &&
		    dkt_expr_match(word->expr, record, comm))
			return true;
	}
	return false;
}

static enum verdict judge(struct chooser *c, struct dkt_event *event)
{
	int err;

	if (dkl_message_is_part(event))
		return PART;
	err = c->filter ? dkt__expr_check_match(c->filter, event) : 0;
	if (c->filter)
		note_misfit(c, err);
	/* A record that lacks the filter's fields does not match. */
	if (err)
		return REFUSED;
	if (!dkl_named_has(&c->named, event, !c->named_only))
		return REFUSED;
	return judge_tests(c, event);
}

static inline enum verdict verdict_of(struct chooser *c, struct dkt_event *event)
{
	size_t i = dkt__event_index(event);

	/* An event without a format has no entry. */
	if (i >= c->n_verdicts)
		return judge(c, event);
	if (!c->verdicts[i])
		c->verdicts[i] = (uint8_t)judge(c, event);
	return (enum verdict)c->verdicts[i];
}

static bool wants(void *data, struct dkt_event *event)
{
	return judge(data, event) != REFUSED;
}

/* Lets the source skip records that are not selected, if it can, which saves parsing them. */
static int push(struct chooser *c, struct dkt_source *source)
{
	if (c->verdicts && dkt_source_select(source, wants, c) == -ENOMEM)
		return -ENOMEM;
	return c->filter && dkt__source_filter(source, c->filter) == -ENOMEM ? -ENOMEM : 0;
}

/* The highest ID; events that have left the kernel have it and those below, see dkt_event(3). */
#define LAST_ID 65535

/*
 * Lists all events, and those that have left the kernel, but whose records are in the log: a newer event of
 * the same name may lack the fields of a filter. Reads the IDs of all events. The caller frees the list.
 */
static int list_events(struct dkt_ctx *ctx, struct dkt_event ***list, size_t *n)
{
	struct dkt_event *const *events, *gone;
	int err = dkt_events(ctx, &events, n);

	*list = NULL;
	if (err)
		return err;
	*list = calloc(*n + LAST_ID, sizeof(**list));
	if (!*list)
		return dkt__no_memory(ctx);
	memcpy(*list, events, *n * sizeof(**list));
	for (int id = LAST_ID; id > 0; id--) {
		gone = dkt__event_by_id(ctx, id);
		if (!gone || !strcmp(dkt_event_system(gone), "unknown"))
			break;
		(*list)[(*n)++] = gone;
	}
	return 0;
}

/* A filter must fit one of the word's events, if it has any. */
static int check_test(struct dkt_ctx *ctx, const struct named_word *word,
		      struct dkt_event *const *events, size_t n)
{
	struct dkt_event **matches __cleanup(free) =
		word->expr ? calloc(n + 1, sizeof(struct dkt_event *)) : NULL;
	size_t n_matches = 0;
	int err;

	if (!word->expr)
		return 0;
	if (!matches)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (word_has(word, events[i]))
			matches[n_matches++] = events[i];
	if (!n_matches)
		return 0;
	err = dkt__expr_check_any(word->expr, matches, n_matches, DKT__EXPR_MATCH);
	return err ? dkt__fail_in(ctx, err, "--event: %s", word->glob) : 0;
}

static int check_tests(struct chooser *c)
{
	const struct named *named = &c->named;
	struct dkt_event *const *events;
	struct dkt_event **all __cleanup(free) = NULL;
	size_t n;
	int err = named->n ? dkt_events(c->ctx, &events, &n) : 0;

	if (err || !named->n)
		return err;
	for (size_t j = 0; !err && j < named->n; j++) {
		if (!check_test(c->ctx, &named->list[j], events, n))
			continue;
		if (!all)
			err = list_events(c->ctx, &all, &n);
		events = all;
		if (!err)
			err = check_test(c->ctx, &named->list[j], events, n);
	}
	return err;
}

int dkl_chooser_check_filter(struct chooser *c, struct dkt_event *const *on, size_t n,
			     struct dkt_event *beside)
{
	struct dkt_event **all __cleanup(free) = NULL;
	struct dkt_event *const *events;
	size_t n_events;
	int err = check_tests(c);

	if (err || !c->filter)
		return err;
	if (beside && !dkt__expr_check_match(c->filter, beside)) {
		c->fits = true;
		return 0;
	}
	/* Ask the enabled events first, because their formats are few. */
	if (n && !dkt__expr_check_any(c->filter, on, n, DKT__EXPR_MATCH))
		return 0;
	err = dkt_events(c->ctx, &events, &n_events);
	/* The events of a saved log come with its records. */
	if (err || !n_events || !dkt__expr_check_any(c->filter, events, n_events, DKT__EXPR_MATCH))
		return err;
	err = list_events(c->ctx, &all, &n_events);
	return err ?: dkt__expr_check_any(c->filter, all, n_events, DKT__EXPR_MATCH);
}

char *dkl_chooser_explain(struct chooser *c, bool any_taken)
{
	char *reason = c->unmatched;

	c->unmatched = NULL;
	if (reason || !c->misfit || c->fits || any_taken)
		return reason;
	return dkt__format("--filter fits no event of the log: %s", c->misfit);
}

/* ---- records ---- */

static bool class_is_taken(struct chooser *c, const struct dkt_record *record)
{
	const struct selection *s = c->selection;
	const struct class_bits bits = dkl_legacy_style_bits(c->legacy, record);

	if (mask_hides(s->hidden_classes, bits.classes) ||
	    mask_hides(s->hidden_subsystems, bits.subsystems))
		return false;
	return (!s->classes || bits.classes & s->classes) &&
	       (!s->subsystems || bits.subsystems & s->subsystems);
}

bool dkl_chooser_takes_more(struct chooser *c, const struct dkt_record *record,
			    struct dkt_source *source)
{
	const struct selection *s = c->selection;
	enum verdict verdict = c->verdicts ? verdict_of(c, record->event) : TAKEN;
	const char *comm;

	if (verdict != TAKEN && verdict != TESTED)
		return verdict == PART;
	if (c->by_class && !class_is_taken(c, record))
		return false;
	if (!s->comms.n && !c->filter && verdict == TAKEN)
		return true;
	comm = source ? dkt_source_comm(source, record) : UNKNOWN_COMM;
	return (!s->comms.n || dkl_programs_have(&s->comms, comm)) &&
	       (!c->filter || dkt_expr_match(c->filter, record, comm)) &&
	       (verdict == TAKEN || passes_test(c, record, comm));
}

bool dkl_chooser_in_rate(struct chooser *c, const struct dkt_record *record)
{
	struct rate *rate = &c->selection->rate;

	if (!rate->limited || !record->event || verdict_of(c, record->event) == PART)
		return true;
	return dkl_rate_takes(rate, dkl_legacy_style_bits(c->legacy, record).classes,
			      dkt__wall_time(record->ts, c->wall));
}

/* ---- beginning and end ---- */

void dkl_chooser_set_window(struct chooser *c, uint64_t since, uint64_t until)
{
	c->since = since;
	c->last = until ? until - 1 : UINT64_MAX;
}

static int chooser_init(struct chooser *c)
{
	const struct selection *s = c->selection;
	struct dkt_event *const *events;
	int err = 0;

	c->last = UINT64_MAX;
	c->more = s->filter || s->events.n || s->comms.n;
	c->by_class = s->classes || s->subsystems || s->hidden_classes || s->hidden_subsystems;
	c->more |= c->by_class;
	if (s->filter)
		err = dkl_mask_expr(c->ctx, s->filter, &c->filter);
	if (!err && s->events.n)
		err = dkl_named_read(c->ctx, s->event_words, &c->named);
	for (size_t i = 0; i < c->named.n; i++)
		c->named_only |= !c->named.list[i].without;
	if (!err && (s->filter || s->events.n || dkl_selection_by_class(s))) {
		err = dkt_events(c->ctx, &events, &c->n_verdicts);
		c->verdicts = calloc(c->n_verdicts + 1, 1);
		if (!err && !c->verdicts)
			err = -ENOMEM;
	}
	return err;
}

int dkl_chooser_new(struct dkt_ctx *ctx, int64_t wall, struct selection *selection,
		    struct legacy_style *legacy, struct chooser **out)
{
	struct chooser *c = calloc(1, sizeof(*c));
	int err;

	*out = NULL;
	if (!c)
		return -ENOMEM;
	*c = (struct chooser){ .ctx = ctx, .selection = selection, .legacy = legacy, .wall = wall };
	err = chooser_init(c);
	if (err) {
		dkl_chooser_free(c);
		return err;
	}
	*out = c;
	return 0;
}

int dkl_chooser_open(struct dkt_ctx *ctx, struct dkt_source *source, struct selection *selection,
		     struct legacy_style *legacy, struct chooser **out)
{
	int err = dkl_chooser_new(ctx, dkt_source_info(source)->wall, selection, legacy, out);

	if (!err)
		err = dkl_chooser_check_filter(*out, NULL, 0, NULL);
	return err ? err : push(*out, source);
}

void dkl_chooser_free(struct chooser *c)
{
	if (!c)
		return;
	dkt_expr_free(c->filter);
	dkl_named_clear(&c->named);
	free(c->verdicts);
	free(c->misfit);
	free(c->unmatched);
	free(c);
}
