/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the places where the clock of a log goes back, because it was set or the host was started again.
 * These places divide the log into epochs. Records of different epochs are not sorted into each other.
 */
#pragma once

#include "compat/lustre/binary/runs.h"

struct epochs {
	struct record_index *list; /* in the order of the file */
	size_t n;
	bool none; /* there is one epoch, whatever the clock does */
	bool never_back; /* only a boot sets the clock back, so that each such place begins an epoch */
	bool too_many; /* the log has no order at all */
	uint32_t *last; /* by CPU: seconds of its last record in this epoch; 0: none */
	size_t n_last;
};

/* Adds the next record of the file. */
int dkl_epochs_add(struct epochs *epochs, uint64_t offset, const uint8_t *rec, uint32_t len);

/*
 * After the last record: joins the epochs into one if no two of them overlap in time, as the parts of a
 * file do that are only in another order, or if they cannot be read one by one.
 */
int dkl_epochs_finish(struct epochs *epochs);
void dkl_epochs_clear(struct epochs *epochs);
