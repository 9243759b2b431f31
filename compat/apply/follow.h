/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Takes over masks that another program set in Lustre after the log was set. */
#pragma once

#include "apply/apply.h"

/*
 * Returns the masks that are not as Lustre has them now, a bit for each enum mask_kind. MASK_SOURCES
 * is one of them if nobody has chosen and Lustre came or went.
 */
uint32_t follow_differ(struct settings *settings);

/* Makes them what Lustre has, and returns which of them it were. */
uint32_t follow_masks(struct settings *settings);

/* After a change to these settings: tells, once, which masks the log took over from Lustre. */
void follow_tell(struct debuglog *log, struct settings *done);
