/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Intervals that count only within others, the outer ones, which are measured beside them. */
#pragma once

#include "lib/intervals.h"

/*
 * Takes a record or a gap for the outer intervals. A record ends inner intervals before it is passed here, and begins
 * them afterwards: it can also be the end or the beginning of an outer one.
 */
int dkt__within_add(struct pair_within *within, struct dkt_source *source,
		    const struct dkt_record *record);

/* True if the record begins within an outer interval. *place gets which. */
bool dkt__within_finds(struct pair_within *within, struct dkt_source *source,
		       const struct dkt_record *record, struct pair_place *place);

/*
 * Notes for those that count only within these that one of these has begun, or ended. known: its key had begun
 * before.
 */
int dkt__within_begin(struct dkt_intervals *outer, struct dkt_source *source,
		      const struct dkt_record *record, struct pair_nested *nested, bool known);
void dkt__within_end(struct dkt_intervals *outer, struct pair_nested *nested);

/* Notes that all of these that had begun are forgotten. */
void dkt__within_forget(struct dkt_intervals *outer);

/* True if the outer interval has not ended since that place was found. */
bool dkt__within_lasts(const struct pair_within *within, const struct pair_place *place);

void dkt__within_free(struct pair_within *within);
