/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints a message only once if both a probe and Lustre recorded it, with Lustre's text. */
#pragma once

#include "compat/lustre/log_source.h"
#include "compat/pipeline/chooser.h"

struct once;

/*
 * For a timeline of Lustre's records, whose times are reduced by wall, and the kernel's, whose
 * messages legacy knows. lustre must not have returned a record yet; lustre, legacy and the chooser
 * must outlive the object.
 */
int dkl_once_new(struct log_source *lustre, struct legacy_style *legacy, struct chooser *chooser,
		 int64_t wall, struct once **once);
void dkl_once_free(struct once *once);

/* True if a selected record of the kernel is a message that is also selected in Lustre's log. */
bool dkl_once_is_again(struct once *once, const struct dkt_record *record);
