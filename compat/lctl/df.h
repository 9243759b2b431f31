/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The messages of lctl's commands about a damaged binary log. */
#pragma once

#include "lctl/lctl.h"
#include "lustre/record/sort.h"

/* The thirteen lines that Lustre's lctl has for a damaged place; data is not used. */
void lctl_tell_bad(void *data, uint64_t offset, const struct record_head *head);

/* The counts of records that are not shown, or that Lustre's lctl would not show. */
void lctl_tell_lost(const struct lctl *lctl, const char *name, const struct record_counts *counts);
