/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The spans that the time of a call is made of, one after the other. */
#pragma once

#include "compat/lustre_log/lock_pairs.h"
#include "compat/lustre_log/rpcs.h"

enum path_part {
	PATH_BEFORE, /* the client, before it sends a request */
	PATH_SEND, /* the request is on its way */
	PATH_QUEUE, /* it waits for a thread of the server */
	PATH_LOCK, /* that thread waits for a lock */
	PATH_DISK, /* for a request to a disk */
	PATH_JOURNAL, /* it sleeps until a journal has committed */
	PATH_CPU, /* it has the CPU */
	PATH_WORK, /* it has the CPU or sleeps: the files do not tell */
	PATH_REPLY, /* the reply is on its way */
	PATH_AWAY, /* from sending to reply, of a request whose server's log is not there */
	PATH_GRANT, /* the client has the reply and waits until its lock is granted */
	PATH_AFTER, /* the client, after the reply */
	PATH_UNKNOWN,
	PATH_PARTS
};

/* Returns a word for users: "queue". */
const char *dkl_path_part_name(enum path_part part);

struct path_span {
	enum path_part part;
	uint32_t rank; /* where two spans overlap, the higher one counts, or the first of equal ones */
	uint32_t host; /* where the time passes; of the receiver, if it is between hosts */
	uint64_t from, to; /* ns */
	uint64_t xid; /* of the request that it is a part of; 0: none */
	/* The next two are of PATH_LOCK and PATH_GRANT. */
	uint32_t holder; /* number of the name of the NID that is waited for */
	struct lock_pair held; /* and its lock, as far as it is known */
};

/* Empty if all zero. */
struct path_spans {
	struct path_span *list;
	size_t n;
	bool crowded; /* spans were left out, because there were too many */
};

void dkl_path_spans_clear(struct path_spans *spans);

/* Adds a span; one without a time is not added. */
int dkl_path_spans_add(struct path_spans *spans, struct path_span span);

/* Returns the length of the shortest of the longest spans, of which most are wanted; 0: of all. */
uint64_t dkl_path_spans_shortest(const struct path_spans *spans, size_t most);

/* The parts of the time that no span covers: before the first one, between two, after the last one. */
struct path_gaps {
	enum path_part before, between, after;
	uint32_t host;
};

/* Covers the time from..to without a hole or an overlap. The result is added to out, which is empty. */
int dkl_path_spans_flatten(const struct path_spans *spans, uint64_t from, uint64_t to,
			   struct path_gaps gaps, struct path_spans *out);

/*
 * The spans of one request. served: what the server's thread waited for meanwhile; cpu: its other time was
 * on the CPU. *from and *to become the time of the whole.
 */
int dkl_path_of_rpc(const struct rpc *rpc, const struct path_spans *served, bool cpu,
		    struct path_spans *out, uint64_t *from, uint64_t *to);
