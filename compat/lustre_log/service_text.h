/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads Lustre's messages about service threads that take too long. */
#pragma once

#include "compat/lustre_log/take.h"

enum service_step {
	SERVICE_INACTIVE, /* a thread has worked on one request for too long */
	SERVICE_COMPLETED, /* it has finished that */
	SERVICE_SLOW, /* the threads of a service cannot keep up */
	SERVICE_STEPS,
};

/* Returns a word for users: "inactive". */
const char *dkl_service_step_name(enum service_step step);

/* A message about a service. */
struct service_text {
	enum service_step step;
	struct part name; /* of the thread or the service; empty: the message does not tell */
	uint64_t pid; /* of the thread; 0: none */
	struct part why; /* what the message says */
};

/* Reads a text. Returns false if it is about something else. */
bool dkl_service_text_read(const char *text, size_t len, struct service_text *service);
