/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Merges several sources in order of time, on the clock of the first. */
#include <sys/epoll.h>

#include "lib/base/heap.h"
#include "lib/source.h"
#include "lib/source/clock.h"
#include "lib/source/shift.h"

struct part {
	struct dkt_source *source;
	uint32_t first; /* of its streams, as this source counts them */
	uint32_t n_streams;
	struct dkt__relation relation; /* of its times to the merged ones */
	enum {
		DUE, /* the next record has not been requested */
		READY,
		ENDED,
	} state;
	bool watched; /* it follows, and is not at its end */
	/* With shifted times; its pointers are valid until the part's next call. */
	struct dkt_record next;
};

/* A stream of one of the parts. */
struct stream {
	char *name;
	uint32_t part;
	struct dkt_source_clock clock;
};

struct merge {
	struct dkt_source base;
	struct part *parts;
	size_t n;
	struct stream *streams;
	uint32_t n_streams;
	struct dkt__heap heap; /* parts whose next record is ready */
	bool begun; /* all parts have been asked since the last DKT_NEXT_LATER */
	bool taken; /* the first part's record has been returned */
	int watch; /* epoll of the parts that follow; -1: none follows */
	bool clocks; /* the clock of a part was given */
};

/* Makes the part's next record ready. Returns as dkt_source_next() does. */
static int part_step(struct part *part)
{
	int err = dkt__source_next(part->source, &part->next);

	/* A live part may have more later; a failed part has not moved. */
	part->state = !err ? READY : err == DKT_NEXT_END ? ENDED : DUE;
	if (err)
		return err;
	part->next.ts = dkt__to_merged(&part->relation, part->next.ts);
	part->next.stream = part->first + DKT__MIN(part->next.stream, part->n_streams - 1);
	return 0;
}

/* Asks the parts that are due. */
static int begin(struct merge *m)
{
	int err = 0;

	for (uint32_t i = 0; err >= 0 && i < m->n; i++) {
		if (m->parts[i].state != DUE)
			continue;
		err = part_step(&m->parts[i]);
		if (!err)
			err = dkt__with_words(
				m->base.ctx,
				dkt__heap_add(&m->heap,
					      (struct dkt__heap_item){ .ts = m->parts[i].next.ts,
								       .order = i,
								       .nr = i }));
	}
	m->begun = err >= 0;
	return DKT__MIN(err, 0);
}

/* Steps past the last returned record. */
static int advance(struct merge *m)
{
	struct part *part = &m->parts[m->heap.list[0].nr];
	int err = part_step(part);

	if (err < 0)
		return err;
	m->taken = false;
	if (err)
		dkt__heap_drop(&m->heap);
	else
		dkt__heap_move(&m->heap, part->next.ts);
	return 0;
}

/* Returns whether all parts have ended, or some only have no more now and are asked again. */
static int end(struct merge *m)
{
	for (size_t i = 0; i < m->n; i++) {
		struct part *part = &m->parts[i];

		if (part->state == DUE)
			m->begun = false;
		/* The descriptor of an ended part must not wake us. */
		if (part->state == ENDED && part->watched)
			part->watched = epoll_ctl(m->watch, EPOLL_CTL_DEL,
						  dkt__source_fd(part->source), NULL);
	}
	return m->begun ? DKT_NEXT_END : DKT_NEXT_LATER;
}

static int merge_next(struct dkt_source *source, struct dkt_record *record)
{
	struct merge *m = (struct merge *)source;
	int err = 0;

	if (!m->begun)
		err = begin(m);
	else if (m->taken)
		err = advance(m);
	if (err)
		return err;
	if (!m->heap.n)
		return end(m);
	m->taken = true;
	*record = m->parts[m->heap.list[0].nr].next;
	return 0;
}

static struct part *part_of(const struct merge *m, uint32_t stream)
{
	return &m->parts[m->streams[DKT__MIN(stream, m->n_streams - 1)].part];
}

static struct dkt_source *merge_part(struct dkt_source *source, uint32_t nr)
{
	const struct part *part = part_of((struct merge *)source, nr);

	return dkt__source_part(part->source, nr - part->first);
}

static const char *merge_stream(const struct dkt_source *source, uint32_t nr)
{
	const struct merge *m = (const struct merge *)source;

	return nr < m->n_streams ? m->streams[nr].name : NULL;
}

static int merge_clock(const struct dkt_source *source, uint32_t nr, struct dkt_source_clock *clock)
{
	const struct merge *m = (const struct merge *)source;

	if (!m->clocks || nr >= m->n_streams)
		return 1;
	*clock = m->streams[nr].clock;
	return 0;
}

static const struct dkt__disks *merge_disks(const struct dkt_source *source, uint32_t nr)
{
	const struct part *part = part_of((const struct merge *)source, nr);

	return dkt__source_disks(part->source, nr - part->first);
}

static const char *merge_comm(struct dkt_source *source, const struct dkt_record *record)
{
	const struct part *part = part_of((struct merge *)source, record->stream);
	struct dkt_record its = *record;

	its.stream -= part->first;
	return dkt_source_comm(part->source, &its);
}

static int merge_loss(struct dkt_source *source, int cpu, struct dkt_loss *loss)
{
	struct merge *m = (struct merge *)source;

	for (size_t i = 0; i < m->n; i++)
		dkt__source_add_loss(m->parts[i].source, cpu, loss);
	return 0;
}

static int merge_fd(const struct dkt_source *source)
{
	return ((const struct merge *)source)->watch;
}

static int merge_wait(struct dkt_source *source, int timeout_ms)
{
	struct merge *m = (struct merge *)source;
	struct epoll_event event;
	int err = 0;

	if (m->heap.n)
		return 0;
	if (epoll_wait(m->watch, &event, 1, timeout_ms) < 0)
		return -errno;
	/* Each part clears its own wake-up. */
	for (size_t i = 0; !err && i < m->n; i++)
		if (m->parts[i].watched)
			err = dkt_source_wait(m->parts[i].source, 0);
	return err;
}

static int merge_wake(struct dkt_source *source)
{
	struct merge *m = (struct merge *)source;
	int err = -EOPNOTSUPP;

	for (size_t i = 0; err && i < m->n; i++)
		err = dkt__source_wake(m->parts[i].source);
	return err;
}

static int merge_done(struct dkt_source *source, bool last)
{
	struct merge *m = (struct merge *)source;
	uint32_t top = m->taken && last ? m->heap.list[0].nr : UINT32_MAX;
	int err = 0;

	/* The caller has not received the ready records, except the one that was returned. */
	for (uint32_t i = 0; !err && i < m->n; i++)
		err = dkt__source_done(m->parts[i].source, m->parts[i].state != READY || i == top);
	return err;
}

static int merge_bytes(const struct dkt_source *source, uint64_t *done, uint64_t *of)
{
	const struct merge *m = (const struct merge *)source;
	uint64_t one_done, one_of;

	*done = *of = 0;
	for (size_t i = 0; i < m->n; i++) {
		if (dkt__source_get_bytes(m->parts[i].source, &one_done, &one_of))
			continue;
		*done += one_done;
		*of += one_of;
	}
	return *of ? 0 : -EOPNOTSUPP;
}

static int merge_seek(struct dkt_source *source, uint64_t since, uint64_t until)
{
	struct merge *m = (struct merge *)source;
	int err = 0;

	m->begun = m->taken = false;
	m->heap.n = 0;
	for (size_t i = 0; !err && i < m->n; i++) {
		struct part *part = &m->parts[i];

		part->state = DUE;
		/* 0 means no bound, so a bound before the part's start becomes 1. */
		err = dkt_source_seek(
			part->source, since ? dkt__to_part(&part->relation, since) : 0,
			until ? DKT__MAX(dkt__last_of_part(&part->relation, until), UINT64_C(1)) :
				0);
	}
	return err;
}

/* If one part reaches that many bytes, no part exceeds its share of them. */
static int merge_slice(struct dkt_source *source, uint64_t from, uint64_t bytes, uint64_t *to)
{
	struct merge *m = (struct merge *)source;
	int err = 0;

	*to = UINT64_MAX;
	for (size_t i = 0; !err && i < m->n; i++) {
		const struct part *part = &m->parts[i];
		uint64_t at, end = dkt__to_part(&part->relation, from);

		/*
		 * All times before the clock's start are the same time, and must stay in one slice.
		 */
		do {
			at = end;
			err = dkt__source_slice(part->source, at, bytes / m->n, &end);
		} while (!err && end != UINT64_MAX && dkt__to_merged(&part->relation, end) <= from);
		if (!err && end != UINT64_MAX)
			*to = DKT__MIN(*to, dkt__to_merged(&part->relation, end));
	}
	return err;
}

static void merge_close(struct dkt_source *source)
{
	struct merge *m = (struct merge *)source;

	for (uint32_t i = 0; i < m->n_streams; i++) {
		free(m->streams[i].name);
		dkt__clock_clear(&m->streams[i].clock);
	}
	free(m->streams);
	for (size_t i = 0; m->parts && i < m->n; i++)
		free(m->parts[i].relation.lines.samples);
	free(m->parts);
	if (m->watch >= 0)
		close(m->watch);
	dkt__heap_clear(&m->heap);
	free(m);
}

static const struct dkt__source_ops merge_ops = {
	.next = merge_next,
	.comm = merge_comm,
	.loss = merge_loss,
	.seek = merge_seek,
	.slice = merge_slice,
	.bytes = merge_bytes,
	.wait = merge_wait,
	.fd = merge_fd,
	.wake = merge_wake,
	.done = merge_done,
	.stream = merge_stream,
	.clock = merge_clock,
	.disks = merge_disks,
	.part = merge_part,
	.close = merge_close,
};

/* Adds the streams of one part, at least one; a stream without a name gets the part's. */
static int add_streams(struct merge *m, uint32_t nr, const char *part_name)
{
	struct part *part = &m->parts[nr];
	const char *name = dkt_source_stream(part->source, 0);

	part->first = m->n_streams;
	for (name = name ? name : ""; name;
	     name = dkt_source_stream(part->source, ++part->n_streams)) {
		char *full = dkt__format("%s%s%s", part_name, *name ? ":" : "", name);

		if (!full || dkt__append(m->streams, m->n_streams,
					 (struct stream){ .name = full, .part = nr })) {
			free(full);
			return dkt__no_memory(m->base.ctx);
		}
	}
	return 0;
}

/* Sets the clocks of the streams of one part. */
static int add_clocks(struct merge *m, uint32_t nr, const struct dkt_source_clock *clock)
{
	const struct part *part = &m->parts[nr];
	struct dkt_source_clock given = { .host = nr }, its;
	int err = clock ? dkt__opts_take(m->base.ctx, dkt_source_clock, &given, clock) : 0;

	if (err)
		return err;
	if (given.host > nr || !dkt__clock_valid(&given))
		return dkt_fail(m->base.ctx, -EINVAL, "the clock of a part of a merge is invalid");
	m->clocks |= clock != NULL;
	given.host = m->parts[given.host].first;
	for (uint32_t i = 0; !err && i < part->n_streams; i++) {
		struct dkt_source_clock *to = &m->streams[part->first + i].clock;

		if (dkt__source_clock(part->source, i, &its, sizeof(its)))
			err = dkt__clock_copy(&given, to);
		else
			err = dkt__clock_merge(&its, &given, part->first, &part->relation, to);
	}
	return dkt__with_words(m->base.ctx, err);
}

/* Adds a part that follows to the common descriptor. */
static int watch(struct merge *m, struct part *part)
{
	struct epoll_event readable = { .events = EPOLLIN };
	int fd = dkt__source_fd(part->source);

	if (fd < 0)
		return 0;
	if (m->watch < 0)
		m->watch = epoll_create1(EPOLL_CLOEXEC);
	part->watched = m->watch >= 0 && !epoll_ctl(m->watch, EPOLL_CTL_ADD, fd, &readable);
	return part->watched ? 0 : -errno;
}

/* Copies a part of a caller that may have been built with another header. */
static int take_part(struct dkt_ctx *ctx, const struct dkt_merge_part *parts, size_t i,
		     struct dkt_merge_part *part)
{
	const struct dkt_merge_part *its = (const void *)((const char *)parts + i * parts->sz);

	if (its->sz != parts->sz)
		return dkt_fail(ctx, -EINVAL, "the parts of a merge differ in sz");
	return dkt__opts_take(ctx, dkt_merge_part, part, its);
}

/* Copies the points. A step back becomes a time that stands still, or records would change their order. */
static int take_points(struct dkt_ctx *ctx, const struct dkt_merge_part *its, struct part *part)
{
	struct dkt__shift_sample *samples;
	int64_t last = INT64_MIN;

	if (!its->n_points)
		return 0;
	samples = calloc(its->n_points, sizeof(*samples));
	if (!samples)
		return dkt__no_memory(ctx);
	part->relation.lines = (struct dkt__shift){ .samples = samples, .interpolate = true };
	for (size_t i = 0; i < its->n_points; i++) {
		const struct dkt_merge_point *point = &its->points[i];
		/* Below 0, if the first clock began later. */
		int64_t time = (int64_t)(point->time + (uint64_t)point->offset);

		if (i && point->time < its->points[i - 1].time)
			return dkt_fail(ctx, -EINVAL,
					"the points of a merge are not in order of time");
		time = DKT__MAX(time, last);
		samples[i] = (struct dkt__shift_sample){ .time = point->time,
							 .offset = (int64_t)((uint64_t)time -
									     point->time),
							 .scaling = 1 };
		last = time;
	}
	part->relation.lines.n = (uint32_t)its->n_points;
	dkt__shift_sort(&part->relation.lines);
	return 0;
}

int dkt_source_merge(const struct dkt_merge_part *parts, size_t n, struct dkt_source **source)
{
	struct dkt_source_info *info;
	struct merge *m;
	int err;

	dkt__needs(NULL, dkt__clear(source) && parts);
	if (!n)
		return -EINVAL;
	m = calloc(1, sizeof(*m));
	if (!m)
		return dkt__no_memory(parts[0].source->ctx);
	m->watch = -1;
	m->base = (struct dkt_source){ .ops = &merge_ops, .ctx = parts[0].source->ctx };
	info = &m->base.info;
	*info = *dkt_source_info(parts[0].source);
	info->kind = "merged files";
	m->n = n;
	m->parts = calloc(n, sizeof(*m->parts));
	err = m->parts ? 0 : dkt__no_memory(m->base.ctx);
	for (size_t i = 0; !err && i < n; i++) {
		struct dkt_merge_part part;

		err = take_part(m->base.ctx, parts, i, &part);
		if (err)
			break;
		m->parts[i] =
			(struct part){ .source = part.source, .relation.offset = part.offset };
		err = take_points(m->base.ctx, &part, &m->parts[i]);
		if (!err)
			err = add_streams(m, (uint32_t)i, part.name);
		if (!err)
			err = add_clocks(m, (uint32_t)i, part.clock);
		if (!err)
			err = watch(m, &m->parts[i]);
		if (!err)
			info->cpus = DKT__MAX(info->cpus, dkt_source_info(part.source)->cpus);
	}
	return dkt__source_opened(&m->base, err, source);
}
