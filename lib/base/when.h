/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses a time of day, a date or a time ago, as people write them. */
#pragma once

#include <stdint.h>

/*
 * Reads HH:MM[:SS[.frac]] (of today, local time), YYYY-MM-DD HH:MM[:SS[.frac]], @SECONDS[.frac]
 * or -TIME (before now, seconds without a unit) as ns since the epoch. -EINVAL.
 */
int dkt__parse_when(const char *text, int64_t *ns);
