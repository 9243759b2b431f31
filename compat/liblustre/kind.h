/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Maps the masks of the installed header to the internal ones, which begin with the same values. */
#pragma once

#include <dktrace/lustre.h>

#include "compat/lustre/mask.h"

static inline enum mask_kind kind_of(enum dkt_lustre_mask mask)
{
	switch (mask) {
	case DKT_LUSTRE_SUBSYSTEM:
		return MASK_SUBSYSTEM;
	case DKT_LUSTRE_PRINTK:
		return MASK_PRINTK;
	case DKT_LUSTRE_DEBUG:
	default:
		return MASK_DEBUG;
	}
}
