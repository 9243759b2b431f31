/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Merges the records of several CPUs' pages in order of time. */
#include "lib/source/streams.h"
#include "lib/event.h"

void dkt__streams_damage(struct dkt__streams *streams, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	dkt__damage(&streams->damage, fmt, ap);
	va_end(ap);
	streams->base.info.damage = streams->damage;
}

/* ---- time ---- */

static inline uint64_t to_time(const struct dkt__streams *streams, uint64_t stamp)
{
	if (dkt__unlikely(streams->times.mult))
		stamp = (uint64_t)(((unsigned __int128)stamp * streams->times.mult) >>
				   streams->times.shift);
	return stamp + (uint64_t)streams->times.offset;
}

/* ---- walking one CPU ---- */

static const uint8_t *extent_page(struct dkt__streams *streams, struct dkt__stream *s, uint64_t nr,
				  uint32_t *size)
{
	(void)streams;
	return dkt__extent_page(&s->extent, nr, s->last, size);
}

static bool extent_time(struct dkt__stream *s, uint64_t nr, uint64_t *stamp)
{
	return dkt__extent_time(&s->extent, nr, s->page.swap, stamp);
}

const struct dkt__provider dkt__pages_extent = {
	.page = extent_page,
	.time = extent_time,
	.verb = "read",
};

static const uint8_t *chunks_page(struct dkt__streams *streams, struct dkt__stream *s, uint64_t nr,
				  uint32_t *size)
{
	(void)streams;
	*size = s->page_size;
	return dkt__chunks_page(&s->chunks, nr);
}

static bool chunks_time(struct dkt__stream *s, uint64_t nr, uint64_t *stamp)
{
	return dkt__chunks_time(&s->chunks, nr, s->page.swap, stamp);
}

const struct dkt__provider dkt__pages_chunks = {
	.page = chunks_page,
	.time = chunks_time,
	.verb = "unpacked",
};

/* Chunks of which some are plain. */
const struct dkt__provider dkt__pages_pieces = {
	.page = chunks_page,
	.time = chunks_time,
	.verb = "read",
};

/*
 * Returns the start time of the page. UINT64_MAX: the page cannot be read, and the walk ends there.
 */
static uint64_t stream_time(const struct dkt__streams *streams, struct dkt__stream *s, uint64_t nr)
{
	uint64_t stamp;

	if (!s->from->time(s, nr, &stamp))
		return UINT64_MAX;
	return to_time(streams, s->shift ? dkt__shift_time(s->shift, stamp) : stamp);
}

/* Looks for new pages after the last one. */
static bool stream_more(struct dkt__streams *streams, struct dkt__stream *s)
{
	int err = s->from->more ? s->from->more(streams, s) : 1;

	streams->err = DKT__MIN(err, 0);
	return !err;
}

/* Starts the next page that has a record. Returns false if there is none. */
static bool stream_next_page(struct dkt__streams *streams, struct dkt__stream *s)
{
	for (;;) {
		const uint8_t *bytes;
		uint32_t offset = s->offset;

		s->loss.bad += s->page.bad;
		s->page.bad = s->loaded = false;
		if (s->page_nr >= s->last && !stream_more(streams, s))
			return false;
		bytes = s->from->page(streams, s, s->page_nr++, &s->page.size);
		s->page.cut = s->page.size < s->page_size;
		s->offset = 0;
		if (!bytes) {
			dkt__streams_damage(streams, "page %llu of cpu %d cannot be %s",
					    (unsigned long long)s->page_nr, s->cpu, s->from->verb);
			/* Report the damage once. */
			s->n_pages = s->last = --s->page_nr;
			s->found = DKT__MIN(s->found, s->n_pages);
			s->broken = true;
		} else if (!dkt__page_load(&s->page, bytes, offset, &s->next)) {
			s->loaded = true;
			s->gap = s->page.lost;
			return true;
		}
	}
}

/* Converts the record's time to the clock that all streams share. */
static inline bool on_time(struct dkt__stream *s, bool found)
{
	if (dkt__unlikely(s->shift && found))
		s->next.ts = dkt__shift_time(s->shift, s->next.ts);
	return found;
}

static inline bool stream_next(struct dkt__streams *streams, struct dkt__stream *s)
{
	return on_time(s, dkt__likely(!dkt__page_next(&s->page, &s->next)) ||
				  stream_next_page(streams, s));
}

/* True if the next record's event is not wanted; such a record counts as seen. */
static inline bool is_unwanted(struct dkt__streams *streams, struct dkt__stream *s)
{
	uint8_t verdict;
	uint16_t type;

	if (dkt__unlikely(s->gap || s->next.size < sizeof(type)))
		return false;
	memcpy(&type, s->next.data, sizeof(type));
	verdict = streams->verdicts[type];
	if (dkt__unlikely(!verdict))
		verdict = dkt__streams_ask(streams, s->page.swap ? bswap_16(type) : type, type);
	s->loss.seen += verdict == DKT__UNWANTED;
	return verdict == DKT__UNWANTED;
}

static inline bool stream_step(struct dkt__streams *streams, struct dkt__stream *s)
{
	bool more;

	if (dkt__likely(!streams->verdicts))
		return stream_next(streams, s);
	do {
		if (!s->page.swap)
			s->loss.seen += dkt__page_skip(&s->page, streams->verdicts, streams->gates);
		more = stream_next(streams, s);
	} while (more && is_unwanted(streams, s));
	return more;
}

/* Tests a stream's next record, and skips it if it is not wanted. */
static bool stream_judge(struct dkt__streams *streams, struct dkt__stream *s, bool more)
{
	return more && streams->verdicts && is_unwanted(streams, s) ? stream_step(streams, s) :
								      more;
}

/* A search makes this many guesses before it bisects the rest. */
#define GUESSES 6

/* Returns the number of pages with a stamp before the time; stamps increase from page to page. */
static uint64_t pages_before(struct dkt__streams *streams, struct dkt__stream *s, uint64_t time)
{
	bool later = time > s->found_time;
	uint64_t low = later ? s->found : 0, high = later ? s->n_pages : s->found, at, stamp;
	/* Windows are mostly consecutive, and pages fill at about the last known rate. */
	double guess = (double)low + s->rate * (double)(time - s->found_time);
	int guesses = later ? GUESSES : 0;

	if (time == s->found_time)
		return s->found;
	while (low < high) {
		at = low + (high - low) / 2;
		if (guesses-- > 0)
			at = guess > (double)low ? (uint64_t)DKT__MIN(guess, (double)(high - 1)) :
						   low;
		stamp = stream_time(streams, s, at);
		if (stamp < time)
			low = at + 1;
		else
			high = at;
		guess = (double)at + s->rate * ((double)time - (double)stamp);
	}
	if (low > s->found)
		s->rate = (double)(low - s->found) / (double)(time - s->found_time);
	s->found_time = time;
	s->found = low;
	return low;
}

/* Seeks the first record at or after the time. Returns false if there is none. */
static bool stream_seek(struct dkt__streams *streams, struct dkt__stream *s, uint64_t since)
{
	uint64_t before = since ? pages_before(streams, s, since) : 0;
	bool more;

	/* The last page that starts before the time may also have records after it. */
	s->first = s->page_nr = before ? before - 1 : 0;
	s->last = streams->until == UINT64_MAX ? s->n_pages :
						 pages_before(streams, s, streams->until);
	s->page.bad = false;
	more = on_time(s, stream_next_page(streams, s));
	while (more && to_time(streams, s->next.ts) < since) {
		s->gap = false;
		more = stream_step(streams, s);
	}
	return stream_judge(streams, s, more);
}

/* ---- merging ---- */

/* The heap has changed. */
static inline void find_top(struct dkt__streams *streams)
{
	streams->top = streams->heap.n && !streams->err ? &streams->list[streams->heap.list[0].nr] :
							  NULL;
	streams->bound = dkt__heap_bound(&streams->heap);
}

static int merge_add(struct dkt__streams *streams, struct dkt__stream *s)
{
	const uint32_t nr = (uint32_t)(s - streams->list);
	const struct dkt__heap_item item = { .ts = s->next.ts, .order = nr, .nr = nr };

	return dkt__with_words(streams->base.ctx, dkt__heap_add(&streams->heap, item));
}

int dkt__streams_begin(struct dkt__streams *streams, uint64_t until)
{
	int err = 0;

	streams->until = until;
	streams->taken = false;
	streams->heap.n = 0;
	streams->err = 0;
	for (size_t i = 0; !err && i < streams->n; i++) {
		struct dkt__stream *s = &streams->list[i];

		if (s->loaded || stream_judge(streams, s, on_time(s, stream_next_page(streams, s))))
			err = merge_add(streams, s);
		else
			err = streams->err;
	}
	find_top(streams);
	return err;
}

int dkt__streams_seek(struct dkt_source *source, uint64_t since, uint64_t until)
{
	struct dkt__streams *streams = (struct dkt__streams *)source;
	int err = 0;

	streams->since = since;
	streams->until = until ? until : UINT64_MAX;
	streams->taken = false;
	streams->heap.n = 0;
	for (size_t i = 0; !err && i < streams->n; i++)
		if (stream_seek(streams, &streams->list[i], since))
			err = merge_add(streams, &streams->list[i]);
	find_top(streams);
	return err;
}

/* Steps past the last returned record. */
static __always_inline void advance(struct dkt__streams *streams)
{
	struct dkt__stream *s = streams->top;
	bool more = stream_step(streams, s);

	if (!dkt__streams_stays(streams, more, s->next.ts))
		find_top(streams);
}

void dkt__streams_pass(struct dkt__streams *streams)
{
	if (streams->taken)
		advance(streams);
}

/* ---- records ---- */

static void fill_gap(struct dkt__streams *streams, struct dkt__stream *s, struct dkt_record *rec)
{
	s->gap = false;
	if (s->page.lost != DKT_LOST_UNKNOWN)
		s->loss.lost += s->page.lost;
	else
		s->lost_some = true;
	*rec = (struct dkt_record){ .ts = to_time(streams, s->next.ts),
				    .cpu = (uint32_t)s->cpu,
				    .stream = s->buffer,
				    .lost = s->page.lost };
}

/* Returns false if the bytes are not a record. */
static inline bool fill_record(struct dkt__streams *streams, struct dkt__stream *s,
			       struct dkt_record *rec)
{
	const void *data = s->next.data;
	struct dkt_event *event;
	struct dkt__entry entry;

	if (dkt__unlikely(s->next.size < sizeof(entry)))
		return false;
	if (dkt__unlikely(s->page.swap))
		data = dkt__swapped(&streams->copy, streams->base.ctx, data, s->next.size);
	if (dkt__unlikely(!data))
		return false;
	memcpy(&entry, data, sizeof(entry));
	event = streams->events ? streams->events[entry.type] : NULL;
	if (dkt__unlikely(!event))
		event = dkt__event_by_id(streams->base.ctx, entry.type);
	*rec = (struct dkt_record){
		.ts = to_time(streams, s->next.ts),
		.event = event,
		.data = data,
		.size = s->next.size,
		.cpu = (uint32_t)s->cpu,
		.pid = entry.pid,
		.flags = entry.flags,
		.preempt = entry.preempt & 0xf,
		.stream = s->buffer,
	};
	return event;
}

int dkt__streams_next(struct dkt_source *source, struct dkt_record *rec)
{
	struct dkt__streams *streams = (struct dkt__streams *)source;

	if (dkt__likely(streams->taken))
		advance(streams);
	while (dkt__likely(streams->top)) {
		struct dkt__stream *s = streams->top;

		/* A record at the time UINT64_MAX must still be returned if there is no bound. */
		if (dkt__unlikely(to_time(streams, s->next.ts) >= streams->until) &&
		    streams->until != UINT64_MAX)
			return 1;
		if (dkt__unlikely(s->gap)) {
			fill_gap(streams, s, rec);
			return 0;
		}
		if (dkt__unlikely(!fill_record(streams, s, rec)))
			s->loss.bad++;
		else {
			s->loss.seen++;
			streams->taken = rec->pid != streams->own || !streams->own;
			if (dkt__likely(streams->taken))
				return 0;
		}
		advance(streams);
	}
	return streams->err ? streams->err : 1;
}

const char *dkt__streams_comm(struct dkt_source *source, const struct dkt_record *rec)
{
	return dkt__comms_of(&((struct dkt__streams *)source)->comms, rec);
}

/* The kernel's count covers the whole recording, and includes losses that no page reports. */
static int stream_lost(struct dkt__streams *streams, const struct dkt__stream *s, uint64_t *lost)
{
	/* A page that is full to its last bytes has no room for the number. */
	*lost = s->loss.lost || !s->lost_some ? s->loss.lost : 1;
	if (s->from && s->from->lost)
		return s->from->lost(streams, s, lost);
	if (s->has_lost && !streams->part && !streams->since && streams->until == UINT64_MAX)
		*lost = DKT__MAX(s->lost, *lost);
	return 0;
}

int dkt__streams_loss(struct dkt_source *source, int cpu, struct dkt_loss *loss)
{
	struct dkt__streams *streams = (struct dkt__streams *)source;
	int err = 0;

	if (cpu < 0 || cpu >= source->info.cpus)
		return dkt_fail(source->ctx, -EINVAL, "there is no cpu %d", cpu);
	for (size_t i = 0; !err && i < streams->n; i++) {
		const struct dkt__stream *s = &streams->list[i];
		uint64_t lost;

		if (s->cpu != cpu)
			continue;
		err = stream_lost(streams, s, &lost);
		loss->seen += s->loss.seen;
		loss->bad += s->loss.bad;
		loss->lost += lost;
	}
	return err;
}

int dkt__streams_slice(struct dkt_source *source, uint64_t from, uint64_t bytes, uint64_t *to)
{
	struct dkt__streams *streams = (struct dkt__streams *)source;
	uint64_t share = bytes / DKT__MAX(streams->n, 1u);

	*to = UINT64_MAX;
	for (size_t i = 0; i < streams->n; i++) {
		struct dkt__stream *s = &streams->list[i];
		uint64_t nr = pages_before(streams, s, from) + share / s->page_size, time;

		/* Pages with the same time stamp belong to the same slice. */
		for (nr++; nr < s->n_pages; nr++) {
			time = stream_time(streams, s, nr);
			if (time <= from)
				continue;
			*to = DKT__MIN(*to, time);
			break;
		}
	}
	return 0;
}

int dkt__streams_bytes(const struct dkt_source *source, uint64_t *done, uint64_t *of)
{
	const struct dkt__streams *streams = (const struct dkt__streams *)source;

	for (size_t i = 0; i < streams->n; i++) {
		const struct dkt__stream *s = &streams->list[i];

		*done += (s->page_nr - s->first) * s->page_size;
		*of += (s->last - s->first) * s->page_size;
	}
	return 0;
}
