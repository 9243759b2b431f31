/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What lctl's commands say of a binary log that is damaged. */
#pragma once

#include "lctl/lctl.h"
#include "lustre/record/sort.h"

/* The thirteen lines that Lustre's lctl has for a damaged place; data is not used. */
void lctl_tell_bad(void *data, uint64_t offset, const struct record_head *head);

/* What of the log is not shown, or was shown though Lustre's lctl would not. */
void lctl_tell_lost(const struct lctl *lctl, const char *name, const struct record_counts *counts);
