/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The first comparison of a filter on an event, which rejects most records. */
#pragma once

#include "plan.h"

struct dkt__gate {
	uint32_t offset; /* of a number in a record */
	uint8_t load; /* enum dkt__load */
	uint8_t bytes; /* of it */
	/* A record goes on if the number, flipped, is from low to high, or if it is not. */
	bool outside;
	uint64_t flip; /* puts signed numbers in the order of unsigned ones */
	uint64_t low, high;
};

/* Whether a record, with its number in this machine's byte order, can match. */
static inline bool dkt__gate_passes(const struct dkt__gate *gate, const uint8_t *data,
				    uint32_t size)
{
	uint64_t v;

	if (dkt__unlikely(size < gate->offset || size - gate->offset < gate->bytes))
		return false;
	v = dkt__load_at(data + gate->offset, gate->load) ^ gate->flip;
	return (v - gate->low <= gate->high - gate->low) != gate->outside;
}

/* False: the expression's first comparison with the event is not of that kind. */
bool dkt__expr_gate(struct dkt_expr *expr, struct dkt_event *event, struct dkt__gate *gate);
