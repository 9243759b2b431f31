/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Splits the time of a log into slices, each with the runs that hold its records. */
#pragma once

#include "compat/lustre/binary/runs.h"

struct slice {
	uint64_t from; /* lowest key of its records */
	uint64_t to; /* all keys are lower; UINT64_MAX: no limit */
	size_t first; /* the first of the sorted runs that begin in the slice */
	size_t end; /* the run after the last of them */
	size_t *open; /* sorted runs that begin earlier and have records in the slice */
	size_t n_open;
	size_t room;
};

/* Returns a slice of the whole log. */
static inline struct slice slice_all(const struct runs *runs)
{
	return (struct slice){ .to = UINT64_MAX, .end = runs->n };
}

/*
 * Moves to the next slice, or from an all-zero struct to the first. It has about `size` bytes, or
 * more if many keys are equal. 1: no more slices.
 */
int dkl_slice_next(struct slice *slice, const struct runs *runs, uint64_t size);

int dkl_slice_copy(struct slice *to, const struct slice *from);
void dkl_slice_clear(struct slice *slice);
