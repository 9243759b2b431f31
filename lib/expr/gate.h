/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A filter's first comparison as a fast test, which rejects most records. */
#pragma once

#include "lib/plan.h"

struct dkt__gate {
	uint32_t offset; /* of a number in a record */
	uint8_t load; /* enum dkt__load */
	uint8_t bytes; /* of it */
	uint64_t low, high; /* the range of numbers that pass */
	bool outside; /* the numbers outside the range pass instead */
	uint64_t flip; /* XORed with a number: orders signed numbers as unsigned ones */
};

/* True if the record can match. Its number must be in this machine's byte order. */
static inline bool dkt__gate_passes(const struct dkt__gate *gate, const uint8_t *data,
				    uint32_t size)
{
	uint64_t v;

	if (dkt__unlikely(size < gate->offset || size - gate->offset < gate->bytes))
		return false;
	v = dkt__load_at(data + gate->offset, gate->load) ^ gate->flip;
	return (v - gate->low <= gate->high - gate->low) != gate->outside;
}

/* False: the first comparison does not decide on its own, or does not test a range of numbers. */
bool dkt__expr_gate(struct dkt_expr *expr, struct dkt_event *event, struct dkt__gate *gate);
