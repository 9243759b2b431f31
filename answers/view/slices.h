/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How much of a tree's nodes lies in which slice of time. Slices become twice as long when there are too many, so
 * that the memory is bounded.
 */
#pragma once

#include "lib/base/util.h"

/* The shortest slice: 16 of them are 20 ms, the row of a heat map of samples. */
#define SLICE_NS UINT64_C(1250000)

/* Slices of the whole time, at most: 300 columns of 50. */
#define SLICES_TIME 15000u

struct slice {
	uint32_t node, nr;
	uint64_t samples, weight; /* of the node itself */
};

struct slices {
	bool begun;
	bool given_up; /* the nodes alone are too many */
	uint64_t origin; /* the begin of slice 0, ns */
	unsigned int shift; /* a slice is SLICE_NS << shift long */
	struct slice *list; /* those of a node by time */
	size_t n;
	uint32_t *last; /* by node: the place of its last slice in the list, plus 1 */
	uint32_t n_last;
	uint64_t all[SLICES_TIME]; /* the samples of all nodes, whose slices stay shorter */
	unsigned int all_shift;
};

void slices_clear(struct slices *slices);

/* Counts a sample. The first time is the origin; an earlier one counts as that. -ENOMEM. */
int slices_add(struct slices *slices, uint32_t node, uint64_t ts);

/* Adds the ns of each slice that lie between the two times. -ENOMEM. */
int slices_add_span(struct slices *slices, uint32_t node, uint64_t from, uint64_t to);

/*
 * Ends the counting. places: the new name of each node; NULL: they keep theirs. Then makes the slices longer until
 * there are at most that many, and sorts them by node and time. -ENOMEM.
 */
int slices_finish(struct slices *slices, const uint32_t *places, size_t most);

/* Returns the number of slices of all nodes up to the last one with samples. */
uint32_t slices_all(const struct slices *slices);
