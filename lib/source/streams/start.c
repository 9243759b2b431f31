/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The beginning and the end of the walk through several CPUs' pages. */
#include "lib/event.h"
#include "lib/source/streams.h"

static void stream_clear(struct dkt__stream *s)
{
	dkt__chunks_clear(&s->chunks);
	dkt__extent_clear(&s->extent);
}

/* Bytes of pages to read at once: for a CPU, and the limit for all CPUs together. */
#define AHEAD     (128u << 10)
#define AHEAD_ALL (8u << 20)

/* Prepares one of n streams. */
static void stream_init(const struct dkt__streams *it, struct dkt__stream *s, size_t n)
{
	s->page.swap = it->base.ctx->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	s->page.long_size = it->base.ctx->long_size;
	s->extent.page_size = s->page_size;
	s->extent.ahead = (uint32_t)DKT__MIN(AHEAD, AHEAD_ALL / n);
	s->chunks.plain.ahead = s->extent.ahead;
	if (!s->from)
		s->from = &dkt__pages_extent;
	s->n_pages = s->from == &dkt__pages_extent ? dkt__extent_pages(&s->extent) :
						     s->chunks.pages;
}

int dkt__streams_start(struct dkt__streams *it, const struct dkt_source_opts *opts)
{
	uint64_t since, until;
	size_t n = 0;

	for (size_t i = 0; i < it->n; i++) {
		struct dkt__stream *s = &it->list[i];

		stream_init(it, s, it->n);
		if (dkt__cpu_asked(opts->cpus, opts->n_cpus, (uint32_t)s->cpu))
			it->list[n++] = *s;
		else
			stream_clear(s);
	}
	it->n = n;
	it->events = dkt__event_table(it->base.ctx);
	it->part = opts->flags & DKT_SOURCE_PART;
	dkt__source_times(&it->base, opts, &since, &until);
	return dkt__streams_seek(&it->base, since, until);
}

int dkt__streams_add(struct dkt__streams *it, const struct dkt__stream *added)
{
	const size_t nr = it->n;
	struct dkt__stream *list = dkt__widen(it->list, nr, nr + 1, sizeof(*list));

	if (!list)
		return dkt__no_memory(it->base.ctx);
	it->list = list;
	it->n++;
	it->list[nr] = *added;
	stream_init(it, &it->list[nr], it->n);
	it->list[nr].last = it->list[nr].n_pages;
	return 0;
}

void dkt__streams_clear(struct dkt__streams *it)
{
	for (size_t i = 0; i < it->n; i++)
		stream_clear(&it->list[i]);
	dkt__comms_clear(&it->comms);
	free(it->list);
	dkt__heap_clear(&it->heap);
	free(it->copy.bytes);
	free(it->verdicts);
	free(it->gates);
	free(it->damage);
}
