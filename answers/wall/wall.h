/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A profile of wall-clock time: where threads run, where they wait, and who ends their waits. */
#pragma once

#include "answers/wall/state.h"
#include "answers/wall/within.h"

/* The wakers of a chain, at most. */
#define WALL_HOPS_MAX 8u

/* A thread that sleeps for such a share of its time is idle. */
#define WALL_IDLE 0.99

struct wall_opts {
	unsigned int by; /* enum profile_by: PROFILE_BY_COMM, PROFILE_BY_TID, PROFILE_BY_STATE */
	uint32_t hops; /* the wakers that are remembered, at most WALL_HOPS_MAX */
	bool wakers; /* the wakers' functions follow those of the waits */
	bool idle; /* threads that only sleep are shown, too */
	/* True if the time of the thread is wanted. NULL: that of all. */
	bool (*chosen)(void *data, int32_t tid, const char *comm);
	void *data;
};

/* Time is counted within it. */
struct wall_window {
	uint64_t since, until;
};

/* The time of a group of threads, such as those with one name. */
struct wall_group {
	char *name;
	uint32_t threads;
	uint64_t ns[WALL_STATES];
	uint64_t all;
};

/* A stack in which threads spent time. The nodes are of the profile's tree. */
struct wall_stack {
	uint32_t node;
	enum wall_state state;
	uint64_t ns, times; /* times: waits, or samples */
	uint32_t chain; /* who ended most of its time; 0: unknown */
	uint64_t chain_ns;
};

struct wall_facts {
	uint64_t threads; /* that are shown */
	uint64_t idle; /* that are left out, as they sleep */
	uint64_t partial; /* that are left out, as only some of their switches were recorded */
	uint64_t switches, wakeups, samples;
	uint64_t missed; /* waits whose end was not recorded */
	uint64_t cut; /* times without a place in memory */
	uint64_t first, last;
	uint64_t ns; /* the wall-clock time of the threads that are shown */
};

struct wall;

/* Free it in either case. -ENOMEM. */
int wall_new(const struct wall_opts *opts, struct wall **wall);
void wall_free(struct wall *wall);

/* The stacks of all threads, as a profile that lives as long as the wall. Complete after wall_finish(). */
struct profile *wall_profile(struct wall *wall);

/*
 * Where times count, before the first record of a side: within the window and, if within is not NULL, the intervals,
 * which must live until wall_end().
 */
void wall_begin(struct wall *wall, enum profile_side side, const struct wall_window *window,
		const struct wall_within *within);

/* Adds a record, or a gap, as profile_add() does. -ENOMEM. */
int wall_add(struct wall *wall, struct dkt_ctx *ctx, uint32_t part, struct dkt_source *source,
	     const struct dkt_record *record);

/* After the last record of a side. -ENOMEM. */
int wall_end(struct wall *wall);

/* After the last side. */
void wall_finish(struct wall *wall);

const struct wall_facts *wall_facts(const struct wall *wall, enum profile_side side);

/* The groups and stacks of PROFILE_NOW, the largest first; the lists live as long as the wall. */
const struct wall_group *wall_groups(const struct wall *wall, size_t *n);
const struct wall_stack *wall_stacks(const struct wall *wall, size_t *n);

/* A waker: its name, and the node of the profile's tree of wakers where its stack ends; 0: unknown. */
struct wall_waker {
	uint32_t name; /* of the profile */
	uint32_t node;
};

/* Gets the i-th waker of a chain, counted from 0. Returns 0, or 1 after the last. */
int wall_waker(const struct wall *wall, uint32_t chain, size_t i, struct wall_waker *waker);

/* The stacks as they were recorded, of which wall_waker() has the nodes. */
const struct profile_tree *wall_raw(const struct wall *wall);
