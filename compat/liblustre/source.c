/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files of Lustre's log as sources of libdktrace-lustre. */
#include <dktrace/lustre.h>

#include "compat/lustre/log_source.h"
#include "lib/base/opts.h"

int dkt_lustre_source_open(struct dkt_ctx *ctx, const char *path,
			   const struct dkt_source_opts *opts, struct dkt_source **source)
{
	struct dkt_source_opts mine;
	int err = dkt__opts_take(ctx, dkt_source_opts, &mine, opts);

	*source = NULL;
	return err ? err : dkl_log_source_open(ctx, path, &mine, source);
}
