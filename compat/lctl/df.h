/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The messages of lctl's commands about a damaged binary log. */
#pragma once

#include "compat/lctl/lctl.h"
#include "compat/lustre/binary/sort.h"

/* Prints the thirteen lines of Lustre's lctl about an invalid record; data is not used. */
void dkl_lctl_print_bad(void *data, uint64_t offset, const struct record_head *head);

/* Reports damage that Lustre's lctl does not report. */
void dkl_lctl_print_damage(const struct lctl *lctl, const char *name,
			   const struct record_counts *counts);
