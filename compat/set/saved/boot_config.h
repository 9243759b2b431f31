/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints settings for the kernel to apply before user space starts. */
#pragma once

#include <stdio.h>

#include "compat/log/debuglog.h"

/*
 * Prints lines of the kernel's bootconfig that create the log's instance with the events, filters,
 * size and clock of the settings. Comments name settings that are not available at boot. -E2BIG:
 * more than the kernel's limit.
 */
int dkl_boot_config_print(struct debuglog *log, const struct settings *set, FILE *out);

/*
 * Prints the same as words of the kernel's command line, for kernels without bootconfig. Gets
 * comments on settings that these cannot contain, or NULL; the caller frees them.
 */
int dkl_boot_cmdline_print(struct debuglog *log, const struct settings *set, FILE *out,
			   char **missing);

/* Memory that survives a reboot, and the instance in it. */
struct boot_memory {
	const char *name;
	uint64_t size; /* bytes */
	uint64_t address; /* 0: the kernel finds a place (reserve_mem=) */
};

/*
 * Prints the words of the command line that create such an instance. -EINVAL: the name, the size or
 * the address cannot be used on this machine.
 */
int dkl_boot_memory_print(struct dkt_ctx *ctx, const struct boot_memory *memory, FILE *out);
