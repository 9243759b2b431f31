/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The beginning and the end of the walk through several CPUs' pages, and which records it returns. */
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
static void stream_init(const struct dkt__streams *streams, struct dkt__stream *s, size_t n)
{
	s->page.swap = streams->base.ctx->big_endian != DKT__BIG_ENDIAN;
	s->page.long_size = streams->base.ctx->long_size;
	s->extent.page_size = s->page_size;
	s->extent.ahead = (uint32_t)DKT__MIN(AHEAD, AHEAD_ALL / n);
	s->chunks.plain.ahead = s->extent.ahead;
	if (!s->from)
		s->from = &dkt__pages_extent;
	s->n_pages = s->from == &dkt__pages_extent ? dkt__extent_pages(&s->extent) :
						     s->chunks.pages;
}

int dkt__streams_start(struct dkt__streams *streams, const struct dkt_source_opts *opts)
{
	uint64_t since, until;
	size_t n = 0;

	for (size_t i = 0; i < streams->n; i++) {
		struct dkt__stream *s = &streams->list[i];

		stream_init(streams, s, streams->n);
		if (dkt__cpu_asked(opts->cpus, opts->n_cpus, (uint32_t)s->cpu))
			streams->list[n++] = *s;
		else
			stream_clear(s);
	}
	streams->n = n;
	streams->events = dkt__event_table(streams->base.ctx);
	streams->part = opts->flags & DKT_SOURCE_PART;
	dkt__source_times(&streams->base, opts, &since, &until);
	return dkt__streams_seek(&streams->base, since, until);
}

int dkt__streams_add(struct dkt__streams *streams, const struct dkt__stream *added)
{
	const size_t nr = streams->n;
	struct dkt__stream *list = dkt__widen(streams->list, nr, nr + 1, sizeof(*list));

	if (!list)
		return dkt__no_memory(streams->base.ctx);
	streams->list = list;
	streams->n++;
	streams->list[nr] = *added;
	stream_init(streams, &streams->list[nr], streams->n);
	streams->list[nr].last = streams->list[nr].n_pages;
	return 0;
}

void dkt__streams_clear(struct dkt__streams *streams)
{
	for (size_t i = 0; i < streams->n; i++)
		stream_clear(&streams->list[i]);
	dkt__comms_clear(&streams->comms);
	free(streams->list);
	dkt__heap_clear(&streams->heap);
	free(streams->copy.bytes);
	free(streams->verdicts);
	free(streams->gates);
	free(streams->damage);
}

/* ---- the choice of records: by event, and by the filter on the event's records ---- */

#define MAX_GATES (UINT8_MAX - DKT__GATED)

uint8_t dkt__streams_ask(struct dkt__streams *streams, uint16_t type, uint16_t place)
{
	struct dkt_event *event = dkt__event_by_id(streams->base.ctx, type);
	uint8_t *verdict = &streams->verdicts[place];

	*verdict = !event || streams->wants(streams->wants_data, event) ? DKT__WANTED :
									  DKT__UNWANTED;
	if (event && *verdict == DKT__WANTED && streams->filter && streams->n_gates < MAX_GATES &&
	    dkt__expr_gate(streams->filter, event, &streams->gates[streams->n_gates]))
		*verdict = DKT__GATED + streams->n_gates++;
	return *verdict;
}

int dkt__streams_select(struct dkt_source *source, dkt_event_fn wants, void *data)
{
	struct dkt__streams *streams = (struct dkt__streams *)source;

	free(streams->verdicts);
	streams->verdicts = calloc(MAX_ID, 1);
	streams->wants = wants;
	streams->wants_data = data;
	return streams->verdicts ? 0 : dkt__no_memory(source->ctx);
}

int dkt__streams_filter(struct dkt_source *source, struct dkt_expr *expr)
{
	struct dkt__streams *streams = (struct dkt__streams *)source;

	free(streams->gates);
	streams->n_gates = 0;
	streams->gates = calloc(MAX_GATES, sizeof(*streams->gates));
	streams->filter = expr;
	return streams->gates ? 0 : dkt__no_memory(source->ctx);
}
