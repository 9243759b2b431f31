/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Intervals that have begun: requests of which a part has ended. */
#include "lib/base/open.h"

void *dkt__open_part(struct dkt__open *open, const uint64_t *key, uint64_t sectors)
{
	const uint64_t rest[DKT__REQUEST_WORDS] = { key[0], key[1] + sectors, key[2] };
	struct dkt__begun *begun = dkt__keyed_find(&open->all, key);
	void *other = dkt__keyed_remove(&open->all, rest);
	bool added;

	begun->left -= sectors;
	open->again += other != NULL;
	/* The value that becomes free last is taken first; there is room for it. */
	dkt__keyed_remove(&open->all, key);
	dkt__keyed_add(&open->all, rest, &added);
	return other;
}
