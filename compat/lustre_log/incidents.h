/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Collects evictions, lost connections and timeouts, with what is known of the time before them. */
#pragma once

#include "compat/lustre_log/incident_text.h"
#include "compat/lustre_log/locks.h"

/* In addition to enum client_step. */
enum {
	INCIDENT_TIMEOUT = CLIENT_STEPS,
	INCIDENT_DROPPED, /* the server has refused a request whose time was over */
	INCIDENT_BULK, /* the transfer of a request's data has failed */
	INCIDENT_STARTED, /* Lustre was loaded on the host */
	INCIDENT_SERVICE, /* and enum service_step */
};

/* Returns a word for users. */
const char *dkl_incident_name(int step);

/* The numbers of names are those of the locks' table. */
struct incident {
	int step; /* enum client_step, or one of those above */
	uint64_t time;
	uint32_t host;
	uint32_t target, nid, why; /* names */
	/* The lock that was not given back. */
	uint64_t lock; /* handle; 0: none */
	bool waits; /* a thread waits for it */
	uint32_t holder; /* NID of the lock that it waits for; 0: unknown */
	uint32_t mode, res; /* names */
	uint64_t called; /* when its holder was called back; 0: unknown */
	uint32_t waiter; /* NID of the lock that waits longest for it; 0: none is known */
	uint64_t waiter_since;
	struct lock_pair held; /* the lock, if both sides are in the files */
	/* The request that timed out, or that a thread is working on. */
	uint64_t xid; /* 0: none */
	uint32_t opcode;
	uint64_t began; /* when a thread began to work on it; 0: unknown */
	/* The last request of this NID that went well. */
	uint64_t heard; /* when; 0: none */
	uint64_t heard_xid;
	uint32_t heard_opcode;
	uint64_t before; /* of a connection that is back: when it was lost or evicted; 0: unknown */
};

struct incidents {
	struct dkt_ctx *ctx;
	struct locks locks;
	struct incident *list; /* in order of time */
	size_t n;
	uint64_t skipped; /* messages that Lustre did not write, because they were like others */
	struct dkt__keymap heard_map; /* host, NID */
	struct incident_heard *heard; /* by entry of heard_map */
	size_t n_heard;
	struct dkt__keymap sent; /* host, XID of requests on their way */
	struct dkt__keymap work_map; /* host, thread */
	struct incident_work *work; /* by entry of work_map */
	size_t n_work;
};

int dkl_incidents_init(struct incidents *incidents, struct dkt_ctx *ctx);
void dkl_incidents_clear(struct incidents *incidents);

/* The host was started again, or its clock was set back: forgets what was known of it. */
void dkl_incidents_restart(struct incidents *incidents, uint32_t host);

/* Takes the next line in order of time. */
int dkl_incidents_add(struct incidents *incidents, const struct log_line *line);
