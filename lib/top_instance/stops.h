/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies triggers that stop or start an instance to the borrowed top instance. */
#pragma once

#include "lib/ctx.h"

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

/* Removes the triggers in the note; top has the spool of the instance that borrows it. */
int dkt__stops_return(struct dkt_instance *top);
