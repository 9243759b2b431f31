/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints settings for the kernel to apply before user space starts. */
#pragma once

#include <stdio.h>

#include "log/debuglog.h"

/*
 * Prints lines of the kernel's bootconfig that make the log's instance with the events, filters,
 * size and clock of the settings. What cannot be had at boot is a comment between them. -E2BIG: the
 * kernel takes no more.
 */
int boot_config_print(struct debuglog *log, const struct settings *set, FILE *out);

/*
 * Prints the same as words of the kernel's command line, for kernels without bootconfig. left_out
 * is NULL or what that cannot say; the caller frees it.
 */
int boot_cmdline_print(struct debuglog *log, const struct settings *set, FILE *out,
		       char **left_out);
