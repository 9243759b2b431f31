/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One descriptor that becomes readable when a live source may have records, whatever the cause. */
#pragma once

#include "ctx.h"

/* All are -1 if the source does not follow. */
struct dkt__watch {
	int all; /* epoll: the buffers and the three below */
	int wake; /* eventfd: dkt_source_wake() was called */
	int more; /* eventfd: records are there that have not been asked for */
	int timer; /* timerfd: time to look again for a buffer that poll() cannot tell of */
};

#define DKT__NO_WATCH                                                                              \
	{                                                                                          \
		.all = -1, .wake = -1, .more = -1, .timer = -1                                     \
	}

/* Readable until dkt__watch_more() says otherwise. A failure leaves what dkt__watch_close() closes. */
int dkt__watch_open(struct dkt__watch *watch);
void dkt__watch_close(struct dkt__watch *watch);

/* Adds a buffer, or takes it out again; a regular file of a saved tree cannot be waited for. */
int dkt__watch_buffer(struct dkt__watch *watch, int fd, bool on);

/* Whether records are there, and whether a buffer is absent. */
int dkt__watch_more(struct dkt__watch *watch, bool more, bool absent);

/* Waits, and takes a wake-up away. */
int dkt__watch_wait(struct dkt__watch *watch, int timeout_ms);
