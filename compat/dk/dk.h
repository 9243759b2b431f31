/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints the debug log: the kernel's records and Lustre's own, selected, in one of the styles. */
#pragma once

#include "compat/log/wall.h"
#include "compat/lustre/log_source.h"
#include "compat/pipeline/sink.h"

struct dk_opts {
	/* Gets the progress, first with done 0: records read, of those in the log; NULL: not wanted. */
	void (*look)(void *data, uint64_t done, uint64_t of);
	void *look_data;
	const struct sink_opts *sink;
	struct outfile *file; /* the open output of the sink */
	unsigned int flags; /* enum dkt_live_flags */
	struct selection *selection;
	struct log_source *lustre; /* Lustre's own records, to be merged; NULL: none */
	bool drop_privileges; /* when everything is open: the process does nothing else */
	unsigned int keep_privileges; /* enum dkt__keep: except these, for the output */
	bool skip_self; /* skip records of this process */
	uint64_t until; /* a log that follows ends at this time of CLOCK_MONOTONIC, in ns; 0: never */
};

struct dk_result {
	uint64_t kept; /* records printed */
	uint64_t dropped; /* records not selected */
	struct losses losses;
	uint64_t missed; /* messages of Lustre that came while its probe was busy, and are not printed */
	const char *missed_words; /* of which time they are, or where else */
	uint64_t incomplete; /* messages of Lustre in the middle of which recording stopped */
	uint64_t own; /* skipped records of this process */
	char *unmatched; /* why the filter could not match the records; NULL: it could */
	char *only_lustre; /* why the kernel's records are not printed; NULL: they are */
	bool closed; /* the reader of a pipe has exited */
	bool last_boot; /* the times are on the clock of an earlier boot */
	struct log_wall
		steps; /* of the wall clock, while the printed records came; in order of time */
	bool stepped; /* the times follow the steps */
	char *clock; /* the clock, if it has no wall-clock time and its own times are printed; or NULL */
};

void dkl_dk_result_clear(struct dk_result *result);

/* Prints the summary line, and on standard error all other results, after the program's name. */
void dkl_dk_result_print(const struct dk_result *result, const char *self, FILE *out);

/*
 * Writes the log and Lustre's own records to the file; log NULL: Lustre's alone. Removes written
 * records from the log, unless DKT_LIVE_KEEP is given. With sink->whole, removes records only after
 * the file is complete; -ECANCELED: a signal came first, the log is unchanged. A log without an
 * instance has no records.
 */
int dkl_dk_print(struct dkt_ctx *ctx, struct debuglog *log, const struct dk_opts *opts,
		 struct dk_result *result);

/* Empties the log, and begins a new count of the messages that its probe misses. */
int dkl_dk_clear(struct debuglog *log);
