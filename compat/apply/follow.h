/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Takes over masks that another program set in Lustre after the log was set. */
#pragma once

#include "compat/apply/apply.h"

/*
 * Returns the masks that differ from Lustre's, as bits 1 << enum mask_kind. MASK_SOURCES is one of
 * them if the user has not chosen it and Lustre was loaded or unloaded.
 */
uint32_t dkl_follow_differ(struct settings *settings);

/* Takes over these masks, and returns them like dkl_follow_differ(). */
uint32_t dkl_follow_masks(struct settings *settings);

/* After a change to the settings done: logs, once, the masks that it took over from Lustre. */
void dkl_follow_report(struct debuglog *log, struct settings *done);
