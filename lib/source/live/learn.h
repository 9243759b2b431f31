/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Facts about an earlier boot from its records. */
#pragma once

#include "lib/source/live.h"

/* A mark begins so; the nanoseconds from the clock of the records to wall-clock time follow. */
#define DKT__LAST_BOOT_MARK "dktrace: wall clock minus trace clock, ns: "

/*
 * Reads all pages in the spools, before the first record is read. A process gets the last name that a
 * record has of it, and the source the wall-clock time of the last mark.
 */
int dkt__live_learn(struct dkt__live *live);
