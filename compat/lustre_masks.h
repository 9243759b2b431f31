/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lustre's own masks, as its module has them. */
#ifndef COMPAT_LUSTRE_MASKS_H
#define COMPAT_LUSTRE_MASKS_H

#include "mask.h"
#include "settings.h"

/* -ENOENT: Lustre is not loaded, or has no such mask. */
int lustre_mask_read(enum mask_kind kind, uint32_t *value);

/* Masks that nobody has set are those that Lustre was loaded with or has been given since. */
void lustre_masks_follow(struct settings *settings);

#endif
