/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts losses: records that a source lost or could not read, and the messages about them. */
#pragma once

#include <dktrace/dktrace.h>

/* Begins as zeroes: nothing is lost. */
struct losses {
	uint64_t seen, lost, bad; /* sums over all CPUs, as in struct dkt_loss */
	uint64_t gaps; /* that were among the records */
	uint64_t *by_cpu; /* records lost */
	int cpus;
	char *damage; /* as in struct dkt_source_info; NULL: none */
};

/*
 * Adds what the source knows: of one of several sources that read a file in turns, what it met. Goes on
 * after a CPU whose numbers are not known; returns the first error.
 */
int losses_count(struct losses *losses, struct dkt_source *source);

/* The source knows the losses of all the time, which can be more than those that were met. */
void losses_raise(struct losses *losses, struct dkt_source *source);

void losses_clear(struct losses *losses);

/* The sum of losses, for the program that reports them. */
enum losses_verdict { LOSSES_NONE, LOSSES_LOST, LOSSES_DAMAGE };

/*
 * Says on standard error, after the program's name, what a file of that name lost and lacks; of a live
 * source name is NULL, and advice is what to do against it.
 */
enum losses_verdict losses_tell(const struct losses *losses, const char *self, const char *name,
				const char *advice);
