/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Triggers of events: the lines of a trigger file, and which of them exclude each other. */
#pragma once

#include "lib/ctx.h"

/* Parses a trigger file into one allocated array, which the caller frees with free(). */
int dkt__triggers_parse(const char *text, struct dkt_trigger ***triggers, size_t *n);

/* True if the kernel does not accept both on one event. */
bool dkt__trigger_excludes(const struct dkt_trigger *a, const struct dkt_trigger *b);

/* True if the kernel supports the action: it lists them in an event's file without triggers. */
bool dkt__trigger_offered(const char *text, const char *action);

/* Adds the trigger to the event's file, or removes it. */
int dkt__trigger_add(struct dkt_instance *in, const struct dkt_event *event,
		     const struct dkt_trigger *trigger);
int dkt__trigger_remove(struct dkt_instance *in, const struct dkt_event *event,
			const struct dkt_trigger *trigger);
