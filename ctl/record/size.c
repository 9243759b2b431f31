/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The memory of the buffers of record. They begin small enough for a machine with many CPUs, and grow
 * before records are lost.
 */
#include "record/record.h"
#include "set/param/memory.h"

/* Bytes of a CPU's buffer: 32 MiB hold 0.1 s of the fastest workloads. */
#define FIRST_SIZE (UINT64_C(32) << 20)

/* All buffers take at most this part of the available memory, at first and after growing. */
#define FIRST_PART 16
#define LAST_PART  4

int record_size(struct record *record, uint64_t *grow_to)
{
	const uint64_t cpus = (uint64_t)dkt_instance_cpus(record->in);
	struct memory memory = { 0 };
	uint64_t first = FIRST_SIZE * cpus;

	/* If the available memory is unknown, the buffers stay as the user or the kernel has them. */
	memory_read(MEMORY_INFO, &memory);
	*grow_to = memory.available / LAST_PART;
	first = DKT__MIN(first, memory.available / FIRST_PART);
	if (record->buffer)
		first = record->buffer * cpus;
	return first ? dkt_instance_set_size(record->in, first) : 0;
}
