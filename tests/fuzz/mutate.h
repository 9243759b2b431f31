/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Changes of binary files that keep their structure. libFuzzer's own changes insert and remove bytes, after which no
 * offset and no size in the file fits, and the reader stops early. These change bytes where they are.
 */
#ifndef DKT_MUTATE_H
#define DKT_MUTATE_H

#ifndef DKT_REPLAY

#include <stdint.h>
#include <string.h>

/* libFuzzer's own changes. Returns the new size, at most max_size. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

static inline uint32_t mutate_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* Changes some bytes of a window, which keeps its size. */
static inline void mutate_window(uint8_t *data, size_t size, uint32_t *state)
{
	size_t n = 1u << mutate_random(state) % 8, at, have;

	if (!size)
		return;
	n = n < size ? n : size;
	at = mutate_random(state) % (size - n + 1);
	have = LLVMFuzzerMutate(data + at, n, n);
	memset(data + at + have, 0, n - have);
}

/* Replaces an aligned number by one at the edge of a check. */
static inline void mutate_number(uint8_t *data, size_t size, uint32_t *state)
{
	static const uint64_t edges[] = { 0,      1,         0x7f,       0xff,      0x7fff,
					  0xffff, INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX };
	const size_t n = 1u << mutate_random(state) % 4;
	const uint64_t edge = edges[mutate_random(state) % (sizeof(edges) / sizeof(*edges))] -
			      mutate_random(state) % 2;

	if (size >= n)
		memcpy(data + mutate_random(state) % (size / n) * n, &edge, n);
}

/* Copies a piece of the file over another of the same size. */
static inline void mutate_copy(uint8_t *data, size_t size, uint32_t *state)
{
	const size_t n = 4u << mutate_random(state) % 6;

	if (size >= n)
		memmove(data + mutate_random(state) % (size - n + 1),
			data + mutate_random(state) % (size - n + 1), n);
}

/* A change of a file with offsets and sizes; one in eight is libFuzzer's own. */
static inline size_t mutate_file(uint8_t *data, size_t size, size_t max_size, uint32_t *state)
{
	switch (mutate_random(state) % 8) {
	case 0:
		return LLVMFuzzerMutate(data, size, max_size);
	case 1:
	case 2:
		mutate_number(data, size, state);
		return size;
	case 3:
		mutate_copy(data, size, state);
		return size;
	default:
		mutate_window(data, size, state);
		return size;
	}
}

#endif

#endif
