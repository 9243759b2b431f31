/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses times as people write them, and formats a time for them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define DKT__NSEC_PER_SEC INT64_C(1000000000)

/*
 * Reads HH:MM[:SS[.frac]] (of today, local time), YYYY-MM-DD HH:MM[:SS[.frac]], @SECONDS[.frac]
 * or -TIME (before now, seconds without a unit) as ns since the epoch. -EINVAL.
 */
int dkt__parse_when(const char *text, int64_t *ns);

/* Room for a time of any year, with its NUL. */
#define DKT__WHEN_SIZE 32

/*
 * Formats seconds since the epoch as dkt__parse_when() reads them, YYYY-MM-DD HH:MM:SS in local time.
 * Returns false, and "", if that is too large for a date.
 */
bool dkt__format_when(int64_t seconds, char text[DKT__WHEN_SIZE]);
