/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The wanted set of a private instance: the events to record, and the filter of each, as the options
 * -c, -e, --filter, --pid, --comm, --cpu, --stack and --probe choose them.
 *
 *	struct wanted_words words = { .classes = "rpctrace", .events = "sched:*[prev_pid > 0]" };
 *	struct wanted *wanted;
 *
 *	err = dkl_wanted_new(ctx, &words, &wanted);         before the instance is created
 *	err = dkl_wanted_apply(wanted, change);             then dkt_change_commit(), for any instance
 *	...
 *	dkl_wanted_free(wanted);                            after the instance was removed
 *
 * The events of a set become invalid with the catalogue: see dkt_events_forget().
 */
#pragma once

#include <dktrace/dktrace.h>
#include <stdbool.h>

#include "compat/lustre/mask.h"

/* The arguments of the options with these names; NULL: not given. */
struct wanted_words {
	/*
	 * --class: words as `set_param debug=` takes them, "rpctrace+ioctl", "all -trace"; no class
	 * is added to them. Also --subsystem, which restricts the classes.
	 */
	const char *classes, *subsystems;
	/*
	 * The sources that the classes stand for, in the words of debug_sources: "lustre kernel".
	 * NULL: as the debug log does without a choice of the user, Lustre's messages where Lustre is
	 * loaded, otherwise the kernel's events.
	 */
	const char *sources;
	const char *events; /* --event: as dkl_named_read() takes them; whatever the sources */
	const char *filter; /* --filter: for all events that have its fields */
	const char *comms; /* --comm: names or globs of programs, separated by commas */
	const char *pids; /* --pid: process IDs, separated by commas; all their threads */
	bool children; /* --children: also processes that these start later */
	const char *cpus; /* --cpu: 0-3,5 */
	/* --stack: the events whose records get the kernel's stack, as in events but without filters. */
	const char *stacks;
	/*
	 * --probe: probes as `dktrace probe add` defines them, "PLACE [ARGUMENT...] [--OPTION
	 * VALUE...]", one per line. They are recorded, and events can give them a filter by name.
	 */
	const char *probes;
	/* The prefix of the instance's name: dkt_instance_own(). The probes get its dkt_instance_own_group(). */
	const char *owner;
	/*
	 * The set that this one will replace: probes of the same words are shared, so that they record
	 * without a gap. NULL: there is none.
	 */
	const struct wanted *before;
};

struct wanted_event {
	struct dkt_event *event;
	char *filter; /* in the kernel's language; NULL: none */
	bool stack;
};

struct wanted {
	struct dkt_ctx *ctx;
	struct wanted_event *list; /* in the order of dkt_events(), unless the caller added them */
	size_t n;
	/* For the user: events that are recorded without a filter, and the like; NULL: nothing. */
	char *notes;
	struct wanted_parts *parts; /* NULL: a set of dkl_wanted_add() alone */
};

/*
 * Resolves the words. Creates the probes, disabled, and the probe on Lustre's messages if the classes
 * need it or the events name it, so it needs DKT_NEED_CONTROL if there are any; otherwise changes nothing.
 *
 * -EINVAL, -ENOENT, -ENOTUNIQ, -ESRCH: a word is invalid, or stands for nothing; dkt_error() says
 * which and suggests a similar name. -EINVAL: no event fits a filter. Events of a class that the
 * kernel lacks are no error, unless nothing is left.
 */
int dkl_wanted_new(struct dkt_ctx *ctx, const struct wanted_words *words, struct wanted **wanted);

/* Creates a set without events, for a caller that chooses them itself. */
int dkl_wanted_none(struct dkt_ctx *ctx, struct wanted **wanted);

/* Adds an event. filter may be NULL; it is skipped if the event lacks one of its fields. */
int dkl_wanted_add(struct wanted *wanted, struct dkt_event *event, struct dkt_expr *filter);

/*
 * Puts the set onto the change: exactly its events, their filters, triggers for stacks; threads and
 * CPUs if the words name any. Can be called for several changes.
 */
int dkl_wanted_apply(const struct wanted *wanted, struct dkt_change *change);

/*
 * For an instance that has had another set: puts onto the change that the filters, stacks, threads and
 * CPUs of that one go, as far as this one has none. Call it before dkl_wanted_apply().
 */
int dkl_wanted_clear(const struct wanted *wanted, struct dkt_instance *in,
		     struct dkt_change *change);

/*
 * Once the set is in effect in place of words.before: frees that one. Its probes stay until dkl_wanted_free():
 * the kernel empties the buffers that have records of a probe when it is removed, without counting them.
 */
void dkl_wanted_replace(struct wanted *wanted, struct wanted *before);

/*
 * Removes the probes that dkl_wanted_new() created, and frees the set. A probe that cannot be removed, for
 * example because an instance still has it enabled, is logged. Keeps the error message.
 */
void dkl_wanted_free(struct wanted *wanted);
