/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Requests to block devices, in the records that analyses read. */
#pragma once

#include <dktrace/dktrace.h>

#include "lib/base/request.h"

enum { REQUEST_DEV, REQUEST_SECTOR, REQUEST_SECTORS, REQUEST_RWBS, REQUEST_FIELDS };

static const char *const request_fields[REQUEST_FIELDS] = { "dev", "sector", "nr_sector", "rwbs" };

static inline uint64_t request_number(const struct dkt_record *record,
				      const struct dkt_field *field)
{
	return field ? (uint64_t)dkt_record_int(record, field) : 0;
}

/* Gets the key of the record's request from these fields; NULL: 0. Returns the number of its sectors. */
static inline uint64_t request_read(const struct dkt_record *record,
				    const struct dkt_field *const fields[REQUEST_FIELDS],
				    uint64_t key[DKT__REQUEST_WORDS])
{
	const uint64_t sectors = request_number(record, fields[REQUEST_SECTORS]);
	size_t len = 0;
	const char *rwbs =
		fields[REQUEST_RWBS] ? dkt_record_bytes(record, fields[REQUEST_RWBS], &len) : NULL;

	dkt__request_key(request_number(record, fields[REQUEST_DEV]),
			 request_number(record, fields[REQUEST_SECTOR]), sectors, rwbs, len, key);
	return sectors;
}
