/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Spools for buffers that the kernel does not fill any more: a snapshot, or what a boot left behind.
 * Reading removes their records from the kernel, so all of them move to a spool of their own, which
 * is then marked as whole.
 */
#pragma once

#include "lib/source/live.h"

bool dkt__whole_is(const struct dkt__live *live);
void dkt__whole_mark(struct dkt__live *live);

/* Removes all pages and the mark. */
void dkt__whole_reset(struct dkt__live *live);

/* Gets whether there is a snapshot with records; false, too, if the kernel has no snapshots. */
int dkt__snapshot_any(struct dkt_instance *in, bool *any);

/* Moves the snapshot's records to its spool, before a step that makes the kernel empty it. */
int dkt__snapshot_save(struct dkt_instance *in);

/* Moves the records to the spools, if there is something to read. */
int dkt__snapshot_fetch(struct dkt__live *live);
int dkt__last_boot_fetch(struct dkt__live *live);
