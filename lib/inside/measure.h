/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The part of lib/inside.h for probes, histograms, tables and SQL. */
#pragma once

#include "lib/base/error.h"

/* ---- probes, events that are created at run time ---- */

/*
 * Adds a place to an event that dkt_probe_create() created with the same fields. -EEXIST: the
 * fields differ, or the kernel does not support several places. Other errors: as
 * dkt_probe_create().
 */
int dkt__probe_add_place(struct dkt_ctx *ctx, const struct dkt_probe *probe);

/*
 * Call after dkt_probe_create() failed with err. Looks for the reason if the kernel gave none (for
 * example, the function is blacklisted) and stores it for dkt_error(). Slow: reads long lists.
 * Returns err.
 */
int dkt__probe_refused(struct dkt_ctx *ctx, const struct dkt_probe *probe, int err);

/*
 * Gets the definition as one line for the kernel. The caller frees it. -EINVAL: a string has a
 * control character; -E2BIG: the line is longer than the kernel's limit.
 */
int dkt__probe_text(struct dkt_ctx *ctx, const struct dkt_probe *probe, char **text);

/*
 * Parses a line that dkt__probe_text() or the kernel wrote. The list has one probe;
 * dkt_probes_free() frees it. -EINVAL: not a definition.
 */
int dkt__probe_from_text(struct dkt_ctx *ctx, const char *text, struct dkt_probes **probes);

/* True if both define the same event at the same place with the same fields, however written. */
bool dkt__probe_same(const struct dkt_probe *a, const struct dkt_probe *b);

/* A static marker of a program (sys/sdt.h). Valid during the call only. */
struct dkt__marker {
	const char *provider, *name;
	const char *args; /* in the assembler's notation: "-4@%edi 8@$5" */
	uint64_t offset; /* bytes from the start of the file */
	uint64_t semaphore; /* offset of the counter that enables the marker; 0: none */
};

/* Receives a marker. A value other than 0 ends the walk, and dkt__markers() returns it. */
typedef int (*dkt__marker_fn)(void *data, const struct dkt__marker *marker);

/*
 * Calls fn for each marker of a program or library. -ENOEXEC: not an ELF file; -EOPNOTSUPP: the
 * file is for another kind of machine.
 */
int dkt__markers(struct dkt_ctx *ctx, const char *path, dkt__marker_fn fn, void *data);

/*
 * Receives a function; module is NULL for the kernel itself. A value other than 0 ends the walk,
 * and dkt__kernel_functions() returns it.
 */
typedef int (*dkt__function_fn)(void *data, const char *module, const char *name);

/*
 * Calls fn for each function of the kernel and its modules whose name begins with beginning
 * (/proc/kallsyms).
 */
int dkt__kernel_functions(struct dkt_ctx *ctx, const char *beginning, dkt__function_fn fn,
			  void *data);

/* Returns the probe of that name, or NULL. Valid as long as the list. */
const struct dkt_probe *dkt__probes_find(const struct dkt_probes *probes, const char *group,
					 const char *name);

/* ---- histograms, records counted by the values of fields ---- */

/*
 * Call after dkt_hist_event() failed with -ENOENT for each of n events. Sets a message about the
 * whole set, with the field that no event has and the most similar name. Returns -ENOENT.
 */
int dkt__hist_fits_none(struct dkt_hist *hist, struct dkt_event *const *events, size_t n);

/*
 * Gives an event that was added a filter of its own, instead of the filter in the options. The
 * caller keeps the filter as long as the histogram. -ENOENT, -EINVAL: as dkt_expr_check(), or the
 * event was not added.
 */
int dkt__hist_filter(struct dkt_hist *hist, struct dkt_event *event, struct dkt_expr *filter);

/*
 * Gets the trigger that makes the kernel count the event. The caller frees it. -EINVAL: the event
 * was not added; -E2BIG: the filter is too long for the kernel.
 */
int dkt__hist_trigger(struct dkt_hist *hist, struct dkt_event *event, char **text);

/* ---- tables, the counts of a histogram ---- */

/*
 * Parses the text of a hist file of the kernel; if it has several histograms, the first. -ENOENT:
 * it has none; -EINVAL: its header is invalid.
 */
int dkt__table_parse(struct dkt_ctx *ctx, const char *text, size_t len, struct dkt_table **table);

/*
 * Gets the first histogram that an event has in the instance, whoever added it. The caller frees
 * the table with dkt_table_free(). -ENOENT: the event has no histogram, or the kernel does
 * not have histograms.
 */
int dkt__instance_get_hist(struct dkt_instance *instance, struct dkt_event *event,
			   struct dkt_table **table);

/* ---- intervals, the time from one record to another ---- */

struct dkt__guess;

/* Starts a guess at the name, with those of all ready-made intervals. */
void dkt__interval_guess(struct dkt_ctx *ctx, struct dkt__guess *guess, const char *name);

/* Returns what records of the n events do together: begin the interval, end it (enum dkt_interval_role). */
uint32_t dkt__interval_roles_of(const struct dkt_interval *interval,
				struct dkt_event *const *events, size_t n);

/* True if the n events begin and end it, and one way of what it is within, if it is within others. */
bool dkt__interval_is_whole(const struct dkt_interval *interval, struct dkt_event *const *events,
			    size_t n);

/*
 * Returns the way to measure what the interval is within, of which a recording needs the events; NULL: there is
 * none, or nothing that it is within. One for some calls would need a filter for records that others count.
 */
const struct dkt_interval *dkt__interval_outer(const struct dkt_interval *interval,
					       struct dkt_event *const *events, size_t n);

/*
 * The part of dkt_intervals_bind() for what the interval is within, after the events of the interval itself. Does
 * nothing if it counts anywhere.
 */
int dkt__intervals_within(struct dkt_intervals *pairs, const struct dkt_interval *interval,
			  struct dkt_event *const *events, size_t n);

/* The interval of all system calls. */
#define DKT__CALLS "syscall"

/*
 * Gets the filter for the records of a way of DKT__CALLS, which the caller frees. names: calls separated by
 * commas; DKT__CALLS: all except those that wait by their nature. -ENOENT: one is not a call of this machine.
 */
int dkt__interval_calls_filter(struct dkt_ctx *ctx, const struct dkt_interval *row,
			       const char *names, char **filter);

/*
 * Returns the name of the call that a record of such an interval is about, or NULL. by: the field with its number;
 * NULL: that of the event.
 */
const char *dkt__interval_call_name(struct dkt_ctx *ctx, const struct dkt_record *record,
				    const struct dkt_field *by);

/* Returns the field with the number of the call in the records of the row. */
const char *dkt__interval_call_field(const struct dkt_interval *row);

/* ---- SQL, a histogram or an event made of two ---- */

/*
 * The meaning of a statement in the SQL of tracefs_sql(3). Without JOIN it is a histogram of the
 * records of one event:
 *
 *	SELECT prev_comm, CAST(prev_state AS hex) FROM sched_switch WHERE prev_prio < 100
 *
 * With JOIN it is a synthetic event, which the kernel records when a record of the second event
 * follows one of the first and the fields after ON are equal:
 *
 *	SELECT start.pid, (end.TIMESTAMP_USECS - start.TIMESTAMP_USECS) AS lat
 *	FROM sched_waking AS start JOIN sched_switch AS end ON start.pid = end.next_pid
 *
 * The strings live as long as the object.
 */
struct dkt__sql {
	const char *event; /* after FROM, "system:name" */
	const char *end; /* after JOIN; NULL: the statement is a histogram */
	const char *keys; /* of the histogram, for dkt_hist_opts */
	const char *vals; /* of the histogram, for dkt_hist_opts; NULL: none */
	const char *filter; /* of the histogram; NULL: none */
	const char *fields; /* of the synthetic event, for a dkt_probe of the group "synthetic" */
	const char *begin_trigger; /* for event, once the synthetic event exists */
	const char *end_trigger; /* for end, after begin_trigger */
};

/*
 * Translates a statement; changes nothing in the kernel. name is the name of the synthetic event,
 * NULL if the statement is a histogram. libtracefs parses the statement in a child process, which
 * this call waits for. -EINVAL: the statement is invalid, dkt_error() shows the place with a caret;
 * -ENOENT: an event or a field of it does not exist; -E2BIG: it has more than 4095 bytes; -ENODEV:
 * it has JOIN, and libtracefs finds no tracefs or debugfs; -EFAULT: the parser of libtracefs failed;
 * -EAGAIN: no child process could be created.
 */
int dkt__sql_new(struct dkt_ctx *ctx, const char *text, const char *name,
		 const struct dkt__sql **sql);
void dkt__sql_free(const struct dkt__sql *sql);
