/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the files of the profile: a sample that is to be counted. */
#pragma once

#include "answers/profile/profile.h"

/* An event of a source. */
struct profile_known {
	struct dkt_event *event;
	bool is_stack, is_user;
	uint32_t callers,
		width; /* of a stack: the offset of the first address, and the bytes of each */
	const struct dkt_field *period, *process; /* NULL: none */
	const struct dkt_field *sym, *dso; /* the place of a sample that has no stack; NULL: none */
	struct profile_event *counts; /* NULL: no stack yet */
};

/* The addresses of a stack. */
struct profile_stack {
	const struct dkt_event *event;
	const uint8_t *data;
	uint32_t size;
	uint32_t width; /* bytes of an address */
	uint32_t own; /* addresses at its beginning that number does not stand for */
	uint64_t number; /* dkt__record_stack_number() */
	bool is_user;
	bool any;
};

/* A sample: an event with its stacks. */
struct profile_hit {
	uint32_t known; /* the event, plus 1; 0: it is missing */
	uint32_t comm; /* a name */
	uint32_t group; /* the name of the caller's group, plus 1; 0: none */
	uint32_t part;
	struct dkt_ctx *ctx;
	uint64_t ts, period;
	uint32_t cpu;
	int32_t pid, tid;
	bool carried; /* the record carries its stacks: they are of perf, not of the kernel's tracer */
	struct profile_stack user, kernel;
	uint32_t place; /* the name of the function, plus 1, of a sample without a stack; 0: none */
};

/* True for a sample of perf of a counter, not of a tracepoint. */
static inline bool profile_is_of_perf(const struct dkt_event *event)
{
	return !strcmp(dkt_event_system(event), "perf");
}

/* Counts a sample in the tree. -ENOMEM. */
int profile_count(struct profile *profile, const struct profile_hit *hit);

/* Frees the stacks that are remembered. */
void profile_cache_clear(struct profile *profile);
