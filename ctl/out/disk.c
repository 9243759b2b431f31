/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names for the numbers of disks. */
#include "ctl/out/disk.h"
#include "lib/inside.h"

void disk_text(uint64_t dev, const struct dkt_source *source, char text[DISK_SIZE])
{
	const char *name = source ? dkt__source_disk(source, DKT__STREAM_ALL, dev) : NULL;

	dkt__disk_number(dev, text);
	if (name)
		snprintf(text, DISK_SIZE, "%s", name);
	else if (!source)
		dkt__disk_here(dev, text);
}
