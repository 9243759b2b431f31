/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When the kernel wakes the reader of an instance (buffer_percent). */
#pragma once

#include "lib/ctx.h"

/*
 * Wakes readers when the buffer of a CPU is that full. Stores the previous text in *before, NULL if
 * nothing was changed. A kernel without the file wakes readers at the first record; a saved tree gets
 * no new ones.
 */
int dkt__percent_set(struct dkt_instance *in, unsigned int percent, char **before);

/* Restores and frees the previous text; keeps the error message of an earlier failure. */
void dkt__percent_restore(struct dkt_instance *in, char *before);
