/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lustre's own masks, as its module has them: one number that also debugfs shows, by names. */
#include "lustre_masks.h"

#include <errno.h>
#include <stdio.h>

#include "util.h"

#define PARAMETERS "/sys/module/libcfs/parameters/"

static const char *const files[] = {
	[MASK_DEBUG] = PARAMETERS "libcfs_debug",
	[MASK_SUBSYSTEM] = PARAMETERS "libcfs_subsystem_debug",
	[MASK_PRINTK] = PARAMETERS "libcfs_printk",
};

int lustre_mask_read(enum mask_kind kind, uint32_t *value)
{
	FILE *f = fopen(files[kind], "re");
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

void lustre_masks_follow(struct settings *s)
{
	if (!(s->chosen & 1u << MASK_DEBUG))
		lustre_mask_read(MASK_DEBUG, &s->debug);
	if (!(s->chosen & 1u << MASK_SUBSYSTEM))
		lustre_mask_read(MASK_SUBSYSTEM, &s->subsystem_debug);
	if (!(s->chosen & 1u << MASK_PRINTK))
		lustre_mask_read(MASK_PRINTK, &s->printk);
}
