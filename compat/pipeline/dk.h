/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints the debug log: the kernel's records and Lustre's own, selected, in one of the styles. */
#pragma once

#include "log/debuglog.h"
#include "lustre/log_source.h"
#include "pipeline/sink.h"

struct dk_opts {
	/* Told first with done 0, and now and then: records looked at, of those in the log; NULL: not. */
	void (*look)(void *data, uint64_t done, uint64_t of);
	void *look_data;
	const struct sink_opts *sink;
	struct outfile *file; /* where the sink writes to, opened before anything is read */
	unsigned int flags; /* enum dkt_live_flags */
	struct selection *selection; /* outlives the printing */
	struct log_source *lustre; /* Lustre's own records, to be merged; NULL: none */
	bool drop_privileges; /* once all is open: the process has nothing else to do */
	unsigned int keep_privileges; /* enum dkt_keep: but these, for what is written */
	bool skip_self; /* leave out what this process caused */
};

struct dk_result {
	uint64_t kept; /* records printed */
	uint64_t dropped; /* records not selected */
	struct losses losses; /* what the kernel had to throw away, and what made no sense */
	uint64_t missed; /* messages of Lustre that came while its probe was at work */
	uint64_t incomplete; /* messages of Lustre within which the recording stopped */
	uint64_t own; /* records of this process, left out */
	char *unmatched; /* why the filter could not match what is in the log; NULL: it could */
	char *only_lustre; /* why the kernel's records are not shown; NULL: they are */
	bool closed; /* the reader of a pipe went away */
	char *clock; /* whose times are shown as they are, as it has no wall-clock time; or NULL */
};

void dk_result_clear(struct dk_result *result);

/* Prints the summary line, and on stderr after the program's name what else there is to say. */
void dk_result_print(const struct dk_result *result, const char *self, FILE *out);

/*
 * Writes the log and Lustre's own records to the file; log NULL: there is none of ours. Unless
 * DKT_LIVE_KEEP is given, what has been written is forgotten; what could not be written is not. A log
 * that was never started writes nothing. For a file that is there whole or not at all nothing is forgotten
 * before it is there; if something stops it, it is not, with -ECANCELED.
 */
int dk_print(struct dkt_ctx *ctx, struct debuglog *log, const struct dk_opts *opts,
	     struct dk_result *result);

/* Empties the log. */
int dk_clear(struct debuglog *log);
