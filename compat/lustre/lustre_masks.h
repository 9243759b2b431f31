/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads Lustre's own masks from its module. */
#pragma once

#include "compat/lustre/mask.h"

/* True if Lustre's libcfs is loaded. */
bool dkl_lustre_is_loaded(void);

/* -ENOENT: Lustre is not loaded, or has no such mask. */
int dkl_lustre_mask_read(enum mask_kind kind, uint32_t *value);

/* Returns the default debug_sources of a machine with or without Lustre. */
uint32_t dkl_lustre_sources(bool loaded);
