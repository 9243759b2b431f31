/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The size of the machine's memory, and the part of it that a buffer may take. */
#include "compat/set/param/memory.h"

#include "lib/base/io.h"
#include "lib/base/parse.h"

#define KEEP (UINT64_C(2) << 30)

int dkl_memory_read(const char *path, struct memory *memory)
{
	char *text __cleanup(free) = NULL;
	size_t len;
	int err = dkt__read_file(path, SIZE_MAX, &text, &len);

	if (err)
		return err;
	memory->total = dkt__line_u64(text, "MemTotal:") * 1024;
	memory->available = dkt__line_u64(text, "MemAvailable:") * 1024;
	return memory->total && strstr(text, "MemAvailable:") ? 0 : -EINVAL;
}

uint64_t dkl_memory_share(uint64_t most, uint64_t part)
{
	struct memory memory = { 0 };

	dkl_memory_read(MEMORY_INFO, &memory);
	return DKT__MIN(most, memory.available / part);
}

uint64_t dkl_memory_most(const struct memory *memory, uint64_t own)
{
	uint64_t keep = memory->total / 2 < KEEP ? memory->total / 2 : KEEP;
	uint64_t most = memory->available + own;

	if (keep < memory->total / 5)
		keep = memory->total / 5;
	most = most > keep ? most - keep : 0;
	return most > own ? most : own;
}
