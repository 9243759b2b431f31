/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A transaction and the kinds of its steps; each step can be applied and undone. */
#pragma once

#include "lib/change/tracer.h"

struct dkt__filter_step {
	struct dkt_event *event;
	char *text; /* wanted */
	char *before; /* NULL: not changed */
};

struct dkt__trigger_step {
	struct dkt_event *event;
	struct dkt_event *target; /* the event that the trigger enables or disables, or NULL */
	struct dkt_trigger *trigger;
	bool add; /* false: remove it */
	bool done;
};

/* A file of the instance with one value. */
struct dkt__knob {
	const char *file;
	char *value; /* wanted */
	char *before; /* NULL: not read yet */
};

struct dkt_change {
	struct dkt_instance *in;
	struct dkt_event *const *all;
	size_t n_all;
	bool *wanted; /* by event index; NULL: do not change events */
	bool *before;
	bool *now;
	struct dkt__filter_step *filters;
	size_t n_filters;
	struct dkt__trigger_step *triggers;
	size_t n_triggers;
	struct dkt__knob *knobs;
	size_t n_knobs;
	struct dkt__stops stops; /* among the wanted triggers, new or not */
	struct dkt__tracer tracer;
	size_t steps, steps_done; /* filters to set and events to enable or disable */
};

/* The undo functions continue after an error and return the last one. */
int dkt__triggers_apply(struct dkt_change *change);
int dkt__triggers_undo(struct dkt_change *change);
void dkt__triggers_free(struct dkt_change *change);

int dkt__knobs_apply(struct dkt_change *change);
int dkt__knobs_undo(struct dkt_change *change);
void dkt__knobs_free(struct dkt_change *change);
