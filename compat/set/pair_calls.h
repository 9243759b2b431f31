/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pairs of some system calls among all. */
#pragma once

#include <dktrace/dktrace.h>

/* The pairs of all system calls. */
#define PAIR_CALLS "syscall"

/*
 * Gets the filter for the records of a row of PAIR_CALLS, which the caller frees. names: calls separated by
 * commas; PAIR_CALLS: all except those that wait by their nature. -ENOENT: one is not a call of this machine.
 */
int dkl_pair_calls_filter(struct dkt_ctx *ctx, const struct dkt_interval *row, const char *names,
			  char **filter);

/* Returns the name of the call that a record of such a pair is about, or NULL. by: as in flight_watch. */
const char *dkl_pair_call_name(struct dkt_ctx *ctx, const struct dkt_record *record,
			       const struct dkt_field *by);

/* Returns the field with the number of the call in the records of the row. */
const char *dkl_pair_call_field(const struct dkt_interval *row);
