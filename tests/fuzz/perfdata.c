/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes perf.data files. */
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/read_source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_bytes(data, size);
	return 0;
}

#ifndef DKT_REPLAY
/* The header of perf.data has the place of its records. */
#define DATA_AT 40

struct head {
	uint32_t type;
	uint16_t misc, size;
};

/* Changes one record: its kind, or bytes behind its head. The records after it stay where they are. */
static bool mutate_record(uint8_t *data, size_t size, uint32_t *state)
{
	uint64_t at = 16;
	uint32_t nr = mutate_random(state) % 64;
	struct head head;

	if (size > DATA_AT + 8 && data[8] != 16)
		memcpy(&at, data + DATA_AT, sizeof(at));
	for (; at <= size && size - at >= sizeof(head); at += head.size, nr--) {
		memcpy(&head, data + at, sizeof(head));
		if (head.size < sizeof(head) || head.size > size - at)
			return false;
		if (nr)
			continue;
		if (mutate_random(state) % 4) {
			mutate_window(data + at + sizeof(head), head.size - sizeof(head), state);
		} else {
			head.type = mutate_random(state) % 90;
			memcpy(data + at, &head, sizeof(head));
		}
		return true;
	}
	return false;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	uint32_t state = seed;

	if (mutate_random(&state) % 2 && mutate_record(data, size, &state))
		return size;
	return mutate_file(data, size, max_size, &state);
}
#endif
