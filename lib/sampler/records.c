/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts samples and losses, and notes times and mappings, in the records that the sampler passes on. */
#include "lib/sampler.h"

/* Beyond these are marks in a chain of callers: PERF_CONTEXT_KERNEL and others. */
#define IS_MARK(address) ((address) >= PERF_CONTEXT_MAX)

struct map_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, size, offset;
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t protection, flags;
	char name[];
};

struct task_record {
	struct perf_event_header header;
	uint32_t pid, parent, tid, parent_tid;
};

struct lost_record {
	struct perf_event_header header;
	uint64_t id, lost;
};

/* Notes the addresses of the callers, up to the number that the record has room for. */
static void take_chain(struct dkt__sampler *sampler, const struct dkt__sampler_head *sample)
{
	const uint64_t *chain = (const void *)(sample + 1);
	const size_t room = (sample->header.size - sizeof(*sample)) / sizeof(*chain);
	uint64_t n;

	if (!room)
		return;
	n = DKT__MIN(chain[0], (uint64_t)room - 1);
	for (uint64_t i = 1; i <= n; i++) {
		/* The upper half of all addresses is the kernel's. */
		const bool kernel = chain[i] >> 63;

		if (!IS_MARK(chain[i]))
			dkt__sampler_hits_address(&sampler->hits, sample->pid, chain[i], kernel);
	}
}

/* The wakeups by threads that are not chosen have no callers. */
static bool has_chain(const struct dkt__sampler *sampler, uint64_t id)
{
	const struct dkt__sampler_event *last = &sampler->events[sampler->n_events - 1];

	if (sampler->opts.callers == DKT__CALLERS_NONE)
		return false;
	if (!last->machine || last->attr.sample_type & PERF_SAMPLE_CALLCHAIN)
		return true;
	for (size_t i = 0; i < last->n; i++)
		if (last->fds[i].id == id)
			return false;
	return true;
}

static void take_sample(struct dkt__sampler *sampler, const struct perf_event_header *record)
{
	const struct dkt__sampler_head *sample = (const void *)record;
	const uint16_t mode = record->misc & PERF_RECORD_MISC_CPUMODE_MASK;

	if (record->size < sizeof(*sample))
		return;
	sampler->result.samples++;
	sampler->first = DKT__MIN(sampler->first, sample->time);
	sampler->last = DKT__MAX(sampler->last, sample->time);
	dkt__sampler_hits_address(&sampler->hits, sample->pid, sample->ip,
				  mode == PERF_RECORD_MISC_KERNEL);
	if (has_chain(sampler, sample->id))
		take_chain(sampler, sample);
}

void dkt__sampler_record(struct dkt__sampler *sampler, const struct perf_event_header *record)
{
	const struct map_record *map = (const void *)record;
	const struct task_record *task = (const void *)record;
	const struct lost_record *lost = (const void *)record;

	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		take_sample(sampler, record);
		break;
	case PERF_RECORD_LOST:
		if (record->size >= sizeof(*lost))
			sampler->lost += lost->lost;
		break;
	case PERF_RECORD_THROTTLE:
		sampler->result.throttled++;
		break;
	case PERF_RECORD_MMAP2:
		if (record->size > sizeof(*map))
			dkt__sampler_hits_map(&sampler->hits, map->pid, map->start, map->size,
					      map->inode, map->name, record->size - sizeof(*map));
		break;
	case PERF_RECORD_FORK:
		if (record->size >= sizeof(*task) && task->pid != task->parent)
			dkt__sampler_hits_fork(&sampler->hits, task->pid, task->parent);
		break;
	case PERF_RECORD_EXIT:
		if (record->size >= sizeof(*task) && task->pid == task->tid)
			dkt__sampler_hits_exit(&sampler->hits, task->pid);
		break;
	}
}
