/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Samples of groups: the leader's sample has the counts of all events of its group (perf record -e '{a,b}:S'). Each
 * event that has counted since the sample before gets a record, whose period is what it has counted.
 */
#include "lib/perfdata.h"

bool dkt__perf_group_next(struct dkt__perf *perf, struct dkt__perf_item *item)
{
	const uint8_t *const end = item->counts + (size_t)item->n_counts * item->counts_each;

	while (item->n_counts) {
		struct dkt__cursor cur =
			dkt__perf_cursor(perf, item->counts, (size_t)(end - item->counts));
		const uint64_t count = dkt__cursor_number(&cur, 8);
		struct dkt__perf_id *id = dkt__perf_id_of(perf, dkt__cursor_number(&cur, 8));
		const struct dkt__perf_attr *attr = id ? &perf->attrs[id->attr] : NULL;
		uint64_t more;

		item->counts += item->counts_each;
		item->n_counts--;
		if (!attr)
			continue;
		more = count - id->counted;
		id->counted = count;
		/* The raw data are those of the leader, which comes first. */
		if (!more || (attr->type == PERF_TYPE_TRACEPOINT && attr != item->attr))
			continue;
		item->attr = attr;
		item->values[DKT__PERF_PERIOD] = more;
		return true;
	}
	return false;
}

void dkt__perf_group_rewind(struct dkt__perf *perf)
{
	for (size_t i = 0; i < perf->n_ids; i++)
		perf->ids[i].counted = 0;
}
