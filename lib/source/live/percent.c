/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When the kernel wakes the reader of an instance (buffer_percent). */
#include "lib/source/live/percent.h"
#include "lib/instance.h"
#include "lib/tracefs.h"

int dkt__percent_set(struct dkt_instance *in, unsigned int percent, char **before)
{
	char text[12];
	int err;

	*before = NULL;
	if (!in || in->ctx->saved || !dkt__tfs_exists(in->ctx, "%sbuffer_percent", in->prefix))
		return 0;
	snprintf(text, sizeof(text), "%u\n", percent);
	err = dkt__tfs_read(in->ctx, before, NULL, "%sbuffer_percent", in->prefix);
	if (!err && strcmp(*before, text))
		return dkt__tfs_set(in->ctx, text, "%sbuffer_percent", in->prefix);
	free(*before);
	*before = NULL;
	return err;
}

void dkt__percent_restore(struct dkt_instance *in, char *before)
{
	char *earlier = before ? dkt_error_take(in->ctx) : NULL;

	if (!before)
		return;
	dkt__tfs_set(in->ctx, before, "%sbuffer_percent", in->prefix);
	dkt_error_give(in->ctx, 0, earlier);
	free(before);
}
