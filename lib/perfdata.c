/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A perf.data as a source: the runs of its records are merged by time. */
#include <time.h>

#include "event.h"
#include "perfdata.h"

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

int dkt__perf_task(struct dkt__perf *perf, const struct dkt__perf_item *item)
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

/* ---- records ---- */

static struct dkt_event *event_of(struct dkt__perf *perf, uint64_t nr)
{
	if (dkt__unlikely(nr >= MAX_ID))
		return NULL;
	if (dkt__likely(perf->events && perf->events[nr]))
		return perf->events[nr];
	return dkt_event_by_id(perf->base.ctx, (int)nr);
}

/* Whether the sample is of an event that nobody looks at. */
static bool is_unwanted(struct dkt__perf *perf, const struct dkt__perf_item *item)
{
	struct dkt__perf_attr *attr = &perf->attrs[item->attr - perf->attrs];
	struct dkt_event *event;

	if (!attr->verdict) {
		event = event_of(perf, attr->config);
		attr->verdict = !event || perf->wants(perf->wants_data, event) ? DKT__WANTED :
										 DKT__UNWANTED;
	}
	return attr->verdict == DKT__UNWANTED;
}

/* A record of what was lost. False: there is none. */
static bool fill_gap(struct dkt__perf *perf, const struct dkt__perf_item *item,
		     struct dkt_record *rec)
{
	perf->losses[item->cpu].lost += item->lost;
	*rec = (struct dkt_record){ .ts = item->time, .cpu = item->cpu, .lost = item->lost };
	return item->lost;
}

/* False: it is not asked for. */
static bool fill(struct dkt__perf *perf, const struct dkt__perf_item *item, struct dkt_record *rec)
{
	const void *data = item->data;
	struct dkt__entry entry;

	if (item->cpu >= perf->n_losses || !dkt__cpu_asked(perf->cpus, perf->n_cpus, item->cpu))
		return false;
	if (dkt__unlikely(item->type != PERF_RECORD_SAMPLE))
		return fill_gap(perf, item, rec);
	if (dkt__unlikely(perf->wants) && is_unwanted(perf, item)) {
		perf->losses[item->cpu].seen++;
		return false;
	}
	if (dkt__unlikely(perf->swap))
		data = dkt__swapped(&perf->copy, perf->base.ctx, data, item->size);
	if (!data)
		return false;
	memcpy(&entry, data, sizeof(entry));
	*rec = (struct dkt_record){
		.ts = item->time,
		.event = event_of(perf, item->attr->config),
		.data = data,
		.size = item->size,
		.cpu = item->cpu,
		/* perf knows no number of a thread that is gone. */
		.pid = item->tid < 0 ? entry.pid : item->tid,
		.flags = entry.flags,
		.preempt = entry.preempt & 0xf,
	};
	perf->losses[item->cpu].seen += !!rec->event;
	perf->losses[item->cpu].bad += !rec->event;
	return rec->event;
}

static int perf_next(struct dkt_source *source, struct dkt_record *record)
{
	struct dkt__perf *perf = (struct dkt__perf *)source;
	const struct dkt__perf_item *item = &perf->merge.item;
	int err;

	for (;;) {
		err = dkt__perf_merge_next(perf);
		if (dkt__unlikely(err || (perf->until && item->time >= perf->until)))
			return err ? err : 1;
		perf->merge.taken = true;
		if (dkt__unlikely(item->type != PERF_RECORD_SAMPLE))
			err = dkt__perf_task(perf, item);
		if (err)
			return err;
		if (fill(perf, item, record))
			return item->n_chain ? dkt__perf_chain_take(perf, item, record) : 0;
	}
}

static int perf_select(struct dkt_source *source, dkt_event_fn wants, void *data)
{
	struct dkt__perf *perf = (struct dkt__perf *)source;

	perf->wants = wants;
	perf->wants_data = data;
	for (size_t i = 0; i < perf->n_attrs; i++)
		perf->attrs[i].verdict = DKT__UNASKED;
	return 0;
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

static int perf_seek(struct dkt_source *source, uint64_t since, uint64_t until)
{
	struct dkt__perf *perf = (struct dkt__perf *)source;

	perf->since = since;
	perf->until = until;
	dkt__perf_merge_rewind(perf);
	dkt__comms_forget(&perf->comms);
	dkt__perf_maps_clear(perf);
	return 0;
}

static int perf_bytes(const struct dkt_source *source, uint64_t *done, uint64_t *of)
{
	const struct dkt__perf *perf = (const struct dkt__perf *)source;

	*done = perf->merge.done;
	*of = perf->tape.size + perf->unpacked;
	return 0;
}

/* ---- opening ---- */

static void perf_close(struct dkt_source *source)
{
	struct dkt__perf *perf = (struct dkt__perf *)source;

	dkt__perf_merge_clear(perf);
	dkt__perf_unpack_free(perf->unpack);
	dkt__comms_clear(&perf->comms);
	dkt__perf_maps_clear(perf);
	dkt__perf_chain_clear(perf);
	free(perf->anchor);
	free(perf->copy.bytes);
	free(perf->attrs);
	free(perf->ids);
	free(perf->host);
	free(perf->release);
	free(perf->arch);
	free(perf->kernel);
	free(perf->damage);
	free(perf->quick);
	free(perf->losses);
	free((void *)perf->cpus);
	free(perf);
}

static const struct dkt__source_ops perf_ops = {
	.next = perf_next,
	.comm = perf_comm,
	.loss = perf_loss,
	.seek = perf_seek,
	.select = perf_select,
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
	int *cpus;

	if (opts->buffer && *opts->buffer)
		return dkt_fail(perf->base.ctx, -ENOENT, "read %s: it has no buffer '%s'",
				perf->file.name, opts->buffer);
	dkt__source_times(&perf->base, opts, &perf->since, &perf->until);
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
	for (size_t i = 0; i < perf->n_attrs; i++)
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
	dkt__perf_merge_rewind(perf);
	if (!perf->has_events) {
		err = dkt__events_given(perf->base.ctx, NULL, 0);
		if (perf->n_attrs && !has_tracepoints(perf))
			dkt__perf_damage(perf, "it has no tracepoints, which are what can be read");
		else if (perf->merge.n_blocks)
			dkt__perf_damage(perf, "it has no formats of events");
	}
	perf->events = dkt__event_table(perf->base.ctx);
	dkt__perf_chain_events(perf);
	dkt__perf_symbols(perf);
	if (!err)
		err = dkt__ctx_machine(perf->base.ctx, perf->arch ? perf->arch : "");
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
