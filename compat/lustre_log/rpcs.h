/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Joins the messages about each RPC, and counts how long the RPCs took. */
#pragma once

#include "compat/lustre_log/line.h"
#include "compat/lustre_log/names.h"
#include "compat/lustre_log/rpc_text.h"
#include "lib/base/dist.h"

enum rpc_phase {
	RPC_WAIT, /* from the arrival until a thread of the server begins */
	RPC_SERVICE, /* until that thread has finished */
	RPC_BULK_TIME, /* from the beginning of the transfer of data until the server replies */
	RPC_REPLY_TIME, /* until the client has the reply */
	RPC_NETWORK, /* what the client waits longer than the server works */
	RPC_TOTAL, /* what the client waits */
	RPC_PHASES,
};

/* The two sides of an RPC. */
struct rpc {
	uint64_t xid;
	uint64_t serial; /* no other RPC of struct rpcs has it */
	uint32_t opcode;
	/* Numbers of names; the NID is that of the other side. */
	uint32_t nid, job, thread, client, user, target;
	uint32_t receiver; /* NID that the sender sends to, as the number of a name */
	uint64_t pid; /* of the sender */
	uint32_t sender, server; /* numbers of the files with the two sides */
	uint64_t sent, completed; /* ns; 0: unknown */
	uint64_t arrived, handling, handled;
	uint64_t bulk, replied,
		received; /* the transfer began; the reply was sent; the client has it */
	uint64_t phases[RPC_PHASES]; /* ns */
	bool has[RPC_PHASES];
	bool open; /* the entry is in use */
	bool named; /* the names are the server's */
	uint32_t resends, timeouts;
	int64_t rc; /* of a reply, as the server tells it */
};

/* Returns "waiting", "in service", "sent": what was last known of an RPC that did not end. */
const char *dkl_rpc_state(const struct rpc *rpc);

/* When that was. */
uint64_t dkl_rpc_since(const struct rpc *rpc);

/* A damaged log may have any status. */
#define RPC_FAILURES_MAX 64

/* The fields that RPCs are grouped by; RPC_BY_NONE after the last. */
#define RPC_KEYS 2
enum rpc_by {
	RPC_BY_OPCODE,
	RPC_BY_NID,
	RPC_BY_JOB,
	RPC_BY_THREAD,
	RPC_BY_CLIENT,
	RPC_BY_USER, /* the UID in a job's name */
	RPC_BY_TARGET, /* that the request was for, if messages about it tell */
	RPC_BY_NONE,
};

/* RPCs whose reply had the same negative status. */
struct rpc_failure {
	int64_t rc;
	uint64_t count;
};

struct rpc_group {
	uint32_t keys[RPC_KEYS]; /* by rpcs.by: opcode, or the number of a name */
	uint64_t count; /* RPCs that ended on at least one side */
	uint64_t errors; /* of them, whose reply had a negative status */
	struct rpc_failure *failures; /* the same by status, in the order of the first of each */
	size_t n_failures; /* RPC_FAILURES_MAX at most; more are only in errors */
	uint64_t steps[RPC_MENTIONED]; /* messages of each kind */
	uint64_t resent; /* RPCs that were sent again under the same number */
	struct dkt__dist phases[RPC_PHASES];
};

struct rpcs {
	struct dkt_ctx *ctx;
	enum rpc_by by[RPC_KEYS];
	struct name_table names;
	struct dkt__keymap open; /* xid, and a number for equal xids of several clients */
	size_t same_xid; /* RPCs in it whose xid another client had before */
	struct rpc *list; /* by entry of open */
	size_t n_list;
	struct dkt__keymap group_map;
	struct rpc_group *groups; /* by entry of group_map */
	size_t n_groups;
	struct rpc *slowest; /* the slowest first; most_slowest + 1 places */
	size_t n_slowest, most_slowest;
	/* Gets each RPC that has ended on at least one side, once. NULL: of no interest. */
	int (*ended)(void *data, const struct rpc *rpc);
	void *data;
	uint64_t serial; /* of the RPC that the last message was about; 0: of none */
	uint64_t n_serials;
	uint64_t last; /* time of the last message */
	uint64_t messages; /* about RPCs */
	uint64_t joined; /* RPCs with both sides */
	uint64_t no_begin; /* ends without a beginning */
	uint64_t backwards; /* ends before their beginning: a clock was set back */
	uint64_t reused; /* beginnings of an xid whose RPC had not ended, by another opcode */
	uint64_t spanned; /* RPCs that were under way when records were lost */
	uint64_t cut; /* or when a host was started again */
	uint64_t forgotten; /* RPCs without an end that were too many to remember */
};

/* slowest: how many of the slowest RPCs to keep. */
int dkl_rpcs_init(struct rpcs *rpcs, struct dkt_ctx *ctx, const enum rpc_by by[RPC_KEYS],
		  size_t slowest);
void dkl_rpcs_clear(struct rpcs *rpcs);

/* Takes the next line in order of time. */
int dkl_rpcs_add(struct rpcs *rpcs, const struct log_line *line);

/* Records of a file were lost: forgets which of its RPCs are under way. */
void dkl_rpcs_gap(struct rpcs *rpcs, uint32_t host);

/* The host was started again, or its clock was set back: the same. */
void dkl_rpcs_restart(struct rpcs *rpcs, uint32_t host);

/* After the last line: counts the RPCs of which one side ended. Those without an end stay open. */
int dkl_rpcs_finish(struct rpcs *rpcs);

/* Gets the RPCs that did not end, the oldest first. The caller frees the list. */
int dkl_rpcs_unfinished(const struct rpcs *rpcs, const struct rpc ***list, size_t *n);
