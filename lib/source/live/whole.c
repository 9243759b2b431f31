/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Spools for buffers that the kernel does not fill any more: the mark that they have all records. */
#include "lib/source/live/whole.h"

/* The count of read records means nothing in such a spool, so it is the mark. */
bool dkt__whole_is(const struct dkt__live *live)
{
	for (size_t i = 0; i < live->streams.n; i++)
		if (!dkt__spool_get_base(&live->cpus[i].spool).read)
			return false;
	return true;
}

void dkt__whole_mark(struct dkt__live *live)
{
	for (size_t i = 0; i < live->streams.n; i++)
		dkt__spool_set_base(&live->cpus[i].spool,
				    (struct dkt__spool_base){ .read = 1, .emptied = true });
}

void dkt__whole_reset(struct dkt__live *live)
{
	for (size_t i = 0; i < live->streams.n; i++) {
		struct dkt__stream *s = &live->streams.list[i];

		dkt__spool_reset(&live->cpus[i].spool);
		s->page_nr = s->offset = 0;
		s->n_pages = s->last = 0;
	}
}
