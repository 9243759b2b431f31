/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies triggers that stop or start an instance to the borrowed top instance. */
#pragma once

#include "ctx.h"

struct dkt__stop {
	struct dkt_event *event;
	struct dkt_trigger *trigger;
	bool fresh; /* it was made just now, with its whole count */
};

struct dkt__stops {
	struct dkt__stop *list;
	size_t n;
};

/* Remembers the trigger if it is of that kind. */
int dkt__stops_add(struct dkt__stops *stops, struct dkt_event *event,
		   const struct dkt_trigger *trigger, bool fresh);
void dkt__stops_clear(struct dkt__stops *stops);

/*
 * Puts these triggers on the top instance and removes those that it has for the instance and that are
 * not among them; it records from then on if the instance does. A note in the spool directory comes
 * first.
 */
int dkt__stops_follow(struct dkt_instance *in, struct dkt_instance *top, const char *spool,
		      const struct dkt__stops *stops);

/* Removes what the note says. */
int dkt__stops_return(struct dkt_instance *top, const char *spool);
