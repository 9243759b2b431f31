/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts a live source's records, and takes the number of lost records from the kernel. */
#include "lib/instance.h"
#include "lib/source/live.h"

static uint64_t stats_lost(const struct dkt_cpu_stats *stats)
{
	return stats->overrun + stats->commit_overrun + stats->dropped;
}

/* Gets the number of records that the kernel lost on the CPU since the last account. */
static int cpu_lost(struct dkt__live *live, size_t nr, struct dkt_cpu_stats *stats, uint64_t *lost)
{
	struct dkt__spool_base base = dkt__spool_get_base(&live->cpus[nr].spool);
	const struct dkt__live_cpu *cpu = &live->cpus[nr];
	int err = 0;

	*stats = (struct dkt_cpu_stats){ 0 };
	if (cpu->in)
		err = dkt_instance_get_stats(cpu->in, live->streams.list[nr].cpu, stats,
					     sizeof(*stats));
	*lost = 0;
	if (err)
		return err;
	/* Another process emptied the buffers, so the kernel's counts restarted. */
	if (stats_lost(stats) < base.lost || stats->read < base.read)
		base.lost = 0;
	*lost = stats_lost(stats) - base.lost + base.owed;
	return 0;
}

int dkt__live_settle(struct dkt__live *live)
{
	int err = 0;

	for (size_t i = 0; !err && i < live->streams.n; i++) {
		struct dkt__spool_base base = dkt__spool_get_base(&live->cpus[i].spool);
		struct dkt_cpu_stats stats;

		err = cpu_lost(live, i, &stats, &base.owed);
		if (err)
			break;
		base.lost = stats_lost(&stats);
		base.read = stats.read;
		dkt__spool_set_base(&live->cpus[i].spool, base);
	}
	return err;
}

void dkt__live_account(struct dkt__live *live)
{
	struct dkt_cpu_stats stats;
	uint64_t lost;

	if (live->flags & DKT__LIVE_APART)
		return;
	for (size_t i = 0; i < live->streams.n; i++) {
		bool loaded = live->streams.list[i].loaded;

		if (cpu_lost(live, i, &stats, &lost))
			continue;
		live->cpus[i].lost += lost;
		dkt__spool_set_base(&live->cpus[i].spool,
				    (struct dkt__spool_base){
					    .lost = stats_lost(&stats),
					    .read = stats.read,
					    .emptied = !stats.entries && !loaded,
				    });
	}
}

int dkt__live_lost(struct dkt__streams *streams, const struct dkt__stream *s, uint64_t *lost)
{
	struct dkt__live *live = (struct dkt__live *)streams;
	size_t nr = (size_t)(s - streams->list);
	struct dkt_cpu_stats stats;
	uint64_t accounted = live->cpus[nr].lost;
	int err = 0;

	/* The kernel's counts are of the buffers that record; the pages tell of their own losses. */
	if (live->flags & DKT__LIVE_APART)
		return 0;
	/* The next reader reports losses after dkt_source_done(). */
	if (live->flags & DKT_LIVE_KEEP || (live->flags & DKT_LIVE_WHOLE && !live->settled))
		err = cpu_lost(live, nr, &stats, &accounted);
	/* A saved tree may lack the kernel's counts; its pages have their own. */
	if (err == -ENOENT)
		return 0;
	*lost = accounted;
	return err;
}
