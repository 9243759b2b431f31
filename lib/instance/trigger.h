/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Triggers of events: the lines of a trigger file, and which of them exclude each other. */
#pragma once

#include "ctx.h"

/* Reads a trigger file into an array in one allocation, which the caller frees with free(). */
int dkt__triggers_parse(const char *text, struct dkt_trigger **triggers, size_t *n);

/* Whether the kernel has no room for both on one event. */
bool dkt__trigger_excludes(const struct dkt_trigger *a, const struct dkt_trigger *b);

/* The kernel lists, in an event's file without triggers, what there is. False: it is not there. */
bool dkt__trigger_offered(const char *text, const char *action);

/* Adds the trigger to the event's file, or removes it. */
int dkt__trigger_add(struct dkt_instance *in, const struct dkt_event *event,
		     const struct dkt_trigger *trigger);
int dkt__trigger_remove(struct dkt_instance *in, const struct dkt_event *event,
			const struct dkt_trigger *trigger);
