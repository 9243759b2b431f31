/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The records that the debug log gets, by event and class.
 *
 * They cannot be read from the log without removing them. An instance of its own records the same: the
 * log's enabled events, with their filters, of its threads and CPUs. Functions and marks are not among
 * them.
 */
#pragma once

#include <dktrace/dktrace.h>

#include "compat/lustre/class.h"
#include "lib/base/util.h"

/* The bit of records that belong to no class of the log's debug. */
#define LOG_NO_CLASS 32

struct log_event {
	struct dkt_event *event;
	uint32_t classes; /* of the log's debug; 0: the event is recorded by its name */
	bool enabled; /* in the log */
	uint64_t records;
};

struct log_class {
	unsigned int bit; /* of debug, or LOG_NO_CLASS */
	size_t events; /* that are enabled */
	uint64_t records;
};

/* One interval. A record counts in each class of its event. */
struct log_counts {
	struct log_event *events;
	size_t n_events;
	struct log_class *classes; /* those of debug */
	size_t n_classes;
	uint64_t lost; /* records that were not counted */
};

struct log_counter;

/*
 * Creates the instance OWNER-PID-TIME, and begins to count what the log of that name records. The map
 * must outlive the counter. -ENOENT: there is no such log.
 */
int log_counter_open(struct dkt_ctx *ctx, const struct class_map *map, const char *log,
		     const char *owner, struct log_counter **counter);

/* Removes the instance. Returns its error: the instance is still there. */
int log_counter_close(struct log_counter *counter);

/* Counts the records that there are. To be called often, so that the buffers do not fill. */
int log_counter_read(struct log_counter *counter);

/*
 * Ends the interval. The next one has the settings that the log has now. *counts is for
 * log_counts_clear(). -ENOENT: there is no such log any more.
 */
int log_counter_take(struct log_counter *counter, struct log_counts *counts);
void log_counts_clear(struct log_counts *counts);
