/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Facts about the machine and the instance that records are from. */
#include "lib/source/live/about.h"
#include "lib/instance.h"

void dkt__about_fill(struct dkt__about *about, struct dkt_instance *in,
		     struct dkt_source_info *info)
{
	if (dkt_instance_get_clock(in, &about->clock))
		about->clock = NULL;
	info->sz = sizeof(*info);
	info->kind = "ring buffers";
	info->clock = about->clock;
	/* A saved tree does not record its machine. */
	if (!in->ctx->root && !uname(&about->uname)) {
		info->host = about->uname.nodename;
		snprintf(about->kernel, sizeof(about->kernel), "%s %s", about->uname.release,
			 about->uname.machine);
		info->kernel = about->kernel;
	}
	/* Without memory for the names, the numbers stay. */
	if (!in->ctx->root)
		dkt__disks_read(&about->disks);
	info->cpus = in->cpus;
	info->has_wall = !dkt_instance_wall(in, &info->wall);
}

void dkt__about_clear(struct dkt__about *about)
{
	free(about->clock);
	about->clock = NULL;
	dkt__disks_clear(&about->disks);
}
