/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The function of the kernel in which a process waits, found in its stack. */
#pragma once

#include "answers/analyze/running.h"

/* All zero: no addresses. */
struct wchan {
	struct dkt__keymap addresses; /* looked up so far */
	const char **names; /* by entry; "": scheduler code */
	uint32_t n;
};

/*
 * Finds the first function that is not scheduler code, in a record of ftrace:kernel_stack. Sets *name
 * to NULL if all functions are, or if symbols are unknown. -ENOMEM.
 */
int wchan_find(struct analyze *a, struct wchan *wchan, const struct dkt_record *stack,
	       const char **name);
void wchan_clear(struct wchan *wchan);
