/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times as people write them. */
#ifndef CTL_TIMESPEC_H
#define CTL_TIMESPEC_H

#include <stdint.h>

/*
 * Reads HH:MM[:SS[.frac]] (of today, local time), YYYY-MM-DD HH:MM[:SS[.frac]], @SECONDS[.frac]
 * or -N[smhd] (before now) as ns since the epoch. -EINVAL.
 */
int timespec_parse(const char *text, int64_t *ns);

#endif
