/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts the contents of a recording. */
#include "ctl/cmd/info.h"

#include "lib/base/ticks.h"

/* Event IDs in a kernel's records have 16 bits. Other IDs count as 0. */
#define IDS 65537

static void span_add(struct info_span *span, const struct dkt_record *record)
{
	if (!span->records++ || record->ts < span->first)
		span->first = record->ts;
	if (record->ts > span->last)
		span->last = record->ts;
	span->bytes += record->size;
}

static inline int cpu_get(struct info *info, uint32_t nr, struct info_cpu **cpu)
{
	*cpu = dkt__reach(info->cpus, info->n_cpus, nr);
	return *cpu ? 0 : -ENOMEM;
}

static void add_gap(struct info *info, struct info_cpu *cpu, const struct dkt_record *record)
{
	cpu->gaps++;
	if (info->all_gaps++ < INFO_GAPS)
		info->gaps[info->n_gaps++] = (struct info_gap){ .cpu = record->cpu,
								.from = cpu->span.last,
								.to = record->ts,
								.lost = record->lost };
}

static int count_one(void *data, struct dkt_source *source, const struct dkt_record *record)
{
	struct info *info = data;
	struct info_event *event;
	struct info_cpu *cpu;
	int id, err = cpu_get(info, record->cpu, &cpu);

	(void)source;
	if (err)
		return err;
	if (!record->event) {
		add_gap(info, cpu, record);
		return 0;
	}
	id = dkt_event_id(record->event);
	event = &info->events[id > 0 && id < IDS ? id : 0];
	event->event = record->event;
	span_add(&event->span, record);
	span_add(&cpu->span, record);
	return 0;
}

static int more_first(const void *a, const void *b)
{
	const struct info_event *x = a, *y = b;

	if (x->span.records != y->span.records)
		return x->span.records > y->span.records ? -1 : 1;
	return strcmp(dkt_event_name(x->event), dkt_event_name(y->event));
}

/* Removes the events without records, and sorts the others. */
static void sort_events(struct info *info)
{
	for (size_t i = 0; i < IDS; i++)
		if (info->events[i].event)
			info->events[info->n_events++] = info->events[i];
	if (info->n_events)
		qsort(info->events, info->n_events, sizeof(*info->events), more_first);
}

static int sum_up(struct info *info)
{
	int cpus = dkt_source_info(info->in->source)->cpus;
	struct info_cpu *cpu;

	if (cpus > 0 && cpu_get(info, (uint32_t)cpus - 1, &cpu))
		return -ENOMEM;
	for (uint32_t nr = 0; nr < info->n_cpus; nr++) {
		const struct info_span *span = &info->cpus[nr].span;

		cpu = &info->cpus[nr];
		dkt_source_get_loss(info->in->source, (int)nr, &cpu->loss, sizeof(cpu->loss));
		info->lost += cpu->loss.lost;
		info->bad += cpu->loss.bad;
		if (!span->records)
			continue;
		if (!info->all.records || span->first < info->all.first)
			info->all.first = span->first;
		if (span->last > info->all.last)
			info->all.last = span->last;
		info->all.records += span->records;
		info->all.bytes += span->bytes;
	}
	return 0;
}

int info_count(struct inputs *in, struct info *info)
{
	int err;

	*info = (struct info){ .in = &in->files[0].in,
			       .pipeline = &in->pipeline,
			       .events = calloc(IDS, sizeof(*info->events)) };
	if (!info->events)
		return -ENOMEM;
	err = inputs_each(in, count_one, info);
	sort_events(info);
	return err ? err : sum_up(info);
}

void info_clear(struct info *info)
{
	free(info->events);
	free(info->cpus);
	info->events = NULL;
	info->cpus = NULL;
}

bool info_has_ticks(const struct info *info)
{
	return dkt__clock_ticks(dkt_source_info(info->in->source)->clock);
}

double info_rate(const struct info *info, uint64_t records)
{
	uint64_t ns = info->all.last - info->all.first;

	return ns && !info_has_ticks(info) ? (double)records * 1e9 / (double)ns : 0;
}
