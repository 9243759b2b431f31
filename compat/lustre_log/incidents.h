/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Collects evictions, lost connections and timeouts, with what is known of the time before them. */
#pragma once

#include "compat/lustre_log/incident_text.h"
#include "compat/lustre_log/locks.h"
#include "lib/base/keyed.h"

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
	uint64_t began; /* when a thread began to work on it, or sent it; 0: unknown */
	bool is_sent, is_delayed;
	/* The call trace of the thread. */
	uint32_t trace; /* "fsync < write", the innermost function first; 0: none */
	/* The last request of this NID that went well. */
	uint64_t heard; /* when; 0: none */
	uint64_t heard_xid;
	uint32_t heard_opcode;
	uint64_t before; /* of a connection that is back: when it was lost or evicted; 0: unknown */
};

/* A request that a thread works on, or that it has sent and waits for. */
struct incident_request {
	uint64_t xid;
	uint64_t began; /* 0: the thread has no such request */
	uint32_t opcode, nid;
	bool is_delayed; /* it is sent when the connection is back */
};

struct incident_thread {
	struct incident_request served, sent;
	uint32_t name;
	/* The last message that it is inactive or blocked. */
	uint64_t told; /* when; 0: none, or it has gone on since */
	uint64_t since; /* since when it is so */
	uint32_t why, trace;
	const char *waits_for; /* what the trace tells; NULL: nothing */
};

struct incident_connection {
	uint64_t lost; /* since when; 0: it is connected */
	bool of_client; /* the client wrote that, and will write when it has the connection again */
};

struct incidents {
	struct dkt_ctx *ctx;
	struct locks locks;
	struct incident *list; /* in order of time */
	size_t n;
	uint64_t skipped; /* messages that Lustre did not write, because they were like others */
	struct dkt__keyed heard; /* struct incident_heard by host, NID */
	struct dkt__keymap sent; /* host, XID of requests on their way */
	struct dkt__keyed connections; /* struct incident_connection by host, NID, target */
	struct dkt__keyed threads; /* struct incident_thread by host, PID */
};

int dkl_incidents_init(struct incidents *incidents, struct dkt_ctx *ctx);
void dkl_incidents_clear(struct incidents *incidents);

/* The host was started again, or its clock was set back: forgets what was known of it. */
void dkl_incidents_restart(struct incidents *incidents, uint32_t host);

/*
 * True if the thread that asked for a lock waits for it: as a client, for itself, or because it works on the
 * request of a client that wants the lock. After the reply to that, only the client waits.
 */
bool dkl_incidents_thread_waits(const struct incidents *incidents, const struct lock *lock);

/* Adds the lock that a thread waits for, and who has not given back the one before. */
void dkl_incident_add_waiting(const struct locks *locks, const struct lock *lock,
			      struct incident *incident);

/* Takes the next line in order of time. */
int dkl_incidents_add(struct incidents *incidents, const struct log_line *line);
