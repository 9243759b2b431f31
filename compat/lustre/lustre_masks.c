/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads Lustre's own masks from its module's parameters: the numbers that debugfs shows as names.
 */
#include "compat/lustre/lustre_masks.h"

#include "lib/base/util.h"

#define MODULE     "/sys/module/libcfs"
#define PARAMETERS MODULE "/parameters/"

static const char *const files[] = {
	[MASK_DEBUG] = PARAMETERS "libcfs_debug",
	[MASK_SUBSYSTEM] = PARAMETERS "libcfs_subsystem_debug",
	[MASK_PRINTK] = PARAMETERS "libcfs_printk",
};

bool dkl_lustre_is_loaded(void)
{
	return !access(MODULE, F_OK);
}

int dkl_lustre_mask_read(enum mask_kind kind, uint32_t *value)
{
	FILE *f = (size_t)kind < ARRAY_SIZE(files) ? fopen(files[kind], "re") : NULL;
	long long number;
	int n;

	if (!f)
		return -ENOENT;
	/* The kernel prints it as a signed number. */
	n = fscanf(f, "%lld", &number);
	fclose(f);
	if (n != 1)
		return -ENOENT;
	*value = (uint32_t)number;
	return 0;
}

uint32_t dkl_lustre_sources(bool loaded)
{
	return loaded ? MASK_FROM_LUSTRE : dkl_mask_initial(MASK_SOURCES);
}
