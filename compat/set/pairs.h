/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ready-made pairs of events whose time from one to the other is a latency. */
#pragma once

#include <dktrace/dktrace.h>
#include <stdbool.h>

/*
 * A ready-made pair. If several have the same name, the first one is measured whose events this
 * kernel has, or the first one of which the file has records; one with calls only of a file.
 */
struct latency_pair {
	const char *name; /* NULL: not ready-made; the user has given the events */
	const char *begin; /* events or globs, separated by commas */
	const char *end;
	const char *key;
	const char *by; /* NULL: no groups */
	bool per_task; /* the process itself causes both, so that its PID selects the records */
	bool few_keys; /* about as many values of the key as threads, or fewer: a table can hold them */
	const char *help;
	/* Only these of all system calls, as for dkl_pair_calls_filter(); NULL: no filter. */
	const char *calls;
};

/* Returns the next ready-made pair, or NULL after the last one. */
const struct latency_pair *dkl_latency_pair_next(const struct latency_pair *pair);

/*
 * Returns the first ready-made pair of that name after another one, or NULL. after NULL: the first.
 */
const struct latency_pair *dkl_latency_pair_find(const char *name,
						 const struct latency_pair *after);

/* True if one of the events or globs of begin or end, "SYSTEM:NAME,...", is the event. */
bool dkl_latency_pair_has(const char *globs, const struct dkt_event *event);
