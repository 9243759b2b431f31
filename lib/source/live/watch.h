/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One descriptor that becomes readable when a live source may have records, whatever the cause. */
#pragma once

#include "lib/ctx.h"

/* All are -1 if the source does not follow. */
struct dkt__watch {
	int all; /* epoll: the buffers and the three below */
	int wake; /* eventfd: dkt__source_wake() was called */
	int more; /* eventfd: records are available */
	int timer; /* timerfd: time to check again for a buffer that poll() cannot report */
	bool buffer; /* the last wait ended because of a buffer */
};

#define DKT__NO_WATCH                                                                              \
	{                                                                                          \
		.all = -1, .wake = -1, .more = -1, .timer = -1                                     \
	}

/*
 * Opens the descriptors; they are readable until dkt__watch_more() changes that. Call
 * dkt__watch_close() also after a failure.
 */
int dkt__watch_open(struct dkt__watch *watch);
void dkt__watch_close(struct dkt__watch *watch);

/* Adds or removes a buffer; a regular file of a saved tree cannot be waited for. */
int dkt__watch_buffer(struct dkt__watch *watch, int fd, bool on);

/* Sets whether records are available, and whether a buffer is absent. */
int dkt__watch_more(struct dkt__watch *watch, bool more, bool absent);

/* Waits until the descriptor is readable, and clears a call of dkt__source_wake(). */
int dkt__watch_wait(struct dkt__watch *watch, int timeout_ms);

/*
 * Kernels before 6.1 report a buffer for any record, whatever buffer_percent is. If the reader's own actions are recorded,
 * it would look again at once, for ever. Returns how long to wait between two looks, in ms: few buffers of this size, in
 * bytes, can be filled meanwhile.
 */
int dkt__watch_early_ms(uint64_t size);

/* Waits for ms or for dkt__source_wake(), not for the buffers. */
int dkt__watch_rest(struct dkt__watch *watch, int ms);

/* Makes the descriptor readable; may be called by any thread. */
int dkt__watch_wake(const struct dkt__watch *watch);
