/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes a kind of analysis from definitions of periods: its events, and a set of intervals for each. */
#include "answers/analyze/period_kind.h"

#include "answers/analyze/kinds.h"
#include "answers/analyze/period_pair.h"
#include "answers/analyze/period_state.h"
#include "compat/lustre/event_names.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"

struct period_run {
	struct dkt_ctx *ctx;
	struct analysis analysis;
	struct analysis_kind kind;
	struct period_defs defs;
	struct analysis_event *events;
	struct dkt__strings names; /* of the events */
	struct span_set *sets;
	struct result_column *columns; /* SPAN_CELLS for each set */
};

bool analysis_takes_periods(const struct analysis *analysis)
{
	return analysis->kind == &period_kind;
}

/* ---- events ---- */

/* Returns "system:name" of the event that a word means; the caller frees it. NULL: memory is out. */
static char *event_name(struct dkt_ctx *ctx, const struct named_word *word)
{
	struct dkt_event *const *all;
	size_t n;

	if (word->system)
		return strdup(word->glob);
	if (!strpbrk(word->name, "*?[") && !dkt_events(ctx, &all, &n))
		for (size_t i = 0; i < n; i++)
			if (!strcmp(dkt_event_name(all[i]), word->name))
				return dkl_event_full_name(all[i]);
	return dkt__format("*:%s", word->name);
}

/* Events of a thread that begins, and their fields with its ID. */
static const char *const births[][2] = {
	{ "task:task_newtask", "pid" },
	{ "sched:sched_process_fork", "child_pid" },
};

/* Returns the field of such an event, or NULL. */
static const char *birth_field(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(births); i++)
		if (!strcmp(strchr(name, ':'), strchr(births[i][0], ':')))
			return births[i][1];
	return NULL;
}

static int add_row(struct period_run *run, enum analysis_need need, const char *name)
{
	for (size_t i = 0; i < run->kind.n_events; i++)
		if (!strcmp(run->events[i].name, name)) {
			run->events[i].need = DKT__MIN(run->events[i].need, need);
			return 0;
		}
	if (dkt__strings_add(&run->names, name))
		return dkt__no_memory(run->ctx);
	return dkt__with_words(
		run->ctx,
		dkt__append(run->events, run->kind.n_events,
			    (struct analysis_event){ .name = run->names.list[run->names.n - 1],
						     .need = need,
						     .record = period_record,
						     .fields = { birth_field(name) } }));
}

static int add_event(struct period_run *run, const struct named *named, const char *name)
{
	/* Any event of several suffices; what a glob has is not known. */
	return add_row(run,
		       strpbrk(name, "*?[") ? NEED_NONE :
		       named->n == 1        ? NEED_ALL :
					      NEED_ONE,
		       name);
}

/* Names come before globs, so that a record counts for its name. */
static int add_events(struct period_run *run, const struct named *named, bool globs)
{
	int err = 0;

	for (size_t i = 0; !err && i < named->n; i++) {
		const struct named_word *word = &named->list[i];
		char *name __cleanup(free) = word->without ? NULL : event_name(run->ctx, word);

		if (word->without)
			continue;
		if (!name)
			return dkt__no_memory(run->ctx);
		if (globs == (strpbrk(name, "*?[") != NULL))
			err = add_event(run, named, name);
	}
	return err;
}

/* A period of a thread must not end with a record of another thread that got its ID. */
static int add_births(struct period_run *run)
{
	bool any = false;
	int err = 0;

	for (size_t i = 0; i < run->defs.n; i++)
		any |= period_thread_field(run->defs.list[i]) != PERIOD_NO_FIELD;
	for (size_t i = 0; any && !err && i < ARRAY_SIZE(births); i++)
		err = add_row(run, NEED_NONE, births[i][0]);
	return err;
}

static int add_all_events(struct period_run *run)
{
	const struct period_defs *defs = &run->defs;
	int err = 0;

	for (int globs = 0; !err && globs < 2; globs++) {
		for (size_t i = 0; !err && i < defs->n; i++) {
			err = add_events(run, &defs->list[i]->begin, globs);
			if (!err)
				err = add_events(run, &defs->list[i]->end, globs);
		}
		if (!err && !globs)
			err = add_births(run);
	}
	return err;
}

/* ---- sets ---- */

static void make_set(struct period_run *run, size_t nr)
{
	const struct period_def *def = run->defs.list[nr];
	struct result_column *columns = run->columns + nr * SPAN_CELLS, *to = columns;

	if (def->parent)
		*to++ = (struct result_column){ .key = "parent_begin",
						.type = RESULT_TIME,
						.title = "Begin of the parent" };
	for (size_t i = 0; i < def->n_columns; i++)
		*to++ = (struct result_column){ .key = def->columns[i].key,
						.type = RESULT_VALUE,
						.title = def->columns[i].key };
	run->sets[nr] = (struct span_set){ .key = def->name,
					   .title = def->name,
					   .columns = columns,
					   .n = (size_t)(to - columns),
					   .by = { -1, -1 } };
}

static int make_kind(struct period_run *run)
{
	const struct period_defs *defs = &run->defs;
	bool children = false;
	int err;

	run->sets = calloc(defs->n, sizeof(*run->sets));
	run->columns = calloc(defs->n * SPAN_CELLS, sizeof(*run->columns));
	if (!run->sets || !run->columns)
		return dkt__no_memory(run->ctx);
	err = add_all_events(run);
	for (size_t i = 0; i < defs->n; i++) {
		make_set(run, i);
		children |= defs->list[i]->parent != NULL;
	}
	run->kind.events = run->events;
	run->kind.sets = run->sets;
	run->kind.n_sets = defs->n;
	run->kind.tables = period_tables;
	run->kind.n_tables = children;
	run->kind.data = defs;
	return err;
}

/* ---- the interface ---- */

int period_run_new(struct dkt_ctx *ctx, const struct analysis *analysis, const char *text,
		   struct period_run **out)
{
	struct period_run *run = calloc(1, sizeof(*run));
	int err = run ? 0 : dkt__no_memory(ctx);

	*out = run;
	if (err)
		return err;
	run->ctx = ctx;
	run->kind = period_kind;
	run->analysis = *analysis;
	run->analysis.kind = &run->kind;
	err = period_defs_read(ctx, text, &run->defs);
	return err ? err : make_kind(run);
}

int period_run_of_pair(struct dkt_ctx *ctx, const struct analysis *analysis,
		       struct dkt_ctx *definitions, const char *name, struct period_run **run)
{
	char *text __cleanup(free) = NULL;
	size_t n_groups = 0, nr, first;
	int err = period_pair_table(ctx, definitions, name, &text, &n_groups);

	*run = NULL;
	if (!err)
		err = period_run_new(ctx, analysis, text, run);
	if (err)
		return err;
	/* Those that it is within come first, and the beginning of the parent is a column before the others. */
	nr = (*run)->defs.n - 1;
	first = (*run)->defs.list[nr]->parent != NULL;
	for (size_t i = 0; i < n_groups && i < SPAN_GROUPS; i++)
		(*run)->sets[nr].by[i] = (int)(first + i);
	return 0;
}

void period_run_free(struct period_run *run)
{
	if (!run)
		return;
	period_defs_clear(&run->defs);
	dkt__strings_clear(&run->names);
	free(run->events);
	free(run->sets);
	free(run->columns);
	free(run);
}

int period_run_check(const struct period_run *run)
{
	return period_defs_check(run->ctx, &run->defs);
}

const struct analysis *period_run_analysis(const struct period_run *run)
{
	return &run->analysis;
}
