/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How long Lustre's RPCs take, from its messages of the class rpctrace: a client's "Sending RPC" and
 * "Completed RPC", a server's "Handling RPC" and "Handled RPC".
 */
#pragma once

#include <dktrace/dktrace.h>
#include <stdbool.h>

/* The name for users, and the class of the messages. */
#define RPC_TIMES_NAME  "ptlrpc request"
#define RPC_TIMES_CLASS "rpctrace"

/* The filter of the messages' formats, in the language of filters, for events with that field. */
#define RPC_TIMES_FILTER(field)                                                                    \
	field " ~ \"Sending RPC*\" || " field " ~ \"Completed RPC*\" || " field                    \
	      " ~ \"Handling RPC*\" || " field " ~ \"Handled RPC*\""

struct rpc_times;

int dkl_rpc_times_new(struct dkt_ctx *ctx, struct rpc_times **times);
void dkl_rpc_times_free(struct rpc_times *times);

/*
 * Takes the next record or gap. Sets *ns to the time of the RPC that it ends; 0: it ends none. A gap
 * forgets the RPCs under way, whose end or resent beginning it may hide.
 */
int dkl_rpc_times_add(struct rpc_times *times, const struct dkt_record *record, uint64_t *ns);
