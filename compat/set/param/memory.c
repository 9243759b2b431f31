/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How much memory the machine has, and how much of it a buffer may take. */
#include "set/param/memory.h"

#include <errno.h>
#include <stdio.h>

#define KEEP (UINT64_C(2) << 30)

int memory_read(const char *path, struct memory *memory)
{
	FILE *f = fopen(path, "re");
	unsigned long long kb;
	int found = 0;
	char line[128];

	if (!f)
		return -errno;
	while (found < 2 && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "MemTotal: %llu kB", &kb) == 1) {
			memory->total = kb * 1024;
			found++;
		} else if (sscanf(line, "MemAvailable: %llu kB", &kb) == 1) {
			memory->available = kb * 1024;
			found++;
		}
	}
	fclose(f);
	return found < 2 ? -EINVAL : 0;
}

uint64_t memory_most(const struct memory *memory, uint64_t own)
{
	uint64_t keep = memory->total / 2 < KEEP ? memory->total / 2 : KEEP;
	uint64_t most = memory->available + own;

	if (keep < memory->total / 5)
		keep = memory->total / 5;
	most = most > keep ? most - keep : 0;
	return most > own ? most : own;
}
