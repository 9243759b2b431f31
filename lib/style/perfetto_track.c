/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tracks of the perfetto style, in a hash table by the object that each shows. */
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

struct track *dkt__track_lane(struct tracks *tracks, uint32_t stream, uint64_t device,
			      const uint64_t *request, bool want_free, bool *is_new)
{
	struct track *track, *spare = NULL;
	uint64_t lane;

	*is_new = false;
	for (lane = 0; lane < MAX_LANES; lane++) {
		track = dkt__track_find(tracks, TRACK_LANE, stream, device << 8 | lane);
		if (!track)
			break;
		if (track->busy && !memcmp(track->request, request, sizeof(track->request)))
			return track;
		if (!track->busy && !spare)
			spare = track;
	}
	if (!want_free || spare || lane == MAX_LANES)
		return want_free ? spare : NULL;
	return dkt__track_get(tracks, TRACK_LANE, stream, device << 8 | lane, is_new);
}
