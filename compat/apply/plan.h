/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What one application of settings works on, and the parts of its plan. */
#ifndef COMPAT_APPLY_PLAN_H
#define COMPAT_APPLY_PLAN_H

#include "apply/apply.h"
#include "apply/event_filter.h"
#include "lustre/modules.h"

struct plan {
	struct debuglog *log;
	const struct settings *set;
	struct settings *done; /* becomes what is kept */
	struct filter_report *report;
	struct dkt_change *change;
	struct event_filter filter;
	struct modules modules; /* of the chosen subsystems, loaded */
	char *sites; /* call sites in them, NULL: anywhere */
	bool graph; /* entry and exit of their functions are wanted */
	uint8_t *targets; /* by event index: what triggers switch */
	size_t n_targets;
	struct dkt_event **on;
	size_t n_on;
};

/* Finds what triggers switch. */
int plan_targets(struct plan *plan);
bool plan_is_target(const struct plan *plan, const struct dkt_event *event);

/*
 * Whether the event is to be on. What a trigger has switched stays so as long as the settings want
 * of it what they wanted before.
 */
bool plan_wants(const struct plan *plan, const struct dkt_event *event);

/* Wants the triggers, threads and CPUs. */
int plan_triggers(struct plan *plan);
int plan_limits(struct plan *plan);

/*
 * After a change that was killed has been taken back: a trigger of it may have stopped or started the
 * log. An older trigger may have done the same, and nothing tells which did.
 */
int plan_recording(const struct plan *plan, const struct settings *before);

/* Before a change: notes the triggers and limits that it may add, so that they can be taken back. */
int plan_note(const struct plan *plan, struct settings *before);

#endif
