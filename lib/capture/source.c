/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A capture as a source. */
#include <sys/utsname.h>

#include "capture.h"
#include "source.h"

#include "base/banned.h"

struct capture_source {
	struct dkt_source base;
	struct dkt_capture *capture;
	char *clock;
	struct utsname uname;
	char kernel[sizeof(((struct utsname *)NULL)->release) +
		    sizeof(((struct utsname *)NULL)->machine)];
};

static int capture_source_next(struct dkt_source *source, struct dkt_record *record)
{
	return dkt_capture_next(((struct capture_source *)source)->capture, record);
}

static const char *capture_source_comm(struct dkt_source *source, const struct dkt_record *record)
{
	return dkt_capture_comm(((struct capture_source *)source)->capture, record->pid);
}

static int capture_source_loss(struct dkt_source *source, int cpu, struct dkt_loss *loss)
{
	return dkt_capture_loss(((struct capture_source *)source)->capture, cpu, loss);
}

static void capture_source_close(struct dkt_source *source)
{
	struct capture_source *it = (struct capture_source *)source;

	free(it->clock);
	free(it);
}

static const struct dkt__source_ops capture_ops = {
	.next = capture_source_next,
	.comm = capture_source_comm,
	.loss = capture_source_loss,
	.close = capture_source_close,
};

int dkt_capture_source(struct dkt_capture *capture, struct dkt_source **out)
{
	struct capture_source *it = calloc(1, sizeof(*it));
	struct dkt_source_info *info;

	*out = NULL;
	if (!it)
		return -ENOMEM;
	it->base.ops = &capture_ops;
	it->base.ctx = capture->in->ctx;
	it->capture = capture;
	/* A clock or a wall offset that cannot be had is none: the times are shown as they are. */
	if (dkt_instance_get_clock(capture->in, &it->clock))
		it->clock = NULL;
	info = &it->base.info;
	info->kind = "ring buffers";
	info->clock = it->clock;
	/* A saved tree does not say what machine it is of. */
	if (!capture->in->ctx->root && !uname(&it->uname)) {
		info->host = it->uname.nodename;
		snprintf(it->kernel, sizeof(it->kernel), "%s %s", it->uname.release,
			 it->uname.machine);
		info->kernel = it->kernel;
	}
	info->cpus = capture->in->cpus;
	info->has_wall = !dkt_instance_wall(capture->in, &info->wall);
	*out = &it->base;
	return 0;
}
