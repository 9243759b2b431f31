/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of processes from records that have them as fields. */
#pragma once

#include "source/live.h"

/*
 * Reads all pages in the spools, before the first record is read. A process gets the last name that a
 * record has of it.
 */
int dkt__live_learn(struct dkt__live *live);
