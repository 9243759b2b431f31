/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes ring-buffer pages: every record lies in its page, and reading ends. */
#include "lib/source/page.h"
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
