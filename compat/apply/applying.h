/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of one dkl_debuglog_apply() call, and the parts of its work. */
#pragma once

#include "compat/apply/apply.h"
#include "compat/apply/event_filter.h"
#include "compat/lustre/modules.h"

struct applying {
	struct debuglog *log;
	const struct settings *set;
	struct settings *done; /* the settings and their results, to be stored */
	struct filter_report *report;
	struct dkt_change *change;
	struct event_filter filter;
	struct named before; /* the events that the settings before the change name */
	struct modules modules; /* loaded modules of the chosen subsystems */
	char *sites; /* call sites in these modules; NULL: anywhere */
	bool graph; /* record entry and exit of the modules' functions */
	uint8_t *targets; /* by event index: events that triggers enable or disable */
	size_t n_events; /* of targets */
	size_t n_targets; /* triggers that have one */
	struct dkt_event **on;
	size_t n_on;
};

/* Finds the events that triggers enable or disable. */
int dkl_applying_targets(struct applying *a);
bool dkl_applying_is_target(const struct applying *a, const struct dkt_event *event);

/*
 * True if the event is to be enabled. An event that a trigger has enabled or disabled stays so,
 * unless the settings for the event change.
 */
bool dkl_applying_wants(const struct applying *a, const struct dkt_event *event);

/*
 * Adds the function tracer to the change. Recording works without it: if the kernel refuses it,
 * dkl_applying_note_graph() only notes the reason.
 */
int dkl_applying_graph(struct applying *a);
int dkl_applying_note_graph(struct applying *a);

/* Add the triggers, or the threads and CPUs, to the change. */
int dkl_applying_triggers(struct applying *a);
int dkl_applying_limits(struct applying *a);

/* True if a new trigger makes the kernel set the clock of the instance, which empties its buffers. */
bool dkl_applying_sets_clock(const struct applying *a);

/*
 * Restores whether the log records, after an interrupted change was undone: a trigger of that change
 * may have stopped or started it. An older trigger may have, too; dktrace cannot tell which one did.
 */
int dkl_applying_recording(const struct applying *a, const struct settings *before);

/* Notes before a change the triggers and limits that it may add, so that they can be undone. */
int dkl_applying_note(const struct applying *a, struct settings *before);

/*
 * Returns the masks that differ from Lustre's, as bits 1 << enum mask_kind. MASK_SOURCES is one of
 * them if the user has not chosen it and Lustre was loaded or unloaded.
 */
uint32_t dkl_follow_differ(struct settings *settings);

/* Takes over these masks, and returns them like dkl_follow_differ(). */
uint32_t dkl_follow_masks(struct settings *settings);

/* After a change to the settings done: logs, once, the masks that it took over from Lustre. */
void dkl_follow_report(struct debuglog *log, struct settings *done);
