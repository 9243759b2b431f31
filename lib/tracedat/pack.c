/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packs records into ring-buffer pages. */
#include "lib/tracedat/pack.h"

#include "lib/source/page.h"

/* struct ring_buffer_event of include/linux/ring_buffer.h, see dkt__event_head(). */
#define TIME_BITS   27
#define TIME_MAX    ((UINT64_C(1) << TIME_BITS) - 1)
#define TYPE_LONG   0 /* the next word has the length, which includes that word */
#define TYPE_EXTEND 30
#define SHORT_MAX   (28 * 4) /* the longest record whose length fits in the type */

/* Flags in a page's commit: records were lost; their number is stored after the data. */
#define COMMIT_MISSED (UINT64_C(1) << 31)
#define COMMIT_STORED (UINT64_C(1) << 30)

void dkt__pack_begin(struct dkt__pack *pack, uint8_t *page, uint64_t ts, uint64_t lost)
{
	pack->page = page;
	pack->at = dkt__pack_head(pack);
	pack->end = pack->size - (lost ? pack->long_size : 0);
	pack->last = ts;
	pack->lost = lost;
	dkt__put_bytes(page, ts, 8, pack->big_endian);
}

static void put_word(struct dkt__pack *pack, uint32_t word)
{
	if (pack->big_endian == DKT__BIG_ENDIAN)
		memcpy(pack->page + pack->at, &word, sizeof(word));
	else
		dkt__put_bytes(pack->page + pack->at, word, sizeof(word), pack->big_endian);
	pack->at += (uint32_t)sizeof(word);
}

static void put_head(struct dkt__pack *pack, uint32_t type, uint64_t delta)
{
	put_word(pack, dkt__event_word(type, (uint32_t)(delta & TIME_MAX), pack->big_endian));
}

uint8_t *dkt__pack_add(struct dkt__pack *pack, uint64_t ts, const void *data, uint32_t len)
{
	uint32_t room = len ? (len + 3) & ~3u : 4;
	bool is_long = room > SHORT_MAX;
	uint64_t delta = ts - pack->last;
	bool extend = delta > TIME_MAX;
	uint8_t *to;

	if (ts < pack->last || delta >> TIME_BITS > UINT32_MAX ||
	    pack->end - pack->at < room + 4 + 4 * is_long + 8 * extend)
		return NULL;
	if (extend) {
		put_head(pack, TYPE_EXTEND, delta);
		put_word(pack, (uint32_t)(delta >> TIME_BITS));
		delta = 0;
	}
	put_head(pack, is_long ? TYPE_LONG : room / 4, delta);
	if (is_long)
		put_word(pack, room + 4);
	to = pack->page + pack->at;
	if (len)
		memcpy(to, data, len);
	pack->at += room;
	pack->last = ts;
	return to;
}

void dkt__pack_end(struct dkt__pack *pack)
{
	uint64_t commit = pack->at - dkt__pack_head(pack);
	bool stored = pack->lost && pack->lost != DKT_LOST_UNKNOWN &&
		      (pack->long_size == 8 || pack->lost <= INT32_MAX);

	if (pack->lost)
		commit |= COMMIT_MISSED;
	if (stored) {
		commit |= COMMIT_STORED;
		dkt__put_bytes(pack->page + pack->at, pack->lost, pack->long_size,
			       pack->big_endian);
	}
	dkt__put_bytes(pack->page + 8, commit, pack->long_size, pack->big_endian);
	pack->page = NULL;
}
