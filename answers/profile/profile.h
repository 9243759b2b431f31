/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A profile: the call stacks of records, counted in a tree of functions. */
#pragma once

#include <dktrace/dktrace.h>

#include "answers/profile/frames.h"
#include "answers/profile/heat.h"
#include "answers/profile/tree.h"

/* The groups of stacks: each is a node between the root and the functions, in this order. */
enum profile_by {
	PROFILE_BY_EVENT = 1,
	PROFILE_BY_COMM = 2,
	PROFILE_BY_PID = 16, /* the process; of records that do not tell it, the thread */
	PROFILE_BY_TID = 4,
	PROFILE_BY_CPU = 8,
	PROFILE_BY_STATE = 32, /* of wall-clock time: what a thread does */
};

/* The weight of a sample. */
enum profile_weigh {
	PROFILE_BY_PERIOD, /* its period; 1 if it has none */
	PROFILE_BY_COUNT, /* 1 */
	PROFILE_BY_CALLER, /* what the caller adds to its node */
};

/* A sample that was counted. */
struct profile_counted {
	const struct dkt_event *event; /* NULL: it is missing */
	uint32_t part, cpu;
	int32_t tid;
	uint64_t ts;
	uint32_t node; /* where its stack ends */
};

struct profile_opts {
	unsigned int by; /* enum profile_by */
	enum profile_weigh weigh;
	/* The text of a group around those, valid until the next call; may be NULL. A text NULL: not counted. */
	const char *(*group)(void *data, const struct dkt_record *record);
	void (*counted)(void *data, const struct profile_counted *counted); /* may be NULL */
	void *data;
};

/* An event that had stacks. */
struct profile_event {
	const char *name; /* "sched:sched_switch"; that of a sample of perf without "perf:" */
	bool shown; /* its stacks are in the tree */
	bool is_perf; /* a sample of perf, not of a tracepoint */
	bool is_time; /* its periods are ns */
	uint64_t samples[PROFILE_SIDES];
};

/* Facts about what was read. */
struct profile_facts {
	struct profile_value all; /* of the events that are shown */
	uint64_t first, last; /* the times of the first and the last sample */
	uint32_t cpus;
	uint64_t cut; /* samples with more functions than a profile has room for: the outermost are there */
};

struct profile_known;
struct profile_pending;
struct profile_cached;
struct profile_step;

struct profile {
	struct profile_opts opts;
	enum profile_side side; /* of the records that are added */
	struct profile_names names;
	struct profile_frames frames;
	struct profile_tree tree;
	struct profile_heat heat; /* of PROFILE_NOW */
	struct profile_facts facts[PROFILE_SIDES];
	struct profile_event **events; /* in the order of their first samples */
	uint32_t n_events;
	bool weighs; /* samples have periods that count */
	bool is_time; /* in ns */
	/* While records are added: */
	struct dkt__keymap known_map; /* events of the sources */
	struct profile_known *known;
	uint32_t n_known;
	struct dkt__keymap pending_map; /* CPUs */
	struct profile_pending *pending;
	uint32_t n_pending;
	struct profile_cached *cache; /* stacks, by their hash */
	struct profile_step *callers,
		*places; /* the same of callers with a number, and of single addresses */
	bool *cpus;
	uint32_t n_cpus;
};

/* Clear it in either case. */
int profile_init(struct profile *profile, const struct profile_opts *opts);
void profile_clear(struct profile *profile);

/*
 * Adds a record or gap; a stack that is a record of its own belongs to the event before it on that CPU. ctx: of the
 * kernel that recorded it, which is number part. -ENOMEM.
 */
int profile_add(struct profile *profile, struct dkt_ctx *ctx, uint32_t part,
		struct dkt_source *source, const struct dkt_record *record);

/* Counts the last event of the CPU now: no stack of it follows. -ENOMEM. */
int profile_settle(struct profile *profile, uint32_t part, uint32_t cpu);

/* After the last record of a side: completes it. The sources are no longer needed then. */
int profile_end(struct profile *profile);

/* Returns the samples whose innermost function is not known. */
uint64_t profile_unknown(const struct profile *profile);

/* Returns a part of the side's weight, 0 to 1. */
double profile_share(const struct profile_tree *tree, enum profile_side side,
		     const struct profile_value *value);

/* For profile_tree_link(): by name, and from the largest total to the smallest. data: the struct profile. */
int profile_by_name(void *data, const struct profile_node *a, const struct profile_node *b);
int profile_by_total(void *data, const struct profile_node *a, const struct profile_node *b);

/* ---- functions ---- */

struct profile_sum {
	uint32_t name;
	struct profile_value self[PROFILE_SIDES];
	struct profile_value
		total[PROFILE_SIDES]; /* a stack counts once, however often it has the function */
};

/* Sums up the functions of a tree whose lists of children are set; the caller frees the list. -ENOMEM. */
int profile_sums(const struct profile *profile, struct profile_sum **list, size_t *n);
