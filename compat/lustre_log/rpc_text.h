/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads Lustre's messages about RPCs, as versions 2.12 to 2.17 write them. */
#pragma once

#include "compat/lustre_log/take.h"

#define OPCODE_UNKNOWN UINT32_MAX

/* The daemons that send requests for others, and do not wait for them, have names that begin so. */
#define RPC_DAEMON "ptlrpcd"

enum rpc_step {
	RPC_SENDING, /* the client is about to send the request */
	RPC_COMPLETED, /* the client has the reply, or has given up */
	RPC_ARRIVED, /* the server has received the request */
	RPC_HANDLING, /* a thread of the server begins */
	RPC_HANDLED, /* it has finished */
	RPC_TIMED_OUT, /* the client has waited too long for the reply */
	RPC_NETWORK_ERROR, /* the client could not send the request */
	RPC_RESENDING,
	RPC_EARLY_REPLY, /* the server needs longer and has told the client */
	RPC_REPLY, /* the reply has reached the client */
	RPC_REPLYING, /* the server is about to send the reply */
	RPC_TRANSFERRING, /* the server begins to transfer the data */
	RPC_DROPPED, /* the server refuses a request whose time is over */
	RPC_LATE, /* the server could not tell the client in time that it needs longer */
	RPC_BULK, /* a transfer of data has failed */
	RPC_ABORTED, /* the client gives up, because the connection was lost */
	RPC_DELAYED, /* the client sends the request when it has the connection again */
	RPC_MENTIONED, /* another message about the request */
};

/* Returns a word for users: "sending". */
const char *dkl_rpc_step_name(enum rpc_step step);

/* True for a step that an RPC without trouble does not have. */
bool dkl_rpc_step_is_trouble(enum rpc_step step);

/*
 * A message about an RPC. A server that calls its client back writes the UUID of its target as that of the
 * client, and the client that of its own device: the two differ. Parts that the message does not have are empty.
 */
struct rpc_text {
	enum rpc_step step;
	bool server; /* a server wrote it; only for the first five steps and the transfer */
	uint32_t opcode; /* OPCODE_UNKNOWN: the message does not tell */
	uint64_t xid;
	uint64_t pid; /* of the sender, which the request tells the receiver; 0: not told */
	uint64_t address; /* of the request in the kernel, or a hash of it; 0: not told */
	struct part thread; /* that wrote it */
	struct part client; /* UUID of the client; "0": not connected; of a callback, see below */
	struct part target; /* of a request: the device of the client, or its UUID on a server */
	struct part nid; /* the other side, without the process ID that servers write before it */
	struct part job;
	bool timed; /* RPC_HANDLED: has the two times */
	uint64_t service, total; /* ns: of the thread; since the arrival */
	int64_t rc;
	struct part words; /* of the messages about a request: what it says of it */
};

/* Reads a text. Returns false if it is not about one RPC. */
bool dkl_rpc_text_read(const char *text, size_t len, struct rpc_text *rpc);

/* Returns false if dkl_rpc_text_read() would not read a text that begins so. */
bool dkl_rpc_text_wanted(const char *text);

/* Removes the process ID "12345-" that Lustre writes before a NID. */
struct part dkl_nid_part(struct part nid);

/* Returns the user ID in the name of a job such as "cp.1000", which jobid_name=%e.%u gives it; empty: none. */
struct part dkl_user_part(struct part job);

/* Returns the target in the name of a device such as "lustre-OST0001-osc-ffff9b"; empty: it has none. */
struct part dkl_target_part(struct part device);
