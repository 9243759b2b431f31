/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the files of the wall-clock profile. */
#pragma once

#include "answers/wall/wall.h"

/* Threads and times that are kept, at most: a hostile file has no more. */
#define WALL_THREADS_MAX (1u << 20)
#define WALL_ROWS_MAX    (1u << 21)

enum wall_mode {
	WALL_UNKNOWN,
	WALL_RUNS,
	WALL_WAITS,
};

struct wall_thread {
	int32_t tid;
	uint32_t comm; /* a name of the profile */
	enum wall_mode mode;
	uint64_t since; /* of the mode */
	/* The wait: */
	uint64_t sched; /* enum wall_sched */
	uint32_t node; /* where its stack ends, in the tree of records */
	uint32_t part, cpu; /* that it left */
	uint32_t waker_cpu;
	uint64_t woken; /* 0: not yet */
	uint32_t serial; /* changes with each wait */
	uint32_t chain; /* who ended the last wait; of the thread itself while it runs */
	uint32_t began, ended; /* how often it got a CPU, and left it */
	uint32_t breaks; /* how often it had left a CPU unseen */
	uint64_t samples;
	uint64_t ns[WALL_STATES], all;
	bool shown;
};

/* The last record of a CPU whose stack is not known yet. */
struct wall_cpu {
	uint64_t last; /* the time of its last record */
	bool switched; /* a switch was recorded */
	uint32_t runs; /* the thread, plus 1; 0: unknown, or idle */
	uint32_t subject; /* the thread of a switch or sample, or the one that was woken, plus 1; 0: none */
	uint32_t serial; /* of the subject's wait */
	enum { WALL_OF_SWITCH, WALL_OF_WAKEUP, WALL_OF_SAMPLE } kind;
};

/* A kind of record. */
struct wall_event {
	enum { WALL_IGNORED, WALL_STACK, WALL_SWITCH, WALL_WAKEUP, WALL_SAMPLE, WALL_TURN } kind;
	const struct dkt_field *prev_comm, *prev_pid, *prev_state, *next_comm, *next_pid, *pid;
	const struct dkt_field *out, *preempt;
};

/* A waker, and the chain of those that woke it before. */
struct wall_link {
	struct wall_waker waker;
	uint32_t rest; /* 0: unknown, or forgotten */
};

/* Time of a thread in a state and stack. */
struct wall_row {
	uint64_t ns;
	uint64_t times; /* waits, or samples */
};

struct wall {
	struct wall_opts opts;
	struct profile profile;
	struct profile_tree raw; /* the stacks of the records, once the profile has the other tree */
	struct profile_tree tree; /* of the answer */
	struct wall_states states;
	enum profile_side side;
	struct wall_window window;
	const struct wall_within *within; /* NULL: all times count */
	bool turns; /* there are records of threads that get a CPU */
	uint32_t sampled; /* the counter whose samples count: its event, plus 1 */
	struct dkt__keymap event_map;
	struct wall_event *events;
	uint32_t n_events;
	struct dkt__keymap cpu_map;
	struct wall_cpu *cpus;
	uint32_t n_cpus;
	struct dkt__keymap thread_map; /* those that have not ended */
	uint32_t *numbers; /* of threads, by the entry of thread_map */
	uint32_t n_numbers;
	struct wall_thread *threads;
	uint32_t n_threads;
	uint32_t serial;
	struct dkt__keymap link_map;
	struct wall_link *links; /* chains, from 1 */
	uint32_t n_links;
	struct dkt__keymap row_map; /* by thread and node, and by state and chain */
	struct wall_row *rows;
	uint32_t n_rows;
	struct wall_facts facts[PROFILE_SIDES];
	struct dkt__keymap group_map, stack_map;
	struct wall_group *groups;
	uint32_t n_groups;
	struct wall_stack *stacks;
	uint32_t n_stacks;
	struct dkt__keymap share_map; /* by a stack's node and a chain */
	uint64_t *shares; /* of the stack's time, by entry */
	uint32_t n_shares;
	uint64_t breaks, gaps; /* of a side */
	int err; /* that of a stack */
};

/* ---- thread.c ---- */

/* Takes a switch, wakeup, sample or turn. The stack of the record follows by wall_counted(). -ENOMEM. */
int wall_take(struct wall *wall, uint32_t part, const struct wall_event *event,
	      const struct dkt_record *record, const char *comm);
int wall_gap(struct wall *wall, uint32_t part, const struct dkt_record *record);

/* For profile_opts.counted. */
void wall_counted(void *data, const struct profile_counted *counted);

/* Counts what has not ended. -ENOMEM. */
int wall_close(struct wall *wall);

/* ---- rows.c ---- */

/* Counts the time of a thread between two times. -ENOMEM. */
int wall_count(struct wall *wall, uint32_t thread, enum wall_state state, uint32_t node,
	       uint32_t chain, const struct wall_window *time);

/* Counts a sample, whose time is known at the end. -ENOMEM. */
int wall_sample(struct wall *wall, uint32_t thread, uint32_t node, uint64_t ts);

/* Returns the chain of a waker and, up to the number of hops, of those before; 0: memory is out. */
uint32_t wall_chain(struct wall *wall, const struct wall_waker *waker, uint32_t rest);

/* ---- tree.c ---- */

/* Adds the times to the tree, the groups and the stacks of the answer. -ENOMEM. */
int wall_build(struct wall *wall);
