/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tracks of the perfetto style, in a hash table by the object that each shows. */
#include "lib/base/disks.h"
#include "lib/style/perfetto.h"

#define MAX_LANES 64

static size_t slot_of(const struct tracks *tracks, enum track_kind kind, uint32_t stream,
		      uint64_t id)
{
	uint64_t hash =
		(id ^ (uint64_t)kind << 56 ^ (uint64_t)stream << 40) * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = (size_t)(hash >> 32) & (tracks->size - 1);
	const struct track *track;

	while ((track = tracks->slots[i]) &&
	       (track->id != id || track->kind != kind || track->stream != stream))
		i = (i + 1) & (tracks->size - 1);
	return i;
}

/* Keeps at least half of the slots free. */
static int tracks_grow(struct tracks *tracks)
{
	struct tracks more = { .size = tracks->size ? tracks->size * 2 : 256, .n = tracks->n };

	if (tracks->n * 2 < tracks->size)
		return 0;
	more.slots = calloc(more.size, sizeof(*more.slots));
	if (!more.slots)
		return -ENOMEM;
	for (size_t i = 0; i < tracks->size; i++) {
		struct track *track = tracks->slots[i];

		if (track)
			more.slots[slot_of(&more, track->kind, track->stream, track->id)] = track;
	}
	free(tracks->slots);
	*tracks = more;
	return 0;
}

struct track *dkt__track_find(const struct tracks *tracks, enum track_kind kind, uint32_t stream,
			      uint64_t id)
{
	return tracks->size ? tracks->slots[slot_of(tracks, kind, stream, id)] : NULL;
}

struct track *dkt__track_get(struct tracks *tracks, enum track_kind kind, uint32_t stream,
			     uint64_t id, bool *is_new)
{
	struct track *track = dkt__track_find(tracks, kind, stream, id);

	*is_new = false;
	if (track)
		return track;
	if (tracks_grow(tracks))
		return NULL;
	track = calloc(1, sizeof(*track));
	if (!track)
		return NULL;
	track->kind = kind;
	track->stream = stream;
	track->id = id;
	/* Small numbers take few bytes; 0 is reserved. */
	track->uuid = ++tracks->n;
	tracks->slots[slot_of(tracks, kind, stream, id)] = track;
	*is_new = true;
	return track;
}

void dkt__tracks_free(struct tracks *tracks)
{
	for (size_t i = 0; i < tracks->size; i++)
		free(tracks->slots[i]);
	free(tracks->slots);
}

struct track *dkt__track_lane(struct tracks *tracks, enum track_kind kind, uint32_t stream,
			      uint64_t id, const uint64_t key[LANE_WORDS], bool want_free,
			      bool *is_new)
{
	struct track *track, *spare = NULL;
	uint64_t lane;

	*is_new = false;
	for (lane = 0; lane < MAX_LANES; lane++) {
		track = dkt__track_find(tracks, kind, stream, id << 8 | lane);
		if (!track)
			break;
		if (track->busy && !memcmp(track->key, key, sizeof(track->key)))
			return track;
		if (!track->busy && !spare)
			spare = track;
	}
	if (!want_free || spare || lane == MAX_LANES)
		return want_free ? spare : NULL;
	return dkt__track_get(tracks, kind, stream, id << 8 | lane, is_new);
}

/* ---- their packets ---- */

/* Writes "block vda", or "block 254,0" if the name of the disk is unknown. */
static void lane_name(const struct dkt_style *style, const struct track *track, char *text,
		      size_t size)
{
	const uint64_t dev = track->id >> 8;
	const char *disk = dkt__source_disk(style->opts.disks, track->stream, dev);
	char number[DKT__DISK_NUMBER];

	dkt__disk_number(dev, number);
	snprintf(text, size, "block %s", disk ? disk : number);
}

static void put_track_name(const struct dkt_style *style, struct dkt_buf *buf,
			   const struct track *track, const char *comm)
{
	struct dkt_source *streams = style->opts.streams;
	const char *name = streams ? dkt_source_stream(streams, track->stream) : NULL;
	char text[64];

	if (track->kind == TRACK_THREAD || track->kind == TRACK_INTERVAL)
		dkt__add_utf8(buf, comm, strlen(comm));
	else if (track->kind == TRACK_IRQ)
		dkt_buf_str(buf, "interrupts");
	else if (track->kind == TRACK_SOFTIRQ)
		dkt_buf_str(buf, "soft interrupts");
	else if (track->kind == TRACK_LANE)
		lane_name(style, track, text, sizeof(text));
	else
		snprintf(text, sizeof(text), "CPU %u", (uint32_t)track->id);
	if (track->kind == TRACK_LANE || track->kind == TRACK_CPU)
		dkt_buf_str(buf, text);
	if (track->stream) {
		snprintf(text, sizeof(text), " of %u", track->stream);
		dkt_buf_str(buf, name ? " of " : text);
		dkt__add_utf8(buf, name ? name : "", name ? strlen(name) : 0);
	}
}

void dkt__track_put(const struct dkt_style *style, struct dkt_buf *buf, const struct track *track,
		    uint64_t parent, uint64_t ts, const char *comm)
{
	size_t packet = dkt__perfetto_packet(buf, ts, SEQUENCE_FLAGS_NEEDS_STATE);
	size_t descriptor = dkt__proto_open(buf, PACKET_TRACK_DESCRIPTOR), part = 0;
	bool thread = track->kind == TRACK_THREAD && !track->stream;
	size_t name;

	dkt__proto_uint(buf, DESCRIPTOR_UUID, track->uuid);
	if (parent)
		dkt__proto_uint(buf, DESCRIPTOR_PARENT, parent);
	if (thread) {
		part = dkt__proto_open(buf, DESCRIPTOR_THREAD);
		/* Records do not have the process, so each thread is its own. */
		dkt__proto_uint(buf, THREAD_PID, track->id);
		dkt__proto_uint(buf, THREAD_TID, track->id);
	}
	name = dkt__proto_open(buf, thread ? THREAD_NAME : DESCRIPTOR_NAME);
	put_track_name(style, buf, track, comm);
	dkt__proto_close(buf, name);
	if (thread)
		dkt__proto_close(buf, part);
	dkt__proto_close(buf, descriptor);
	dkt__proto_close(buf, packet);
}
