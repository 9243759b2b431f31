/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts the incidents of each host's peers: who loses its connection again and again, and who did at the same time. */
#pragma once

#include "compat/lustre_log/incidents.h"

/* Incidents that are so close together, in ns, are one storm. */
#define PEER_STORM_NS UINT64_C(60000000000)

#define PEER_ONCE_NS UINT64_C(1000000000)

struct peer {
	uint32_t host; /* that tells */
	uint32_t nid; /* of the other side, a number of incidents.locks.names */
	/* Several messages within PEER_ONCE_NS are one: of several targets, or of one eviction. */
	uint64_t lost; /* how often connections were lost or evicted */
	uint64_t back; /* how often they were made again */
	uint64_t lost_at, back_at; /* when that was last */
	uint64_t refused, timeouts, bulk;
	uint64_t still; /* connections that are lost at the end */
	uint64_t down; /* ns: the longest time without the connection, as far as the files tell */
	uint64_t most; /* connections that were lost or made again within PEER_STORM_NS */
	uint64_t first, last; /* times of its incidents */
	uint64_t near; /* changes within PEER_STORM_NS before the last incident that was counted */
};

/* A connection was lost or made again. */
struct peer_change {
	uint64_t time;
	uint32_t peer; /* entry of peers.map */
};

struct peers {
	struct dkt__keyed map; /* struct peer by host, NID */
	/* The most peers of one host with changes within PEER_STORM_NS. */
	size_t storm;
	uint32_t storm_host;
	struct peer_change *changes; /* in order of time */
	size_t n_changes, first_near;
	size_t *near; /* by host: its peers with changes within PEER_STORM_NS */
	uint32_t n_hosts;
};

/* Counts all incidents. Clear them in either case. -ENOMEM. */
int dkl_peers_count(struct peers *peers, const struct incidents *incidents);
void dkl_peers_clear(struct peers *peers);
