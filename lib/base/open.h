/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Intervals that have begun and not ended, by key: one set of rules for all that measures the time from one
 * record to another.
 *
 * - Two begins of one key without an end between them: the later one counts, as in the kernel's own pairing; or the
 *   first one, where several mean the same (a softirq is raised once, however often it is asked for).
 * - An end without a begin counts for nothing; nor does a begin without an end.
 * - A request to a block device ends with its last sectors; those that are completed before shorten it.
 * - What never ends must not use up memory: beyond a number, all is forgotten.
 */
#pragma once

#include "lib/base/keyed.h"
#include "lib/base/request.h"

#define DKT__OPEN_MAX (1u << 20)

/* The first member of a value. */
struct dkt__begun {
	uint64_t ts; /* ns */
	uint64_t left; /* of a request: sectors that have not been completed */
};

struct dkt__open {
	struct dkt__keyed all;
	bool first; /* the first of two begins counts */
	bool requests; /* to block devices */
	uint64_t again; /* begins of a key that had begun, without those that count for nothing */
	uint64_t forgotten; /* because there were too many */
	uint64_t unbegun; /* ends without a begin */
};

static inline uint32_t dkt__open_n(const struct dkt__open *open)
{
	return open->all.keys.n;
}

/*
 * Begins an interval and returns its value, whose other members the caller sets, unless *again is true, the key had
 * begun, and the first begin counts. NULL: memory is out.
 */
static inline void *dkt__open_begin(struct dkt__open *open, const uint64_t *key, uint64_t ts,
				    uint64_t sectors, bool *again)
{
	struct dkt__begun *begun;
	bool added;

	if (dkt__unlikely(open->all.keys.n >= DKT__OPEN_MAX)) {
		open->forgotten += open->all.keys.n;
		dkt__keymap_empty(&open->all.keys);
	}
	begun = dkt__keyed_add(&open->all, key, &added);
	*again = !added;
	if (dkt__unlikely(!begun) || (!added && open->first))
		return begun;
	open->again += !added;
	begun->ts = ts;
	begun->left = sectors;
	return begun;
}

/*
 * Notes that the device has completed the first sectors of a request, at least one but not all: those behind them
 * are the request now, with the same value. Returns the value of another request that began there and cannot be in
 * the device any more, or NULL.
 */
void *dkt__open_part(struct dkt__open *open, const uint64_t *key, uint64_t sectors);

/*
 * Takes an end: returns the value of what has ended, valid until the next begin, or NULL. sectors: those that a
 * request has completed, or 0 for all that are no requests. Sets *part to true if only a part has ended. *cut gets
 * what dkt__open_part() returns, or NULL; cut can be NULL.
 */
static inline void *dkt__open_end(struct dkt__open *open, const uint64_t *key, uint64_t sectors,
				  bool *part, void **cut)
{
	const struct dkt__begun *begun = dkt__keyed_find(&open->all, key);
	void *other = NULL;

	*part = begun && sectors < begun->left;
	/* The kernel completes flushes without data that no device has got. */
	if (!begun)
		open->unbegun += !open->requests || sectors;
	else if (dkt__unlikely(*part))
		other = dkt__open_part(open, key, sectors);
	if (cut)
		*cut = other;
	return begun && !*part ? dkt__keyed_remove(&open->all, key) : NULL;
}

/* Forgets all, as after a loss. Returns their number. */
static inline uint32_t dkt__open_drop(struct dkt__open *open)
{
	const uint32_t n = open->all.keys.n;

	dkt__keymap_empty(&open->all.keys);
	return n;
}

static inline void dkt__open_clear(struct dkt__open *open)
{
	dkt__keyed_clear(&open->all);
}
