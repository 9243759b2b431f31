/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The results of pairs: counts, groups, percentiles, the slowest. */
#include "lib/intervals.h"

void dkt_intervals_info(const struct dkt_intervals *pairs, struct dkt_intervals_info *info,
			size_t sz)
{
	if (!dkt__blank(info, sz) || !pairs)
		return;

	struct dkt_intervals_info its = pairs->info;

	its.open = dkt__open_n(&pairs->open);
	its.nested = pairs->open.again;
	its.unmatched_begins = pairs->open.forgotten + pairs->cut;
	its.unmatched_ends = pairs->open.unbegun;
	dkt__fill(info, sz, &its);
}

static const struct dkt__dist *find_dist(const struct dkt_intervals *pairs, size_t i)
{
	static const struct dkt__dist none;

	if (i == DKT_INTERVALS_ALL)
		return &pairs->all;
	return i < pairs->n_groups ? &pairs->group[i].dist : &none;
}

int dkt_intervals_group(const struct dkt_intervals *pairs, size_t i, struct dkt_latency *latency,
			size_t sz)
{
	dkt__needs(pairs ? pairs->ctx : NULL, dkt__blank(latency, sz) && pairs);

	const struct dkt__dist *dist = find_dist(pairs, i);

	if (i >= pairs->n_groups && i != DKT_INTERVALS_ALL)
		return 1;
	struct dkt_latency its = { .name = "",
				   .count = dist->count,
				   .sum = dist->sum,
				   .min = dist->min,
				   .max = dist->max };

	if (i != DKT_INTERVALS_ALL) {
		if (pairs->group[i].name)
			its.name = pairs->group[i].name;
		its.is_number = pairs->group[i].is_number;
		its.is_signed = pairs->group[i].is_signed;
		its.number = pairs->group[i].number;
	}
	return dkt__fill(latency, sz, &its);
}

int dkt_intervals_finish(struct dkt_intervals *pairs)
{
	dkt__needs(NULL, pairs);

	int err = 0;

	dkt__dist_clear(&pairs->all);
	for (uint32_t i = 0; !err && i < pairs->n_groups; i++)
		err = dkt__dist_merge(&pairs->all, &pairs->group[i].dist);
	return dkt__with_words(pairs->ctx, err);
}

uint64_t dkt_intervals_quantile(const struct dkt_intervals *pairs, size_t i, double part)
{
	if (!pairs)
		return 0;

	return dkt__dist_quantile(find_dist(pairs, i), part);
}

uint64_t dkt_intervals_power(const struct dkt_intervals *pairs, size_t i, unsigned int power)
{
	if (!pairs)
		return 0;

	return dkt__dist_power(find_dist(pairs, i), power);
}

int dkt_intervals_slow(const struct dkt_intervals *pairs, size_t i, struct dkt_slow *slow,
		       size_t sz)
{
	dkt__needs(pairs ? pairs->ctx : NULL, dkt__blank(slow, sz) && pairs);

	if (i >= pairs->n_slow)
		return 1;
	struct dkt_slow its = { .ns = pairs->slow[i].ns,
				.begin = pairs->slow[i].begin.record,
				.end = pairs->slow[i].end.record };

	/* The copies have their own bytes. */
	its.begin.data = pairs->slow[i].begin.bytes;
	its.end.data = pairs->slow[i].end.bytes;
	return dkt__fill(slow, sz, &its);
}
