/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The two sides of each lock, the client's and the server's. */
#include "compat/lustre_log/lock_pairs.h"

#define WORDS 2

void dkl_lock_pairs_init(struct lock_pairs *pairs)
{
	*pairs = (struct lock_pairs){ .map.size = sizeof(struct lock_pair),
				      .map.keys.n_words = WORDS };
}

void dkl_lock_pairs_clear(struct lock_pairs *pairs)
{
	dkt__keyed_clear(&pairs->map);
	dkl_lock_pairs_init(pairs);
}

static void make_key(uint64_t handle, uint64_t remote, uint64_t key[WORDS])
{
	key[0] = DKT__MIN(handle, remote);
	key[1] = DKT__MAX(handle, remote);
}

/* Returns the pair, which is added if necessary; NULL: memory is out. */
static struct lock_pair *get(struct lock_pairs *pairs, uint64_t handle, uint64_t remote)
{
	struct lock_pair *pair;
	uint64_t key[WORDS];
	bool added;

	make_key(handle, remote, key);
	pair = dkt__keyed_add(&pairs->map, key, &added);
	if (pair && added)
		*pair = (struct lock_pair){ 0 };
	return pair;
}

static void set_once(uint64_t *time, uint64_t value)
{
	if (!*time)
		*time = value;
}

static void learn_client(struct lock_pair *pair, const struct log_line *line,
			 const struct lock_text *text)
{
	pair->has_client = true;
	pair->client = line->host;
	pair->client_handle = text->handle;
	pair->pid = text->pid;
}

void dkl_lock_pairs_mention(struct lock_pairs *pairs, const struct log_line *line,
			    const struct lock_text *text)
{
	struct lock_pair *pair;
	uint64_t key[WORDS];

	make_key(text->handle, text->remote, key);
	pair = dkt__keyed_find(&pairs->map, key);
	if (pair && lock_text_of_client(text))
		learn_client(pair, line, text);
}

int dkl_lock_pairs_add(struct lock_pairs *pairs, const struct log_line *line,
		       const struct lock_text *text, uint64_t remote)
{
	struct lock_pair *pair = get(pairs, text->handle, remote);

	if (!pair)
		return -ENOMEM;
	if (!lock_text_of_client(text)) {
		/* Until the server knows whose a new lock is, it says of it what it says of its own. */
		if (pair->has_client && pair->client == line->host &&
		    pair->client_handle == text->handle)
			pair->has_client = false;
		pair->has_server = true;
		pair->server = line->host;
		if (text->step == LOCK_BLOCKING)
			set_once(&pair->sent, line->time);
		return 0;
	}
	learn_client(pair, line, text);
	if (text->step == LOCK_BLOCKING)
		set_once(&pair->received, line->time);
	else if (text->step == LOCK_CANCELLED)
		set_once(&pair->returned, line->time);
	return 0;
}

const struct lock_pair *dkl_lock_pairs_find(const struct lock_pairs *pairs, uint64_t handle,
					    uint64_t remote)
{
	uint64_t key[WORDS];

	make_key(handle, remote, key);
	return dkt__keyed_find(&pairs->map, key);
}

void dkl_lock_pairs_remove(struct lock_pairs *pairs, uint64_t handle, uint64_t remote)
{
	uint64_t key[WORDS];

	make_key(handle, remote, key);
	dkt__keyed_remove(&pairs->map, key);
}

void dkl_lock_pairs_gap(struct lock_pairs *pairs, uint32_t host)
{
	for (uint32_t i = 0; i < pairs->map.n_values; i++) {
		struct lock_pair *pair = dkt__keyed_at(&pairs->map, i);

		if ((pair->has_client && pair->client == host) ||
		    (pair->has_server && pair->server == host))
			pair->sent = pair->received = pair->returned = 0;
	}
}
