/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The memory of the buffers of record. It is chosen before the first event: a kernel that resizes buffers
 * stops recording meanwhile, and does not count what it misses.
 */
#include "record/record.h"
#include "set/param/memory.h"

/* Bytes of a CPU's buffer: 64 MiB hold a quarter of a second of the fastest workloads. */
#define CPU_SIZE (UINT64_C(64) << 20)

/* All buffers take at most this part of the available memory. */
#define PART 16

int record_size(struct record *record)
{
	const uint64_t cpus = (uint64_t)dkt_instance_cpus(record->in);
	struct memory memory = { 0 };
	uint64_t size = record->buffer * cpus;

	if (!size) {
		/* If the available memory is unknown, the kernel's own size remains. */
		memory_read(MEMORY_INFO, &memory);
		size = DKT__MIN(CPU_SIZE * cpus, memory.available / PART);
	}
	return size ? dkt_instance_set_size(record->in, size) : 0;
}
