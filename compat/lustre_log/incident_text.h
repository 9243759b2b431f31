/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads Lustre's messages about incidents: clients that are evicted or connect again, recovery, and service
 * threads that take too long.
 */
#pragma once

#include "compat/lustre_log/take.h"

enum client_step {
	CLIENT_EVICTED, /* by the server that wrote the message */
	CLIENT_WAS_EVICTED, /* the client has learnt it */
	CLIENT_LOST, /* the client has lost the connection */
	CLIENT_RESTORED, /* the client has it again */
	CLIENT_RECONNECTS, /* the server sees that */
	CLIENT_REFUSED, /* by the server */
	CLIENT_BULK, /* the transfer of its data failed */
	CLIENT_FAILED, /* the server has refused a request of the client */
	CLIENT_RECOVERY, /* of a target begins or ends */
	CLIENT_STEPS,
};

/* Returns a word for users: "evicted". */
const char *dkl_client_step_name(enum client_step step);

/* A message about a client. Parts that the message does not have are empty. */
struct client_text {
	enum client_step step;
	struct part target; /* that wrote the message, or a device of the client */
	struct part nid; /* of the other side */
	struct part why; /* what the message says of it */
};

/* Reads a text. Returns false if it is about something else. */
bool dkl_client_text_read(const char *text, size_t len, struct client_text *client);

/* ---- service threads that take too long ---- */

enum service_step {
	SERVICE_INACTIVE, /* a thread has worked on one request for too long */
	SERVICE_COMPLETED, /* it has finished that */
	SERVICE_SLOW, /* the threads of a service cannot keep up */
	SERVICE_BLOCKED, /* the kernel tells of any thread that it has slept for too long */
	SERVICE_STEPS,
};

/* Returns a word for users: "inactive". */
const char *dkl_service_step_name(enum service_step step);

/* A message about a service. */
struct service_text {
	enum service_step step;
	struct part name; /* of the thread or the service; empty: the message does not tell */
	uint64_t pid; /* of the thread; 0: none */
	uint64_t seconds; /* that it has been so for; 0: the message does not tell */
	struct part why; /* what the message says */
};

/* Reads a text. Returns false if it is about something else. */
bool dkl_service_text_read(const char *text, size_t len, struct service_text *service);
