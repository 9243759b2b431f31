/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts the incidents of each host's peers. */
#include "compat/lustre_log/peers.h"

#include "lib/base/memory.h"

static struct peer *get(struct peers *peers, const struct incident *incident)
{
	bool added;
	struct peer *peer =
		dkt__keyed_add(&peers->map, (uint64_t[]){ incident->host, incident->nid }, &added);

	if (!peer || !dkt__reach(peers->near, peers->n_hosts, incident->host))
		return NULL;
	if (added)
		*peer = (struct peer){ .host = incident->host,
				       .nid = incident->nid,
				       .first = incident->time };
	return peer;
}

/* Forgets the changes that are too long before the time. */
static void forget(struct peers *peers, uint64_t time)
{
	for (; peers->first_near < peers->n_changes; peers->first_near++) {
		const struct peer_change *change = &peers->changes[peers->first_near];
		struct peer *peer = dkt__keyed_at(&peers->map, change->peer);

		if (time - change->time < PEER_STORM_NS)
			return;
		if (!--peer->near)
			peers->near[peer->host]--;
	}
}

/* The connection was lost or made again: counts it, unless it has just been counted. */
static int change(struct peers *peers, struct peer *peer, uint64_t time, uint64_t *n, uint64_t *at)
{
	const struct peer_change change = { time, dkt__keyed_nr(&peers->map, peer) };
	const bool again = *n && time - *at < PEER_ONCE_NS;

	*at = time;
	if (again)
		return 0;
	++*n;
	if (dkt__append(peers->changes, peers->n_changes, change))
		return -ENOMEM;
	if (!peer->near++)
		peers->near[peer->host]++;
	forget(peers, time);
	peer->most = DKT__MAX(peer->most, peer->near);
	if (peers->near[peer->host] > peers->storm) {
		peers->storm = peers->near[peer->host];
		peers->storm_host = peer->host;
	}
	return 0;
}

static int count(struct peers *peers, const struct incident *incident)
{
	struct peer *peer = get(peers, incident);

	if (!peer)
		return -ENOMEM;
	peer->last = incident->time;
	switch (incident->step) {
	case CLIENT_EVICTED:
	case CLIENT_WAS_EVICTED:
	case CLIENT_LOST:
		return change(peers, peer, incident->time, &peer->lost, &peer->lost_at);
	case CLIENT_RESTORED:
	case CLIENT_RECONNECTS:
		if (incident->before)
			peer->down = DKT__MAX(peer->down, incident->time - incident->before);
		return change(peers, peer, incident->time, &peer->back, &peer->back_at);
	case CLIENT_REFUSED:
		peer->refused++;
		return 0;
	case INCIDENT_TIMEOUT:
		peer->timeouts++;
		return 0;
	case CLIENT_BULK:
	case INCIDENT_BULK:
		peer->bulk++;
		return 0;
	default:
		return 0;
	}
}

/* Counts the connections that did not come back. A client that a server evicts can come back as a new one. */
static void count_still(struct peers *peers, const struct dkt__keyed *connections)
{
	for (uint32_t i = 0; i < connections->n_values; i++) {
		const struct incident_connection *connection = dkt__keyed_at(connections, i);
		/* The key begins with that of the peer. */
		struct peer *peer =
			dkt__keyed_find(&peers->map, dkt__keymap_key(&connections->keys, i));

		if (peer && connection->lost && connection->of_client)
			peer->still++;
	}
}

int dkl_peers_count(struct peers *peers, const struct incidents *incidents)
{
	int err = 0;

	*peers = (struct peers){ .map = { .keys.n_words = 2, .size = sizeof(struct peer) } };
	for (size_t i = 0; !err && i < incidents->n; i++)
		if (incidents->list[i].nid)
			err = count(peers, &incidents->list[i]);
	if (!err)
		count_still(peers, &incidents->connections);
	return err;
}

void dkl_peers_clear(struct peers *peers)
{
	dkt__keyed_clear(&peers->map);
	free(peers->changes);
	free(peers->near);
	*peers = (struct peers){ 0 };
}
