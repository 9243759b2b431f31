/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tracks of the perfetto style, in a hash table by the object that each shows. */
#include "style/perfetto.h"

#define MAX_LANES 64

void dkt__tracks_init(struct tracks *tracks)
{
	tracks->keys.n_words = 2;
}

struct track *dkt__track_find(const struct tracks *tracks, enum track_kind kind, uint32_t stream,
			      uint64_t id)
{
	const uint64_t key[] = { id, (uint64_t)kind << 32 | stream };
	uint32_t entry = dkt__keymap_find(&tracks->keys, key);

	return entry == DKT__KEYMAP_NONE ? NULL : tracks->at[entry];
}

struct track *dkt__track_get(struct tracks *tracks, enum track_kind kind, uint32_t stream,
			     uint64_t id, bool *is_new)
{
	const uint64_t key[] = { id, (uint64_t)kind << 32 | stream };
	struct track *track = dkt__track_find(tracks, kind, stream, id);

	*is_new = false;
	if (track)
		return track;
	track = calloc(1, sizeof(*track));
	if (!track || dkt__append(tracks->at, tracks->n, track)) {
		free(track);
		return NULL;
	}
	if (dkt__keymap_add(&tracks->keys, key, is_new) == DKT__KEYMAP_NONE) {
		tracks->n--;
		free(track);
		return NULL;
	}
	/* Small numbers take few bytes; 0 is reserved. */
	*track = (struct track){ .kind = kind, .stream = stream, .id = id, .uuid = tracks->n };
	return track;
}

void dkt__tracks_free(struct tracks *tracks)
{
	for (uint32_t i = 0; i < tracks->n; i++)
		free(tracks->at[i]);
	free(tracks->at);
	dkt__keymap_clear(&tracks->keys);
}

struct track *dkt__track_lane(struct tracks *tracks, uint32_t stream, uint64_t device,
			      uint64_t sector, bool want_free, bool *is_new)
{
	struct track *track, *spare = NULL;
	uint64_t lane;

	*is_new = false;
	for (lane = 0; lane < MAX_LANES; lane++) {
		track = dkt__track_find(tracks, TRACK_LANE, stream, device << 8 | lane);
		if (!track)
			break;
		if (track->busy && track->sector == sector)
			return track;
		if (!track->busy && !spare)
			spare = track;
	}
	if (!want_free || spare || lane == MAX_LANES)
		return want_free ? spare : NULL;
	return dkt__track_get(tracks, TRACK_LANE, stream, device << 8 | lane, is_new);
}
