/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chooses records: by event, and by the filter on the event's records. */
#include "lib/event.h"
#include "lib/source/streams.h"

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
