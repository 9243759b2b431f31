/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes ring-buffer pages: every record lies in its page, and reading ends. */
#include "lib/source/page.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/replay.h"

#define PAGE 4096

static uint32_t walk(struct dkt__page *page, const uint8_t *bytes, uint32_t offset, uint32_t *last)
{
	struct dkt__page_record rec;
	uint32_t n = 0;
	int end;

	for (end = dkt__page_load(page, bytes, offset, &rec); !end;
	     end = dkt__page_next(page, &rec)) {
		const uint8_t *at = rec.data;

		must(at >= bytes + 12 && at <= bytes + PAGE &&
		     rec.size <= (size_t)(bytes + PAGE - at));
		must(rec.offset >= offset && rec.offset < PAGE);
		*last = rec.offset;
		must(++n <= PAGE);
	}
	must(end == 1);
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *bytes = calloc(1, PAGE);
	uint32_t n, last = 0;
	int kind;

	must(bytes);
	memcpy(bytes, data, size < PAGE ? size : PAGE);
	for (kind = 0; kind < 4; kind++) {
		struct dkt__page page = { .size = PAGE,
					  .swap = kind & 1,
					  .long_size = kind & 2 ? 4 : 8 };

		n = walk(&page, bytes, 0, &last);
		/* From the place of the last one there is one. */
		if (n)
			must(walk(&page, bytes, last, &last) == 1);
	}
	free(bytes);
	return 0;
}

#ifndef DKT_REPLAY
#define HEAD 16

/*
 * Makes the page's size that of its records, and lets each record end within it, so that the next one is read too. The
 * page is of a machine of this byte order with longs of eight bytes.
 */
static void repair(uint8_t *data, size_t size)
{
	uint32_t commit = (uint32_t)(size - HEAD), word, len, at = HEAD;

	memcpy(data + 8, &commit, sizeof(commit));
	while (size - at >= 2 * sizeof(word)) {
		memcpy(&word, data + at, sizeof(word));
		at += sizeof(word);
		/* Types of 29 and more are padding and times; 0 has its length in the next word. */
		len = (word & 31) * 4;
		if ((word & 31) > 28) {
			len = (word & 31) == 31 ? 8 : 4;
		} else if (!len) {
			memcpy(&len, data + at, sizeof(len));
			if (len < 4 || len > size - at)
				len = (uint32_t)(size - at);
			memcpy(data + at, &len, sizeof(len));
		}
		at += len > size - at ? (uint32_t)(size - at) : len;
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	uint32_t state = seed;

	max_size = max_size < PAGE ? max_size : PAGE;
	size = size < max_size ? size : max_size;
	if (mutate_random(&state) % 4)
		mutate_window(data, size, &state);
	else
		size = LLVMFuzzerMutate(data, size, max_size);
	if (size > HEAD && size <= PAGE && mutate_random(&state) % 4)
		repair(data, size);
	return size;
}
#endif
