/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The selected records: by class, subsystem, event, thread, program, CPU, time, expression, rate.
 */
#pragma once

#include <dktrace/dktrace.h>

#include "compat/lustre/mask.h"
#include "compat/lustre/named.h"
#include "lib/base/strings.h"

/* ---- limits by class: at most so many records a second ---- */

/* All zero: no limit. */
struct rate {
	uint32_t limited; /* classes that have a limit */
	uint32_t most[MASK_BITS];
	uint32_t seen[MASK_BITS]; /* records in the current second */
	int64_t second[MASK_BITS];
	uint64_t dropped;
};

/*
 * Parses NAME=N, separated by commas; each N is at least 1. -EINVAL: *bad is the first invalid
 * item.
 */
int dkl_rate_parse(const char *text, struct rate *rate, const char **bad);

/*
 * True if a record of these classes at that time (ns) is within the limit; counts it. A record of
 * several limited classes counts for the first of them.
 */
bool dkl_rate_takes(struct rate *rate, uint32_t classes, int64_t time);

/* Reports the number of dropped records on standard error, if any, and restarts the count. */
void dkl_rate_report(struct rate *rate, const char *self);

/* ---- the selection ---- */

/* The arguments of the options with these names; NULL: not given. */
struct selection_words {
	const char *classes, *subsystems; /* rpctrace+ioctl */
	const char *events; /* as dkl_named_read() takes them */
	const char *pids; /* 1,42 */
	const char *comms; /* globs, separated by commas */
	const char *cpus; /* 0-3,5 */
	const char *since, *until;
	const char *filter; /* in the kernel's filter language */
	const char *rate; /* rpctrace=100,vfstrace=10 */
};

struct selection_time {
	int64_t ns;
	int64_t around; /* times from ns - around to ns + around - 1 print as this time */
	bool wall; /* a time of day, not of the source's clock */
	bool given;
};

/* All zero: all records. */
struct selection {
	uint32_t classes, subsystems; /* records with one of these bits; 0: any */
	/* Not records with all their bits among these. */
	uint32_t hidden_classes, hidden_subsystems;
	struct named events;
	const char *event_words; /* the text of events; NULL: none */
	struct dkt__strings comms;
	int *pids, *cpus;
	size_t n_pids, n_cpus; /* 0: any */
	struct selection_time since, until;
	const char *filter; /* NULL: none */
	struct rate rate; /* the limit on chosen records; counts the dropped ones */
};

/*
 * Parses the options. -EINVAL: one of them is invalid; the context has the message. Clear the
 * selection in either case.
 */
int dkl_selection_read(struct dkt_ctx *ctx, const struct selection_words *words,
		       struct selection *selection);
void dkl_selection_clear(struct selection *selection);

/* True if all records of a source are selected, except for its window and CPUs. */
bool dkl_selection_is_all(const struct selection *selection);

/* True if the selection needs the classes of records. */
bool dkl_selection_by_class(const struct selection *selection);

/*
 * Checks the CPUs of which records of this machine are wanted; in: an instance, NULL: the top one. -EINVAL with an
 * error message: the machine does not have one of them.
 */
int dkl_selection_check_cpus(struct dkt_ctx *ctx, const struct dkt_instance *in, const int *cpus,
			     size_t n);

/*
 * Gets the window on the source's clock: records from *since on and before *until; 0: no bound.
 * -EINVAL with an error message: a time of day is given, and the source has no wall clock.
 */
int dkl_selection_window(const struct selection *selection, struct dkt_ctx *ctx,
			 const struct dkt_source_info *info, uint64_t *since, uint64_t *until);
