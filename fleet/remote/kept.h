/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The end of a stream, in memory: the bytes that the other side has not stored yet. */
#pragma once

#include "lib/base/util.h"

struct kept {
	uint8_t *bytes;
	uint64_t size; /* a multiple of the page size */
	uint64_t from, to; /* the part of the stream that is kept, in bytes from its beginning */
	uint64_t freed; /* memory before this place has been given back, at most one page less than from */
};

/* Reserves addresses for size bytes; memory is used as bytes come. Returns 0 or -ENOMEM. */
int kept_open(struct kept *kept, uint64_t size);
void kept_close(struct kept *kept);

/* Returns the place for the next bytes of the stream, and in *len how many fit there; 0: it is full. */
uint8_t *kept_room(const struct kept *kept, size_t *len);

/* Says that n bytes have been written there. */
void kept_add(struct kept *kept, size_t n);

/* Returns the bytes of the stream from a place on that is kept, and in *len how many lie together. */
const uint8_t *kept_at(const struct kept *kept, uint64_t at, size_t *len);

/* Forgets the bytes before the place; a place outside of the kept part changes nothing. */
void kept_drop(struct kept *kept, uint64_t before);
