/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inside of dkt_hist: the description of a histogram, and its binding to each event. */
#pragma once

#include "hist/table.h"

/* TRACING_MAP_KEYS_MAX; TRACING_MAP_VALS_MAX less hitcount */
#define HIST_KEYS 3
#define HIST_VALS 2

/* TRACING_MAP_BITS_MIN and _MAX; without being asked, here and in the kernel. */
#define HIST_SIZE_MIN    128
#define HIST_SIZE_MAX    131072
#define HIST_SIZE_KERNEL 2048

/* The word that stands for the event's name. */
#define HIST_EVENT "event"

/* A value as the user requested it. */
struct hist_val {
	struct dkt__key_spec spec;
	char *raw; /* an expression or variable that only the kernel supports; NULL: a field */
};

struct hist_event {
	struct dkt_event *event; /* NULL: not an event of the histogram */
	struct dkt_expr *filter; /* NULL: none; borrowed */
	struct dkt__key keys[HIST_KEYS];
	struct dkt__key vals[HIST_VALS];
	uint64_t name; /* the name's number among the table's strings */
};

/* A record that waits for its stack, which the kernel writes after it. */
struct hist_pending {
	bool waits;
	uint64_t words[TABLE_KEYS];
	uint64_t vals[HIST_VALS];
	char comm[DKT__COMM_ROOM];
};

struct dkt_hist {
	struct dkt_ctx *ctx;
	struct dkt_hist_opts opts; /* its strings are our copies */
	struct dkt__key_spec keys[HIST_KEYS];
	uint32_t n_keys; /* without the event's name */
	int event_key; /* 0: the event's name is the first column; -1: it is none */
	int stack_key; /* the same for the stack, among keys */
	struct hist_val vals[HIST_VALS];
	uint32_t n_vals;
	uint8_t hit_mod; /* how hitcount is shown */
	struct hist_event *events; /* by event index */
	size_t n_events;
	struct dkt_table *table; /* the counts of user space */
	int exec_key; /* the key with execname, -1: none */
	struct hist_pending *pending; /* by CPU */
	uint32_t n_pending;
	struct dkt_event *stack_event;
	const struct dkt_field *stack_field;
};

/* Reads keys, vals and the rest. */
int dkt__hist_parse_spec(struct dkt_hist *hist);

/* Returns a table with the requested columns. */
struct dkt_table *dkt__hist_table(const struct dkt_hist *hist);
