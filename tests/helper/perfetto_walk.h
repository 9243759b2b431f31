/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the messages that the style perfetto wrote, and checks the order of the slices. */
#ifndef DKT_PERFETTO_WALK_H
#define DKT_PERFETTO_WALK_H

#include "lib/ctx.h"

#define WALK_TRACKS 256

enum { WALK_BEGIN = 1, WALK_END, WALK_INSTANT };

struct walk {
	unsigned int n[4]; /* by type of event */
	unsigned int tracks; /* descriptors */
	unsigned int switches; /* packets of ftrace events */
	uint32_t depth[WALK_TRACKS]; /* by track */
};

static inline void walk_must(bool good)
{
	if (!good)
		abort();
}

static inline uint64_t walk_varint(const uint8_t **p, const uint8_t *end)
{
	unsigned int shift;
	uint64_t v = 0;

	for (shift = 0; shift < 70; shift += 7) {
		walk_must(*p < end);
		if (shift < 64)
			v |= (uint64_t)(**p & 0x7f) << shift;
		if (!(*(*p)++ & 0x80))
			return v;
	}
	abort();
}

/* One field's number; of messages and strings *v is the length and *bytes where they begin. */
static inline uint32_t walk_field(const uint8_t **p, const uint8_t *end, uint64_t *v,
				  const uint8_t **bytes)
{
	uint64_t tag = walk_varint(p, end);

	*bytes = NULL;
	*v = walk_varint(p, end);
	walk_must((tag & 7) == 0 || (tag & 7) == 2);
	if ((tag & 7) == 2) {
		walk_must(*v <= (uint64_t)(end - *p));
		*bytes = *p;
		*p += *v;
	}
	return (uint32_t)(tag >> 3);
}

/* No slice ends that was not begun. */
static inline void walk_event(struct walk *walk, const uint8_t *p, const uint8_t *end)
{
	uint64_t v, type = 0, track = 0;
	const uint8_t *bytes;

	while (p < end) {
		uint32_t field = walk_field(&p, end, &v, &bytes);

		type = field == 9 ? v : type;
		track = field == 11 ? v : track;
	}
	walk_must(type >= WALK_BEGIN && type <= WALK_INSTANT && track);
	walk->n[type]++;
	if (track >= WALK_TRACKS || type == WALK_INSTANT)
		return;
	walk_must(type == WALK_BEGIN || walk->depth[track]);
	walk->depth[track] += type == WALK_BEGIN ? 1 : -1U;
}

static inline void walk_trace(struct walk *walk, const char *text, size_t len)
{
	const uint8_t *p = (const uint8_t *)text, *end = p + len, *packet, *bytes;
	uint64_t n, v;

	while (p < end) {
		walk_must(walk_field(&p, end, &n, &packet) == 1 && packet);
		while (packet < p) {
			uint32_t field = walk_field(&packet, p, &v, &bytes);

			walk->switches += field == 1;
			walk->tracks += field == 60;
			if (field == 11)
				walk_event(walk, bytes, bytes + v);
		}
	}
}

#endif
