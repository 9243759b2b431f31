/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the two sides of TCP connections and of requests of sunrpc and Lustre in records of several hosts, and
 * tells which step on one host came before which on the other.
 */
#pragma once

#include <dktrace/dktrace.h>

#include "lib/base/clock_at.h"

/* The events, for a selection. */
#define EXCHANGE_EVENTS                                                                            \
	"sock:inet_sock_set_state,sunrpc:xprt_reserve,sunrpc:xprt_lookup_rqst,sunrpc:svc_process," \
	"sunrpc:svc_xdr_sendto,lustre_debug:lustre_debug_msg,dktrace:cdebug,libcfs:libcfs_debug_msg"

struct exchange;

/* Takes a pair of steps, at the times of their records. A result other than 0 ends exchange_add(). */
typedef int (*exchange_fn)(void *data, const struct dkt__causal_pair *pair);

#define EXCHANGE_STEPS_MAX 18

/* One exchange of two hosts. */
struct exchange_way {
	char label[128]; /* the ends of the connection, or the number of the request */
	struct exchange_step {
		uint32_t host;
		const char *what;
		uint64_t time; /* of its record */
	} steps[EXCHANGE_STEPS_MAX]; /* in order of time */
	size_t n;
};

/* Takes an exchange, once, with all its steps. A result other than 0 ends the call. */
typedef int (*exchange_way_fn)(void *data, const struct exchange_way *way);

/* True if the kernel has an event that can tell a side of an exchange. */
bool exchange_has(struct dkt_ctx *ctx);

/* ctxs: the kernels of the hosts. fn NULL: pairs are not wanted. -ENOMEM. */
int exchange_new(struct dkt_ctx *const *ctxs, size_t n_hosts, exchange_fn fn, void *data,
		 struct exchange **exchange);
void exchange_free(struct exchange *exchange);

/* Also tells each exchange as a whole, when its number may be another's or at exchange_finish(). */
void exchange_tell_ways(struct exchange *exchange, exchange_way_fn fn, void *data);
int exchange_finish(struct exchange *exchange);

/* Takes a record of a host, in about the order of time. A gap ends all exchanges that are open. */
int exchange_add(struct exchange *exchange, uint32_t host, const struct dkt_record *record);

/* Takes a record that is a message of Lustre instead. */
struct log_line;
int exchange_add_line(struct exchange *exchange, const struct log_line *line);
