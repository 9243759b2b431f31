/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The two sides of each lock, the client's and the server's, which know the handle of each other. */
#pragma once

#include "compat/lustre_log/line.h"
#include "compat/lustre_log/lock_text.h"
#include "lib/base/keyed.h"

struct lock_pair {
	bool has_client, has_server;
	uint32_t client, server; /* hosts */
	uint32_t pid; /* of the client's process that asked for the lock */
	uint64_t client_handle;
	/* ns; 0: unknown. The server called the client back, which got that and gave the lock back. */
	uint64_t sent, received, returned;
};

struct lock_pairs {
	struct dkt__keyed map; /* from the smaller handle and the larger one to a struct lock_pair */
};

void dkl_lock_pairs_init(struct lock_pairs *pairs);
void dkl_lock_pairs_clear(struct lock_pairs *pairs);

/* Takes a message about a lock, whose remote handle is known. */
int dkl_lock_pairs_add(struct lock_pairs *pairs, const struct log_line *line,
		       const struct lock_text *text, uint64_t remote);

/* The same, of a lock that may be gone: does not begin a pair. */
void dkl_lock_pairs_mention(struct lock_pairs *pairs, const struct log_line *line,
			    const struct lock_text *text);

/* Returns NULL if nothing is known of the lock. */
const struct lock_pair *dkl_lock_pairs_find(const struct lock_pairs *pairs, uint64_t handle,
					    uint64_t remote);

/* The lock exists no longer. */
void dkl_lock_pairs_remove(struct lock_pairs *pairs, uint64_t handle, uint64_t remote);

/* Records of the host were lost: forgets the times of its locks. */
void dkl_lock_pairs_gap(struct lock_pairs *pairs, uint32_t host);
