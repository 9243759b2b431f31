/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a capture saw and lost: its own count of records, the kernel's of the lost ones. */
#include "capture.h"

#include "base/banned.h"

static uint64_t stats_lost(const struct dkt_cpu_stats *stats)
{
	return stats->overrun + stats->commit_overrun + stats->dropped;
}

int dkt__cpu_lost(struct dkt_capture *cap, int nr, struct dkt_cpu_stats *stats, uint64_t *lost)
{
	struct dkt__spool_base base = dkt__spool_get_base(&cap->cpus[nr].spool);
	const struct dkt__cpu *cpu = &cap->cpus[nr];
	int err = 0;

	*stats = (struct dkt_cpu_stats){ 0 };
	if (cpu->in)
		err = dkt_instance_get_stats(cpu->in, cpu->nr, stats);
	*lost = 0;
	if (err)
		return err;
	/* Somebody emptied the buffers, so the kernel's counts began again. */
	if (stats_lost(stats) < base.lost || stats->read < base.read)
		base.lost = 0;
	*lost = stats_lost(stats) - base.lost + base.owed;
	return 0;
}

int dkt__capture_settle(struct dkt_capture *cap)
{
	int i, err = 0;

	for (i = 0; !err && i < cap->n_cpus; i++) {
		struct dkt__spool_base base = dkt__spool_get_base(&cap->cpus[i].spool);
		struct dkt_cpu_stats stats;

		err = dkt__cpu_lost(cap, i, &stats, &base.owed);
		if (err)
			break;
		base.lost = stats_lost(&stats);
		base.read = stats.read;
		dkt__spool_set_base(&cap->cpus[i].spool, base);
	}
	return err;
}

static int add_loss(struct dkt_capture *cap, int nr, struct dkt_loss *loss)
{
	const struct dkt_loss *own = &cap->cpus[nr].loss;
	struct dkt_cpu_stats stats;
	uint64_t lost = own->lost;
	int err = 0;

	/* What is lost after dkt_capture_done() is the next capture's to tell. */
	if (cap->flags & DKT_CAPTURE_KEEP || (cap->flags & DKT_CAPTURE_WHOLE && !cap->settled))
		err = dkt__cpu_lost(cap, nr, &stats, &lost);
	/* A saved tree need not have the kernel's counts; its pages have some. */
	if (err == -ENOENT) {
		lost = cap->cpus[nr].told;
		err = 0;
	}
	loss->seen += own->seen;
	loss->bad += own->bad;
	loss->lost += lost;
	return err;
}

int dkt_capture_loss(struct dkt_capture *cap, int nr, struct dkt_loss *loss)
{
	int err;

	*loss = (struct dkt_loss){ 0 };
	if (nr < 0 || nr >= cap->in->cpus)
		return dkt_fail(cap->in->ctx, -EINVAL, "there is no cpu %d", nr);
	err = add_loss(cap, nr, loss);
	if (!err && nr + cap->in->cpus < cap->n_cpus)
		err = add_loss(cap, nr + cap->in->cpus, loss);
	return err;
}

int dkt_capture_done(struct dkt_capture *cap)
{
	struct dkt_cpu_stats stats;
	uint64_t lost;
	int i;

	if (cap->current >= 0) {
		struct dkt__cpu *cpu = &cap->cpus[cap->current];

		/* Only within what is spooled: nothing more is taken out of the kernel. */
		cap->current = -1;
		cap->primed = false;
		dkt__cpu_step(cpu);
	}
	if (cap->flags & DKT_CAPTURE_KEEP)
		return 0;
	cap->settled = true;
	for (i = 0; i < cap->n_cpus; i++) {
		struct dkt__cpu *cpu = &cap->cpus[i];

		dkt__cpu_release(cpu);
		if (dkt__cpu_lost(cap, i, &stats, &lost))
			continue;
		cpu->loss.lost += lost;
		dkt__spool_set_base(&cpu->spool, (struct dkt__spool_base){
							 .lost = stats_lost(&stats),
							 .read = stats.read,
							 .emptied = !stats.entries && !cpu->loaded,
						 });
	}
	return 0;
}
