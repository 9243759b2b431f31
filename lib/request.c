/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Requests to block devices, in the records of events that have the fields for it. */
#include "lib/request.h"

const char *dkt__request_find(struct dkt_event *event, struct dkt__request_fields *fields)
{
	const struct {
		const char *name;
		const struct dkt_field **field;
	} all[] = { { "dev", &fields->dev },
		    { "sector", &fields->sector },
		    { "nr_sector", &fields->sectors },
		    { "rwbs", &fields->rwbs } };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		*all[i].field = dkt_event_field(event, all[i].name);
		if (!*all[i].field)
			return all[i].name;
	}
	return NULL;
}

uint64_t dkt__request_read(const struct dkt__request_fields *fields,
			   const struct dkt_record *record, uint64_t key[DKT__REQUEST_WORDS])
{
	const uint64_t sectors = (uint64_t)dkt_record_int(record, fields->sectors);
	size_t len = 0;
	const char *rwbs = dkt_record_bytes(record, fields->rwbs, &len);

	dkt__request_key((uint64_t)dkt_record_int(record, fields->dev),
			 (uint64_t)dkt_record_int(record, fields->sector), sectors, rwbs, len, key);
	return sectors;
}
