/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Brings what has the same text together. */
#pragma once

#include "lib/base/util.h"

struct dkt__grouped {
	const char *text;
	uint32_t place; /* in the caller's list */
	uint32_t group; /* set by dkt__group(): equal texts have equal numbers, from 0 on */
};

/* Sorts by group, in order of the first of each, and by place. -ENOMEM. */
int dkt__group(struct dkt__grouped *list, size_t n);
