/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads Lustre's messages about locks, of the class dlmtrace or an error. */
#pragma once

#include "compat/lustre_log/take.h"

enum lock_step {
	LOCK_ENQUEUED, /* the lock is asked for */
	LOCK_BLOCKING, /* its holder is told to give it back */
	LOCK_CANCELLED, /* it is given back, or taken */
	LOCK_EXPIRED, /* the holder has not given it back in time, and is evicted */
	LOCK_MENTIONED, /* another message about the lock */
};

/* The part of a resource that a lock is for. Two locks meet if they are for a common part of it. */
struct lock_range {
	uint64_t bits; /* of an inode; 0: bytes from..to */
	uint64_t from, to;
};

/* A message about a lock. Parts that the message does not have are empty. */
struct lock_text {
	enum lock_step step;
	struct part words; /* what the message says of it */
	struct part ns; /* namespace: of a target, or of a client's device */
	struct part granted, wanted; /* modes; "--": not granted */
	struct part res; /* FID in brackets, and more */
	struct part nid; /* of the client, "local" on a client */
	uint64_t handle; /* unique on its host */
	uint64_t remote; /* the handle on the other side; 0: unknown */
	uint32_t pid; /* of the process that asked for it; 0: unknown */
	struct lock_range range;
};

static inline bool lock_range_meets(const struct lock_range *a, const struct lock_range *b)
{
	if (a->bits && b->bits)
		return a->bits & b->bits;
	return a->from <= b->to && b->from <= a->to;
}

/* Reads a text. Returns false if it is not about one lock. */
bool dkl_lock_text_read(const char *text, size_t len, struct lock_text *lock);

/* Returns false if dkl_lock_text_read() would not read a text that begins so. */
bool dkl_lock_text_wanted(const char *text);

/* True for the client's side of a lock, and for a lock that a server holds for itself. */
static inline bool lock_text_of_client(const struct lock_text *lock)
{
	return part_is(&lock->nid, "local");
}

/* True if the lock is granted. */
static inline bool lock_text_granted(const struct lock_text *lock)
{
	return lock->granted.len && !part_is(&lock->granted, "--");
}
