/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The times in which threads are in an interval, such as a system call or a request. */
#include "answers/wall/within.h"

#include "compat/lustre/mask.h"
#include "lib/base/keyed.h"
#include "lib/inside/measure.h"

/* So many intervals are remembered: 64 MB. */
#define MAX_SPELLS (1u << 21)

/* A thread is in the interval. */
struct spell {
	uint32_t part;
	int32_t tid;
	uint64_t from, to;
};

/* One way of the interval: a pair of events of a part. */
struct way {
	const struct dkt_interval *row;
	struct dkt_intervals *pairs;
	struct dkt_expr *filter; /* NULL: none */
};

/* A part of the pipeline. */
struct part {
	struct dkt_ctx *ctx; /* NULL: no record has come */
	struct way *ways;
	size_t n;
	struct dkt__keyed
		roles; /* by event: what it does in any of the ways, enum dkt_interval_role */
};

struct wall_within {
	struct wall_within_opts opts;
	struct part *parts;
	size_t n_parts;
	struct dkt__keyed begun; /* when a thread last began an interval, by part and ID */
	struct spell *spells; /* sorted after wall_within_end(), and apart from each other */
	size_t n;
	struct wall_within_facts facts;
	const struct dkt_record *record; /* that is being added */
	struct dkt_source *source; /* of it */
	uint32_t part;
};

int wall_within_new(const struct wall_within_opts *opts, struct wall_within **out)
{
	struct wall_within *within = calloc(1, sizeof(*within));

	*out = within;
	if (!within)
		return -ENOMEM;
	within->opts = *opts;
	within->begun = (struct dkt__keyed){ .keys.n_words = 1, .size = sizeof(uint64_t) };
	return 0;
}

static void clear_part(struct part *part)
{
	for (size_t i = 0; i < part->n; i++) {
		dkt_intervals_free(part->ways[i].pairs);
		dkt_expr_free(part->ways[i].filter);
	}
	free(part->ways);
	dkt__keyed_clear(&part->roles);
	*part = (struct part){ 0 };
}

static void end_reading(struct wall_within *within)
{
	for (size_t i = 0; i < within->n_parts; i++)
		clear_part(&within->parts[i]);
	free(within->parts);
	dkt__keyed_clear(&within->begun);
	within->parts = NULL;
	within->n_parts = 0;
}

void wall_within_free(struct wall_within *within)
{
	if (!within)
		return;
	end_reading(within);
	free(within->spells);
	free(within);
}

/* ---- intervals ---- */

/* Returns the time at which the thread last began an interval. NULL: memory is out. */
static uint64_t *begun_by(struct wall_within *within, int32_t tid)
{
	const uint64_t key = (uint64_t)within->part << 32 | (uint32_t)tid;
	bool added;

	return dkt__keyed_add(&within->begun, &key, &added);
}

/* A gap makes an interval doubtful that has been among the last ones. */
static void cancel(struct wall_within *within, uint64_t from, uint64_t to)
{
	for (size_t i = within->n; i--;) {
		struct spell *spell = &within->spells[i];

		/* It is cancelled already. */
		if (spell->from == spell->to)
			continue;
		if (spell->to < to)
			return;
		if (spell->part == within->part && spell->from == from && spell->to == to) {
			spell->to = from;
			return;
		}
	}
}

static bool is_chosen(const struct wall_within *within, int32_t tid)
{
	return !within->opts.chosen ||
	       within->opts.chosen(within->opts.data, tid,
				   dkt_source_comm(within->source, within->record));
}

static int add_spell(void *data, uint64_t end, uint64_t ns, bool cancelled)
{
	struct wall_within *within = data;
	const int32_t tid = within->record->pid;
	const uint64_t *begun;

	if (ns < within->opts.least || ns > within->opts.most)
		return 0;
	if (cancelled) {
		cancel(within, end - ns, end);
		return 0;
	}
	if (!is_chosen(within, tid))
		return 0;
	begun = begun_by(within, tid);
	if (!begun)
		return -ENOMEM;
	if (*begun != end - ns) {
		within->facts.apart++;
		return 0;
	}
	if (within->n >= MAX_SPELLS)
		return dkt_fail(within->opts.ctx, -E2BIG,
				"there are more than %u '%s'; choose the slow ones", MAX_SPELLS,
				within->opts.name);
	return dkt__append(within->spells, within->n,
			   (struct spell){ within->part, tid, end - ns, end });
}

/* The pairs get their events when these come: a text tells only then which ones it has. */
static int open_way(struct wall_within *within, struct part *part, const struct dkt_interval *row)
{
	DKT_OPTS(dkt_intervals_opts, opts, .key = row->match, .pair = add_spell, .data = within);
	char *calls __cleanup(free) = NULL;
	struct way *way = dkt__reach(part->ways, part->n, part->n);
	int err = way ? 0 : -ENOMEM;

	if (!err && row->calls)
		err = dkt__interval_calls_filter(part->ctx, row, row->calls, &calls);
	if (!err && calls)
		err = dkl_mask_expr(part->ctx, calls, &way->filter);
	if (err)
		return err;
	way->row = row;
	opts.filter = way->filter;
	return dkt_intervals_new(part->ctx, &opts, &way->pairs);
}

static int open_part(struct wall_within *within, struct part *part, struct dkt_ctx *ctx)
{
	int err = 0;

	part->ctx = ctx;
	part->roles = (struct dkt__keyed){ .keys.n_words = 1, .size = sizeof(uint32_t) };
	for (const struct dkt_interval *row = dkt_interval_find(ctx, within->opts.name);
	     !err && row; row = row->next)
		err = open_way(within, part, row);
	if (err && err != -ENOMEM)
		dkt_fail(within->opts.ctx, err, "%s", dkt_error(ctx));
	return err;
}

static struct part *part_of(struct wall_within *within, struct dkt_ctx *ctx, uint32_t nr, int *err)
{
	struct part *part = dkt__reach(within->parts, within->n_parts, nr);

	*err = part ? 0 : -ENOMEM;
	if (part && !part->ctx)
		*err = open_part(within, part, ctx);
	return part;
}

/* Tells the pairs what an event does that has not come before. */
static int bind_event(struct wall_within *within, struct part *part, struct dkt_event *event,
		      uint32_t *role)
{
	int err = 0;

	for (size_t i = 0; !err && i < part->n; i++) {
		const uint32_t roles = dkt_interval_roles(part->ways[i].row, event);

		if (roles)
			err = dkt_intervals_event(part->ways[i].pairs, event, roles);
		if (!err)
			*role |= roles;
		/* In this file the event lacks a field. */
		if (err == -ENOENT || err == -EINVAL)
			err = 0;
	}
	within->facts.roles |= *role;
	return err;
}

/* Gets what the event does. */
static int find_role(struct wall_within *within, struct part *part, struct dkt_event *event,
		     uint32_t *role)
{
	const uint64_t key = (uintptr_t)event;
	bool added;
	uint32_t *known = dkt__keyed_add(&part->roles, &key, &added);
	int err = known ? 0 : -ENOMEM;

	if (!err && added)
		err = bind_event(within, part, event, known);
	if (!err)
		*role = *known;
	return err;
}

int wall_within_add(struct wall_within *within, struct dkt_ctx *ctx, uint32_t nr,
		    struct dkt_source *source, const struct dkt_record *record)
{
	int err;
	struct part *part = part_of(within, ctx, nr, &err);
	uint32_t role = 0;
	uint64_t *begun;

	if (!err && record->event)
		err = find_role(within, part, record->event, &role);
	if (err)
		return err;
	within->part = nr;
	within->record = record;
	within->source = source;
	/* The record that ends an interval may begin the next one. */
	for (size_t i = 0; !err && i < part->n; i++)
		err = dkt_intervals_add(part->ways[i].pairs, NULL, record);
	if (err || !(role & DKT_INTERVAL_BEGIN))
		return err;
	begun = begun_by(within, record->pid);
	if (begun)
		*begun = record->ts;
	return begun ? 0 : -ENOMEM;
}

/* ---- the end ---- */

static int by_thread(const void *a, const void *b)
{
	const struct spell *x = a, *y = b;

	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->from != y->from ? (x->from < y->from ? -1 : 1) : 0;
}

static bool is_of_thread(const struct spell *spell, uint32_t part, int32_t tid)
{
	return spell->part == part && spell->tid == tid;
}

void wall_within_end(struct wall_within *within)
{
	struct spell *last = NULL;
	size_t n = 0;

	end_reading(within);
	if (within->n)
		qsort(within->spells, within->n, sizeof(*within->spells), by_thread);
	for (size_t i = 0; i < within->n; i++) {
		const struct spell spell = within->spells[i];
		const bool same = last && is_of_thread(last, spell.part, spell.tid);

		if (spell.from >= spell.to)
			continue;
		within->facts.intervals++;
		within->facts.threads += !same;
		if (same && spell.from <= last->to) {
			last->to = DKT__MAX(last->to, spell.to);
			continue;
		}
		last = &within->spells[n++];
		*last = spell;
	}
	within->n = n;
}

const struct wall_within_facts *wall_within_facts(const struct wall_within *within)
{
	return &within->facts;
}

/* Returns the first interval of the thread that ends after a time; the number of all: none. */
static size_t first_after(const struct wall_within *within, uint32_t part, int32_t tid, uint64_t ts)
{
	size_t low = 0, high = within->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct spell *spell = &within->spells[middle];
		const bool before =
			is_of_thread(spell, part, tid) ?
				spell->to <= ts :
				by_thread(spell, &(struct spell){ .part = part, .tid = tid }) < 0;

		if (before)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint64_t wall_within_ns(const struct wall_within *within, uint32_t part, int32_t tid, uint64_t from,
			uint64_t to)
{
	uint64_t ns = 0;

	for (size_t i = first_after(within, part, tid, from); i < within->n; i++) {
		const struct spell *spell = &within->spells[i];

		if (!is_of_thread(spell, part, tid) || spell->from >= to)
			break;
		ns += DKT__MIN(to, spell->to) - DKT__MAX(from, spell->from);
	}
	return ns;
}
