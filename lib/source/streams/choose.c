/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chooses records: by event, and by the filter on the event's records. */
#include "lib/event.h"
#include "lib/source/streams.h"

#define MAX_GATES (UINT8_MAX - DKT__GATED)

uint8_t dkt__streams_ask(struct dkt__streams *it, uint16_t type, uint16_t place)
{
	struct dkt_event *event = dkt_event_by_id(it->base.ctx, type);
	uint8_t *verdict = &it->verdicts[place];

	*verdict = !event || it->wants(it->wants_data, event) ? DKT__WANTED : DKT__UNWANTED;
	if (event && *verdict == DKT__WANTED && it->filter && it->n_gates < MAX_GATES &&
	    dkt__expr_gate(it->filter, event, &it->gates[it->n_gates]))
		*verdict = DKT__GATED + it->n_gates++;
	return *verdict;
}

int dkt__streams_select(struct dkt_source *source, dkt_event_fn wants, void *data)
{
	struct dkt__streams *it = (struct dkt__streams *)source;

	free(it->verdicts);
	it->verdicts = calloc(MAX_ID, 1);
	it->wants = wants;
	it->wants_data = data;
	return it->verdicts ? 0 : dkt__no_memory(source->ctx);
}

int dkt__streams_filter(struct dkt_source *source, struct dkt_expr *expr)
{
	struct dkt__streams *it = (struct dkt__streams *)source;

	free(it->gates);
	it->n_gates = 0;
	it->gates = calloc(MAX_GATES, sizeof(*it->gates));
	it->filter = expr;
	return it->gates ? 0 : dkt__no_memory(source->ctx);
}
