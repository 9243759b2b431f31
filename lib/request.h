/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Requests to block devices, in the records of events that have the fields for it. */
#pragma once

#include "lib/base/request.h"
#include "lib/event.h"

struct dkt__request_fields {
	const struct dkt_field *dev, *sector, *sectors, *rwbs;
};

/* Finds the fields. Returns the name of one that the event lacks; NULL: it has all. */
const char *dkt__request_find(struct dkt_event *event, struct dkt__request_fields *fields);

/* Gets the key of the record's request. Returns the number of its sectors. */
uint64_t dkt__request_read(const struct dkt__request_fields *fields,
			   const struct dkt_record *record, uint64_t key[DKT__REQUEST_WORDS]);
