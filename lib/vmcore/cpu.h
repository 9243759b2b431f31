/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Walks the pages of one CPU's ring buffer. */
#pragma once

#include "lib/vmcore/buffers.h"

/*
 * Finds the pages of a struct ring_buffer_per_cpu, in at most *steps steps, and subtracts those that it
 * took. After an error cpu has the pages found before it, and must be cleared, too.
 */
int dkt__vm_cpu_walk(const struct vm_core *core, struct vm_place buffer, struct vm_cpu *cpu,
		     uint64_t *steps);
