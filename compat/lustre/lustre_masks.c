/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lustre's own masks, as its module has them: one number that also debugfs shows, by names. */
#include "lustre/lustre_masks.h"

#include <errno.h>
#include <stdio.h>

#include "base/util.h"

#define MODULE     "/sys/module/libcfs"
#define PARAMETERS MODULE "/parameters/"

static const char *const files[] = {
	[MASK_DEBUG] = PARAMETERS "libcfs_debug",
	[MASK_SUBSYSTEM] = PARAMETERS "libcfs_subsystem_debug",
	[MASK_PRINTK] = PARAMETERS "libcfs_printk",
};

bool lustre_is_loaded(void)
{
	return !access(MODULE, F_OK);
}

int lustre_mask_read(enum mask_kind kind, uint32_t *value)
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

uint32_t lustre_sources(bool loaded)
{
	return loaded ? MASK_FROM_LUSTRE : mask_initial(MASK_SOURCES);
}

/* What the mask is to be now: Lustre's, or for debug_sources what nobody has chosen otherwise. */
static int wanted(enum mask_kind kind, const struct settings *s, uint32_t *value)
{
	if (kind != MASK_SOURCES)
		return lustre_mask_read(kind, value);
	if (s->chosen & 1u << MASK_SOURCES)
		return -ENOENT;
	*value = lustre_sources(lustre_is_loaded());
	return 0;
}

uint32_t lustre_masks_differ(struct settings *s)
{
	uint32_t value, differ = 0;
	enum mask_kind kind;

	for (kind = MASK_DEBUG; kind <= MASK_SOURCES; kind++)
		if (!wanted(kind, s, &value) && value != *settings_mask(s, kind))
			differ |= 1u << kind;
	return differ;
}

uint32_t lustre_masks_follow(struct settings *s)
{
	uint32_t value, differ = lustre_masks_differ(s);
	enum mask_kind kind;

	for (kind = MASK_DEBUG; kind <= MASK_SOURCES; kind++)
		if (differ & 1u << kind && !wanted(kind, s, &value))
			*settings_mask(s, kind) = value;
	return differ;
}
