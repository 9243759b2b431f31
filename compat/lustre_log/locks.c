/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Follows each lock from its enqueue to its cancel, and finds who waited for whom. */
#include "compat/lustre_log/locks.h"

#include "lib/base/memory.h"

int dkl_locks_init(struct locks *locks, struct dkt_ctx *ctx, size_t most)
{
	*locks = (struct locks){ .ctx = ctx,
				 .map.n_words = 2,
				 .res_map.n_words = 2,
				 .group_map.n_words = 1,
				 .most = most };
	dkl_name_table_init(&locks->names);
	dkl_lock_pairs_init(&locks->pairs);
	locks->longest = calloc(most + 1, sizeof(*locks->longest));
	locks->slowest = calloc(most + 1, sizeof(*locks->slowest));
	return locks->longest && locks->slowest ? 0 : dkt__no_memory(ctx);
}

void dkl_locks_clear(struct locks *locks)
{
	for (size_t i = 0; i < locks->n_groups; i++)
		for (size_t j = 0; j < LOCK_PHASES; j++)
			dkt__dist_clear(&locks->groups[i].phases[j]);
	dkt__keymap_clear(&locks->map);
	dkt__keymap_clear(&locks->res_map);
	dkt__keymap_clear(&locks->group_map);
	dkl_name_table_clear(&locks->names);
	dkl_lock_pairs_clear(&locks->pairs);
	free(locks->list);
	free(locks->res);
	free(locks->groups);
	free(locks->longest);
	free(locks->slowest);
	*locks = (struct locks){ 0 };
}

/* ---- what is remembered ---- */

static struct lock *find_lock(const struct locks *locks, uint32_t host, uint64_t handle)
{
	uint32_t entry = dkt__keymap_find(&locks->map, (uint64_t[]){ host, handle });

	return entry == DKT__KEYMAP_NONE ? NULL : &locks->list[entry];
}

static struct lock *begin_lock(struct locks *locks, uint32_t host, uint64_t handle)
{
	bool added;
	uint32_t entry = dkt__keymap_add(&locks->map, (uint64_t[]){ host, handle }, &added);

	if (entry == DKT__KEYMAP_NONE)
		return NULL;
	if (entry == locks->n_list && dkt__append(locks->list, locks->n_list, (struct lock){ 0 }))
		return NULL;
	locks->list[entry] = (struct lock){ .host = host, .handle = handle, .open = true };
	return &locks->list[entry];
}

static struct lock_res *find_res(struct locks *locks, const struct lock *lock)
{
	bool added;
	uint32_t entry =
		dkt__keymap_add(&locks->res_map, (uint64_t[]){ lock->host, lock->res }, &added);

	if (entry == DKT__KEYMAP_NONE ||
	    (added && dkt__append(locks->res, locks->n_res,
				  (struct lock_res){ .host = lock->host, .res = lock->res })))
		return NULL;
	return &locks->res[entry];
}

const struct lock_res *dkl_locks_res(const struct locks *locks, const struct lock *lock)
{
	uint32_t entry = dkt__keymap_find(&locks->res_map, (uint64_t[]){ lock->host, lock->res });

	return entry == DKT__KEYMAP_NONE ? NULL : &locks->res[entry];
}

static int add_phase(struct locks *locks, const struct lock *lock, enum lock_phase phase,
		     uint64_t from, uint64_t to)
{
	bool added;
	uint32_t entry = dkt__keymap_add(&locks->group_map, (uint64_t[]){ lock->ns }, &added);

	if (entry == DKT__KEYMAP_NONE ||
	    (added &&
	     dkt__append(locks->groups, locks->n_groups, (struct lock_group){ .ns = lock->ns })))
		return -ENOMEM;
	/* A clock that was set back makes no time. */
	return to < from ? 0 : dkt__dist_add(&locks->groups[entry].phases[phase], to - from);
}

static void keep_long(struct locks *locks, const struct lock_conflict *conflict)
{
	size_t at = locks->n_longest;

	if (at == locks->most && (!at || locks->longest[at - 1].wait >= conflict->wait))
		return;
	while (at && locks->longest[at - 1].wait < conflict->wait) {
		locks->longest[at] = locks->longest[at - 1];
		at--;
	}
	locks->longest[at] = *conflict;
	locks->n_longest += locks->n_longest < locks->most;
}

/* Returns 0 if one of the times is unknown. */
static uint64_t between(uint64_t from, uint64_t to)
{
	return from && to > from ? to - from : 0;
}

/* How long the lock waited for others, and others for it. */
static uint64_t slowness(const struct lock *lock)
{
	return between(lock->enqueued, lock->granted) + between(lock->blocked, lock->cancelled);
}

static void keep_slow(struct locks *locks, const struct lock *lock)
{
	uint64_t value = slowness(lock);
	size_t at = locks->n_slowest;

	if (!value || (at == locks->most && (!at || slowness(&locks->slowest[at - 1]) >= value)))
		return;
	while (at && slowness(&locks->slowest[at - 1]) < value) {
		locks->slowest[at] = locks->slowest[at - 1];
		at--;
	}
	locks->slowest[at] = *lock;
	locks->n_slowest += locks->n_slowest < locks->most;
}

/* ---- steps ---- */

static struct lock_pair pair_of(const struct locks *locks, uint64_t handle, uint64_t remote)
{
	const struct lock_pair *pair = dkl_lock_pairs_find(&locks->pairs, handle, remote);

	return pair ? *pair : (struct lock_pair){ 0 };
}

struct lock_pair dkl_locks_held(const struct locks *locks, const struct lock *lock)
{
	return pair_of(locks, lock->handle, lock->remote);
}

struct lock_pair dkl_locks_holder(const struct locks *locks, const struct lock_res *res)
{
	return res->released ? res->held : pair_of(locks, res->handle, res->remote);
}

/*
 * The lock has waited for the holder of another lock if a callback to that holder was sent meanwhile, or
 * had been sent and was not answered.
 */
static bool had_to_wait(const struct lock *lock, const struct lock_res *res)
{
	return res->blocked && (res->blocked >= lock->enqueued || !res->released ||
				res->released >= lock->enqueued);
}

const struct lock *dkl_locks_server_side(const struct locks *locks, const struct lock *lock)
{
	const struct lock_pair pair = dkl_locks_held(locks, lock);
	const struct lock *other = pair.has_server && lock->remote ?
					   find_lock(locks, pair.server, lock->remote) :
					   NULL;

	return dkl_locks_is_local(locks, lock) && other ? other : lock;
}

const struct lock *dkl_locks_only_granted(const struct locks *locks, const struct lock *lock)
{
	const struct lock *found = NULL;

	for (size_t i = 0; i < locks->n_list; i++) {
		const struct lock *other = &locks->list[i];

		if (!other->open || !other->granted || other->host != lock->host ||
		    other->res != lock->res || other == lock)
			continue;
		if (found)
			return NULL;
		found = other;
	}
	return found;
}

bool dkl_locks_waited_for(const struct locks *locks, const struct lock *lock, uint32_t *holder,
			  struct lock_pair *held)
{
	const struct lock_res *res;

	lock = dkl_locks_server_side(locks, lock);
	res = dkl_locks_res(locks, lock);
	if (!res || !had_to_wait(lock, res))
		return false;
	*holder = res->holder;
	*held = dkl_locks_holder(locks, res);
	return true;
}

static int grant(struct locks *locks, const struct log_line *line, struct lock *lock)
{
	struct lock_res *res = find_res(locks, lock);
	uint64_t wait = line->time > lock->enqueued ? line->time - lock->enqueued : 0;

	lock->granted = line->time;
	if (!res || add_phase(locks, lock, LOCK_WAIT, lock->enqueued, line->time))
		return -ENOMEM;
	if (!had_to_wait(lock, res))
		return 0;
	res->conflicts++;
	locks->conflicts++;
	res->wait += wait;
	res->longest = DKT__MAX(res->longest, wait);
	keep_long(locks, &(struct lock_conflict){ .wait = wait,
						  .since = lock->enqueued,
						  .until = line->time,
						  .host = lock->host,
						  .ns = lock->ns,
						  .res = lock->res,
						  .mode = lock->mode,
						  .waiter = lock->nid,
						  .holder = res->holder,
						  .handle = lock->handle,
						  .held = dkl_locks_holder(locks, res) });
	return 0;
}

static int block(struct locks *locks, const struct log_line *line, struct lock *lock)
{
	struct lock_res *res = find_res(locks, lock);

	if (!res)
		return -ENOMEM;
	if (!lock->blocked)
		lock->blocked = line->time;
	res->blocked = line->time;
	res->released = 0;
	res->holder = lock->nid;
	res->handle = lock->handle;
	res->remote = lock->remote;
	return 0;
}

/* Adds the parts of a callback, which end when the server has the lock back. */
static int add_parts(struct locks *locks, const struct lock *lock, const struct lock_pair *pair)
{
	const uint64_t times[] = { pair->sent, pair->received, pair->returned, lock->cancelled };
	int err = 0;

	for (size_t i = 0; !err && i + 1 < ARRAY_SIZE(times); i++)
		if (times[i] && times[i + 1])
			err = add_phase(locks, lock, (enum lock_phase)(LOCK_TO_CLIENT + i),
					times[i], times[i + 1]);
	return err;
}

/* The server has the lock back, or the client's log is alone. */
static int end_pair(struct locks *locks, const struct lock *lock, bool of_client,
		    struct lock_pair *held)
{
	*held = dkl_locks_held(locks, lock);
	if (of_client && held->has_server)
		return 0;
	dkl_lock_pairs_remove(&locks->pairs, lock->handle, lock->remote);
	return held->has_client && held->has_server ? add_parts(locks, lock, held) : 0;
}

static int cancel(struct locks *locks, const struct log_line *line, bool of_client,
		  struct lock *lock)
{
	struct lock_pair held;
	struct lock_res *res;
	int err;

	lock->cancelled = line->time;
	keep_slow(locks, lock);
	err = end_pair(locks, lock, of_client, &held);
	if (err)
		return err;
	/* Its memory stays as it is until the next lock begins. */
	lock->open = false;
	dkt__keymap_remove(&locks->map, (uint64_t[]){ lock->host, lock->handle });
	if (!lock->blocked)
		return 0;
	res = find_res(locks, lock);
	if (!res)
		return -ENOMEM;
	if (!res->released) {
		res->released = line->time;
		res->held = held;
	}
	return add_phase(locks, lock, LOCK_CALLBACK, lock->blocked, line->time);
}

/* Sets what the message tells of the lock. False: memory is out. */
static bool learn(struct locks *locks, const struct lock_text *text, struct lock *lock)
{
	const struct {
		struct part part;
		uint32_t *number;
	} parts[] = { { text->ns, &lock->ns },
		      { text->res, &lock->res },
		      { text->nid, &lock->nid },
		      { text->wanted, &lock->mode } };

	if (text->remote)
		lock->remote = text->remote;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (!parts[i].part.len)
			continue;
		*parts[i].number = dkl_name_number(&locks->names, parts[i].part);
		if (*parts[i].number == UINT32_MAX)
			return false;
	}
	return true;
}

static int take_step(struct locks *locks, const struct log_line *line, const struct lock_text *text,
		     struct lock *lock)
{
	int err = 0;

	if (text->step == LOCK_ENQUEUED && !lock->enqueued) {
		lock->enqueued = line->time;
		lock->thread = line->pid;
	}
	/* Which message comes first after the grant differs, but each has the mode that is granted. */
	else if (lock_waits(lock) && lock_text_granted(text))
		err = grant(locks, line, lock);
	if (!err && lock->remote)
		err = dkl_lock_pairs_add(&locks->pairs, line, text, lock->remote);
	if (err)
		return err;
	if (text->step == LOCK_BLOCKING)
		return block(locks, line, lock);
	locks->expired += text->step == LOCK_EXPIRED;
	return text->step == LOCK_CANCELLED ? cancel(locks, line, lock_text_of_client(text), lock) :
					      0;
}

int dkl_locks_add(struct locks *locks, const struct log_line *line, const struct lock **found)
{
	struct lock_text text;
	struct lock *lock;

	*found = NULL;
	locks->last = DKT__MAX(locks->last, line->time);
	if (!dkl_lock_text_read(line->text.p, line->text.len, &text))
		return 0;
	locks->messages++;
	lock = find_lock(locks, line->host, text.handle);
	/* The last messages about a lock come after its cancel. */
	if (!lock && (text.step == LOCK_MENTIONED || text.step == LOCK_CANCELLED)) {
		dkl_lock_pairs_mention(&locks->pairs, line, &text);
		return 0;
	}
	if (!lock)
		lock = begin_lock(locks, line->host, text.handle);
	if (!lock || !learn(locks, &text, lock) || take_step(locks, line, &text, lock))
		return dkt__no_memory(locks->ctx);
	*found = lock;
	return 0;
}

/* ---- losses, the end ---- */

void dkl_locks_gap(struct locks *locks, uint32_t host)
{
	for (size_t i = 0; i < locks->n_list; i++) {
		struct lock *lock = &locks->list[i];
		bool waits = lock_waits(lock);

		if (!lock->open || lock->host != host || (!waits && !lock->blocked))
			continue;
		lock->enqueued = waits ? 0 : lock->enqueued;
		lock->blocked = 0;
		locks->spanned++;
	}
	dkl_lock_pairs_gap(&locks->pairs, host);
}

void dkl_locks_restart(struct locks *locks, uint32_t host)
{
	for (size_t i = 0; i < locks->n_list; i++) {
		struct lock *lock = &locks->list[i];

		if (!lock->open || lock->host != host)
			continue;
		locks->cut += lock_waits(lock) || lock->blocked;
		lock->open = false;
		dkt__keymap_remove(&locks->map, (uint64_t[]){ host, lock->handle });
	}
	dkl_lock_pairs_gap(&locks->pairs, host);
	/* Nobody waits for a callback of before. */
	for (size_t i = 0; i < locks->n_res; i++)
		if (locks->res[i].host == host)
			locks->res[i].blocked = 0;
}

static int compare_since(const void *a, const void *b)
{
	uint64_t x = lock_since(*(const struct lock *const *)a);
	uint64_t y = lock_since(*(const struct lock *const *)b);

	return x < y ? -1 : x > y;
}

int dkl_locks_unfinished(const struct locks *locks, const struct lock ***list, size_t *n)
{
	const struct lock **all = calloc(locks->n_list + 1, sizeof(*all));

	*n = 0;
	*list = all;
	if (!all)
		return dkt__no_memory(locks->ctx);
	for (size_t i = 0; i < locks->n_list; i++) {
		const struct lock *lock = &locks->list[i];

		if (lock->open && (lock_waits(lock) || lock->blocked))
			all[(*n)++] = lock;
	}
	if (*n)
		qsort(all, *n, sizeof(*all), compare_since);
	return 0;
}
