/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Borrows the top instance for a tracer that other instances do not support. */
#pragma once

#include "lib/ctx.h"

/*
 * Borrows the top instance for another one and opens it with the same spool. Saves its state in the
 * spool, then gives it the clock, size and tracing_on of the other instance. If it is already
 * borrowed, only opens it. -EBUSY: another program uses it.
 */
int dkt__top_borrow(struct dkt_instance *for_in, struct dkt_instance **top);

/* Restores the top instance if an instance with that spool borrows it. */
int dkt__top_return(struct dkt_ctx *ctx, const char *spool);

/* ---- copies of triggers that stop or start an instance ---- */

struct dkt__stop {
	struct dkt_event *event;
	struct dkt_trigger *trigger;
	bool fresh; /* it was created just now, with its full count */
};

struct dkt__stops {
	struct dkt__stop *list;
	size_t n;
};

/* Stores the trigger if it stops or starts an instance. */
int dkt__stops_add(struct dkt__stops *stops, struct dkt_event *event,
		   const struct dkt_trigger *trigger, bool fresh);
void dkt__stops_clear(struct dkt__stops *stops);

/*
 * Sets these triggers on the top instance and removes the others that it has for the instance. It
 * then records if the instance does. A note in the spool directory is written first.
 */
int dkt__stops_follow(struct dkt_instance *in, struct dkt_instance *top,
		      const struct dkt__stops *stops);
