/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts the records of each event on their way to the file: by the type at their beginning, undecoded. */
#include <string.h>

#include "lib/instance.h"
#include "lib/recorder.h"
#include "lib/source/page.h"

/* An event's ID is a type of 16 bits. Memory for IDs that are not used is never touched. */
#define TYPES (UINT16_MAX + 1)

int dkt_recorder_count(struct dkt_recorder *r)
{
	dkt__needs(r ? r->ctx : NULL, r);

	for (size_t i = 0; i < r->n; i++)
		for (int nr = 0; nr < r->buffers[i].n_cpus; nr++) {
			struct dkt__recorder_cpu *cpu = &r->buffers[i].cpus[nr];

			if (!cpu->counts)
				cpu->counts = calloc(TYPES, sizeof(*cpu->counts));
			if (!cpu->counts)
				return dkt__no_memory(r->ctx);
		}
	r->counts = true;
	return 0;
}

void dkt__recorder_count(struct dkt__recorder_cpu *cpu, const uint8_t *pages, size_t size,
			 uint32_t page_size)
{
	struct dkt__page page = { .size = page_size, .may_be_empty = true };
	struct dkt__page_record record;

	for (size_t at = 0; cpu->counts && at + page_size <= size; at += page_size) {
		int end = dkt__page_load(&page, pages + at, 0, &record);

		for (; !end; end = dkt__page_next(&page, &record)) {
			uint16_t type;

			if (record.size < sizeof(type))
				continue;
			memcpy(&type, record.data, sizeof(type));
			cpu->counts[type].records++;
			cpu->counts[type].bytes += record.size;
		}
	}
}

int dkt_recorder_event(struct dkt_recorder *r, int cpu, int id, struct dkt_event_counts *counts,
		       size_t sz)
{
	dkt__needs(r ? r->ctx : NULL, dkt__blank(counts, sz) && r);

	struct dkt_event_counts sum = { 0 };
	bool any = false;

	if (id < 0 || id >= TYPES)
		return dkt_fail(r->ctx, -EINVAL, "%d is not the ID of an event", id);
	for (size_t i = 0; i < r->n; i++) {
		const struct dkt__recorder_buffer *b = &r->buffers[i];

		if (cpu < 0 || cpu >= b->n_cpus)
			continue;
		any = true;
		if (!b->cpus[cpu].counts)
			continue;
		sum.records += b->cpus[cpu].counts[id].records;
		sum.bytes += b->cpus[cpu].counts[id].bytes;
	}
	if (!any)
		return dkt_fail(r->ctx, -ENOENT, "the recording has no cpu %d", cpu);
	return dkt__fill(counts, sz, &sum);
}
