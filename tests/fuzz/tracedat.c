/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes trace.dat files of both versions. */
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/read_source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_bytes(data, size);
	return 0;
}

#ifndef DKT_REPLAY
/* The sections and the options point at each other. Most of the file is pages, which have a target of their own. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	uint32_t state = seed;
	size_t first = size < 4096 || mutate_random(&state) % 4 ? size : 4096;

	if (first == size)
		return mutate_file(data, size, max_size, &state);
	mutate_window(data, first, &state);
	return size;
}
#endif
