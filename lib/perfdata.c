/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opens perf.data as a source of records. */
#include <time.h>

#include "lib/base/io.h"
#include "lib/base/perf_magic.h"
#include "lib/event.h"
#include "lib/perfdata.h"

/* ---- names of processes ---- */

int dkt__perf_task(struct dkt__perf *perf, const struct dkt__perf_item *item)
{
	const char *name;
	int err = dkt__perf_maps_apply(perf, item);

	if (err)
		return err;
	if (item->type == PERF_RECORD_COMM)
		return dkt__comms_set(&perf->streams.comms, item->tid, (const char *)item->data,
				      item->size);
	if (item->type != PERF_RECORD_FORK)
		return 0;
	name = dkt__comms_get(&perf->streams.comms, item->parent_tid);
	if (!name || item->parent_tid == item->tid)
		return 0;
	return dkt__comms_set(&perf->streams.comms, item->tid, name, strlen(name));
}

static void rewind_all(struct dkt__perf *perf)
{
	dkt__perf_merge_rewind(perf);
	dkt__comms_forget(&perf->streams.comms);
	/* The rules of call frames are kept by mapping. */
	dkt__perf_unwind_clear(perf);
	dkt__perf_callers_forget(perf);
	dkt__perf_maps_clear(perf);
}

static int perf_seek(struct dkt_source *source, uint64_t since, uint64_t until)
{
	struct dkt__perf *perf = (struct dkt__perf *)source;

	/* A later window continues from here, so that the names are not collected again. */
	if (since < perf->streams.until)
		rewind_all(perf);
	perf->streams.since = since;
	perf->streams.until = until ? until : UINT64_MAX;
	return 0;
}

static int perf_slice(struct dkt_source *source, uint64_t from, uint64_t bytes, uint64_t *to)
{
	const struct dkt__perf *perf = (const struct dkt__perf *)source;
	const struct dkt__perf_merge *m = &perf->merge;
	uint64_t taken = 0;

	/* A compressed stream can be decompressed only from its beginning. */
	if (perf->packed)
		return -EOPNOTSUPP;
	for (size_t i = 0; i < m->n_blocks; i++) {
		if (taken >= bytes && m->blocks[i].rest > from) {
			*to = m->blocks[i].rest;
			break;
		}
		taken += m->blocks[i].last >= from ? m->blocks[i].size : 0;
	}
	return 0;
}

static int perf_bytes(const struct dkt_source *source, uint64_t *done, uint64_t *of)
{
	const struct dkt__perf *perf = (const struct dkt__perf *)source;

	*done = perf->merge.done;
	*of = 0;
	for (size_t i = 0; i < perf->n_parts; i++)
		*of += perf->parts[i].tape.size + perf->parts[i].unpacked;
	return 0;
}

/* ---- opening ---- */

static void perf_close(struct dkt_source *source)
{
	struct dkt__perf *perf = (struct dkt__perf *)source;

	dkt__perf_merge_clear(perf);
	for (size_t i = 0; i < perf->n_parts; i++)
		dkt__perf_unpack_free(perf->parts[i].unpack);
	free(perf->parts);
	dkt__perf_unwind_clear(perf);
	dkt__perf_callers_clear(perf);
	dkt__perf_deferred_clear(perf);
	dkt__perf_inlines_clear(perf);
	dkt__perf_maps_clear(perf);
	dkt__perf_programs_clear(perf);
	dkt__perf_jits_clear(perf);
	dkt__perf_chain_clear(perf);
	free(perf->sample.data);
	free(perf->given);
	dkt__perf_attrs_clear(perf);
	free(perf->anchor);
	free(perf->ids);
	free(perf->host);
	free(perf->release);
	free(perf->arch);
	free(perf->kernel);
	free(perf->unused);
	free(perf->quick);
	dkt__perf_recorded_clear(perf);
	dkt__streams_clear(&perf->streams);
	free(perf);
}

static const struct dkt__source_ops perf_ops = {
	.next = dkt__perf_next,
	.comm = dkt__streams_comm,
	.loss = dkt__streams_loss,
	.seek = perf_seek,
	.slice = perf_slice,
	.select = dkt__streams_select,
	.filter = dkt__streams_filter,
	.bytes = perf_bytes,
	.close = perf_close,
	.spot = dkt__perf_spot,
	.code = dkt__perf_code,
	.recorded = dkt__perf_recorded,
};

/* Returns the trace_clock that perf record -k names by this ID. */
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

/* A damaged file has any numbers. No clock is more than 146 years from the wall clock. */
#define WALL_MAX (INT64_MAX / 2)

static int fill_info(struct dkt__perf *perf)
{
	struct dkt_source_info *info = &perf->streams.base.info;
	const int64_t wall = (int64_t)(perf->wall_ref - perf->clock_ref);
	const bool has_ref = perf->has_ref && wall > -WALL_MAX && wall < WALL_MAX;

	info->sz = sizeof(*info);
	info->kind = "perf.data";
	info->host = perf->host;
	info->clock = clock_name(perf->clockid);
	info->cpus = DKT__MAX(info->cpus, (int)perf->streams.n);
	info->has_wall = has_ref || perf->clockid == CLOCK_REALTIME;
	if (has_ref)
		info->wall = wall;
	if (perf->release)
		perf->kernel = dkt__format("%s%s%s", perf->release, perf->arch ? " " : "",
					   perf->arch ? perf->arch : "");
	info->kernel = perf->kernel;
	if (perf->aux) {
		perf->unused = dkt__format("%llu bytes of AUX data, such as traces of processors",
					   (unsigned long long)perf->aux);
		info->unused = perf->unused;
	}
	return perf->release && !perf->kernel ? -ENOMEM : 0;
}

static int take_opts(struct dkt__perf *perf, const struct dkt_source_opts *opts)
{
	struct dkt__streams *streams = &perf->streams;
	uint64_t since, until;

	if (opts->buffer && *opts->buffer)
		return dkt_fail(perf->streams.base.ctx, -ENOENT, "read %s: it has no buffer '%s'",
				perf->file.name, opts->buffer);
	/* If several readers share the file, only one reports the losses without a time. */
	if (!(opts->flags & DKT_SOURCE_PART)) {
		streams->list[0].loss.bad = perf->bad;
		streams->list[0].loss.lost =
			perf->lost_in_all - DKT__MIN(perf->lost_in_all, perf->lost_in_place);
	}
	for (size_t i = 0; i < streams->n; i++)
		streams->list[i].unasked = !dkt__cpu_asked(opts->cpus, opts->n_cpus, (uint32_t)i);
	dkt__source_times(&streams->base, opts, &since, &until);
	return perf_seek(&streams->base, since, until);
}

static bool has_tracepoints(const struct dkt__perf *perf)
{
	for (size_t i = 0; i < perf->n_attrs; i++)
		if (perf->attrs[i].type == PERF_TYPE_TRACEPOINT)
			return true;
	return false;
}

/* Makes the catalogue of events: those of the file, those of its other samples, those of call chains. */
static int define_events(struct dkt__perf *perf)
{
	int err = dkt__perf_chain_define(perf);

	if (!err)
		err = dkt__perf_events_define(perf);
	if (!err)
		err = dkt__events_given(perf->streams.base.ctx, perf->given, perf->n_given);
	if (!err)
		dkt__perf_chain_events(perf);
	return err;
}

static int perf_read(struct dkt__perf *perf, const struct dkt_source_opts *opts)
{
	int err;

	perf->swap = !memcmp(perf->file.data, DKT__PERF_MAGIC_OTHER, 8);
	perf->switches = opts->flags & DKT__SOURCE_SWITCHES;
	perf->only_stacks = opts->flags & DKT__SOURCE_STACKS;
	err = dkt__perf_head(perf);
	if (!err)
		err = dkt__perf_scan(perf);
	if (err)
		return err;
	err = define_events(perf);
	if (err)
		return err;
	if (!perf->has_formats && perf->merge.n_blocks && (!perf->n_attrs || has_tracepoints(perf)))
		dkt__streams_damage(&perf->streams, "it has no formats of events");
	if (perf->apart && perf->n_parts == 1)
		dkt__streams_damage(&perf->streams,
				    *perf->parts[0].label ?
					    "the files data.N with its records are missing" :
					    "its records are in the files data.N beside it;"
					    " read the directory");
	for (size_t i = 0; i < perf->n_parts; i++)
		if (perf->parts[i].missing)
			dkt__streams_damage(&perf->streams, "%sthe file is missing",
					    perf->parts[i].label);
	dkt__perf_symbols(perf);
	if (!err)
		err = dkt__ctx_machine(perf->streams.base.ctx, perf->arch ? perf->arch : "");
	if (!err)
		err = fill_info(perf);
	return err ? err : take_opts(perf, opts);
}

/* The offset of the size of the records in the header. */
#define DATA_SIZE_AT 48

int dkt__perf_more(struct dkt_source *source)
{
	struct dkt__perf *perf = (struct dkt__perf *)source;
	struct dkt__perf_tape *tape = &perf->parts[0].tape;
	const uint64_t from = tape->size, before = (uint64_t)(tape->data - perf->file.data);
	uint64_t size;

	if (source->ops != &perf_ops || perf->n_parts != 1 || perf->swap || perf->packed ||
	    dkt__pread_all(perf->file.fd, &size, sizeof(size), DATA_SIZE_AT) != sizeof(size) ||
	    size < from || size > perf->file.size - before)
		return dkt_fail(source->ctx, -EBADMSG, "read more of %s: its size is wrong",
				perf->file.name);
	tape->size = size;
	perf->streams.taken = false;
	return dkt__with_words(source->ctx, dkt__perf_scan_more(perf, from));
}

uint64_t dkt__perf_throttled(const struct dkt_source *source)
{
	return source->ops == &perf_ops ? ((const struct dkt__perf *)source)->throttled : 0;
}

static bool perf_is(const uint8_t *data, size_t size)
{
	return size > 16 &&
	       (!memcmp(data, DKT__PERF_MAGIC, 8) || !memcmp(data, DKT__PERF_MAGIC_OTHER, 8));
}

int dkt__perf_open(struct dkt_ctx *ctx, const struct dkt__perf_part *parts, size_t n,
		   const struct dkt_source_opts *opts, struct dkt_source **source)
{
	struct dkt__perf *perf = calloc(1, sizeof(*perf));
	struct dkt__perf_part *copy = calloc(n, sizeof(*copy));

	if (!perf || !copy) {
		free(perf);
		free(copy);
		return -ENOMEM;
	}
	memcpy(copy, parts, n * sizeof(*copy));
	perf->parts = copy;
	perf->n_parts = n;
	perf->streams.base = (struct dkt_source){ .ops = &perf_ops, .ctx = ctx };
	perf->file = parts[0].file;
	perf->streams.until = UINT64_MAX;
	perf->clockid = -1;
	return dkt__source_opened(&perf->streams.base, perf_read(perf, opts), source);
}

static int perf_open(struct dkt_ctx *ctx, const struct dkt__file *file,
		     const struct dkt_source_opts *opts, struct dkt_source **source)
{
	const struct dkt__perf_part only = { .file = *file, .label = "" };

	return dkt__perf_open(ctx, &only, 1, opts, source);
}

const struct dkt__reader dkt__reader_perfdata = {
	.name = "perf.data",
	.is = perf_is,
	.open = perf_open,
};
