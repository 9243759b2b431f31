/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lustre's own records in dk's timeline. */
#pragma once

#include "lustre/message.h"
#include "pipeline/dk.h"
#include "pipeline/dk/out.h"

struct dk_lustre;

/* Takes records from opts->lustre, puts them into out's buffer and counts them in the result. */
int dk_lustre_new(const struct dk_opts *opts, struct dk_out *out, struct dk_result *result,
		  struct dk_lustre **lustre);
void dk_lustre_free(struct dk_lustre *lustre);

/* The event that its records are of. */
struct dkt_event *dk_lustre_event(const struct dk_lustre *lustre);

/* Wall-clock time of the next record, ns; INT64_MAX: there is none. */
int64_t dk_lustre_time(const struct dk_lustre *lustre);

/*
 * Whether the message of a record is among those that are still to be printed: recorded by the
 * same process at the same place, in time no further away than Lustre's buffer can be behind a probe,
 * and with a text that the one of the probe can be. Each of them stands for one message only. It has
 * the complete text. wall is to be added to the record's time.
 */
bool dk_lustre_has(struct dk_lustre *lustre, const struct message *message,
		   const struct dkt_record *rec, int64_t wall);

/*
 * Prints the next record if it is selected, and steps past it. wall is what the times of the other
 * records in the timeline lack to wall-clock time.
 */
int dk_lustre_print(struct dk_lustre *lustre, int64_t wall);
