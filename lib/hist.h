/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inside of dkt_hist: the description of a histogram, and its binding to each event. */
#pragma once

#include "lib/hist/table.h"

/* TRACING_MAP_KEYS_MAX; TRACING_MAP_VALS_MAX less hitcount */
#define HIST_KEYS 3
#define HIST_VALS 2

/* TRACING_MAP_BITS_MIN and _MAX, and the kernel's default. */
#define HIST_SIZE_MIN    128
#define HIST_SIZE_MAX    131072
#define HIST_SIZE_KERNEL 2048

/* The key that means the event's name. */
#define HIST_EVENT "event"

/* A value as the user requested it. */
struct hist_val {
	struct dkt__key_spec spec;
	char *raw; /* an expression or variable, which only the kernel supports; NULL: a field */
};

struct hist_event {
	struct dkt_event *event; /* NULL: not an event of the histogram */
	struct dkt_expr *filter; /* borrowed; NULL: all records count */
	struct dkt__key keys[HIST_KEYS];
	struct dkt__key vals[HIST_VALS];
	uint64_t name; /* its number in the table's strings */
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
	struct dkt_hist_opts opts; /* owns its strings */
	struct dkt__key_spec keys[HIST_KEYS];
	uint32_t n_keys; /* without the event's name */
	bool by_event; /* the event's name is a key, too, and the first column */
	int stack_key; /* the index of the key that is a stack; -1: none */
	struct hist_val vals[HIST_VALS];
	uint32_t n_vals;
	uint8_t hit_mod; /* the modifier of hitcount */
	struct hist_event *events; /* by event slot */
	size_t n_events;
	struct dkt_table *table; /* the counts in user space */
	int exec_key; /* the index of the key with execname; -1: none */
	struct hist_pending *pending; /* by CPU */
	uint32_t n_pending;
	struct dkt_event *stack_event;
	const struct dkt_field *stack_field;
};

/* Parses hist->opts. */
int dkt__hist_parse_spec(struct dkt_hist *hist);

/* Finds an event that was added. -EINVAL: the histogram does not count it. */
int dkt__hist_find(struct dkt_hist *hist, const struct dkt_event *event, struct hist_event **found);

/* Creates a table with the requested columns; NULL: memory is out. */
struct dkt_table *dkt__hist_table(const struct dkt_hist *hist);

/* Gets the kernel's counts of all events as one table. */
int dkt__hist_read_kernel(struct dkt_hist *hist, struct dkt_instance *instance,
			  struct dkt_table **out);
