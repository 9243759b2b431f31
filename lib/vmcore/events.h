/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The descriptions that a dump's records need: formats of events, names of processes, strings. */
#pragma once

#include "lib/event.h"
#include "lib/source/comms.h"
#include "lib/vmcore/core.h"

/*
 * Appends the formats of all events; their texts live as long as the context. The number of those
 * that cannot be read is *bad.
 */
int dkt__vm_events(const struct vm_core *core, struct dkt__given **list, size_t *n, size_t *bad);

/* Collects the names of processes: those that the tracer kept, then those of living threads. */
int dkt__vm_comms(const struct vm_core *core, struct dkt__comms *comms);

/* Appends constant strings that records point at, in the format of printk_formats. */
int dkt__vm_strings(const struct vm_core *core, struct dkt_buf *buf);
