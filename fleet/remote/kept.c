/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The end of a stream, in memory: a ring that gives memory back as bytes are dropped. */
#include "fleet/remote/kept.h"

#include <sys/mman.h>

int kept_open(struct kept *kept, uint64_t size)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	void *bytes;

	size = (size + page - 1) / page * page;
	bytes = mmap(NULL, size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (bytes == MAP_FAILED)
		return -ENOMEM;
	*kept = (struct kept){ .bytes = bytes, .size = size };
	return 0;
}

void kept_close(struct kept *kept)
{
	if (kept->bytes)
		munmap(kept->bytes, kept->size);
	*kept = (struct kept){ 0 };
}

uint8_t *kept_room(const struct kept *kept, size_t *len)
{
	const uint64_t at = kept->to % kept->size;

	*len = DKT__MIN(kept->size - at, kept->size - (kept->to - kept->from));
	return kept->bytes + at;
}

void kept_add(struct kept *kept, size_t n)
{
	kept->to += n;
}

const uint8_t *kept_at(const struct kept *kept, uint64_t at, size_t *len)
{
	const uint64_t place = at % kept->size;

	*len = DKT__MIN(kept->size - place, kept->to - at);
	return kept->bytes + place;
}

void kept_drop(struct kept *kept, uint64_t before)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t begin = kept->freed, end, len;

	if (before < kept->from || before > kept->to)
		return;
	kept->from = before;
	end = before / page * page;
	/* Where the ring is almost full, the first pages have bytes of the next round already. */
	if (kept->to > begin + kept->size)
		begin = DKT__MIN((kept->to - kept->size + page - 1) / page * page, end);
	for (; begin < end; begin += len) {
		const uint64_t place = begin % kept->size;

		len = DKT__MIN(end - begin, kept->size - place);
		madvise(kept->bytes + place, len, MADV_DONTNEED);
	}
	kept->freed = end;
}
