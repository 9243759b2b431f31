/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of one debuglog_apply() call, and the parts of its work. */
#pragma once

#include "apply/apply.h"
#include "apply/event_filter.h"
#include "lustre/modules.h"

struct applying {
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
int applying_targets(struct applying *a);
bool applying_is_target(const struct applying *a, const struct dkt_event *event);

/*
 * Whether the event is to be on. What a trigger has switched stays so as long as the settings want
 * of it what they wanted before.
 */
bool applying_wants(const struct applying *a, const struct dkt_event *event);

/*
 * Adds the tracer of functions to the change. Recording works without it, so applying_note_graph() only
 * notes why the kernel refused it.
 */
int applying_graph(struct applying *a);
int applying_note_graph(struct applying *a);

/* Wants the triggers, threads and CPUs. */
int applying_triggers(struct applying *a);
int applying_limits(struct applying *a);

/* Whether a new trigger makes the kernel set the clock of the instance, which empties its buffers. */
bool applying_sets_clock(const struct applying *a);

/*
 * After a change that was killed has been taken back: a trigger of it may have stopped or started the
 * log. An older trigger may have done the same, and nothing tells which did.
 */
int applying_recording(const struct applying *a, const struct settings *before);

/* Before a change: notes the triggers and limits that it may add, so that they can be taken back. */
int applying_note(const struct applying *a, struct settings *before);
