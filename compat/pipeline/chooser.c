/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Applies a selection to the records of one kernel: checks each event once, then each record. */
#include "pipeline/chooser.h"

#include "base/buf.h"
#include "base/glob.h"
#include "lustre/class/glob.h"
#include "lustre/record/event.h"
#include "lustre/select.h"

/* The kernel's name for a process whose name it no longer knows. */
#define UNKNOWN_COMM "<...>"

/* Bytes of a glob for the name of a system. */
#define MAX_GLOB 256

enum verdict {
	UNKNOWN,
	TAKEN,
	REFUSED,
	PART, /* of a message, whose other record decides */
};

/* ---- events ---- */

/* Splits "SYSTEM:NAME" and returns NAME; without a colon the system is "". */
static const char *cut_glob(const char *glob, char *system, size_t size)
{
	const char *colon = strchr(glob, ':');

	snprintf(system, size, "%.*s", colon ? (int)(colon - glob) : 0, glob);
	return colon ? colon + 1 : glob;
}

const char *event_glob_check(const char *glob)
{
	char system[MAX_GLOB];
	const char *name = cut_glob(glob, system, sizeof(system)), *error;
	size_t at;

	error = glob_check(name, &at);
	return error || !*system ? error : glob_check(system, &at);
}

static bool glob_matches_name(const char *glob, const char *its_system, const char *its_name)
{
	char system[MAX_GLOB];
	const char *name = cut_glob(glob, system, sizeof(system));

	return dkt__glob(name, its_name) && (!*system || dkt__glob(system, its_system));
}

static bool glob_matches(const char *glob, const struct dkt_event *event)
{
	return glob_matches_name(glob, dkt_event_system(event), dkt_event_name(event));
}

/* True for events of the tracer itself, which no list contains (kernel/trace/trace_entries.h). */
static bool matches_own(const char *glob)
{
	static const char *const names[] = {
		"print",           "bprint",         "bputs",        "function",
		"funcgraph_entry", "funcgraph_exit", "kernel_stack", "user_stack",
		"context_switch",  "wakeup",         "branch",       "hwlat",
		"osnoise",         "timerlat",       "func_repeats", "raw_data",
		"mmiotrace_rw",    "mmiotrace_map",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (glob_matches_name(glob, "ftrace", names[i]))
			return true;
	return false;
}

int chooser_check_events(struct dkt_ctx *ctx, const struct selection *selection)
{
	const struct names *globs = &selection->events;
	struct dkt_event *const *events;
	struct dkt_event *one;
	struct dkt__guess guess = { 0 };
	size_t n;
	int err = globs->n ? dkt_events(ctx, &events, &n) : 0;

	if (err || !globs->n)
		return err;
	/* All records of a saved log of Lustre have the same event. */
	if (!n && (one = record_event_find(ctx))) {
		events = &one;
		n = 1;
	}
	/* The events of other text files are unknown until their records are read. */
	if (!n)
		return 0;
	for (size_t j = 0; j < globs->n; j++) {
		if (matches_own(globs->list[j]))
			return 0;
		for (size_t i = 0; i < n; i++)
			if (glob_matches(globs->list[j], events[i]))
				return 0;
	}
	/* Do not suggest a system alone: it would match no event. */
	for (size_t j = 0; j < globs->n && !strchr(guess.best, ':'); j++) {
		dkt__guess_start(&guess, globs->list[j], strlen(globs->list[j]));
		select_guess(&guess, ctx);
	}
	return dkt_fail(ctx, -ENOENT, "--event: no event matches '%s'%s%s", globs->list[0],
			globs->n > 1 ? " or the others" : "",
			strchr(guess.best, ':') ? dkt__guess_words(&guess) : "");
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

static enum verdict judge(struct chooser *c, struct dkt_event *event)
{
	const struct names *globs = &c->selection->events;
	int err;

	if (message_is_part(event))
		return PART;
	err = c->filter ? dkt_expr_check_match(c->filter, event) : 0;
	if (c->filter)
		note_misfit(c, err);
	/* A record that lacks the filter's fields does not match. */
	if (err)
		return REFUSED;
	for (size_t i = 0; i < globs->n; i++)
		if (glob_matches(globs->list[i], event))
			return TAKEN;
	return globs->n ? REFUSED : TAKEN;
}

static inline enum verdict verdict_of(struct chooser *c, struct dkt_event *event)
{
	size_t i = dkt_event_index(event);

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

int chooser_push(struct chooser *c, struct dkt_source *source)
{
	if (c->verdicts && dkt_source_select(source, wants, c) == -ENOMEM)
		return -ENOMEM;
	return c->filter && dkt_source_filter(source, c->filter) == -ENOMEM ? -ENOMEM : 0;
}

int chooser_check_filter(struct chooser *c, struct dkt_event *const *on, size_t n,
			 struct dkt_event *beside)
{
	struct dkt_event *const *events;
	size_t n_events;
	int err;

	if (!c->filter)
		return 0;
	if (beside && !dkt_expr_check_match(c->filter, beside)) {
		c->fits = true;
		return 0;
	}
	/* Ask the enabled events first, because their formats are few. */
	if (n && !dkt_expr_check_any(c->filter, on, n, DKT_EXPR_MATCH))
		return 0;
	err = dkt_events(c->ctx, &events, &n_events);
	/* The events of a saved log come with its records. */
	return err || !n_events ? err :
				  dkt_expr_check_any(c->filter, events, n_events, DKT_EXPR_MATCH);
}

char *chooser_explain(struct chooser *c, bool any_taken)
{
	char *reason = c->unmatched;

	c->unmatched = NULL;
	if (reason || !c->misfit || c->fits || any_taken)
		return reason;
	return dkt__format("--filter fits no event of the log: %s", c->misfit);
}

/* ---- records ---- */

static bool has_comm(const struct names *globs, const char *comm)
{
	for (size_t i = 0; i < globs->n; i++)
		if (dkt__glob(globs->list[i], comm))
			return true;
	return false;
}

static bool class_is_taken(struct chooser *c, const struct dkt_record *record)
{
	const struct selection *s = c->selection;
	const struct class_bits bits = legacy_style_bits(c->legacy, record);

	if (mask_hides(s->hidden_classes, bits.classes) ||
	    mask_hides(s->hidden_subsystems, bits.subsystems))
		return false;
	return (!s->classes || bits.classes & s->classes) &&
	       (!s->subsystems || bits.subsystems & s->subsystems);
}

bool chooser_takes_more(struct chooser *c, const struct dkt_record *record,
			struct dkt_source *source)
{
	const struct selection *s = c->selection;
	enum verdict verdict = c->verdicts ? verdict_of(c, record->event) : TAKEN;
	const char *comm;

	if (verdict != TAKEN)
		return verdict == PART;
	if (c->by_class && !class_is_taken(c, record))
		return false;
	if (!s->comms.n && !c->filter)
		return true;
	comm = source ? dkt_source_comm(source, record) : UNKNOWN_COMM;
	return (!s->comms.n || has_comm(&s->comms, comm)) &&
	       (!c->filter || dkt_expr_match(c->filter, record, comm));
}

bool chooser_in_rate(struct chooser *c, const struct dkt_record *record)
{
	struct rate *rate = &c->selection->rate;

	if (!rate->limited || !record->event || verdict_of(c, record->event) == PART)
		return true;
	return rate_takes(rate, legacy_style_bits(c->legacy, record).classes,
			  (int64_t)record->ts + c->wall);
}

/* ---- beginning and end ---- */

void chooser_set_window(struct chooser *c, uint64_t since, uint64_t until)
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
		err = mask_expr(c->ctx, s->filter, &c->filter);
	if (!err && (s->filter || s->events.n || selection_by_class(s))) {
		err = dkt_events(c->ctx, &events, &c->n_verdicts);
		c->verdicts = calloc(c->n_verdicts + 1, 1);
		if (!err && !c->verdicts)
			err = -ENOMEM;
	}
	return err;
}

int chooser_new(struct dkt_ctx *ctx, int64_t wall, struct selection *selection,
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
		chooser_free(c);
		return err;
	}
	*out = c;
	return 0;
}

int chooser_open(struct dkt_ctx *ctx, struct dkt_source *source, struct selection *selection,
		 struct legacy_style *legacy, struct chooser **out)
{
	int err = chooser_new(ctx, dkt_source_info(source)->wall, selection, legacy, out);

	if (!err)
		err = chooser_check_filter(*out, NULL, 0, NULL);
	return err ? err : chooser_push(*out, source);
}

void chooser_free(struct chooser *c)
{
	if (!c)
		return;
	dkt_expr_free(c->filter);
	free(c->verdicts);
	free(c->misfit);
	free(c->unmatched);
	free(c);
}
