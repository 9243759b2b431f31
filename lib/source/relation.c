/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The relation of the times of a part of a merge to those of the merged source. */
#include "lib/source/relation.h"

uint64_t dkt__to_part(const struct dkt__relation *relation, uint64_t ts)
{
	uint64_t low = 0, high = INT64_MAX;

	if (!relation->lines.n)
		return dkt__add_offset(ts, -relation->offset);
	while (low < high) {
		const uint64_t middle = low + (high - low) / 2;

		if (dkt__to_merged(relation, middle) < ts)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint64_t dkt__last_of_part(const struct dkt__relation *relation, uint64_t ts)
{
	uint64_t next;

	if (!relation->lines.n)
		return dkt__add_offset(ts, -relation->offset);
	next = ts < INT64_MAX ? dkt__to_part(relation, ts + 1) : INT64_MAX;
	return next ? next - 1 : 0;
}
