/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tracks of the perfetto style, found by the object that each shows. */
#include "lib/style/perfetto.h"

#define MAX_LANES 64

struct track *dkt__track_find(const struct tracks *tracks, enum track_kind kind, uint32_t stream,
			      uint64_t id)
{
	const uint64_t key[] = { (uint64_t)kind << 32 | stream, id };
	const uint32_t i = dkt__keymap_find(&tracks->map, key);

	return i == DKT__KEYMAP_NONE ? NULL : tracks->all[i];
}

struct track *dkt__track_get(struct tracks *tracks, enum track_kind kind, uint32_t stream,
			     uint64_t id, bool *is_new)
{
	const uint64_t key[] = { (uint64_t)kind << 32 | stream, id };
	struct track *track = dkt__track_find(tracks, kind, stream, id);

	*is_new = false;
	if (track)
		return track;
	track = calloc(1, sizeof(*track));
	if (!track || dkt__append(tracks->all, tracks->n, track)) {
		free(track);
		return NULL;
	}
	/* Small numbers take few bytes; 0 is reserved. */
	*track = (struct track){ .kind = kind, .stream = stream, .id = id, .uuid = tracks->n };
	tracks->map.n_words = ARRAY_SIZE(key);
	if (dkt__keymap_add(&tracks->map, key, is_new) != DKT__KEYMAP_NONE)
		return track;
	free(tracks->all[--tracks->n]);
	return NULL;
}

void dkt__tracks_free(struct tracks *tracks)
{
	for (size_t i = 0; i < tracks->n; i++)
		free(tracks->all[i]);
	free(tracks->all);
	dkt__keymap_clear(&tracks->map);
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
