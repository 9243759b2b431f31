/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shows a message once that both a probe and Lustre recorded, with Lustre's text. */
#pragma once

#include "lustre/log_source.h"
#include "pipeline/chooser.h"

struct once;

/*
 * The records of lustre, whose times get -wall to be those of the others, are in the same timeline as
 * those that legacy knows the messages of. The log, legacy and the chooser outlive it; the log has
 * returned no record yet.
 */
int once_new(struct log_source *lustre, struct legacy_style *legacy, struct chooser *chooser,
	     int64_t wall, struct once **once);
void once_free(struct once *once);

/*
 * True if a chosen record of the kernel's is a message that the log has too and that is chosen
 * there.
 */
bool once_is_again(struct once *once, const struct dkt_record *record);
