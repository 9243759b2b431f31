/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Requests to block devices: the values by which the kernel's records of one request belong together. */
#pragma once

#include "lib/base/keymap.h"

#define DKT__REQUEST_WORDS 3

/* The key of pairs that are requests, in place of fields. */
#define DKT__REQUEST_KEY "block_request"

/* The fields that are the key where fields can only be compared: flags and parts count there, too. */
#define DKT__REQUEST_FIELDS "dev,sector,rwbs"

/*
 * Returns the letter of the operation in the text rwbs of the kernel's events, such as "FWS"; 0: none. The
 * other letters are flags. The F of a flush before it can be in one record of a request and not in the other.
 */
static inline unsigned char dkt__request_operation(const char *rwbs, size_t len)
{
	if (!rwbs || !len)
		return 0;
	return (unsigned char)(len > 1 && rwbs[0] == 'F' && rwbs[1] && strchr("RWDN", rwbs[1]) ?
				       rwbs[1] :
				       rwbs[0]);
}

/*
 * Gets the key of a request, which is the same in all its records: its device, sector and operation. A read
 * and a write of one sector can be in a device at the same time. A flush has no sectors; one of its records
 * can have the sector 0, and another one the last number.
 */
static inline void dkt__request_key(uint64_t dev, uint64_t sector, uint64_t sectors,
				    const char *rwbs, size_t len, uint64_t key[DKT__REQUEST_WORDS])
{
	const bool flush = !sectors;

	key[0] = (uint32_t)dev;
	key[1] = flush && sector == UINT64_MAX ? 0 : sector;
	key[2] = (uint64_t)dkt__request_operation(rwbs, len) << 1 | flush;
}
