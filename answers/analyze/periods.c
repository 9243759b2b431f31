/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Periods: intervals whose beginning and end the user defines, and what happened within them. */
#include "answers/analyze/kinds.h"
#include "answers/analyze/period_state.h"

#include "lib/base/memory.h"

/* ---- values of filters ---- */

static void set_variables(const struct period_def *def, const struct dkt_variable *values)
{
	for (uint32_t i = 0; i < def->n_fields; i++)
		def->fields[i]->value = values[i];
}

static bool matches(const struct period_role *role, const struct analysis_record *r)
{
	return !role->filter ||
	       dkt_expr_match(role->filter, r->record, dkt_source_comm(r->source, r->record));
}

/* Reads the fields of the record that are the key; *known is false if it has not all of them. */
static int read_key(struct analyze *a, const struct period_role *role, const struct period_key *key,
		    const struct analysis_record *r, uint64_t words[PERIOD_KEYS], bool *known)
{
	struct dkt_variable value;

	*known = true;
	words[0] = 0;
	for (uint32_t i = 0; *known && i < key->n; i++) {
		int err = period_read(a, &role->key[i], r, &value);

		if (err)
			return err;
		*known = period_word(&value, &words[i]);
	}
	return 0;
}

/* ---- ends ---- */

static struct result_cell value_cell(struct analyze *a, const struct analysis_record *r,
				     const struct period_column *column,
				     const struct dkt_variable *value)
{
	const char *text = value->text;

	if (!value->known)
		return (struct result_cell){ 0 };
	if (column->names == PERIOD_SYSCALL && !text)
		text = dkt_syscall_name(a->ctx, (int)value->number);
	else if (column->names == PERIOD_DISK && !text)
		text = analyze_disk(a, r, (uint64_t)value->number);
	return text ? cell_text(text) : cell_number((uint64_t)value->number);
}

static int fill_cells(struct analyze *a, const struct period_role *role,
		      const struct analysis_record *r, const struct period_open *open,
		      struct result_cell *cells)
{
	const struct period_def *def = open->period->def;

	if (open->parent)
		*cells++ = cell_number(open->parent->begin);
	for (size_t i = 0; i < def->n_columns; i++) {
		const struct period_column *column = &def->columns[i];
		struct dkt_variable value;
		int err = 0;

		if (column->side == PERIOD_BEGIN)
			value = open->values[column->field];
		else if (column->side == PERIOD_PARENT)
			value = open->parent->values[column->field];
		else
			err = period_read(a, &role->fields[column->field], r, &value);
		if (err)
			return err;
		cells[i] = value_cell(a, r, column, &value);
	}
	return 0;
}

/* Adds a child to the sums of all periods that it is in. */
static void add_to_parents(const struct period_open *open, uint64_t ns)
{
	for (struct period_open *period = open->parent; period; period = period->parent) {
		period->sums[open->period->nr].count++;
		period->sums[open->period->nr].total += ns;
	}
}

static int end(struct analyze *a, const struct period_role *role, const struct analysis_record *r,
	       struct period_open *open)
{
	struct span span = { .begin = open->begin,
			     .end = DKT__MAX(open->begin, r->record->ts),
			     .set = open->period->nr };
	uint64_t ended = 0;
	int err = fill_cells(a, role, r, open, span.cells);

	if (err)
		return err;
	add_to_parents(open, span.end - span.begin);
	/* The interval tells them when no loss can make it doubtful. */
	span.more = open->sums;
	open->sums = NULL;
	period_drop(open, &ended, &a->missed.cut);
	return span_add(a, &span);
}

static int on_end_record(struct analyze *a, struct periods *all, const struct period_role *role,
			 const struct analysis_record *r)
{
	struct period *period = role->period;
	struct period_link *link, *next;
	uint64_t words[PERIOD_KEYS], sectors = 0;
	bool known = true;
	int err = 0;

	if (!period->n_open)
		return 0;
	if (period->def->requests)
		sectors = request_read(r->record, role->request, words);
	else
		err = read_key(a, role, &period->key, r, words, &known);
	link = err || !known ? NULL : period_index_find(&period->index, words);
	for (; !err && link; link = next) {
		next = link->next;
		if (!role->exact) {
			set_variables(period->def, link->open->values);
			if (link->open->parent)
				set_variables(period->def->parent, link->open->parent->values);
		}
		if (!role->exact && !matches(role, r))
			continue;
		if (dkt__unlikely(period_is_of_another(all, link->open)))
			period_drop(link->open, &a->missed.endless, &a->missed.cut);
		else if (period->def->requests && sectors < link->open->left)
			err = period_go_on(a, link->open, words, sectors);
		else
			err = end(a, role, r, link->open);
	}
	return err;
}

/* ---- beginnings ---- */

static int read_fields(struct analyze *a, const struct period_role *role,
		       const struct analysis_record *r)
{
	struct period *period = role->period;
	int err = 0;

	if (period->def->requests)
		period->sectors = request_read(r->record, role->request, period->request);
	for (uint32_t i = 0; !err && i < period->def->n_fields; i++)
		err = period_read(a, &role->fields[i], r, &period->now[i]);
	return err;
}

/* Begins a period in each open parent that the filter accepts. */
static int begin_in_parents(struct analyze *a, struct periods *all, const struct period_role *role,
			    const struct analysis_record *r, bool *begun)
{
	struct period *period = role->period;
	struct period_link *link, *next;
	uint64_t words[PERIOD_KEYS];
	bool known;
	int err;

	if (!period->parent->n_open)
		return 0;
	err = read_key(a, role, &period->parent_key, r, words, &known);
	link = err || !known ? NULL : period_index_find(&period->parents, words);
	if (link)
		err = read_fields(a, role, r);
	for (; !err && link; link = next) {
		next = link->next;
		if (!role->exact) {
			set_variables(period->def->parent, link->open->values);
			if (!matches(role, r))
				continue;
		}
		*begun = true;
		err = period_begin(a, all, period, link->open, r->record->ts);
	}
	return err;
}

static int on_begin_record(struct analyze *a, struct periods *all, const struct period_role *role,
			   const struct analysis_record *r, bool *begun)
{
	int err;

	*begun = false;
	if (role->period->parent)
		return begin_in_parents(a, all, role, r, begun);
	if (!matches(role, r))
		return 0;
	*begun = true;
	err = read_fields(a, role, r);
	return err ? err : period_begin(a, all, role->period, NULL, r->record->ts);
}

/* ---- the kind ---- */

static int on_record(struct analyze *a, void *state, const struct analysis_record *r)
{
	struct periods *all = state;
	const struct period_event *event = periods_event(a, all, r);
	const struct period *last = NULL;
	bool begun = false;
	int err = event ? 0 : -ENOMEM;

	if (!err && r->fields[0])
		err = period_birth(a, all, r);
	for (size_t i = 0; !err && i < event->n; i++) {
		const struct period_role *role = &event->roles[i];

		if (role->ends) {
			err = on_end_record(a, all, role, r);
			continue;
		}
		/* Another filter for the same event begins nothing more. */
		if (begun && role->period == last)
			continue;
		last = role->period;
		err = on_begin_record(a, all, role, r, &begun);
	}
	return err;
}

/* The lost records may have ended or begun any period. */
static int on_gap(struct analyze *a, void *state, uint32_t cpu, uint64_t last, uint64_t ts)
{
	struct periods *all = state;

	(void)cpu, (void)last, (void)ts;
	for (size_t i = 0; i < all->n; i++)
		period_drop_all(&all->list[i], &a->missed.lost);
	return 0;
}

static int on_end(struct analyze *a, void *state)
{
	struct periods *all = state;

	for (size_t i = 0; i < all->n; i++)
		period_drop_all(&all->list[i], &a->missed.open);
	return 0;
}

static int on_begin(struct analyze *a, void *state)
{
	return periods_begin(a, state, a->analysis->kind->data);
}

static void clear(void *state)
{
	periods_clear(state);
}

/* ---- children ---- */

static const struct result_column columns[] = {
	{ "parent", RESULT_TEXT, "Parent", NULL, NULL },
	{ "period", RESULT_TEXT, "Period", NULL, NULL },
	{ "parents", RESULT_NUMBER, "Parents", NULL, NULL },
	{ "with", RESULT_NUMBER, "Parents with such a period", NULL, NULL },
	{ "count", RESULT_NUMBER, "Count", NULL, NULL },
	{ "mean", RESULT_REAL, "Mean number in a parent that has one", NULL, NULL },
	{ "most", RESULT_NUMBER, "Largest number in a parent", NULL, NULL },
	{ "total", RESULT_DURATION, "Total", NULL, NULL },
	{ "share", RESULT_SHARE, "Part of the time of all parents", NULL, NULL },
	{ "min_share", RESULT_SHARE, "Smallest part of the time of a parent", NULL, NULL },
	{ "max_share", RESULT_SHARE, "Largest part of the time of a parent", NULL, NULL },
};

const struct result_table period_tables[] = {
	{ "children", "Periods within their parents", columns, ARRAY_SIZE(columns), false, -1, -1 },
};

static int on_span(struct analyze *a, void *state, const struct span *span)
{
	struct periods *all = state;
	const struct period_sum *sums = span->more;
	struct period_children *children = all->children + span->set * all->n;
	uint64_t ns = span->end - span->begin;

	(void)a;
	all->wholes[span->set].count++;
	all->wholes[span->set].total += ns;
	for (size_t i = 0; sums && i < all->n; i++) {
		struct period_children *child = &children[i];
		double share = ns ? (double)sums[i].total / (double)ns : 0;

		if (!sums[i].count)
			continue;
		child->least_share = child->parents ? DKT__MIN(child->least_share, share) : share;
		child->most_share = DKT__MAX(child->most_share, share);
		child->most = DKT__MAX(child->most, sums[i].count);
		child->parents++;
		child->count += sums[i].count;
		child->total += sums[i].total;
	}
	return 0;
}

static struct result_cell cell_real(double real)
{
	return (struct result_cell){ .real = real, .known = true };
}

static int children_row(struct analyze *a, const struct periods *all, size_t parent, size_t child)
{
	const struct period_children *children = &all->children[parent * all->n + child];
	struct result_cell cells[ARRAY_SIZE(columns)] = {
		cell_text(all->list[parent].def->name),
		cell_text(all->list[child].def->name),
		cell_number(all->wholes[parent].count),
		cell_number(children->parents),
		cell_number(children->count),
		cell_real((double)children->count / (double)children->parents),
		cell_number(children->most),
		cell_number(children->total),
		cell_share(children->total, all->wholes[parent].total),
		cell_real(children->least_share),
		cell_real(children->most_share),
	};

	return analyze_row(a, &period_tables[0], cells);
}

static int on_last(struct analyze *a, void *state)
{
	const struct periods *all = state;
	int err = 0;

	if (a->analysis->view != VIEW_STATS)
		return 0;
	for (size_t i = 0; i < all->n; i++)
		for (size_t j = 0; !err && j < all->n; j++)
			if (all->children[i * all->n + j].parents)
				err = children_row(a, all, i, j);
	return err;
}

/* period_run_new() adds the events, the sets and the tables of definitions. */
const struct analysis_kind period_kind = {
	.size = sizeof(struct periods),
	.begin = on_begin,
	.gap = on_gap,
	.end = on_end,
	.span = on_span,
	.last = on_last,
	.clear = clear,
	.live_globs = true,
};

const analysis_record_fn period_record = on_record;
