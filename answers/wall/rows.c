/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The time of threads by state, stack and waker. */
#include "answers/wall/walls.h"

/* ---- chains of wakers ---- */

static uint32_t add_link(struct wall *wall, const struct wall_link *link)
{
	const uint64_t key[] = { (uint64_t)link->waker.name << 32 | link->waker.node, link->rest };
	bool added;
	const uint32_t entry = dkt__keymap_add(&wall->link_map, key, &added);
	struct wall_link *at = entry == DKT__KEYMAP_NONE ?
				       NULL :
				       dkt__reach(wall->links, wall->n_links, entry + 1);

	if (!at)
		return 0;
	*at = *link;
	return entry + 1;
}

uint32_t wall_chain(struct wall *wall, const struct wall_waker *waker, uint32_t rest)
{
	struct wall_waker kept[WALL_HOPS_MAX];
	uint32_t n = 0, chain = 0;

	/* The ones that woke first are forgotten. */
	kept[n++] = *waker;
	for (; rest && n < wall->opts.hops && n < WALL_HOPS_MAX; rest = wall->links[rest].rest)
		kept[n++] = wall->links[rest].waker;
	while (n--) {
		chain = add_link(wall, &(struct wall_link){ kept[n], chain });
		if (!chain)
			return 0;
	}
	return chain;
}

int wall_waker(const struct wall *wall, uint32_t chain, size_t i, struct wall_waker *waker)
{
	for (; chain && i; i--)
		chain = wall->links[chain].rest;
	if (!chain)
		return 1;
	*waker = wall->links[chain].waker;
	return 0;
}

/* ---- times ---- */

/* Gets the row, which is created if necessary. NULL: there is no room for it. */
static int get_row(struct wall *wall, uint32_t thread, enum wall_state state, uint32_t node,
		   uint32_t chain, struct wall_row **row)
{
	const uint64_t key[] = { (uint64_t)thread << 32 | node, (uint64_t)state << 32 | chain };
	bool added;
	uint32_t entry = wall->row_map.n < WALL_ROWS_MAX ?
				 dkt__keymap_add(&wall->row_map, key, &added) :
				 dkt__keymap_find(&wall->row_map, key);

	*row = NULL;
	if (entry == DKT__KEYMAP_NONE && wall->row_map.n >= WALL_ROWS_MAX) {
		wall->facts[wall->side].cut++;
		return 0;
	}
	if (entry != DKT__KEYMAP_NONE)
		*row = dkt__reach(wall->rows, wall->n_rows, entry);
	return *row ? 0 : -ENOMEM;
}

/* Returns the part of the thread's time that counts. */
static uint64_t counted(const struct wall *wall, uint32_t thread, uint64_t from, uint64_t to)
{
	const struct wall_thread *t = &wall->threads[thread];

	from = DKT__MAX(from, wall->window.since);
	to = DKT__MIN(to, wall->window.until);
	if (from >= to)
		return 0;
	return wall->within ? wall_within_ns(wall->within, t->part, t->tid, from, to) : to - from;
}

int wall_count(struct wall *wall, uint32_t thread, enum wall_state state, uint32_t node,
	       uint32_t chain, const struct wall_window *time)
{
	const uint64_t ns = counted(wall, thread, time->since, time->until);
	struct wall_row *row;
	int err;

	if (!ns)
		return 0;
	wall->threads[thread].ns[state] += ns;
	wall->threads[thread].all += ns;
	err = get_row(wall, thread, state, node, chain, &row);
	if (!row)
		return err;
	row->ns += ns;
	row->times += state != WALL_RUNNING;
	return 0;
}

int wall_sample(struct wall *wall, uint32_t thread, uint32_t node, uint64_t ts)
{
	struct wall_row *row;
	int err;

	if (!counted(wall, thread, ts, ts + 1))
		return 0;
	err = get_row(wall, thread, WALL_RUNNING, node, 0, &row);
	if (!row)
		return err;
	row->times++;
	wall->threads[thread].samples++;
	return 0;
}
