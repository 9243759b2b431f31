/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Passes messages with open descriptors between processes. */
#pragma once

#include <sys/types.h>

#include "lib/base/util.h"

/* The most descriptors of a message. */
#define DKT__PASS_MOST 3

/* A message: its bytes in two parts, of which the second may be empty, and n descriptors. */
struct dkt__pass {
	void *head, *body;
	size_t n_head, n_body; /* bytes; of a message to come: the room */
	int fds[DKT__PASS_MOST];
	size_t n;
};

/* Opens both ends of a connection that keeps messages apart. Returns 0 or -errno. */
int dkt__pass_pair(int ends[2]);

/* Sends a message; the descriptors stay open here, too. Returns 0 or -errno. */
int dkt__pass_send(int to, const struct dkt__pass *pass);

/*
 * Waits for a message and takes it. Sets the number of descriptors, which the caller closes. Returns its
 * bytes, 0 at the end of the connection, or -errno.
 */
ssize_t dkt__pass_take(int from, struct dkt__pass *pass);
