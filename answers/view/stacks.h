/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Distinct call stacks: how often each was recorded, and how long processes slept in it. */
#pragma once

#include "answers/view/rates.h"

/* Further stacks are only counted. */
#define STACKS_MAX 65536

/* A record of a stack, without the time. */
struct stack_frames {
	struct dkt_event *event;
	const void *data;
	uint32_t size;
};

struct stack_count {
	const struct rates_event *event; /* to which the stacks belong; NULL: missing */
	const char *comm; /* lives as long as the source */
	uint32_t part; /* of the pipeline */
	uint32_t kernel, user; /* indices of frames, plus 1; 0: none */
	uint64_t count;
	uint64_t off; /* ns from sched_switch until the process ran again */
	char *text; /* "EVENT;COMM;OUTERMOST;...;INNERMOST", by stacks_finish() */
};

/* A CPU's last event with its stacks so far. */
struct stack_pending {
	const struct rates_event *event;
	const char *comm;
	int32_t pid, prev_pid;
	uint64_t ts;
	uint32_t part;
	uint32_t kernel, user; /* as in struct stack_count */
};

/* A process that does not run. */
struct stack_off {
	uint64_t since;
	uint64_t slept; /* it runs again, but its stack is not complete yet; 0: it does not */
	uint32_t count; /* index of its stack, plus 1; 0: unknown */
};

struct stacks {
	struct dkt__keymap frames_map, counts_map, pending_map, off_map;
	struct stack_frames *frames;
	uint32_t n_frames;
	struct stack_count *counts;
	uint32_t n_counts;
	struct stack_pending *pending;
	uint32_t n_pending;
	struct stack_off *off;
	uint32_t n_off;
	struct dkt__arena bytes; /* of frames */
	uint64_t dropped; /* stacks beyond STACKS_MAX */
	bool any;
};

void stacks_init(struct stacks *stacks);
void stacks_clear(struct stacks *stacks);

/* event: as rates_add() sets it. part: of the record or gap. */
int stacks_add(struct stacks *stacks, const struct rates_event *event, size_t part,
	       struct dkt_source *source, const struct dkt_record *record);

/* After the last record: completes the counts and sets the texts. */
int stacks_finish(struct stacks *stacks, struct pipeline *p);
