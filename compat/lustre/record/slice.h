/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Splits the time of a log into slices, each with the runs that hold its records. */
#pragma once

#include "lustre/record/runs.h"

struct slice {
	uint64_t from; /* its records have keys from there on */
	uint64_t to; /* and below this; UINT64_MAX: all */
	size_t first; /* the runs that begin in it, which are sorted */
	size_t end;
	size_t *open; /* those that began before and hold records of it, in the same order */
	size_t n_open;
	size_t room;
};

/* The slice that is all of the log. */
static inline struct slice slice_all(const struct runs *runs)
{
	return (struct slice){ .to = UINT64_MAX, .end = runs->n };
}

/*
 * Steps to the next slice, or to the first from one that is all 0. It has about so many bytes, or
 * more if many keys are equal. 1: there is none.
 */
int slice_next(struct slice *slice, const struct runs *runs, uint64_t size);

int slice_copy(struct slice *to, const struct slice *from);
void slice_clear(struct slice *slice);
