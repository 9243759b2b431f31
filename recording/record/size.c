/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The memory of the buffers of a recording. */
#include "recording/record/size.h"

#include "compat/set/param/memory.h"
#include "lib/base/util.h"

/* Bytes of a CPU's buffer: 64 MiB hold a quarter of a second of the fastest workloads. */
#define CPU_SIZE (UINT64_C(64) << 20)

/* All buffers take at most this part of the available memory. */
#define PART 16

int capture_set_size(struct dkt_instance *in, uint64_t each)
{
	const uint64_t cpus = (uint64_t)dkt_instance_n_cpus(in);
	uint64_t size;

	if (!each)
		size = dkl_memory_share(CPU_SIZE * cpus, PART);
	else if (__builtin_mul_overflow(each, cpus, &size))
		/* The kernel refuses it. */
		size = INT64_MAX;
	/* If the available memory is unknown, the kernel's own size remains. */
	return size ? dkt_instance_set_size(in, size) : 0;
}
