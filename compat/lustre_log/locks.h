/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Follows each lock from its enqueue to its cancel, and finds who waited for whom. */
#pragma once

#include "compat/lustre_log/line.h"
#include "compat/lustre_log/lock_pairs.h"
#include "compat/lustre_log/lock_text.h"
#include "compat/lustre_log/names.h"
#include "lib/base/dist.h"

enum lock_phase {
	LOCK_WAIT, /* from the enqueue until the lock is granted */
	LOCK_CALLBACK, /* from the blocking callback until the lock is cancelled */
	/* Its parts, if both sides are in the files. */
	LOCK_TO_CLIENT, /* until the client has received the callback */
	LOCK_KEPT, /* until the client gives the lock back */
	LOCK_TO_SERVER, /* until the server has it */
	LOCK_PHASES,
};

struct lock {
	uint32_t host;
	uint64_t handle, remote;
	uint32_t ns, res, nid, mode; /* numbers of names; mode: the one that is wanted */
	uint64_t enqueued, granted, blocked, cancelled; /* ns; 0: unknown */
	int32_t thread; /* that wrote the enqueue's message */
	bool open;
};

/* A lock that had to wait for another one. */
struct lock_conflict {
	uint64_t wait; /* ns */
	uint64_t since, until; /* until 0: it still waits */
	uint32_t host, ns, res, mode, waiter, holder; /* numbers of names; the last two: NIDs */
	uint64_t handle; /* that waits */
	struct lock_pair held; /* the holder's lock, as far as it is known */
};

struct lock_res {
	uint32_t host, res;
	uint64_t conflicts; /* locks that had to wait for another one */
	uint64_t wait, longest; /* of them: in all, and of one */
	uint64_t blocked; /* when a callback was sent last; 0: never */
	uint64_t released; /* when the lock that it asked for was cancelled; 0: not yet */
	uint32_t holder; /* NID of the holder of that lock */
	uint64_t handle, remote; /* that lock, on both sides */
	struct lock_pair held; /* the same, when it was cancelled */
};

struct lock_group {
	uint32_t ns;
	struct dkt__dist phases[LOCK_PHASES];
};

struct locks {
	struct dkt_ctx *ctx;
	struct name_table names;
	struct dkt__keymap map; /* host, handle */
	struct lock *list; /* by entry of map */
	size_t n_list;
	struct lock_pairs pairs;
	struct dkt__keymap res_map; /* host, name of the resource */
	struct lock_res *res; /* by entry of res_map */
	size_t n_res;
	struct dkt__keymap group_map; /* namespace */
	struct lock_group *groups; /* by entry of group_map */
	size_t n_groups;
	struct lock_conflict *longest; /* the longest first; most + 1 places */
	struct lock *slowest; /* that ended; the same */
	size_t n_longest, n_slowest, most;
	uint64_t last; /* time of the last message */
	uint64_t messages, conflicts, expired;
	uint64_t spanned; /* locks that were under way when records were lost */
	uint64_t cut; /* or when a host was started again */
};

/* most: how many of the longest conflicts, and of the slowest locks, to keep. */
int dkl_locks_init(struct locks *locks, struct dkt_ctx *ctx, size_t most);
void dkl_locks_clear(struct locks *locks);

/* Takes the next line in order of time. *lock becomes the one that it is about; NULL: it is about none. */
int dkl_locks_add(struct locks *locks, const struct log_line *line, const struct lock **lock);

/* Records of a file were lost: forgets which of its locks wait or are called back. */
void dkl_locks_gap(struct locks *locks, uint32_t host);

/* The host was started again, or its clock was set back: forgets its locks. */
void dkl_locks_restart(struct locks *locks, uint32_t host);

/* The resource of a lock, as far as it is known. */
const struct lock_res *dkl_locks_res(const struct locks *locks, const struct lock *lock);

/* Both sides of the lock that the last callback of the resource asked for. */
struct lock_pair dkl_locks_holder(const struct locks *locks, const struct lock_res *res);

/* Both sides of the lock, as far as they are known. */
struct lock_pair dkl_locks_held(const struct locks *locks, const struct lock *lock);

/* The server's side of a client's lock, if the files have it; otherwise the lock itself. */
const struct lock *dkl_locks_server_side(const struct locks *locks, const struct lock *lock);

/* The lock that is granted on the same resource of the same host; NULL: none, or there are several. */
const struct lock *dkl_locks_only_granted(const struct locks *locks, const struct lock *lock);

/*
 * Gets the NID, as the number of a name, and the lock for which a lock waits or has waited. False: for none, or
 * the files do not tell. If the lock is a client's, the server's file tells.
 */
bool dkl_locks_waited_for(const struct locks *locks, const struct lock *lock, uint32_t *holder,
			  struct lock_pair *held);

/* True for the client's side of a lock, and for a lock that a server holds for itself. */
static inline bool dkl_locks_is_local(const struct locks *locks, const struct lock *lock)
{
	return !strcmp(name_text(&locks->names, lock->nid), "local");
}

/* Gets the locks that wait or were called back at the end, the oldest first. The caller frees the list. */
int dkl_locks_unfinished(const struct locks *locks, const struct lock ***list, size_t *n);

/* True if the lock waits; otherwise it was called back. */
static inline bool lock_waits(const struct lock *lock)
{
	return lock->enqueued && !lock->granted;
}

/* Since when the lock waits, or was called back. */
static inline uint64_t lock_since(const struct lock *lock)
{
	return lock_waits(lock) ? lock->enqueued : lock->blocked;
}
