/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A perf.data as a source: the runs of its records are merged by time. */
#include <time.h>

#include "event.h"
#include "perfdata.h"
#include "source/swap.h"

#include "base/banned.h"

#define MAGIC "PERFILE2"

/* The same, written on a machine of the other byte order. */
#define MAGIC_SWAPPED "2ELIFREP"

void dkt__perf_damage(struct dkt__perf *perf, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	dkt__damage(&perf->damage, fmt, ap);
	va_end(ap);
	perf->base.info.damage = perf->damage;
}

/* ---- names of processes ---- */

static int apply_task(struct dkt__perf *perf, const struct dkt__perf_item *item)
{
	const char *name;
	char copy[16];
	int err = dkt__perf_maps_apply(perf, item);

	if (err)
		return err;
	if (item->type == PERF_RECORD_COMM)
		return dkt__comms_set(&perf->comms, item->tid, (const char *)item->data,
				      item->size);
	if (item->type != PERF_RECORD_FORK)
		return 0;
	name = dkt__comms_get(&perf->comms, item->parent_tid);
	if (!name || item->parent_tid == item->tid)
		return 0;
	snprintf(copy, sizeof(copy), "%s", name);
	return dkt__comms_set(&perf->comms, item->tid, copy, strlen(copy));
}

static const char *perf_comm(struct dkt_source *source, const struct dkt_record *record)
{
	struct dkt__perf *perf = (struct dkt__perf *)source;
	const char *name = record->pid ? dkt__comms_get(&perf->comms, record->pid) : "<idle>";

	return name ? name : "<...>";
}

/* ---- merging runs ---- */

/* Finds the run's next record. False: it has no more. */
static bool run_step(struct dkt__perf *perf, struct dkt__perf_run *run, struct dkt__perf_item *item)
{
	uint32_t size;

	while (run->at < run->end) {
		const uint8_t *data =
			dkt__perf_record(perf, run->where, run->at, &run->hint, &size);

		if (!data)
			break;
		if (dkt__perf_item(perf, data, size, item) && !(item->lost && !item->placed)) {
			run->next = item->time;
			return true;
		}
		run->at += size;
	}
	run->done = true;
	return false;
}

static void run_skip(struct dkt__perf *perf, struct dkt__perf_run *run)
{
	uint32_t size;

	dkt__perf_record(perf, run->where, run->at, &run->hint, &size);
	run->at += size;
	perf->done += size;
}

/* Lets go of what was unpacked and was read: nobody has an item of it any more. */
static void drop_read(struct dkt__perf *perf)
{
	const struct dkt__perf_run *run = NULL;

	if (!perf->unpack)
		return;
	for (; perf->left < perf->n_runs; perf->left++) {
		run = &perf->runs[perf->in_order[perf->left]];
		if (run->where == DKT__PERF_PACKED && !run->done)
			break;
	}
	dkt__perf_unpack_drop(perf->unpack, perf->left < perf->n_runs ? run->at : UINT64_MAX);
}

static bool run_older(const struct dkt__perf_run *a, const struct dkt__perf_run *b)
{
	if (a->next != b->next)
		return a->next < b->next;
	return a->nr < b->nr;
}

static void sift(struct dkt__perf *perf, size_t at)
{
	struct dkt__perf_run *run = perf->heap[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child + 1 < perf->n_heap && run_older(perf->heap[child + 1], perf->heap[child]))
			child++;
		if (child >= perf->n_heap || !run_older(perf->heap[child], run))
			break;
		perf->heap[at] = perf->heap[child];
		at = child;
	}
	perf->heap[at] = run;
}

static void push(struct dkt__perf *perf, struct dkt__perf_run *run)
{
	size_t at = perf->n_heap++;

	while (at && run_older(run, perf->heap[(at - 1) / 2])) {
		perf->heap[at] = perf->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	perf->heap[at] = run;
}

/* Begins the runs that may have the next record. */
static int begin_runs(struct dkt__perf *perf)
{
	struct dkt__perf_item item;
	int err = 0;

	drop_read(perf);
	while (!err && perf->begun < perf->n_runs &&
	       (!perf->n_heap || perf->runs[perf->begun].first <= perf->heap[0]->next)) {
		struct dkt__perf_run *run = &perf->runs[perf->begun++];

		run->done = run->last < perf->since && !run->tasks;
		drop_read(perf);
		if (run->done)
			continue;
		/* What comes before the window only gives names. */
		while (!err && run_step(perf, run, &item)) {
			if (item.time >= perf->since) {
				push(perf, run);
				break;
			}
			err = apply_task(perf, &item);
			run_skip(perf, run);
			drop_read(perf);
		}
		if (!err)
			err = dkt__perf_unpack_error(perf);
	}
	return err;
}

/* ---- records ---- */

static bool cpu_asked(const struct dkt__perf *perf, uint32_t cpu)
{
	size_t i;

	for (i = 0; i < perf->n_cpus; i++)
		if (perf->cpus[i] == (int)cpu)
			return true;
	return !perf->n_cpus;
}

/* A sample's data. NULL: memory is out. */
static const uint8_t *in_our_order(struct dkt__perf *perf, const struct dkt__perf_item *item)
{
	if (perf->copy_size < item->size) {
		free(perf->copy);
		perf->copy_size = item->size;
		perf->copy = malloc(perf->copy_size);
		if (!perf->copy) {
			perf->copy_size = 0;
			return NULL;
		}
	}
	dkt__record_swap(perf->base.ctx, item->data, item->size, perf->copy);
	return perf->copy;
}

/* False: it is not asked for. */
static bool fill(struct dkt__perf *perf, const struct dkt__perf_item *item, struct dkt_record *rec)
{
	struct dkt__entry entry = { 0 };
	const uint8_t *data;

	if (item->cpu >= perf->n_losses || !cpu_asked(perf, item->cpu))
		return false;
	*rec = (struct dkt_record){ .ts = item->time, .cpu = item->cpu, .lost = item->lost };
	if (item->type != PERF_RECORD_SAMPLE) {
		perf->losses[item->cpu].lost += item->lost;
		return item->lost;
	}
	data = perf->swap ? in_our_order(perf, item) : item->data;
	if (!data)
		return false;
	memcpy(&entry, data, DKT__MIN(sizeof(entry), item->size));
	rec->event = item->attr->config < MAX_ID ?
			     dkt_event_by_id(perf->base.ctx, (int)item->attr->config) :
			     NULL;
	rec->data = data;
	rec->size = item->size;
	/* perf knows no number of a thread that is gone. */
	rec->pid = item->tid < 0 ? entry.pid : item->tid;
	rec->flags = entry.flags;
	rec->preempt = entry.preempt & 0xf;
	if (!rec->event)
		perf->losses[item->cpu].bad++;
	else
		perf->losses[item->cpu].seen++;
	return rec->event;
}

static int perf_next(struct dkt_source *source, struct dkt_record *record)
{
	struct dkt__perf *perf = (struct dkt__perf *)source;
	int err = begin_runs(perf);

	while (!err && perf->n_heap) {
		struct dkt__perf_run *run = perf->heap[0];
		struct dkt__perf_item item, next;
		bool asked;

		if (perf->until && run->next >= perf->until)
			return 1;
		if (!run_step(perf, run, &item))
			return dkt__perf_unpack_error(perf) ? dkt__perf_unpack_error(perf) :
							      -EBADMSG;
		run_skip(perf, run);
		if (!run_step(perf, run, &next))
			perf->heap[0] = perf->heap[--perf->n_heap];
		if (perf->n_heap)
			sift(perf, 0);
		err = apply_task(perf, &item);
		asked = !err && fill(perf, &item, record);
		if (asked)
			return item.n_chain ? dkt__perf_chain_take(perf, &item, record) : 0;
		if (!err)
			err = begin_runs(perf);
	}
	return err ? err : 1;
}

static int perf_loss(struct dkt_source *source, int cpu, struct dkt_loss *loss)
{
	struct dkt__perf *perf = (struct dkt__perf *)source;

	if (cpu < 0)
		return dkt_fail(source->ctx, -EINVAL, "there is no cpu %d", cpu);
	if (cpu < (int)perf->n_losses)
		*loss = perf->losses[cpu];
	return 0;
}

/* As if nothing was read. */
static void rewind_runs(struct dkt__perf *perf)
{
	size_t i;

	for (i = 0; i < perf->n_runs; i++) {
		perf->runs[i].at = perf->runs[i].start;
		perf->runs[i].hint = 0;
		perf->runs[i].done = false;
	}
	perf->begun = perf->n_heap = perf->left = 0;
	if (perf->unpack)
		dkt__perf_unpack_rewind(perf->unpack);
}

static int perf_seek(struct dkt_source *source, uint64_t since, uint64_t until)
{
	struct dkt__perf *perf = (struct dkt__perf *)source;

	perf->since = since;
	perf->until = until;
	rewind_runs(perf);
	dkt__comms_forget(&perf->comms);
	dkt__perf_maps_clear(perf);
	return 0;
}

static int perf_bytes(const struct dkt_source *source, uint64_t *done, uint64_t *of)
{
	const struct dkt__perf *perf = (const struct dkt__perf *)source;

	*done = perf->done;
	*of = perf->tape.size + perf->unpacked;
	return 0;
}

/* ---- opening ---- */

static void perf_close(struct dkt_source *source)
{
	struct dkt__perf *perf = (struct dkt__perf *)source;

	dkt__perf_unpack_free(perf->unpack);
	dkt__comms_clear(&perf->comms);
	dkt__perf_maps_clear(perf);
	dkt__perf_chain_clear(perf);
	free(perf->anchor);
	free(perf->copy);
	free(perf->attrs);
	free(perf->ids);
	free(perf->host);
	free(perf->release);
	free(perf->arch);
	free(perf->kernel);
	free(perf->damage);
	free(perf->runs);
	free(perf->heap);
	free(perf->in_order);
	free(perf->losses);
	free((void *)perf->cpus);
	free(perf);
}

static const struct dkt__source_ops perf_ops = {
	.next = perf_next,
	.comm = perf_comm,
	.loss = perf_loss,
	.seek = perf_seek,
	.bytes = perf_bytes,
	.close = perf_close,
};

/* The trace_clock that perf record -k stands for. */
static const char *clock_name(int id)
{
	switch (id) {
	case CLOCK_MONOTONIC:
		return "mono";
	case CLOCK_MONOTONIC_RAW:
		return "mono_raw";
	case CLOCK_BOOTTIME:
		return "boot";
	case CLOCK_TAI:
		return "tai";
	case CLOCK_REALTIME:
		return "realtime";
	default:
		return "perf";
	}
}

static int fill_info(struct dkt__perf *perf)
{
	struct dkt_source_info *info = &perf->base.info;

	info->kind = "perf.data";
	info->host = perf->host;
	info->clock = clock_name(perf->clockid);
	info->cpus = DKT__MAX(info->cpus, (int)perf->n_losses);
	info->has_wall = perf->has_ref || perf->clockid == CLOCK_REALTIME;
	if (perf->has_ref)
		info->wall = (int64_t)(perf->wall_ref - perf->clock_ref);
	if (perf->release && asprintf(&perf->kernel, "%s%s%s", perf->release, perf->arch ? " " : "",
				      perf->arch ? perf->arch : "") < 0) {
		perf->kernel = NULL;
		return -ENOMEM;
	}
	info->kernel = perf->kernel;
	perf->losses[0].bad += perf->bad;
	if (perf->lost_in_all > perf->lost_in_place)
		perf->losses[0].lost += perf->lost_in_all - perf->lost_in_place;
	return 0;
}

static int take_opts(struct dkt__perf *perf, const struct dkt_source_opts *opts)
{
	const struct dkt_source_info *info = &perf->base.info;
	uint64_t shift = opts->flags & DKT_SOURCE_WALL && info->has_wall ? (uint64_t)info->wall : 0;
	int *cpus;

	if (opts->buffer && *opts->buffer)
		return dkt_fail(perf->base.ctx, -ENOENT, "read %s: it has no buffer '%s'",
				perf->file.name, opts->buffer);
	perf->since = opts->since > shift ? opts->since - shift : 0;
	if (opts->until)
		perf->until = opts->until > shift ? opts->until - shift : 1;
	if (!opts->n_cpus)
		return 0;
	cpus = calloc(opts->n_cpus, sizeof(*cpus));
	if (!cpus)
		return -ENOMEM;
	memcpy(cpus, opts->cpus, opts->n_cpus * sizeof(*cpus));
	perf->cpus = cpus;
	perf->n_cpus = opts->n_cpus;
	return 0;
}

static bool has_tracepoints(const struct dkt__perf *perf)
{
	size_t i;

	for (i = 0; i < perf->n_attrs; i++)
		if (perf->attrs[i].type == PERF_TYPE_TRACEPOINT)
			return true;
	return false;
}

static int perf_read(struct dkt__perf *perf, const struct dkt_source_opts *opts)
{
	int err;

	perf->swap = !memcmp(perf->file.data, MAGIC_SWAPPED, 8);
	err = dkt__perf_head(perf);
	if (!err)
		err = dkt__perf_scan(perf);
	if (err)
		return err;
	rewind_runs(perf);
	if (!perf->has_events) {
		err = dkt__events_given(perf->base.ctx, NULL, 0);
		if (perf->n_attrs && !has_tracepoints(perf))
			dkt__perf_damage(perf, "it has no tracepoints, which are what can be read");
		else if (perf->n_runs)
			dkt__perf_damage(perf, "it has no formats of events");
	}
	dkt__perf_chain_events(perf);
	dkt__perf_symbols(perf);
	if (!err)
		err = fill_info(perf);
	return err ? err : take_opts(perf, opts);
}

static bool perf_is(const uint8_t *data, size_t size)
{
	return size > 16 && (!memcmp(data, MAGIC, 8) || !memcmp(data, MAGIC_SWAPPED, 8));
}

static int perf_open(struct dkt_ctx *ctx, const struct dkt__file *file,
		     const struct dkt_source_opts *opts, struct dkt_source **source)
{
	struct dkt__perf *perf = calloc(1, sizeof(*perf));
	int err;

	if (!perf)
		return -ENOMEM;
	perf->base = (struct dkt_source){ .ops = &perf_ops, .ctx = ctx };
	perf->file = *file;
	perf->clockid = -1;
	err = perf_read(perf, opts);
	if (err)
		perf_close(&perf->base);
	else
		*source = &perf->base;
	return err;
}

const struct dkt__reader dkt__reader_perfdata = {
	.name = "perf.data",
	.is = perf_is,
	.open = perf_open,
};
