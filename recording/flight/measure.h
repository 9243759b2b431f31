/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a flight recorder measures latencies: the kernel does, or the recorder reads all records. */
#pragma once

#include "recording/flight/watch.h"

/* Opens the live source of a watch that wakes when a buffer is that full; 0: for each record. */
int flight_watch_read(struct flight_watch *watch, unsigned int percent, uint64_t size);

/*
 * Sets up the events of a latency and watch->limit; ctx keeps the ready-made intervals. The kernel measures if it can; then no source is
 * open yet. The error is in the watch's own context.
 */
int flight_measure_start(struct dkt_ctx *ctx, struct flight_watch *watch, const char *log,
			 const char *name, const char *latency, const struct wanted_words *who);

/* Sets *ns to the latency that the record ends; 0: it ends none. */
int flight_measure(struct flight_watch *watch, const struct dkt_record *record, uint64_t *ns);

/* Sets *takes if one of the events has the fields of the filter, which is for other events otherwise. */
int flight_takes_filter(struct dkt_ctx *ctx, const char *events, const char *filter, bool *takes);

/* Removes what a watch has created, so that it can be set up in another way. */
int flight_watch_clear(struct flight_watch *watch, const char *log);

/* Returns the prefix of the names of what is created for a watch; the caller frees it. */
char *flight_watch_prefix(const char *log, const char *name);
