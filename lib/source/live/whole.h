/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Spools for buffers that the kernel does not fill any more: a snapshot, or what a boot left behind.
 * Reading removes their records from the kernel, so all of them move to a spool of their own, which
 * is then marked as whole.
 */
#pragma once

#include "source/live.h"

bool dkt__whole_is(const struct dkt__live *live);
void dkt__whole_mark(struct dkt__live *live);

/* Removes all pages and the mark. */
void dkt__whole_reset(struct dkt__live *live);

/* Moves the records to the spools, if there is something to read. */
int dkt__snapshot_fetch(struct dkt__live *live);
int dkt__last_boot_fetch(struct dkt__live *live);
