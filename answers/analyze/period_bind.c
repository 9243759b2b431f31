/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The events that begin and end periods, and the keys that find a period. */
#include "answers/analyze/period_state.h"

#include "lib/base/memory.h"
#include "lib/inside.h"

/* ---- keys ---- */

/* Finds the comparison of the filter with the variable; false: a match does not need one. */
static bool find_equality(const struct dkt_expr *filter, const char *side, const char *field,
			  struct dkt__equality *equality)
{
	size_t len = strlen(side);

	for (size_t i = 0; !dkt__expr_equality(filter, i, equality, sizeof(*equality)); i++)
		if (!strncmp(equality->variable, side, len) &&
		    !strcmp(equality->variable + len, field))
			return true;
	return false;
}

/* The fields that all filters need to be equal: without them, no record of the events matches. */
static void find_key(const struct named *named, const char *side, const struct period_def *def,
		     struct period_key *key)
{
	struct dkt__equality equality;

	for (uint32_t i = 0; i < def->n_fields && key->n < PERIOD_KEYS; i++) {
		bool needed = true;

		for (size_t j = 0; needed && j < named->n; j++)
			needed = named->list[j].without ||
				 (named->list[j].expr &&
				  find_equality(named->list[j].expr, side, def->fields[i]->name,
						&equality));
		if (needed)
			key->fields[key->n++] = i;
	}
}

bool period_key_words(const struct period_key *key, const struct dkt_variable *values,
		      uint64_t words[PERIOD_KEYS])
{
	words[0] = 0;
	for (uint32_t i = 0; i < key->n; i++)
		if (!period_word(&values[key->fields[i]], &words[i]))
			return false;
	return true;
}

/* ---- from beginning to end ---- */

static int begin_one(struct analyze *a, struct periods *all, struct period_def *def, size_t nr)
{
	struct period *period = &all->list[nr];

	*period = (struct period){
		.def = def, .nr = (uint32_t)nr, .n_links = 1, .thread = period_thread_field(def)
	};
	period->now = calloc(def->n_fields + 1, sizeof(*period->now));
	if (!period->now)
		return dkt__no_memory(a->ctx);
	if (!def->requests)
		find_key(&def->end, "begin.", def, &period->key);
	period->index.keys.n_words = def->requests ? DKT__REQUEST_WORDS :
						     DKT__MAX(period->key.n, 1);
	for (size_t i = 0; def->parent && i < nr; i++)
		if (all->list[i].def == def->parent)
			period->parent = &all->list[i];
	if (!period->parent)
		return 0;
	find_key(&def->begin, "parent.begin.", def->parent, &period->parent_key);
	period->parents.keys.n_words = DKT__MAX(period->parent_key.n, 1);
	period->link = period->parent->n_links++;
	return 0;
}

int periods_begin(struct analyze *a, struct periods *all, const struct period_defs *defs)
{
	int err = 0;

	all->births.keys.n_words = 1;
	all->births.size = sizeof(uint64_t);
	all->list = calloc(defs->n + 1, sizeof(*all->list));
	all->wholes = calloc(defs->n + 1, sizeof(*all->wholes));
	all->children = calloc(defs->n * defs->n + 1, sizeof(*all->children));
	if (!all->list || !all->wholes || !all->children)
		return dkt__no_memory(a->ctx);
	for (; !err && all->n < defs->n; all->n++)
		err = begin_one(a, all, defs->list[all->n], all->n);
	return err;
}

void periods_clear(struct periods *all)
{
	uint64_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		period_drop_all(&all->list[i], &n);
	for (size_t i = 0; i < all->n; i++) {
		period_free_spare(&all->list[i]);
		period_index_clear(&all->list[i].index);
		period_index_clear(&all->list[i].parents);
		free(all->list[i].now);
	}
	for (uint32_t i = 0; i < all->n_events; i++) {
		for (size_t j = 0; j < all->events[i].n; j++)
			free(all->events[i].roles[j].fields);
		free(all->events[i].roles);
	}
	dkt__keyed_clear(&all->births);
	free(all->list);
	free(all->wholes);
	free(all->children);
	free(all->events);
	*all = (struct periods){ 0 };
}

/* ---- events ---- */

/* Binds the fields of a key as the filter compares them. Sets exact if the filter asks no more. */
static void bind_key(struct period_role *role, const struct period_key *key, const char *side,
		     const struct period_def *def, struct dkt_event *event)
{
	struct dkt__equality equality = { 0 };
	size_t n = 0;

	for (uint32_t i = 0; role->filter && i < key->n; i++)
		if (find_equality(role->filter, side, def->fields[key->fields[i]]->name, &equality))
			role->key[i] = period_reader(event, equality.field);
	while (role->filter && !dkt__expr_equality(role->filter, n, &equality, sizeof(equality)))
		n++;
	role->exact = !role->filter || (n && n == key->n && equality.all);
}

static int add_role(struct analyze *a, struct period *period, bool ends, struct dkt_expr *filter,
		    struct dkt_event *event, struct period_event *to)
{
	const struct period_def *def = period->def;
	size_t n = ends ? def->end_fields.n : def->n_fields;
	struct period_role role = { .period = period, .ends = ends, .filter = filter };

	for (size_t i = 0; def->requests && i < REQUEST_FIELDS; i++) {
		role.request[i] = dkt_event_field(event, request_fields[i]);
		if (!role.request[i])
			return 0;
	}
	role.fields = calloc(n + 1, sizeof(*role.fields));
	if (!role.fields)
		return dkt__no_memory(a->ctx);
	for (size_t i = 0; i < n; i++)
		role.fields[i] =
			period_reader(event, ends ? def->end_fields.list[i] : def->fields[i]->name);
	if (ends)
		bind_key(&role, &period->key, "begin.", def, event);
	else if (period->parent)
		bind_key(&role, &period->parent_key, "parent.begin.", def->parent, event);
	if (!dkt__append(to->roles, to->n, role))
		return 0;
	free(role.fields);
	return dkt__no_memory(a->ctx);
}

/* Each filter of the event makes a role; without one, all records have it. */
static int bind_side(struct analyze *a, struct period *period, bool ends, struct dkt_event *event,
		     struct period_event *to)
{
	const struct named *named = ends ? &period->def->end : &period->def->begin;
	const char *system = dkt_event_system(event), *name = dkt_event_name(event);
	bool filtered = false;
	int err = 0;

	if (!dkl_named_chooses(named, event))
		return 0;
	for (size_t i = 0; !err && i < named->n; i++) {
		const struct named_word *word = &named->list[i];

		if (!word->expr || !dkl_named_word_has(word, system, name))
			continue;
		filtered = true;
		/* No record of an event that lacks a field of the filter can match. */
		if (!dkt__expr_check_match(word->expr, event))
			err = add_role(a, period, ends, word->expr, event, to);
	}
	return err || filtered ? err : add_role(a, period, ends, NULL, event, to);
}

/*
 * A record ends periods before it begins others: first the children, which it must not cut off, and
 * it begins the parents first, so that it may begin their children, too.
 */
static int bind(struct analyze *a, struct periods *all, struct dkt_event *event,
		struct period_event *to)
{
	int err = 0;

	to->bound = true;
	for (size_t i = all->n; !err && i; i--)
		err = bind_side(a, &all->list[i - 1], true, event, to);
	for (size_t i = 0; !err && i < all->n; i++)
		err = bind_side(a, &all->list[i], false, event, to);
	return err;
}

const struct period_event *periods_event(struct analyze *a, struct periods *all,
					 const struct analysis_record *r)
{
	struct period_event *event = dkt__reach(all->events, all->n_events, r->event);

	if (!event) {
		dkt__no_memory(a->ctx);
		return NULL;
	}
	return event->bound || !bind(a, all, r->record->event, event) ? event : NULL;
}
