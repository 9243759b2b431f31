/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records in order of time, from any kind of source. */
#include "lib/source.h"

const struct dkt_source_info *dkt_source_info(const struct dkt_source *source)
{
	if (!source)
		return NULL;

	return &source->info;
}

int dkt__source_opts_take(struct dkt_ctx *ctx, struct dkt_source_opts *asked,
			  const struct dkt_source_opts *opts)
{
	int err = dkt__opts_take(ctx, dkt_source_opts, asked, opts);

	return err ? err :
		     dkt__flags_check(ctx, "dkt_source_opts", asked->flags,
				      DKT_SOURCE_ALL | DKT_SOURCE_WALL | DKT_SOURCE_PART |
					      DKT_SOURCE_GROWS | DKT__SOURCE_SWITCHES |
					      DKT__SOURCE_STACKS);
}

int dkt__source_opts_keep(struct dkt_ctx *ctx, struct dkt_source_opts *opts)
{
	const size_t size = opts->n_cpus * sizeof(*opts->cpus);
	const char *buffer = opts->buffer;
	int *cpus = dkt__ctx_keep(ctx, size);

	if (buffer)
		buffer = dkt__ctx_strndup(ctx, buffer, strlen(buffer));
	if (!cpus || (opts->buffer && !buffer))
		return dkt__no_memory(ctx);
	if (size)
		memcpy(cpus, opts->cpus, size);
	opts->cpus = cpus;
	opts->buffer = buffer;
	opts->name = opts->formats = opts->vmlinux = NULL;
	opts->fd = 0;
	return 0;
}

/* Converts a bound to the source's own clock; a time before the clock's start becomes least. */
static uint64_t own_time(uint64_t time, int64_t wall, uint64_t least)
{
	if (!time)
		return 0;
	if (wall > 0)
		return time > (uint64_t)wall ? time - (uint64_t)wall : least;
	return time + -(uint64_t)wall;
}

void dkt__source_times(const struct dkt_source *source, const struct dkt_source_opts *opts,
		       uint64_t *since, uint64_t *until)
{
	const struct dkt_source_info *info = &source->info;
	int64_t wall = opts->flags & DKT_SOURCE_WALL && info->has_wall ? info->wall : 0;

	*since = own_time(opts->since, wall, 0);
	*until = own_time(opts->until, wall, 1);
}

int dkt__source_opened(struct dkt_source *source, int err, struct dkt_source **out)
{
	if (err)
		dkt_source_close(source);
	else
		*out = source;
	return err;
}

int dkt_source_next(struct dkt_source *source, struct dkt_record *record)
{
	dkt__needs(source ? source->ctx : NULL, source && record);

	return dkt__source_next(source, record);
}

int dkt__source_fd(const struct dkt_source *source)
{
	return source->ops->fd ? source->ops->fd(source) : -1;
}

int dkt_source_fd(struct dkt_source *source)
{
	dkt__needs(NULL, source);

	int fd = dkt__source_fd(source);

	return fd >= 0 ? fd : dkt_fail(source->ctx, -EOPNOTSUPP, "this source does not follow");
}

int dkt_source_wait(struct dkt_source *source, int timeout_ms)
{
	dkt__needs(NULL, source);

	int fd = dkt_source_fd(source);

	return fd < 0 ? fd : source->ops->wait(source, timeout_ms);
}

int dkt__source_wake(struct dkt_source *source)
{
	dkt__needs(NULL, source);

	/* Do not use the context: another thread owns it. */
	if (dkt__source_fd(source) < 0)
		return -EOPNOTSUPP;
	return source->ops->wake(source);
}

void dkt__source_add_loss(struct dkt_source *source, int cpu, struct dkt_loss *sum)
{
	struct dkt_loss loss;

	if (cpu >= dkt_source_info(source)->cpus ||
	    dkt_source_get_loss(source, cpu, &loss, sizeof(loss)))
		return;
	sum->seen += loss.seen;
	sum->lost += loss.lost;
	sum->bad += loss.bad;
}

int dkt__source_done(struct dkt_source *source, bool last)
{
	return source->ops->done ? source->ops->done(source, last) : 0;
}

int dkt_source_done(struct dkt_source *source)
{
	dkt__needs(NULL, source);

	return dkt__source_done(source, true);
}

const char *dkt_source_comm(struct dkt_source *source, const struct dkt_record *record)
{
	if (!source || !record)
		return NULL;

	return source->ops->comm(source, record);
}

int dkt_source_get_loss(struct dkt_source *source, int cpu, struct dkt_loss *loss, size_t sz)
{
	dkt__needs(source ? source->ctx : NULL, dkt__blank(loss, sz) && source);

	struct dkt_loss its = { 0 };
	int err = source->ops->loss(source, cpu, &its);

	return err ? err : dkt__fill(loss, sz, &its);
}

const char *dkt_source_stream(const struct dkt_source *source, uint32_t nr)
{
	if (!source)
		return NULL;

	if (source->ops->stream)
		return source->ops->stream(source, nr);
	return nr ? NULL : "";
}

int dkt__source_peer(const struct dkt_source *source, size_t i, struct dkt__source_peer *peer,
		     size_t sz)
{
	dkt__needs(source ? source->ctx : NULL, dkt__blank(peer, sz) && source);

	const struct dkt__source_peer *its = source->ops->peer ? source->ops->peer(source, i) :
								 NULL;

	return its ? dkt__fill(peer, sz, its) : 1;
}

int dkt__source_clock(const struct dkt_source *source, uint32_t stream,
		      struct dkt_source_clock *clock, size_t sz)
{
	dkt__needs(source ? source->ctx : NULL, dkt__blank(clock, sz) && source);

	struct dkt_source_clock its = { 0 };

	if (!source->ops->clock || source->ops->clock(source, stream, &its))
		return 1;
	its.sz = DKT__MIN(sz, sizeof(its));
	return dkt__fill(clock, sz, &its);
}

const struct dkt__disks *dkt__source_disks(const struct dkt_source *source, uint32_t nr)
{
	return source->ops->disks && dkt_source_stream(source, nr) ?
		       source->ops->disks(source, nr) :
		       NULL;
}

/* Returns the name that all hosts have for the number which have one; NULL: they differ. */
static const char *disk_of_all(const struct dkt_source *source, uint64_t dev)
{
	const char *found = NULL;

	for (uint32_t nr = 0; dkt_source_stream(source, nr); nr++) {
		const struct dkt__disks *disks = dkt__source_disks(source, nr);
		const char *name = disks ? dkt__disks_find(disks, dev) : NULL;

		if (found && name && strcmp(found, name) != 0)
			return NULL;
		found = found ? found : name;
	}
	return found;
}

const char *dkt__source_disk(const struct dkt_source *source, uint32_t stream, uint64_t dev)
{
	const struct dkt__disks *disks;

	if (!source)
		return NULL;

	if (stream == DKT__STREAM_ALL)
		return disk_of_all(source, dev);
	disks = dkt__source_disks(source, stream);
	return disks ? dkt__disks_find(disks, dev) : NULL;
}

int dkt__source_disk_at(const struct dkt_source *source, uint32_t stream, size_t i,
			struct dkt__source_disk *disk, size_t sz)
{
	dkt__needs(source ? source->ctx : NULL, dkt__blank(disk, sz) && source);

	const struct dkt__disks *disks = dkt__source_disks(source, stream);
	struct dkt__source_disk its = { 0 };

	if (!disks || i >= disks->n)
		return 1;
	its.dev = disks->list[i].dev;
	its.name = disks->list[i].name;
	return dkt__fill(disk, sz, &its);
}

struct dkt_source *dkt__source_part(struct dkt_source *source, uint32_t nr)
{
	return source->ops->part ? source->ops->part(source, nr) : source;
}

int dkt__source_spot(struct dkt_source *source, const struct dkt_record *record,
		     struct dkt__spot *spot)
{
	struct dkt_source *part = dkt__source_part(source, record->stream);

	*spot = (struct dkt__spot){ .source = part };
	return part->ops->spot ? part->ops->spot(part, spot) : 1;
}

int dkt__listing_read(const struct dkt__spot *spot, const char *name, const char *vmlinux,
		      struct dkt__listing *listing)
{
	*listing = (struct dkt__listing){ 0 };
	return spot->source->ops->code(spot, name, vmlinux, listing);
}

int dkt__source_recorded(struct dkt_source *source, size_t i, struct dkt__recorded *recorded)
{
	*recorded = (struct dkt__recorded){ 0 };
	source = dkt__source_part(source, 0);
	return source->ops->recorded ? source->ops->recorded(source, i, recorded) : 1;
}

char *dkt__spot_error(const struct dkt__spot *spot)
{
	return dkt__error_take(spot->source->ctx);
}

static int cannot(const struct dkt_source *source)
{
	return dkt_fail(source->ctx, -EOPNOTSUPP, "this kind of source can only be read on");
}

int dkt_source_seek(struct dkt_source *source, uint64_t since, uint64_t until)
{
	dkt__needs(NULL, source);

	return source->ops->seek ? source->ops->seek(source, since, until) : cannot(source);
}

int dkt__source_slice(struct dkt_source *source, uint64_t from, uint64_t bytes, uint64_t *to)
{
	dkt__needs(source ? source->ctx : NULL, dkt__clear(to) && source);

	*to = UINT64_MAX;
	return source->ops->slice ? source->ops->slice(source, from, bytes, to) : cannot(source);
}

int dkt_source_select(struct dkt_source *source, dkt_event_fn wants, void *data)
{
	dkt__needs(source ? source->ctx : NULL, source && wants);

	return source->ops->select ? source->ops->select(source, wants, data) : cannot(source);
}

int dkt__source_filter(struct dkt_source *source, struct dkt_expr *expr)
{
	dkt__needs(source ? source->ctx : NULL, source && expr);

	return source->ops->filter ? source->ops->filter(source, expr) : cannot(source);
}

int dkt__source_get_bytes(const struct dkt_source *source, uint64_t *done, uint64_t *of)
{
	dkt__needs(source ? source->ctx : NULL, dkt__clear(done) && dkt__clear(of) && source);

	return source->ops->bytes ? source->ops->bytes(source, done, of) : cannot(source);
}

/* More probes than anybody sets; a damaged file may name any number. */
#define MISSED_MAX 1024

struct dkt__missed *dkt__missed_get(struct dkt_ctx *ctx, struct dkt__missed **list,
				    const char *probe)
{
	const size_t size = strlen(probe) + 1;
	struct dkt__missed *missed;
	unsigned int n = 0;

	for (; *list; list = &(*list)->next, n++)
		if (!strcmp((*list)->probe, probe))
			return *list;
	missed = n < MISSED_MAX ? dkt__ctx_keep(ctx, sizeof(*missed) + size) : NULL;
	if (!missed)
		return NULL;
	missed->next = NULL;
	missed->n = 0;
	memcpy(missed->probe, probe, size);
	*list = missed;
	return missed;
}

const struct dkt__missed *dkt__source_missed(const struct dkt_source *source)
{
	return source->missed;
}

int dkt__source_add_missed(struct dkt_source *source, const char *probe, uint64_t n)
{
	struct dkt__missed *missed = dkt__missed_get(source->ctx, &source->missed, probe);

	if (!missed)
		return dkt__no_memory(source->ctx);
	missed->n += n;
	return 0;
}

void dkt_source_close(struct dkt_source *source)
{
	if (source)
		source->ops->close(source);
}
