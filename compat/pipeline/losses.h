/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts losses: records that a source lost or could not read, and the messages about them. */
#pragma once

#include <dktrace/dktrace.h>

#include "lib/inside.h"

/* All zero: nothing is lost. */
struct losses {
	uint64_t seen, lost, bad; /* sums over all CPUs, as in struct dkt_loss */
	uint64_t gaps; /* gaps among the records, but for pauses */
	uint64_t unknown; /* gaps of them without the number of records lost */
	uint64_t numbered; /* records lost in the others */
	uint64_t pauses; /* gaps because nothing was recorded for a time */
	uint64_t messages; /* of Lustre, which its probe missed, as in struct dkt__missed */
	uint64_t missed; /* records that other probes missed */
	uint64_t *by_cpu; /* records lost */
	int cpus;
	bool growing; /* as in struct dkt_source_info */
	char *damage; /* as in struct dkt_source_info; NULL: none */
};

/*
 * Adds a source's losses; of one of several sources that read a file in turn, only those that it
 * met. Continues after a CPU whose counts are unknown, and returns the first error.
 */
int dkl_losses_count(struct losses *losses, struct dkt_source *source);

/*
 * Sets *words to all that is wrong with a file, which the caller frees: what it lacks (NULL: nothing), and its
 * damage, once it has been read. NULL: nothing. -ENOMEM
 */
int dkl_losses_damage(const char *lacks, const struct dkt_source_info *info, char **words);

/* Adds what probes missed: the messages of Lustre, and records of other probes. */
void dkl_losses_add_missed(const struct dkt__missed *list, uint64_t *messages, uint64_t *others);

/* Says on standard error what probes missed; name as below. True if it is anything. */
bool dkl_losses_report_missed(uint64_t messages, uint64_t others, const char *self,
			      const char *name);

/* Counts a gap among the records. */
static inline void losses_add_gap(struct losses *losses, const struct dkt_record *gap)
{
	if (gap->paused) {
		losses->pauses++;
		return;
	}
	losses->gaps++;
	if (gap->lost == DKT_LOST_UNKNOWN)
		losses->unknown++;
	else
		losses->numbered += gap->lost;
}

/* Adds the gaps that another reader of the file met. */
static inline void losses_add_gaps(struct losses *losses, const struct losses *others)
{
	losses->pauses += others->pauses;
	losses->gaps += others->gaps;
	losses->unknown += others->unknown;
	losses->numbered += others->numbered;
}

/* True if more records than that were lost. A recorder may have noted the sum, which gaps do not change. */
static inline bool losses_is_least(const struct losses *losses)
{
	return losses->unknown && losses->lost <= losses->numbered;
}

/* Goes before the number of records that were lost. */
static inline const char *losses_words(bool is_least)
{
	return is_least ? "at least " : "";
}

/* The sums of one or more files, for answers from them. */
struct losses_sum {
	uint64_t seen, lost;
	bool is_least; /* more were lost */
};

static inline void losses_add_to(struct losses_sum *sum, const struct losses *losses)
{
	sum->seen += losses->seen;
	sum->lost += losses->lost;
	sum->is_least |= losses_is_least(losses);
}

/*
 * Raises the count to the source's total, which can exceed the losses met so far. *by is the difference;
 * NULL: it is not wanted. -ENOMEM
 */
int dkl_losses_raise(struct losses *losses, struct dkt_source *source, uint64_t *by);

void dkl_losses_clear(struct losses *losses);

/* The result of a report of losses. */
enum losses_verdict { LOSSES_NONE, LOSSES_LOST, LOSSES_DAMAGE };

/*
 * Reports on standard error, after the program's name, the losses and damage of the file name; for
 * a live source name is NULL, and advice tells the remedy.
 */
enum losses_verdict dkl_losses_report(const struct losses *losses, const char *self,
				      const char *name, const char *advice);
